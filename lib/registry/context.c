/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "registry/kinds.h"

#include <stdarg.h>
#include <stdio.h>

static gpc_simd widest_simd(gpc_simd ceiling) {
    gpc_simd widest = GPC_SIMD_NONE;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    widest = GPC_SIMD_SSE2;
    if (__builtin_cpu_supports("avx2"))
        widest = GPC_SIMD_AVX2;
    if (widest == GPC_SIMD_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        widest = GPC_SIMD_AVX512;
#endif
    return ceiling != GPC_SIMD_AUTO && ceiling < widest ? ceiling : widest;
}

gpc_status gpci_context_make(const gpc_context_options *options, const void *const *const *builtins, gpc_error *error,
                             gpc_context **out) {
    if (!out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_context_create: out is NULL");
    gpc_context_options context_options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_status status = gpci_take(&context_options, sizeof context_options, sizeof context_options, options,
                                  "gpc_context_options", error);
    if (status < 0)
        return status;
    int hooks =
        (context_options.allocate != NULL) + (context_options.resize != NULL) + (context_options.release != NULL);
    if (hooks != 0 && hooks != 3)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_context_options: allocate, resize and release must be given together");
    if (context_options.simd > GPC_SIMD_AVX512 || context_options.reserved)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_context_options.%s: unknown value %u",
                         context_options.reserved ? "reserved" : "simd",
                         (unsigned)(context_options.reserved ? context_options.reserved : context_options.simd));
    if (!hooks) {
        context_options.allocate = gpci_default_allocate;
        context_options.resize = gpci_default_resize;
        context_options.release = gpci_default_release;
    }
    gpc_context *context = context_options.allocate(context_options.allocator_data, sizeof *context);
    if (!context)
        return gpci_out_of_memory(error);
    *context = (gpc_context){.allocate = context_options.allocate,
                             .resize = context_options.resize,
                             .release = context_options.release,
                             .allocator_data = context_options.allocator_data,
                             .log = context_options.log,
                             .log_data = context_options.log_data,
                             .seed = context_options.seed,
                             .simd = widest_simd((gpc_simd)context_options.simd),
                             .references = 1};
    context->registry = gpci_registry_create(context, builtins);
    if (!context->registry) {
        context_options.release(context_options.allocator_data, context);
        return gpci_out_of_memory(error);
    }
    *out = context;
    return GPC_OK;
}

gpc_context *gpci_retain(gpc_context *context) {
    context->references++;
    return context;
}

void gpci_release(gpc_context *context) {
    if (!context || --context->references)
        return;
    gpci_registry_destroy(context, context->registry);
#ifdef GPCI_CHECK
    GPCI_ENSURE(!context->blocks, "%zu blocks of memory are not freed", context->blocks);
#endif
    context->release(context->allocator_data, context);
}

void gpc_context_destroy(gpc_context *context) {
    gpci_release(context);
}

void gpci_log(gpc_context *context, gpc_log_level level, const char *format, ...) {
    if (!context->log)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_data, level, message);
}

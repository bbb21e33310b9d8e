/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CONTEXT_H
#define GPUCACHE_CONTEXT_H

#include <gpucache/error.h>

GPC_BEGIN_DECLS

/* Urgency of a log message. */
typedef enum gpc_log_level { GPC_LOG_WARNING = 0, GPC_LOG_INFO = 1, GPC_LOG_DEBUG = 2 } gpc_log_level;

/*
 * Function for messages that are no errors, for example: a trace has an unknown opcode, an irregularity was repaired.
 * `message` is a single line and lives for the call only. The function may not call into an object of the same context.
 */
typedef void (*gpc_log_fn)(void *user_data, gpc_log_level level, const char *message);

/*
 * Allocator hooks. `resize` follows realloc: memory NULL allocates. `release` accepts NULL. Give all three hooks or no
 * hook. Calls that create, grow or destroy something may call the hooks. An access never does.
 */
typedef void *(*gpc_allocate_fn)(void *user_data, size_t bytes);
typedef void *(*gpc_resize_fn)(void *user_data, void *memory, size_t bytes);
typedef void (*gpc_release_fn)(void *user_data, void *memory);

typedef struct gpc_context_options {
    size_t struct_size;
    gpc_allocate_fn allocate; /* NULL: malloc */
    gpc_resize_fn resize;     /* NULL: realloc */
    gpc_release_fn release;   /* NULL: free */
    void *allocator_data;     /* passed to the three hooks above */
    gpc_log_fn log;           /* NULL: messages are dropped */
    void *log_data;           /* passed to `log` */
    uint64_t seed;            /* seed of every random choice of every object */
    uint32_t simd;            /* gpc_simd: GPC_SIMD_AUTO or an upper limit, for comparisons */
    uint32_t reserved;        /* 0 */
} gpc_context_options;

/* Widest vector instructions that batched accesses may use. Results never depend on the choice. */
typedef enum gpc_simd {
    GPC_SIMD_AUTO = 0, /* the widest that the processor has */
    GPC_SIMD_NONE = 1,
    GPC_SIMD_SSE2 = 2,
    GPC_SIMD_AVX2 = 3,
    GPC_SIMD_AVX512 = 4
} gpc_simd;

#define GPC_CONTEXT_OPTIONS_INIT \
    { sizeof(gpc_context_options), NULL, NULL, NULL, NULL, NULL, NULL, 1, GPC_SIMD_AUTO, 0 }

/*
 * Fill in a struct by its name, for callers without macros (Rust, Go, Julia). The result equals the _INIT macro.
 * Structs without an _INIT macro (tables of policies, statistics, gpc_request) are zero except struct_size.
 *   name  name of the type, for example "gpc_launch"; every struct of the headers except records that only callbacks
 *         get
 *   size  bytes of the caller's type. struct_size receives `size`, and no byte beyond `size` is written, even if a
 *         later library has more fields. A plain record has exactly one valid size.
 *   out   struct of `size` bytes; unchanged on failure
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND (no struct of this name); GPC_ERROR_ABI (no version of the struct has `size`);
 * GPC_ERROR_ARGUMENT (NULL). Any thread. Since: 0.2.
 */
GPC_API gpc_status gpc_struct_init(const char *name, size_t size, gpc_error *error, void *out);

/*
 * Create a context: the owner of allocator, log, registries and seed. The library has no state outside contexts. Two
 * contexts share nothing.
 *   options  NULL for the defaults
 *   out      receives the context; untouched on failure
 * Returns GPC_OK; GPC_ERROR_ABI (struct_size); GPC_ERROR_ARGUMENT (out is NULL, one or two of the three allocator
 * hooks, unknown simd level); GPC_ERROR_MEMORY.
 * Thread rule: any thread. Only one thread at a time may use a context and the objects made from the context. Since:
 * 0.1.
 *
 * The symbol names the version, so that an object file compiled with another version's headers does not link. Bindings
 * load the symbol with the version.
 */
#define gpc_context_create gpc_context_create_0_3
GPC_API gpc_status gpc_context_create(const gpc_context_options *options, gpc_context **out, gpc_error *error);

/*
 * Release the caller's hold on a context. Objects made from the context hold the context too. The memory of the context
 * is freed with the last holder, in every order of destruction. NULL is allowed. Since: 0.1.
 */
GPC_API void gpc_context_destroy(gpc_context *context);

GPC_END_DECLS

#endif

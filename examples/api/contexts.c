/* SPDX-License-Identifier: BSD-2-Clause */
/* A context with the host's memory and log, and a structure made by name. */
#include "example.h"

#include <string.h>

static void *allocate(void *data, size_t bytes) {
    ++*(size_t *)data;
    return malloc(bytes);
}

static void *resize(void *data, void *memory, size_t bytes) {
    *(size_t *)data += !memory;
    return realloc(memory, bytes);
}

static void release(void *data, void *memory) {
    *(size_t *)data -= memory != NULL;
    free(memory);
}

static void print(void *data, gpc_log_level level, const char *message) {
    (void)data;
    printf("log %d: %s\n", (int)level, message);
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    size_t held = 0;
    printf("headers %d.%d, library %s\n", GPC_VERSION_MAJOR, GPC_VERSION_MINOR, gpc_version_string());
    expect(gpc_version() >> 8 == GPC_VERSION_NUMBER >> 8, "headers and library have one minor version");

    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = &held;
    options.log = print;
    options.seed = 7;
    gpc_context *context;
    check(gpc_context_create(&options, &context, &error), &error);
    expect(held > 0, "the context has memory of the host");

    /* Languages without macros fill in a structure by its name. */
    gpc_launch named;
    const gpc_launch initial = GPC_LAUNCH_INIT;
    check(gpc_struct_init("gpc_launch", sizeof named, &named, &error), &error);
    expect(memcmp(&named, &initial, sizeof named) == 0, "the structure equals the macro");
    const gpc_status status = gpc_struct_init("gpc_lunch", sizeof named, &named, &error);
    printf("%s: %s\n", gpc_status_string(status), error.message);
    expect(status == GPC_ERROR_NOT_FOUND, "an unknown name is an error");

    gpc_context_destroy(context);
    expect(held == 0, "all memory is back");
    return 0;
}

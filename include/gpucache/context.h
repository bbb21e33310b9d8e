/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CONTEXT_H
#define GPUCACHE_CONTEXT_H

#include <gpucache/error.h>

GPC_BEGIN_DECLS

/* Urgency of a log message. */
typedef enum gpc_log_level { GPC_LOG_WARNING = 0, GPC_LOG_INFO = 1, GPC_LOG_DEBUG = 2 } gpc_log_level;

/*
 * Called when the library has something to say that is no error (a trace with
 * an unknown opcode, a repaired irregularity). `message` is one line and lives
 * for the call only. May not call into any object of the same context.
 */
typedef void (*gpc_log_fn)(void *user_data, gpc_log_level level, const char *message);

/*
 * Allocator hooks. `resize` follows realloc: memory NULL allocates; `release`
 * accepts NULL. All three or none must be given. They may be called from any
 * call that creates, grows or destroys something, never from an access.
 */
typedef void *(*gpc_allocate_fn)(void *user_data, size_t bytes);
typedef void *(*gpc_resize_fn)(void *user_data, void *memory, size_t bytes);
typedef void (*gpc_release_fn)(void *user_data, void *memory);

typedef struct gpc_context_options {
    size_t struct_size;
    gpc_allocate_fn allocate; /* NULL: malloc */
    gpc_resize_fn resize;     /* NULL: realloc */
    gpc_release_fn release;   /* NULL: free */
    void *allocator_data;     /* passed to the three above */
    gpc_log_fn log;           /* NULL: messages are dropped */
    void *log_data;           /* passed to `log` */
    uint64_t seed;            /* every random choice of every object derives from it */
    uint32_t simd;            /* gpc_simd: GPC_SIMD_AUTO or a ceiling, for comparisons */
    uint32_t reserved;        /* 0 */
} gpc_context_options;

/* Widest vector instructions that batched accesses may use. Results never depend on it. */
typedef enum gpc_simd {
    GPC_SIMD_AUTO = 0, /* the widest that the processor has */
    GPC_SIMD_NONE = 1,
    GPC_SIMD_SSE2 = 2,
    GPC_SIMD_AVX2 = 3,
    GPC_SIMD_AVX512 = 4
} gpc_simd;

#define GPC_CONTEXT_OPTIONS_INIT \
    { sizeof(gpc_context_options), NULL, NULL, NULL, NULL, NULL, NULL, 1, GPC_SIMD_AUTO, 0 }

/* Make `options` what GPC_CONTEXT_OPTIONS_INIT makes it. Any thread. Since: 0.1. */
GPC_API void gpc_context_options_init(gpc_context_options *options);

/*
 * Fill in a struct by its name, for callers that cannot use macros (Rust, Go, Julia): what the _INIT macro makes it,
 * and where there is none, zero but for struct_size: tables of policies, statistics, gpc_request.
 *   name  of the type, as "gpc_launch"; any struct of these headers but records that only callbacks get
 *   size  of the caller's type, which becomes struct_size: no other byte is written, also where a later library has
 *         more fields; a plain record has the one size that it has
 *   out   a struct of so many bytes, as it was on failure
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND (no such struct); GPC_ERROR_ABI (no size that it has in any version);
 * GPC_ERROR_ARGUMENT (NULL). Any thread. Since: 0.2.
 */
GPC_API gpc_status gpc_struct_init(const char *name, size_t size, gpc_error *error, void *out);

/*
 * Create a context: the owner of allocator, log, registries and seed. The
 * library has no other state, so two contexts share nothing.
 *   options  NULL for the defaults
 *   out      receives the context; untouched on failure
 * Returns GPC_OK; GPC_ERROR_ABI (struct_size); GPC_ERROR_ARGUMENT (out is NULL,
 * some but not all allocator hooks, unknown simd level); GPC_ERROR_MEMORY.
 * Thread rule: any thread. A context and all objects made from it may be used
 * by one thread at a time. Since: 0.1.
 */
GPC_API gpc_status gpc_context_create(const gpc_context_options *options, gpc_error *error, gpc_context **out);

/*
 * Give up the caller's hold on a context. Objects made from it hold it too: its
 * memory goes with the last of them, in whatever order they are destroyed.
 * NULL is allowed. Since: 0.1.
 */
GPC_API void gpc_context_destroy(gpc_context *context);

GPC_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_GPUCACHE_H
#define GPUCACHE_GPUCACHE_H

/*
 * libgpucache: the memory hierarchy of a GPU, to embed in a simulator or to run by itself.
 *
 * Objects of the core
 *   gpc_context    allocator, log, seed, registries of policies; owns all state
 *   gpc_config     keys and values, from presets, files and settings
 *   gpc_cache      a single cache: tags, sectors, write policies, pluggable replacement and bypass
 *   gpc_hierarchy  coalescer, L1 per SM, networks, L2 slices, DRAM, made from a gpc_config; with or without a clock
 *   gpc_trace      kernels, thread blocks and warps from files or generators
 *   gpc_replay     runs a gpc_trace through a gpc_hierarchy
 *
 * This header includes the core. Extensions are in gpucache/ext: schedulers, policies and DRAM alone, coherent trees,
 * profiles, event traces, snapshots, and further calls of the objects above. Calls of gpucache/experimental may change
 * in every version, and need the macro GPC_EXPERIMENTAL.
 *
 * Errors. Calls return gpc_status. A negative status is a failure: nothing has changed and no out-parameter was
 * written, unless a comment says otherwise. `error` is the last parameter, and may be NULL. If not NULL, the error
 * receives a sentence with the name of the wrong argument, key or file. The library never prints, exits, aborts, or
 * asserts on input.
 *
 * Threads. Only one thread at a time may use a context and the objects made from the context. Different contexts share
 * nothing. Functions marked "any thread" touch no object.
 *
 * Ownership. `_create` and `_open` hand out an object. `_destroy` and `_close` take the object back, and accept NULL.
 * The library copies strings and tables that a caller passes in. Pointers handed out are borrowed, for as long as the
 * comment says. A context may be destroyed before its objects: the last object frees the context.
 *
 * Callbacks run on the thread of the call that caused them. A callback may not call into the object that called the
 * callback. `user_data` belongs to the callback's author. If a `destroy` function is given with `user_data`, `destroy`
 * runs exactly once, also when the registration fails.
 *
 * Structures. Option and result structures begin with `size_t struct_size`. Fill a structure with the `_INIT` macro, or
 * by name with gpc_struct_init. In a smaller (older) structure the missing fields have their defaults. A larger (newer)
 * structure is accepted if the unknown bytes are zero and are at most GPC_STRUCT_GROWTH. Plain records have a fixed
 * size and no struct_size: gpc_request, gpc_access_result, gpc_instruction and a few more.
 *
 * Statistics. Every counter has an id of its own in all versions (counters.h), and is read by id. Therefore a program
 * reads right numbers from a later library of the same SONAME, wherever counters were added.
 *
 * Determinism. Equal calls with an equal seed give equal results on every machine, compiler and build.
 */

#include <gpucache/cache.h>
#include <gpucache/hierarchy.h>
#include <gpucache/replay.h>

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
GPC_API gpc_status gpc_struct_init(const char *name, size_t size, void *out, gpc_error *error);

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

/*
 * Configuration: flat keys (`l1.size = 16KiB`). Every key has a type, a unit, a default, a range and a meaning. Values
 * come from a preset, then from files, then from single settings; the last value holds.
 */

/*
 * Create a configuration in which every key has its default. Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL);
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_config_create(gpc_context *context, gpc_config **out, gpc_error *error);
GPC_API void gpc_config_destroy(gpc_config *config);

/*
 * Apply a preset on top of the present values. `defaults` resets the keys that presets set to their defaults.
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND, naming the nearest known preset; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_preset(gpc_config *config, const char *name, gpc_error *error);

/*
 * Apply a file. Syntax: `key = value` lines, comments from `#` to the end of a line, `preset = NAME`, and `include =
 * PATH` (relative to the including file; at most 16 deep). `preset = defaults` resets the keys that presets set to
 * their defaults. On failure the configuration is as before, and `error` names file, line and key. The function checks
 * every value alone. Contradictions between keys are found when the keys are used (gpc_hierarchy_create).
 * Returns GPC_OK; GPC_ERROR_IO; GPC_ERROR_FORMAT (also if files include each other); GPC_ERROR_NOT_FOUND (unknown key,
 * preset or policy, with the nearest known name); GPC_ERROR_RANGE (a value, too many includes, or a file beyond 16
 * MiB); GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT (a NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_file(gpc_config *config, const char *path, gpc_error *error);

/*
 * Apply text in the syntax of gpc_config_load_file. `name` stands for the file in messages, NULL for "text". `include`
 * is relative to the working directory. Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_text(gpc_config *config, const char *text, const char *name, gpc_error *error);

/*
 * Set a single key from text. If the configuration's `coherence` gives a key no effect, making a hierarchy checks who
 * set the key:
 * - the host set a value other than the default (by this function, by gpc_config_set_pair, or in a text or file):
 *   refused with GPC_ERROR_RANGE, naming key, value and protocol;
 * - a preset or an imported option set the value: reported in the context's log (GPC_LOG_INFO).
 * Keys of the host with an effect only in the other `mode` are reported in the log too. Returns as
 * gpc_config_load_file. Since: 0.1.
 */
GPC_API gpc_status gpc_config_set(gpc_config *config, const char *key, const char *value, gpc_error *error);

/* Set a single key from `key=value`. Returns as gpc_config_set; GPC_ERROR_FORMAT (no `=`). Since: 0.1. */
GPC_API gpc_status gpc_config_set_pair(gpc_config *config, const char *pair, gpc_error *error);

/*
 * Value of a key as canonical text (sizes with the largest exact unit). The pointer lives until the key is next set.
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND (unknown key); GPC_ERROR_ARGUMENT (a NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value, gpc_error *error);

/*
 * Value of a numeric key (SIZE in bytes, COUNT, BOOL as 0 or 1). Returns as gpc_config_get; GPC_ERROR_STATE if the
 * value is a word (`auto`) or no number. Since: 0.1.
 */
GPC_API gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value, gpc_error *error);

GPC_END_DECLS

#endif

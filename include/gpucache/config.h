/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CONFIG_H
#define GPUCACHE_CONFIG_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Configuration: flat keys (`l1.size = 16KiB`), each with a type, a unit, a
 * default, a range and a meaning. Values come from a preset, then from files,
 * then from single settings; the last one holds.
 */

typedef enum gpc_value_type {
    GPC_VALUE_COUNT = 0,  /* whole number, decimal or 0x */
    GPC_VALUE_SIZE = 1,   /* bytes, with B, KiB, MiB or GiB (K, M, G mean the same); also 1.5MiB */
    GPC_VALUE_BOOL = 2,   /* true, false, yes, no, on, off, 1, 0 */
    GPC_VALUE_CHOICE = 3, /* one of `choices` */
    GPC_VALUE_POLICY = 4, /* `name` or `name(parameter=value, ...)` of a registry */
    GPC_VALUE_TEXT = 5,
    GPC_VALUE_NUMBER = 6, /* decimal fraction, from 0 on, of at most three decimals */
    GPC_VALUE_SIZES = 7   /* sizes separated by blanks, each larger than the one before; may be empty */
} gpc_value_type;

typedef struct gpc_key_info {
    size_t struct_size;
    const char *name;
    gpc_value_type type;
    const char *unit;        /* "" if none */
    const char *initial;     /* default, as text */
    double minimum, maximum; /* of numeric types */
    /* `a|b|c`; for SIZE, COUNT and NUMBER also words allowed instead of a number (`auto`); "" if none */
    const char *choices;
    const char *meaning;
} gpc_key_info;

#define GPC_KEY_INFO_INIT \
    { sizeof(gpc_key_info), NULL, GPC_VALUE_COUNT, NULL, NULL, 0, 0, NULL, NULL }

/* Enumerate the keys in reference order. GPC_ERROR_RANGE past the end. Any thread. Since: 0.1. */
GPC_API size_t gpc_key_count(void);
GPC_API gpc_status gpc_key_at(size_t index, gpc_key_info *info);

/* Enumerate the presets: name and one line. Static storage. Any thread. Since: 0.1. */
GPC_API size_t gpc_preset_count(void);
GPC_API gpc_status gpc_preset_at(size_t index, const char **name, const char **summary);

/*
 * The preset's own text, in the syntax of gpc_config_load_text, with the source
 * of every figure as a comment. What it does not say, the preset has that its line
 * `preset = NAME` names, which may be a part that is not listed; `defaults` is none.
 * NULL for an unknown name. Static storage. Since: 0.1.
 */
GPC_API const char *gpc_preset_text(const char *name);

/* Create a configuration in which every key has its default. Since: 0.1. */
GPC_API gpc_status gpc_config_create(gpc_context *context, gpc_error *error, gpc_config **out);
GPC_API gpc_status gpc_config_copy(const gpc_config *config, gpc_error *error, gpc_config **out);
GPC_API void gpc_config_destroy(gpc_config *config);

/*
 * Apply a preset on top of what is set; `defaults` gives the keys that presets set their defaults. GPC_ERROR_NOT_FOUND
 * names the nearest known one. Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_preset(gpc_config *config, const char *name, gpc_error *error);

/*
 * Name of the preset that was applied last, by gpc_config_load_preset or a line of a file; what was set since may
 * differ from it. NULL: none, or `defaults`. Static storage. Since: 0.2.
 */
GPC_API const char *gpc_config_preset(const gpc_config *config);

/*
 * Apply a file: `key = value` lines, comments from `#` to the end of a line,
 * `preset = NAME`, and `include = PATH` (relative to the including file; at most
 * 16 deep). `preset = defaults` gives the keys that presets set their defaults. All or nothing: on failure the
 * configuration is as before and `error` names file, line and key. Each value is checked by itself; whether the keys
 * fit together is checked where they are used (gpc_hierarchy_create).
 * Returns GPC_OK; GPC_ERROR_IO; GPC_ERROR_FORMAT (also files that include each other); GPC_ERROR_NOT_FOUND (unknown
 * key, preset or policy, with the nearest one); GPC_ERROR_RANGE (a value, too many includes, or a file beyond 16 MiB);
 * GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT (a NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_file(gpc_config *config, const char *path, gpc_error *error);

/*
 * The same from text. `name` stands for the file in messages, NULL for "text";
 * `include` is relative to the working directory. Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_text(gpc_config *config, const char *text, const char *name, gpc_error *error);

/*
 * Import a GPGPU-Sim or Accel-Sim option file (`-gpgpu_cache:dl1 S:4:128:64,...`),
 * of release 3.x or 4.x: the options that have a key here are applied, others are
 * passed over, and keys of which the file says nothing keep their values. An
 * adaptive L1 becomes a unified one whose ways follow its capacity. Latencies in
 * core cycles become cycles of the key's own clock; clocks are rounded to MHz. DRAM
 * is as GPGPU-Sim has it, without refresh. Networks of intersim are in a file of
 * their own, which is not read; a trace.config may be imported after.
 *   out_applied  receives the number of options applied; may be NULL
 * All or nothing, and returns, as gpc_config_load_file; and GPC_ERROR_UNSUPPORTED
 * (an option that cannot be expressed here). Since: 0.1.
 */
GPC_API gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied,
                                              gpc_error *error);

typedef enum gpc_import_outcome {
    GPC_IMPORT_APPLIED = 0, /* it says something about a key, and was heeded */
    GPC_IMPORT_IGNORED = 1, /* theirs, and no key here follows it */
    GPC_IMPORT_UNKNOWN = 2, /* no option of theirs, as far as is known here: misspelt, or of another release */
} gpc_import_outcome;

/*
 * An option of a file, in its order; the texts live for the call. A plain record. A part of an applied option's value
 * that is unknown (a fifth clock) comes after all, as GPC_IMPORT_UNKNOWN under the option's name.
 */
typedef struct gpc_import_option {
    const char *name;
    const char *value; /* "" where there is none */
    size_t line;       /* from 1 */
    gpc_import_outcome outcome;
    const char *reason; /* why it was not applied; "" of one that was */
} gpc_import_option;

typedef void (*gpc_import_fn)(void *user_data, const gpc_import_option *option);

/*
 * The same, and the caller is told of each option, once all is applied; not after a
 * failure. Unknown ones are warnings of the context's log, and ignored ones are named there, too.
 *   on_option  may be NULL; must not use the configuration
 * Returns as gpc_config_import_gpgpusim. Since: 0.2.
 */
GPC_API gpc_status gpc_config_import_gpgpusim_with(gpc_config *config, const char *path, gpc_import_fn on_option,
                                                   void *user_data, gpc_error *error);

/* The same from text. `name` stands for the file in messages, NULL for "text". Since: 0.2. */
GPC_API gpc_status gpc_config_import_gpgpusim_text(gpc_config *config, const char *text, const char *name,
                                                   gpc_import_fn on_option, void *user_data, gpc_error *error);

/*
 * Set one key from text. A key without effect under the configuration's `coherence` is refused when a hierarchy is made
 * (GPC_ERROR_RANGE, naming key, value and protocol) where its value is not the default and the host's own: set by this
 * function or gpc_config_set_pair, or in a text or file. Values of presets and of imported options are told instead, in
 * the context's log (GPC_LOG_INFO), and so are a host's keys that act in the other `mode` alone. Returns as
 * gpc_config_load_file. Since: 0.1.
 */
GPC_API gpc_status gpc_config_set(gpc_config *config, const char *key, const char *value, gpc_error *error);

/* Set one key from `key=value`. Since: 0.1. */
GPC_API gpc_status gpc_config_set_pair(gpc_config *config, const char *pair, gpc_error *error);

/*
 * A key's value as canonical text (sizes with the largest exact unit).
 * The pointer lives until the key is next set. Returns GPC_OK or GPC_ERROR_NOT_FOUND. Since: 0.1.
 */
GPC_API gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value);

/*
 * A numeric key's value (SIZE in bytes, COUNT, BOOL as 0 or 1).
 * GPC_ERROR_STATE where it is a word (`auto`) or no number. Since: 0.1.
 */
GPC_API gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value);

GPC_END_DECLS

#endif

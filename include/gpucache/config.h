/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CONFIG_H
#define GPUCACHE_CONFIG_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Configuration: flat keys (`l1.size = 16KiB`). Every key has a type, a unit, a default, a range and a meaning. Values
 * come from a preset, then from files, then from single settings; the last value holds.
 */

typedef enum gpc_value_type {
    GPC_VALUE_COUNT = 0,  /* whole number, decimal or 0x */
    GPC_VALUE_SIZE = 1,   /* bytes, with B, KiB, MiB or GiB (K, M, G are synonyms of KiB, MiB, GiB); also 1.5MiB */
    GPC_VALUE_BOOL = 2,   /* true, false, yes, no, on, off, 1, 0 */
    GPC_VALUE_CHOICE = 3, /* a word of `choices` */
    GPC_VALUE_POLICY = 4, /* `name` or `name(parameter=value, ...)` of a registry */
    GPC_VALUE_TEXT = 5,
    GPC_VALUE_NUMBER = 6, /* decimal fraction of at least 0, with at most three decimals */
    GPC_VALUE_SIZES = 7   /* sizes separated by blanks, in ascending order; may be empty */
} gpc_value_type;

typedef struct gpc_key_info {
    size_t struct_size;
    const char *name;
    gpc_value_type type;
    const char *unit;        /* "" if the key has no unit */
    const char *initial;     /* default, as text */
    double minimum, maximum; /* range of numeric types */
    /* `a|b|c`; for SIZE, COUNT and NUMBER words allowed instead of a number (`auto`); "" if the key has no choices */
    const char *choices;
    const char *meaning;
} gpc_key_info;

#define GPC_KEY_INFO_INIT \
    { sizeof(gpc_key_info), NULL, GPC_VALUE_COUNT, NULL, NULL, 0, 0, NULL, NULL }

/*
 * Enumerate the keys in reference order. gpc_key_at returns GPC_OK; GPC_ERROR_RANGE past the end; GPC_ERROR_ARGUMENT
 * (NULL); GPC_ERROR_ABI. Any thread. Since: 0.1.
 */
GPC_API size_t gpc_key_count(void);
GPC_API gpc_status gpc_key_at(size_t index, gpc_key_info *info);

/*
 * Enumerate the presets: name and summary (a single line). Static storage. gpc_preset_at returns GPC_OK;
 * GPC_ERROR_RANGE past the end. Any thread. Since: 0.1.
 */
GPC_API size_t gpc_preset_count(void);
GPC_API gpc_status gpc_preset_at(size_t index, const char **name, const char **summary);

/*
 * Text of a preset, in the syntax of gpc_config_load_text, with the source of every figure as a comment. A line `preset
 * = NAME` includes another preset, perhaps an unlisted part, for the keys that the text leaves out. `defaults` has no
 * text. NULL for an unknown name. Static storage. Since: 0.1.
 */
GPC_API const char *gpc_preset_text(const char *name);

/*
 * Create a configuration in which every key has its default (_create), or the value of another configuration (_copy).
 * Return GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_config_create(gpc_context *context, gpc_config **out, gpc_error *error);
GPC_API gpc_status gpc_config_copy(const gpc_config *config, gpc_config **out, gpc_error *error);
GPC_API void gpc_config_destroy(gpc_config *config);

/*
 * Apply a preset on top of the present values. `defaults` resets the keys that presets set to their defaults.
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND, naming the nearest known preset; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_config_load_preset(gpc_config *config, const char *name, gpc_error *error);

/*
 * Name of the last preset applied by gpc_config_load_preset or by a line of a file. Values set later may differ from
 * the preset. NULL: no preset, or `defaults`. Static storage. Since: 0.2.
 */
GPC_API const char *gpc_config_preset(const gpc_config *config);

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

typedef enum gpc_import_outcome {
    GPC_IMPORT_APPLIED = 0, /* the option concerns a key, and was applied */
    GPC_IMPORT_IGNORED = 1, /* the option is known to GPGPU-Sim, but no key follows from the option */
    GPC_IMPORT_UNKNOWN = 2, /* unknown option: misspelt, or of another release */
} gpc_import_outcome;

/*
 * Option of a file, in the file's order. The texts live for the call. A plain record. If part of an applied option's
 * value is unknown (a fifth clock), the part is reported after all options, as GPC_IMPORT_UNKNOWN under the option's
 * name.
 */
typedef struct gpc_import_option {
    const char *name;
    const char *value; /* "" if the option has no value */
    size_t line;       /* line number, from 1 */
    gpc_import_outcome outcome;
    const char *reason; /* why the option was not applied; "" if applied */
} gpc_import_option;

typedef void (*gpc_import_fn)(void *user_data, const gpc_import_option *option);

/*
 * Import a GPGPU-Sim or Accel-Sim option file (`-gpgpu_cache:dl1 S:4:128:64,...`) of release 3.x or 4.x. Options with a
 * key in gpucache are applied; the rest is passed over. Keys that the file does not mention keep their values. An
 * adaptive L1 becomes a unified L1 whose ways follow its capacity. Latencies in core cycles become cycles of the key's
 * own clock. Clocks are rounded to MHz. DRAM is as in GPGPU-Sim, without refresh. The separate network file of intersim
 * is not read. A trace.config may be imported after.
 *   on_option  called for every option after all are applied; may be NULL; must not use the configuration
 * On failure the configuration is as before, and `on_option` is not called. The context's log has a warning for every
 * unknown option, and names the ignored options. Returns as gpc_config_load_file; also GPC_ERROR_UNSUPPORTED (the file
 * has an option that no key can express). Since: 0.3.
 */
GPC_API gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, gpc_import_fn on_option,
                                              void *user_data, gpc_error *error);

/*
 * Import from text. `name` stands for the file in messages, NULL for "text". Returns as
 * gpc_config_import_gpgpusim. Since: 0.2.
 */
GPC_API gpc_status gpc_config_import_gpgpusim_text(gpc_config *config, const char *text, const char *name,
                                                   gpc_import_fn on_option, void *user_data, gpc_error *error);

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
GPC_API gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value);

/*
 * Value of a numeric key (SIZE in bytes, COUNT, BOOL as 0 or 1). Returns as gpc_config_get; GPC_ERROR_STATE if the
 * value is a word (`auto`) or no number. Since: 0.1.
 */
GPC_API gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value);

GPC_END_DECLS

#endif

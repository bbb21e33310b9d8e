/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/config_object.h"
#include "registry/registry.h"

#include <string.h>

static const gpc_key_info keys[GPCI_KEY_COUNT] = {
#define X(id, name, type, preset, unit, initial, minimum, maximum, choices, meaning) \
    {sizeof(gpc_key_info), name, GPC_VALUE_##type, unit, initial, minimum, maximum, choices, meaning},
    GPCI_KEYS(X)
#undef X
};

enum { KEEP = 0, RESET = 1, CLOCK = 2, STEPS = 4 };

static const uint8_t acts[GPCI_KEY_COUNT] = {
#define X(id, name, type, preset, unit, initial, minimum, maximum, choices, meaning) preset,
    GPCI_KEYS(X)
#undef X
};

static const uint8_t lengths[GPCI_KEY_COUNT] = {
#define X(id, name, type, preset, unit, initial, minimum, maximum, choices, meaning) sizeof name - 1,
    GPCI_KEYS(X)
#undef X
};

size_t gpc_key_count(void) {
    return GPCI_KEY_COUNT;
}

gpc_status gpc_key_at(size_t index, gpc_key_info *info, gpc_error *error) {
    if (!info)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_key_at: info is NULL");
    if (index >= GPCI_KEY_COUNT)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_key_at: index is %zu, and there are %d keys", index,
                         GPCI_KEY_COUNT);
    return gpci_give(info, &keys[index], sizeof *info, "gpc_key_info", error);
}

const char *gpci_key_default(gpci_key key) {
    return keys[key].initial;
}

bool gpci_config_is_default(const gpc_config *config, gpci_key key) {
    return !strcmp(gpci_config_text(config, key), gpci_key_default(key));
}

bool gpci_key_resets(gpci_key key) {
    return acts[key] & RESET;
}

bool gpci_key_wants_mode(gpci_key key, bool timed) {
    return acts[key] & (timed ? CLOCK : STEPS);
}

const char *gpci_key_name(gpci_key key) {
    return keys[key].name;
}

static const char *name_at(const void *data, size_t index) {
    (void)data;
    return keys[index].name;
}

static size_t find(const char *name) {
    const size_t length = strlen(name);
    size_t i = 0;
    while (i < GPCI_KEY_COUNT && (lengths[i] != length || memcmp(keys[i].name, name, length)))
        i++;
    return i;
}

static void drop(gpc_context *context, gpci_value *value) {
    if (value->owned)
        gpci_free(context, (char *)value->text);
}

gpc_status gpci_config_assign(gpc_config *config, gpci_key key, const char *text, gpc_error *error) {
    gpci_value value;
    gpc_status status = gpci_value_read(config->context, &keys[key], text, &value, error);
    if (status < 0)
        return status;
    drop(config->context, &config->values[key]);
    config->values[key] = value;
    return GPC_OK;
}

/* Assign a value to a known key. An error begins with the key's name. */
static gpc_status assign_known(gpc_config *config, size_t key, const char *text, gpc_error *error) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_config_assign(config, (gpci_key)key, text, &reason);
    return status < 0 ? gpci_fail(error, status, "%s: %s", keys[key].name, reason.message) : status;
}

static gpc_status unknown_key(const char *name, gpc_error *error) {
    const char *nearest = gpci_nearest(name, GPCI_KEY_COUNT, name_at, NULL);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: unknown key%s%s%s", gpci_quote(name).text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

gpc_status gpci_config_assign_named(gpc_config *config, const char *name, const char *text, gpc_error *error) {
    const size_t key = find(name);
    return key < GPCI_KEY_COUNT ? assign_known(config, key, text, error) : unknown_key(name, error);
}

gpc_status gpci_config_assign_own(gpc_config *config, const char *name, const char *text, gpc_error *error) {
    gpc_status status = gpci_config_assign_named(config, name, text, error);
    if (status == GPC_OK)
        config->values[find(name)].own = true;
    return status;
}

gpc_status gpci_config_reset(gpc_config *config, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < GPCI_KEY_COUNT && status == GPC_OK; i++)
        if (acts[i] & RESET && strcmp(config->values[i].text, keys[i].initial) != 0)
            status = assign_known(config, i, keys[i].initial, error);
    return status;
}

void gpci_config_stage(const gpc_config *config, gpc_config *stage) {
    *stage = *config;
    for (size_t i = 0; i < GPCI_KEY_COUNT; i++)
        stage->values[i].owned = false;
}

void gpci_config_commit(gpc_config *config, gpc_config *stage) {
    config->preset = stage->preset;
    for (size_t i = 0; i < GPCI_KEY_COUNT; i++)
        if (stage->values[i].owned) {
            drop(config->context, &config->values[i]);
            config->values[i] = stage->values[i];
        }
}

void gpci_config_discard(gpc_config *stage) {
    for (size_t i = 0; i < GPCI_KEY_COUNT; i++)
        drop(stage->context, &stage->values[i]);
}

gpc_status gpc_config_create(gpc_context *context, gpc_config **out, gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_create: %s is NULL", context ? "out" : "context");
    gpc_config *config = gpci_zalloc(context, 1, sizeof *config);
    if (!config)
        return gpci_out_of_memory(error);
    config->context = gpci_retain(context);
    for (size_t i = 0; i < GPCI_KEY_COUNT; i++) {
        gpc_status status = assign_known(config, i, keys[i].initial, error);
        if (status < 0) {
            gpc_config_destroy(config);
            return status;
        }
    }
    *out = config;
    return GPC_OK;
}

gpc_status gpc_config_copy(const gpc_config *config, gpc_config **out, gpc_error *error) {
    if (!config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_copy: %s is NULL", config ? "out" : "config");
    gpc_config *copy = gpci_zalloc(config->context, 1, sizeof *copy);
    if (!copy)
        return gpci_out_of_memory(error);
    gpci_config_stage(config, copy);
    gpci_retain(copy->context);
    for (size_t i = 0; i < GPCI_KEY_COUNT; i++) {
        char *text = gpci_strdup(copy->context, copy->values[i].text);
        if (!text) {
            gpc_config_destroy(copy);
            return gpci_out_of_memory(error);
        }
        copy->values[i].text = text;
        copy->values[i].owned = true;
    }
    *out = copy;
    return GPC_OK;
}

const char *gpc_config_preset(const gpc_config *config) {
    return config ? config->preset : NULL;
}

void gpc_config_destroy(gpc_config *config) {
    if (!config)
        return;
    gpc_context *context = config->context;
    gpci_config_discard(config);
    gpci_free(context, config);
    gpci_release(context);
}

gpc_status gpc_config_set(gpc_config *config, const char *key, const char *value, gpc_error *error) {
    if (!config || !key || !value)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_set: %s is NULL",
                         !config ? "config"
                         : key   ? "value"
                                 : "key");
    return gpci_config_assign_own(config, key, value, error);
}

gpc_status gpc_config_set_pair(gpc_config *config, const char *pair, gpc_error *error) {
    if (!config || !pair)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_set_pair: %s is NULL", config ? "pair" : "config");
    const char *start = pair + strspn(pair, GPCI_BLANK), *end = strchr(pair, '=');
    if (!end || end == start)
        return gpci_fail(error, GPC_ERROR_FORMAT, "'%s' is not of the form key=value", gpci_quote(pair).text);
    const char *value = end + 1;
    gpci_trim(&start, &end);
    char name[128];
    size_t length = (size_t)(end - start);
    if (length >= sizeof name)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: unknown key", gpci_quote(start).text);
    memcpy(name, start, length);
    name[length] = '\0';
    return gpci_config_assign_own(config, name, value, error);
}

/* Check the arguments of `function`, and find the index of `key`. A failure names the wrong argument. */
static gpc_status find_for(const char *function, const gpc_config *config, const char *key, const void *out_value,
                           size_t *index, gpc_error *error) {
    if (!config || !key || !out_value)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function,
                         !config ? "config"
                         : key   ? "out_value"
                                 : "key");
    *index = find(key);
    return *index < GPCI_KEY_COUNT ? GPC_OK : unknown_key(key, error);
}

gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value, gpc_error *error) {
    size_t i = GPCI_KEY_COUNT;
    gpc_status status = find_for("gpc_config_get", config, key, out_value, &i, error);
    if (status == GPC_OK)
        *out_value = config->values[i].text;
    return status;
}

static bool is_numeric(gpc_value_type type) {
    return type == GPC_VALUE_COUNT || type == GPC_VALUE_SIZE || type == GPC_VALUE_BOOL;
}

gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value, gpc_error *error) {
    size_t i = GPCI_KEY_COUNT;
    gpc_status status = find_for("gpc_config_get_u64", config, key, out_value, &i, error);
    if (status < 0)
        return status;
    if (!is_numeric(keys[i].type) || config->values[i].number == GPCI_WORD)
        return gpci_fail(error, GPC_ERROR_STATE, "%s = %s: the value is no number", key, config->values[i].text);
    *out_value = config->values[i].number;
    return GPC_OK;
}

uint64_t gpci_config_number(const gpc_config *config, gpci_key key) {
    return config->values[key].number;
}

const char *gpci_config_text(const gpc_config *config, gpci_key key) {
    return config->values[key].text;
}

bool gpci_config_is_own(const gpc_config *config, gpci_key key) {
    return config->values[key].own;
}

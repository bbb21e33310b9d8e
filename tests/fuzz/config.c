/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include <string.h>

/*
 * Configurations, and option files of GPGPU-Sim: a file is loaded as a whole or not at all, and accepted input gives
 * equivalent text.
 */

#define LARGEST_TEXT 4096u

/* Ends at a NUL, as the callers' text does. */
static char *text_of(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static gpc_config *config_of(gpc_context *context) {
    gpc_config *config = NULL;
    CHECK(gpc_config_create(context, &config, NULL) == GPC_OK);
    CHECK(gpc_config_load_preset(config, "gtx480", NULL) == GPC_OK);
    return config;
}

static void check_same(const gpc_config *a, const gpc_config *b) {
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info key = GPC_KEY_INFO_INIT;
        const char *one, *two;
        CHECK(gpc_key_at(i, &key, NULL) == GPC_OK);
        CHECK(gpc_config_get(a, key.name, &one, NULL) == GPC_OK && gpc_config_get(b, key.name, &two, NULL) == GPC_OK);
        CHECK(!strcmp(one, two));
    }
}

/* A value as text can be set again. */
static void check_copies(gpc_context *context, const gpc_config *config) {
    gpc_config *again = config_of(context);
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info key = GPC_KEY_INFO_INIT;
        const char *value;
        CHECK(gpc_key_at(i, &key, NULL) == GPC_OK && gpc_config_get(config, key.name, &value, NULL) == GPC_OK);
        CHECK(gpc_config_set(again, key.name, value, NULL) == GPC_OK);
        fuzz_tell_text(value);
    }
    check_same(config, again);
    gpc_config_destroy(again);
}

/* A hierarchy made from the configuration works for a moment, or is refused with a reason. */
static void check_hierarchy(gpc_context *context, const gpc_config *config) {
    gpc_hierarchy *hierarchy = NULL;
    gpc_error error = GPC_ERROR_INIT;
    const uint64_t addresses[] = {0, 4096, UINT64_MAX - 3};
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_status status = gpc_hierarchy_create(context, config, &hierarchy, &error);
    CHECK((status == GPC_OK) == (hierarchy != NULL));
    CHECK(hierarchy || (error.status == status && *error.message));
    fuzz_tell_error(status, &error);
    if (!hierarchy)
        return;
    access.mask = 7;
    access.addresses = addresses;
    access.width = 4;
    if (gpc_hierarchy_access(hierarchy, &access, NULL, NULL) == GPC_ERROR_STATE &&
        gpc_hierarchy_try_issue(hierarchy, &access, 1, NULL, NULL) == GPC_OK)
        gpc_hierarchy_advance(hierarchy, 200, NULL);
    gpc_hierarchy_destroy(hierarchy);
}

typedef gpc_status (*load_fn)(gpc_config *config, const char *text, gpc_error *error);

static gpc_status load_settings(gpc_config *config, const char *text, gpc_error *error) {
    return gpc_config_load_text(config, text, "fuzz", error);
}

static gpc_status load_options(gpc_config *config, const char *text, gpc_error *error) {
    return gpc_config_import_gpgpusim_text(config, text, "fuzz", NULL, NULL, error);
}

static void run(const uint8_t *data, size_t size, load_fn load) {
    fuzz_memory memory;
    gpc_error error = GPC_ERROR_INIT;
    char *text = text_of(data, size);
    if (size > LARGEST_TEXT || strstr(text, "include")) { /* an include would read files of the machine */
        free(text);
        return;
    }
    fuzz_memory_open(&memory);
    gpc_config *config = config_of(memory.context), *before = config_of(memory.context);
    gpc_status status = load(config, text, &error);
    if (status < 0) {
        CHECK(error.status == status && *error.message);
        fuzz_tell_error(status, &error);
        check_same(config, before);
    } else {
        check_copies(memory.context, config);
        check_hierarchy(memory.context, config);
    }
    gpc_config_destroy(before);
    gpc_config_destroy(config);
    fuzz_memory_close(&memory);
    free(text);
}

void fuzz_config(const uint8_t *data, size_t size) {
    run(data, size, load_settings);
}

void fuzz_options(const uint8_t *data, size_t size) {
    run(data, size, load_options);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/hierarchy.h>

#include "errors/errors.h"

#include <criterion/criterion.h>
#include <string.h>

/* gpucache/gpucache.h (contexts, configurations), ext/hierarchy.h (keys, presets, imports) */

static void *no_memory(void *user_data, size_t bytes) {
    (void)user_data, (void)bytes;
    return NULL;
}

Test(config, contexts) {
    gpc_context *context = NULL;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    FAILS(ARGUMENT, "out is NULL", gpc_context_create, NULL, NULL);
    options.allocate = no_memory;
    FAILS(ARGUMENT, "allocate, resize and release", gpc_context_create, &options, &context);
    options = (gpc_context_options)GPC_CONTEXT_OPTIONS_INIT;
    options.simd = 99;
    FAILS(ARGUMENT, "gpc_context_options.simd", gpc_context_create, &options, &context);
    options.struct_size = 8;
    FAILS(ABI, "gpc_context_options", gpc_context_create, &options, &context);
    cr_expect_null(context);
}

Test(config, structs) {
    gpc_launch launch = GPC_LAUNCH_INIT;
    const gpc_launch before = launch;
    FAILS(ARGUMENT, "name is NULL", gpc_struct_init, NULL, sizeof launch, &launch);
    FAILS(ARGUMENT, "out is NULL", gpc_struct_init, "gpc_launch", sizeof launch, NULL);
    FAILS(NOT_FOUND, "'gpc_lunch'", gpc_struct_init, "gpc_lunch", sizeof launch, &launch);
    FAILS(ABI, "gpc_launch", gpc_struct_init, "gpc_launch", 8, &launch);
    cr_expect(!memcmp(&launch, &before, sizeof launch));
    WORKS(gpc_struct_init, "gpc_launch", sizeof launch, &launch);
}

/* Value of `l1.size` in bytes, which no failed call may change. */
static uint64_t size_of_l1(const gpc_config *config) {
    uint64_t size = 0;
    cr_assert_eq(gpc_config_get_u64(config, "l1.size", &size, NULL), GPC_OK);
    return size;
}

Test(config, creation) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, ""), *out = NULL;
    FAILS(ARGUMENT, "context is NULL", gpc_config_create, NULL, &out);
    FAILS(ARGUMENT, "out is NULL", gpc_config_create, context, NULL);
    FAILS(ARGUMENT, "config is NULL", gpc_config_copy, NULL, &out);
    FAILS(ARGUMENT, "out is NULL", gpc_config_copy, config, NULL);
    cr_expect_null(out);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(config, values) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "");
    const uint64_t before = size_of_l1(config);
    const char *text = NULL;
    uint64_t number = 7;
#define GET(function, out)                                                   \
    FAILS(ARGUMENT, "config is NULL", function, NULL, "l1.size", out);       \
    FAILS(ARGUMENT, "key is NULL", function, config, NULL, out);             \
    FAILS(ARGUMENT, "out_value is NULL", function, config, "l1.size", NULL); \
    FAILS(NOT_FOUND, "l1.sise: unknown key; did you mean 'l1.size'?", function, config, "l1.sise", out)
    GET(gpc_config_get, &text);
    GET(gpc_config_get_u64, &number);
    FAILS(STATE, "l1.replacement = lru", gpc_config_get_u64, config, "l1.replacement", &number);
    cr_expect(!text && number == 7);
    WORKS(gpc_config_get, config, "l1.size", &text);
    WORKS(gpc_config_get_u64, config, "l1.size", &number);
    FAILS(ARGUMENT, "config is NULL", gpc_config_set, NULL, "l1.size", "1KiB");
    FAILS(ARGUMENT, "key is NULL", gpc_config_set, config, NULL, "1KiB");
    FAILS(ARGUMENT, "value is NULL", gpc_config_set, config, "l1.size", NULL);
    FAILS(NOT_FOUND, "l1.sise", gpc_config_set, config, "l1.sise", "1KiB");
    FAILS(FORMAT, "l1.size", gpc_config_set, config, "l1.size", "large");
    FAILS(ARGUMENT, "config is NULL", gpc_config_set_pair, NULL, "l1.size=1KiB");
    FAILS(ARGUMENT, "pair is NULL", gpc_config_set_pair, config, NULL);
    FAILS(FORMAT, "'l1.size'", gpc_config_set_pair, config, "l1.size");
    FAILS(NOT_FOUND, "l1.sise", gpc_config_set_pair, config, "l1.sise=1KiB");
    FAILS(FORMAT, "l1.size", gpc_config_set_pair, config, "l1.size=large");
    cr_expect_eq(size_of_l1(config), before);
    WORKS(gpc_config_set, config, "l1.size", "32KiB");
    WORKS(gpc_config_set_pair, config, "l1.size = 32KiB");
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(config, loads) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "");
    const uint64_t before = size_of_l1(config);
    FAILS(ARGUMENT, "config is NULL", gpc_config_load_preset, NULL, "h100");
    FAILS(ARGUMENT, "name is NULL", gpc_config_load_preset, config, NULL);
    FAILS(NOT_FOUND, "'h1000'", gpc_config_load_preset, config, "h1000");
    FAILS(ARGUMENT, "config is NULL", gpc_config_load_file, NULL, "/nowhere/any.conf");
    FAILS(ARGUMENT, "path is NULL", gpc_config_load_file, config, NULL);
    FAILS(IO, "/nowhere/any.conf", gpc_config_load_file, config, "/nowhere/any.conf");
    FAILS(ARGUMENT, "config is NULL", gpc_config_load_text, NULL, "l1.size = 1KiB\n", "t");
    FAILS(ARGUMENT, "text is NULL", gpc_config_load_text, config, NULL, "t");
    FAILS(NOT_FOUND, "t:2: l1.sise", gpc_config_load_text, config, "l1.size = 1KiB\nl1.sise = 1KiB\n", "t");
    FAILS(FORMAT, "t:2: l1.ways", gpc_config_load_text, config, "l1.size = 1KiB\nl1.ways = many\n", "t");
    FAILS(ARGUMENT, "config is NULL", gpc_config_import_gpgpusim, NULL, "/nowhere/any.config", NULL, NULL);
    FAILS(ARGUMENT, "path is NULL", gpc_config_import_gpgpusim, config, NULL, NULL, NULL);
    FAILS(IO, "/nowhere/any.config", gpc_config_import_gpgpusim, config, "/nowhere/any.config", NULL, NULL);
    FAILS(ARGUMENT, "config is NULL", gpc_config_import_gpgpusim_text, NULL, "-gpgpu_n_clusters 4", "t", NULL, NULL);
    FAILS(ARGUMENT, "text is NULL", gpc_config_import_gpgpusim_text, config, NULL, "t", NULL, NULL);
    FAILS(FORMAT, "t:1:", gpc_config_import_gpgpusim_text, config, "-gpgpu_n_clusters many", "t", NULL, NULL);
    cr_expect_eq(size_of_l1(config), before);
    WORKS(gpc_config_load_text, config, "l1.ways = 4\n", NULL);
    WORKS(gpc_config_import_gpgpusim_text, config, "-gpgpu_n_clusters 4", NULL, NULL, NULL);
    WORKS(gpc_config_load_preset, config, "h100");
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(config, tables) {
    gpc_key_info key = GPC_KEY_INFO_INIT;
    const char *name = NULL, *summary = NULL;
    FAILS(ARGUMENT, "info is NULL", gpc_key_at, 0, NULL);
    FAILS(RANGE, "index is 100000", gpc_key_at, 100000, &key);
    WORKS(gpc_key_at, 0, &key);
    key.struct_size = 0;
    FAILS(ABI, "gpc_key_info", gpc_key_at, 0, &key);
    FAILS(RANGE, "index is 100000", gpc_preset_at, 100000, &name, &summary);
    cr_expect(!name && !summary);
    WORKS(gpc_preset_at, 0, &name, &summary);
}

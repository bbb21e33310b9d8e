/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys, presets, and configurations from files, texts and option files of GPGPU-Sim. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>
#include <string.h>

static void print_key(const char *name) {
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info key = GPC_KEY_INFO_INIT;
        check(gpc_key_at(i, &key, &error), &error);
        if (strcmp(key.name, name) == 0)
            printf("%s: %s, default %s %s\n", key.name, key.meaning, key.initial, key.unit);
    }
}

static void print_presets(void) {
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name, *summary;
        check(gpc_preset_at(i, &name, &summary, &error), &error);
        const char *text = gpc_preset_text(name);
        printf("%-12s %5zu bytes  %s\n", name, text ? strlen(text) : 0, summary);
    }
}

static void from_a_file(gpc_config *config) {
    gpc_error error = GPC_ERROR_INIT;
    static const char path[] = "configurations.conf";
    FILE *file = fopen(path, "w");
    expect(file && fputs("preset = gtx480\nl1.size = 48KiB\n", file) >= 0 && fclose(file) == 0, "the file is written");
    const gpc_status status = gpc_config_load_file(config, path, &error);
    (void)remove(path);
    check(status, &error);
    expect(strcmp(gpc_config_preset(config), "gtx480") == 0, "the file names the preset");
}

static void on_option(void *data, const gpc_import_option *option) {
    *(size_t *)data += option->outcome == GPC_IMPORT_APPLIED;
    printf("line %zu: %s %s %s\n", option->line, option->name, option->value, option->reason);
}

static void import_file(gpc_config *config) {
    gpc_error error = GPC_ERROR_INIT;
    static const char path[] = "gpgpusim.config";
    size_t applied = 0;
    FILE *file = fopen(path, "w");
    expect(file && fputs("-gpgpu_n_clusters 20\n", file) >= 0 && fclose(file) == 0, "the file is written");
    const gpc_status status = gpc_config_import_gpgpusim(config, path, on_option, &applied, &error);
    (void)remove(path);
    check(status, &error);
    expect(applied == 1, "the option has a key");
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config, *copy;
    print_key("l1.replacement");
    print_presets();
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_config_create(context, &config, &error), &error);
    from_a_file(config);

    const char *text;
    uint64_t bytes;
    check(gpc_config_get(config, "l1.size", &text, &error), &error);
    check(gpc_config_get_u64(config, "l1.size", &bytes, &error), &error);
    printf("l1.size is %s, %" PRIu64 " bytes\n", text, bytes);
    expect(bytes == 48 << 10, "the file's value holds");

    check(gpc_config_copy(config, &copy, &error), &error);
    check(gpc_config_set(copy, "l1.size", "16KiB", &error), &error);
    check(gpc_config_set_pair(copy, "mode = timed", &error), &error);
    check(gpc_config_load_text(copy, "l1.ways = 4\n", "example", &error), &error);
    check(gpc_config_get_u64(config, "l1.size", &bytes, &error), &error);
    expect(bytes == 48 << 10, "the copy has values of its own");

    expect(gpc_config_set(copy, "l1.sise", "16KiB", &error) == GPC_ERROR_NOT_FOUND, "a wrong key is refused");
    printf("%s\n", error.message);

    size_t applied = 0;
    import_file(copy);
    check(gpc_config_import_gpgpusim_text(copy, "-gpgpu_n_clusters 15\n-gpgpu_stack_size_limit 1024\n", "options",
                                          on_option, &applied, &error),
          &error);
    expect(applied > 0, "an option has a key");

    gpc_config_destroy(copy);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}

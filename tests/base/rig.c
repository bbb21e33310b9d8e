/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fails(heap *h) {
    return ++h->calls >= h->fail_at && h->fail_at;
}

static void *allocate(void *data, size_t bytes) {
    heap *h = data;
    void *memory = fails(h) ? NULL : malloc(bytes);
    h->live += memory != NULL;
    return memory;
}

static void *resize(void *data, void *memory, size_t bytes) {
    heap *h = data;
    void *grown = fails(h) ? NULL : realloc(memory, bytes);
    h->live += grown && !memory;
    return grown;
}

static void release(void *data, void *memory) {
    heap *h = data;
    h->live -= memory != NULL;
    free(memory);
}

gpc_context_options heap_options(heap *h) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = h;
    return options;
}

void rig_open(rig *r) {
    memset(r, 0, sizeof *r);
    r->error = (gpc_error)GPC_ERROR_INIT;
    gpc_context_options options = heap_options(&r->heap);
    cr_assert_eq(gpc_context_create(&options, &r->context, &r->error), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_config_create(r->context, &r->config, &r->error), GPC_OK, "%s", r->error.message);
}

void rig_close(rig *r) {
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
    cr_assert_eq(r->heap.live, 0, "%ld blocks are left", r->heap.live);
}

const char *value(const gpc_config *config, const char *key) {
    const char *text = NULL;
    cr_assert_eq(gpc_config_get(config, key, &text, NULL), GPC_OK, "%s", key);
    return text;
}

void expect_values(const rig *r, const pair *pairs) {
    for (; pairs->key; pairs++)
        cr_expect_str_eq(value(r->config, pairs->key), pairs->value, "%s is %s", pairs->key,
                         value(r->config, pairs->key));
}

/* Count options with a key; `applied` may be NULL. */
static void count_applied(void *applied, const gpc_import_option *option) {
    if (applied)
        *(size_t *)applied += option->outcome == GPC_IMPORT_APPLIED;
}

gpc_status import_gpgpusim(rig *r, const char *text, size_t *applied) {
    folder f;
    char path[192];
    folder_make(&f);
    folder_write(&f, "gpgpusim.config", text, strlen(text));
    folder_path(&f, "gpgpusim.config", path);
    if (applied)
        *applied = 0;
    gpc_status status = gpc_config_import_gpgpusim(r->config, path, count_applied, applied, &r->error);
    folder_remove(&f);
    return status;
}

void expect_failure(const rig *r, gpc_status status, gpc_status expected, const char *part) {
    cr_expect_eq(status, expected, "%s, not %s: %s", gpc_status_string(status), gpc_status_string(expected),
                 r->error.message);
    cr_expect_eq(r->error.status, expected);
    cr_expect(strstr(r->error.message, part), "'%s' does not say '%s'", r->error.message, part);
}

void folder_make(folder *f) {
    strcpy(f->path, "/tmp/gpucache-test-XXXXXX");
    cr_assert(mkdtemp(f->path));
}

void folder_path(const folder *f, const char *name, char path[192]) {
    snprintf(path, 192, "%s/%s", f->path, name);
}

void folder_write(const folder *f, const char *name, const char *text, size_t length) {
    char path[192];
    folder_path(f, name, path);
    FILE *file = fopen(path, "wb");
    cr_assert(file, "%s", path);
    cr_assert_eq(fwrite(text, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

static void empty(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char inner[320];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && unlink(inner)) {
            empty(inner);
            rmdir(inner);
        }
    }
    if (directory)
        closedir(directory);
}

void folder_remove(folder *f) {
    empty(f->path);
    cr_expect_eq(rmdir(f->path), 0);
}

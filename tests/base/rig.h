/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CORE_RIG_H
#define TESTS_CORE_RIG_H

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/protocol.h>
#include <gpucache/gpucache.h>

/* An allocator that counts, and fails from the call `fail_at` on (0: never). */
typedef struct heap {
    long live, calls, fail_at;
} heap;

gpc_context_options heap_options(heap *h);

/* A context and a configuration; both must succeed. */
typedef struct rig {
    heap heap;
    gpc_context *context;
    gpc_config *config;
    gpc_error error;
} rig;

void rig_open(rig *r);
void rig_close(rig *r); /* nothing may be left on the heap */

/* The value of a key; must exist. */
const char *value(const gpc_config *config, const char *key);

/* Assert the values of keys. */
typedef struct pair {
    const char *key, *value;
} pair;

void expect_values(const rig *r, const pair *pairs); /* up to one without a key */

#define EXPECT(r, ...) expect_values(r, (const pair[]){__VA_ARGS__, {NULL, NULL}})

/* Import `text` as an option file of GPGPU-Sim. */
gpc_status import_gpgpusim(rig *r, const char *text, size_t *applied);

/* Assert status and that the message holds `part`. */
void expect_failure(const rig *r, gpc_status status, gpc_status expected, const char *part);

/* A folder of files unknown to rig_close: make it, write into it, remove it. */
typedef struct folder {
    char path[64];
} folder;

void folder_make(folder *f);
void folder_write(const folder *f, const char *name, const char *text, size_t length);
void folder_path(const folder *f, const char *name, char path[192]);
void folder_remove(folder *f);

#endif

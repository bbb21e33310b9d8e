/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <string.h>

/*
 * Snapshots are checked against damage, not against malice (hierarchy.h): the checksums stay uncorrected, and every
 * changed byte and every cut is refused.
 *
 *   byte 0   object (of `settings`)     byte 1   accesses before the snapshot
 *   then edits of 4 bytes: place (3 bytes, modulo the size) and the byte to XOR; if 0, the file is cut at the place
 */

typedef struct bytes {
    uint8_t *data;
    size_t size, at;
} bytes;

static gpc_status write_part(void *user_data, const void *data, size_t size) {
    bytes *file = user_data;
    uint8_t *more = realloc(file->data, file->size + size + 1);
    CHECK(more);
    file->data = more;
    memcpy(file->data + file->size, data, size);
    file->size += size;
    return GPC_OK;
}

static gpc_status read_part(void *user_data, void *data, size_t size, size_t *out_read) {
    bytes *file = user_data;
    *out_read = size < file->size - file->at ? size : file->size - file->at;
    memcpy(data, file->data + file->at, *out_read);
    file->at += *out_read;
    return GPC_OK;
}

#define SMALL "sm.count = 2\nl1.size = 1KiB\nl2.slices = 1\nl2.size = 4KiB\n"
static const char *const settings[] = {
    SMALL,
    SMALL "mode = timed\n",
    SMALL "l1.replacement = drrip\nl2.replacement = ship\nl1.bypass = agcb\n",
    SMALL "mode = timed\ncoherence = mesi\n",
    SMALL "mode = timed\nl1.mshr_entries = 2\ncoherence = viper\n",
};

static gpc_hierarchy *hierarchy_of(gpc_context *context, unsigned which, unsigned accesses) {
    gpc_config *config = NULL;
    gpc_hierarchy *h = NULL;
    CHECK(gpc_config_create(context, &config, NULL) == GPC_OK);
    CHECK(gpc_config_load_text(config, settings[which], NULL, NULL) == GPC_OK);
    CHECK(gpc_hierarchy_create(context, config, &h, NULL) == GPC_OK);
    gpc_config_destroy(config);
    CHECK(gpc_hierarchy_begin_kernel(h, NULL, NULL) == GPC_OK);
    for (unsigned n = 0; n < accesses; n++) {
        const uint64_t addresses[] = {n * 128, n * n * 32};
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = n % 2;
        access.mask = 3;
        access.addresses = addresses;
        access.width = 4;
        access.kind = n % 3 == 2 ? GPC_STORE : GPC_LOAD;
        if (gpc_hierarchy_access(h, &access, NULL, NULL) == GPC_ERROR_STATE) {
            CHECK(gpc_hierarchy_try_issue(h, &access, n, NULL, NULL) >= 0);
            CHECK(gpc_hierarchy_advance(h, 7, NULL) == GPC_OK);
        }
    }
    return h;
}

/*
 * The saved state, always equal: made once per object and count of accesses, because saving is the slowest part. The
 * state lives until the end of the process.
 */
#define OBJECTS (sizeof settings / sizeof *settings)
#define MOST_ACCESSES 64
static bytes files[OBJECTS][MOST_ACCESSES];

static const bytes *saved(unsigned which, unsigned accesses) {
    bytes *file = &files[which][accesses];
    if (!file->data) {
        fuzz_memory memory;
        gpc_error error = GPC_ERROR_INIT;
        fuzz_memory_open(&memory);
        gpc_hierarchy *h = hierarchy_of(memory.context, which, accesses);
        CHECK(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(write_part, file), &error) == GPC_OK);
        gpc_hierarchy_destroy(h);
        fuzz_memory_close(&memory);
    }
    return file;
}

/* True if the file differs from the saved state. */
static bool damage(bytes *file, const bytes *before, const uint8_t *data, size_t size) {
    const size_t whole = file->size;
    for (; size >= 4; data += 4, size -= 4) {
        const size_t where = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % whole;
        if (!data[3] && where < file->size)
            file->size = where;
        file->data[where] ^= data[3];
    }
    return file->size != whole || memcmp(before->data, file->data, whole) != 0;
}

void fuzz_snapshot(const uint8_t *data, size_t size) {
    fuzz_memory memory;
    bytes file = {NULL, 0, 0};
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *loaded = NULL;
    if (size < 2)
        return;
    const bytes *whole = saved(data[0] % OBJECTS, data[1] % MOST_ACCESSES);
    CHECK(write_part(&file, whole->data, whole->size) == GPC_OK);
    const bool damaged = damage(&file, whole, data + 2, size - 2);
    fuzz_memory_open(&memory);
    gpc_status status =
        gpc_hierarchy_load(memory.context, &(gpc_stream)GPC_STREAM_READ(read_part, &file), NULL, &loaded, &error);
    CHECK((status == GPC_OK) == (loaded != NULL));
    CHECK(damaged == (status < 0));
    CHECK(!damaged || (error.status == status && *error.message));
    gpc_hierarchy_destroy(loaded);
    free(file.data);
    fuzz_memory_close(&memory);
}

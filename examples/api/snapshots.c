/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots: a hierarchy in a file, in the host's memory, and as a copy. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <string.h>

typedef struct buffer {
    unsigned char bytes[1 << 20];
    size_t length, at;
} buffer;

static gpc_status write_bytes(void *data, const void *bytes, size_t count) {
    buffer *b = data;
    if (count > sizeof b->bytes - b->length)
        return GPC_ERROR_IO;
    memcpy(b->bytes + b->length, bytes, count);
    b->length += count;
    return GPC_OK;
}

static gpc_status read_bytes(void *data, void *bytes, size_t count, size_t *out_read) {
    buffer *b = data;
    *out_read = count < b->length - b->at ? count : b->length - b->at;
    memcpy(bytes, b->bytes + b->at, *out_read);
    b->at += *out_read;
    return GPC_OK;
}

static uint32_t hits(gpc_hierarchy *hierarchy) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t addresses[32];
    const gpc_warp_access access = load_of(addresses, 0x1000);
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    check(gpc_hierarchy_access(hierarchy, &access, &result, &error), &error);
    return result.l1_sector_hits;
}

int main(void) {
    static buffer memory;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_hierarchy *from_file, *from_memory, *copy;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "kepler", "sm.count = 1\nl2.size = 64KiB\n");
    expect(hits(hierarchy) == 0, "the first load misses");

    const gpc_stream file = GPC_STREAM_FILE("snapshots.snap");
    check(gpc_hierarchy_save(hierarchy, &file, &error), &error);
    gpc_load_options options = GPC_LOAD_OPTIONS_INIT;
    options.threads = "1";
    const gpc_status status = gpc_hierarchy_load(context, &file, &options, &from_file, &error);
    (void)remove("snapshots.snap");
    check(status, &error);

    const gpc_stream to = GPC_STREAM_WRITE(write_bytes, &memory), from = GPC_STREAM_READ(read_bytes, &memory);
    check(gpc_hierarchy_save(hierarchy, &to, &error), &error);
    check(gpc_hierarchy_load(context, &from, NULL, &from_memory, &error), &error);
    check(gpc_hierarchy_copy(hierarchy, &copy, &error), &error);
    printf("a snapshot of %zu bytes\n", memory.length);
    expect(hits(from_file) == 4 && hits(from_memory) == 4 && hits(copy) == 4, "each has the line in L1");

    gpc_hierarchy_destroy(copy);
    gpc_hierarchy_destroy(from_memory);
    gpc_hierarchy_destroy(from_file);
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}

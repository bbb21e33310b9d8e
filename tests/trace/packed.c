/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/packed.h"
#include "effort.h"
#include "trace/blocks/address_pool.h"
#include "trace/made.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks as a replay holds them, against those that gpc_trace_next_block gives. */

/* Two strings of one hash and one length are two strings. */
Test(packed, strings_of_one_hash) {
    gpc_context *context = NULL;
    gpci_block_pool pool;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_block_pool_init(&pool, context);
    cr_expect_eq(gpci_block_pool_add(&pool, 7, "abc", 3), 0);
    cr_expect_eq(gpci_block_pool_find(&pool, 7, "abc", 3), 0);
    cr_expect_eq(gpci_block_pool_find(&pool, 7, "abd", 3), GPCI_NO_ENTRY);
    cr_expect_eq(gpci_block_pool_find(&pool, 7, "ab", 2), GPCI_NO_ENTRY);
    cr_expect_eq(gpci_block_pool_add(&pool, 7, "abd", 3), 1);
    cr_expect_eq(gpci_block_pool_find(&pool, 7, "abd", 3), 1);
    gpci_block_pool_clear(&pool);
    gpc_context_destroy(context);
}

/* The hash of a string depends on the length and on each byte of the string, and on no byte beside the string. */
Test(packed, hash_of_a_string) {
    enum { LONGEST = 40 };
    uint8_t room[LONGEST + 16], other[LONGEST + 16];
    uint64_t seen[LONGEST * LONGEST];
    size_t count = 0;
    memset(room, 0, sizeof room);
    memset(other, 0xff, sizeof other);
    for (size_t length = 0; length < LONGEST; length++) {
        memset(other + 8, 0, length);
        cr_assert_eq(gpci_block_pool_hash(room + 8, length), gpci_block_pool_hash(other + 8, length), "%zu", length);
        seen[count++] = gpci_block_pool_hash(room + 8, length);
        for (size_t at = 0; at < length; at++) {
            room[8 + at] = 1;
            seen[count++] = gpci_block_pool_hash(room + 8, length);
            room[8 + at] = 0;
        }
    }
    for (size_t n = 0; n < count; n++)
        for (size_t before = 0; before < n; before++)
            cr_assert_neq(seen[before], seen[n], "%zu and %zu", before, n);
}

static bool is_access(const gpc_instruction *i) {
    return i->op_class == GPC_OP_MEMORY && i->mask && i->addresses &&
           (i->space <= GPC_SPACE_LOCAL || (i->space == GPC_SPACE_CONSTANT && i->kind == GPC_LOAD));
}

static unsigned lanes_of(uint64_t mask) {
    unsigned lanes = 0;
    for (; mask; mask &= mask - 1)
        lanes++;
    return lanes;
}

static void expect_warp(const gpc_warp *warp, const gpci_packed_warp *packed) {
    gpci_address_cursor cursor = gpci_packed_begin(packed);
    cr_assert_eq(packed->path->count, warp->count, "warp %u", warp->warp);
    for (uint64_t n = 0; n < warp->count; n++) {
        const gpc_instruction *a = &warp->instructions[n], *b = &packed->path->steps[n].form->instruction;
        gpc_instruction alike = *b;
        cr_assert_eq(b->mask, a->mask ? UINT64_MAX : 0);
        alike.mask = packed->path->steps[n].mask;
        alike.addresses = a->addresses;
        cr_assert_eq(memcmp(a, &alike, sizeof *a), 0, "warp %u, instruction %llu", warp->warp, (unsigned long long)n);
        cr_assert_eq(b->addresses != NULL, is_access(a));
        if (!b->addresses)
            continue;
        uint64_t addresses[GPCI_MOST_LANES];
        unsigned lanes = lanes_of(a->mask);
        cr_assert_eq(gpci_path_lanes(&packed->path->steps[n]), lanes);
        gpci_packed_take(&cursor, lanes, addresses);
        cr_assert_eq(memcmp(addresses, a->addresses, lanes * sizeof *addresses), 0, "warp %u, instruction %llu",
                     warp->warp, (unsigned long long)n);
    }
}

static void expect_packed(rig *r, const char *source) {
    gpc_trace *one = open_trace(r, source), *other = open_trace(r, source);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    while (gpc_trace_next_kernel(one, &kernel, &r->error) == GPC_OK) {
        next_kernel(r, other);
        const gpc_block *block;
        const gpci_packed_block *packed, *held = NULL;
        while (gpc_trace_next_block(one, &block, &r->error) == GPC_OK) {
            cr_assert_eq(gpci_trace_next_packed(other, &packed, &r->error), GPC_OK, "%s", r->error.message);
            cr_assert_eq(packed->index, block->index);
            cr_assert_eq(packed->warp_count, block->warp_count);
            for (uint32_t w = 0; w < block->warp_count; w++)
                expect_warp(&block->warps[w], &packed->warps[w]);
            gpc_trace_release_block(one, block);
            gpci_trace_release_packed(other, held); /* there are always two, so that paths are shared */
            held = packed;
        }
        cr_assert_eq(gpci_trace_next_packed(other, &packed, &r->error), GPC_END);
        gpci_trace_release_packed(other, held);
    }
    gpc_trace_close(one);
    gpc_trace_close(other);
}

Test(packed, synthetic_kernels) {
    rig r;
    rig_open(&r);
    const char *name;
    for (size_t i = 0; gpc_synthetic_at(i, &name, NULL, NULL, NULL) == GPC_OK; i++) {
        char source[128];
        snprintf(source, sizeof source, "synthetic:%s:64KiB", name);
        if (effort_takes(i))
            expect_packed(&r, source);
    }
    rig_close(&r);
}

/* Instructions differ in their masks: those of sets that are gone are not repeated. */
Test(packed, synthetic_sets) {
    rig r;
    rig_open(&r);
    expect_packed(&r, "synthetic:comd:16KiB");
    expect_packed(&r, "synthetic:string-match:64KiB");
    rig_close(&r);
}

/* Divergence, irregular addresses, warps of 64 lanes, and so many instructions that several sets of them live. */
Test(packed, made_blocks) {
    rig r;
    rig_open(&r);
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
        gpc_trace *opcodes = made_opcodes(&r);
        gpc_kernel kernel = made_kernel(4, 4, 1, 200, lanes);
        gpc_trace_writer *writer;
        const char *path = path_of(&r, "made.gct");
        cr_assert_eq(gpc_trace_writer_create(r.context, path, GPC_TRACE_BINARY, &writer, &r.error), GPC_OK);
        cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &r.error), GPC_OK, "%s", r.error.message);
        for (uint32_t b = 0; b < 16; b++) {
            made m = made_block(&kernel, b, b * 7 + lanes);
            cr_assert_eq(gpc_trace_writer_block(writer, opcodes, &m.block, &r.error), GPC_OK, "%s", r.error.message);
            made_free(&m);
        }
        cr_assert_eq(gpc_trace_writer_finish(writer, &r.error), GPC_OK, "%s", r.error.message);
        gpc_trace_writer_destroy(writer);
        gpc_trace_close(opcodes);
        expect_packed(&r, path);
    }
    rig_close(&r);
}

/* Addresses at the ends of what each form can say. */
Test(packed, distances) {
    static const char lines[] =
        "10 f 1 R1 LDG.E 1 R2 4 0 0x0 0xffffffffffffffff 0x7fffffffffffffff 0x8000000000000000\n"
        "20 f 1 R1 LDG.E 1 R2 4 0 0x80 0x0 0xff 0x100\n"
        "30 f 1 R1 LDG.E 1 R2 4 0 0x1080 0x1000 0x10ff 0x1100\n" /* as before */
        "40 7 1 R1 LDG.E 1 R2 4 0 0x80 0x0 0xff\n"               /* of fewer lanes */
        "50 f 1 R1 LDG.E 1 R2 4 1 0xffffffffffffffff 4\n"
        "60 f 1 R1 LDG.E 1 R2 4 1 0x0 8\n"
        "70 f 1 R1 LDG.E 1 R2 4 1 0x8000000000000000 -9223372036854775808\n"
        "80 f 1 R1 LDG.E 1 R2 4 1 0x10 0\n"
        "90 f 1 R1 LDS 1 R2 4 1 0x10 4\n" /* an instruction without a request to the hierarchy */
        "a0 8 1 R1 LDG.E 1 R2 4 1 0x12345 4\n"
        "b0 0 1 R1 LDG.E 1 R2 4 1 0x0 0\n";
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, lines, 11);
    expect_packed(&r, path_of(&r, "k.traceg"));
    rig_close(&r);
}

/* Every distance from lane to lane comes back, also those next to the ones that have a short form. */
Test(packed, strides) {
    enum { STRIDES = 20, LINE = 60 };
    rig r;
    char lines[STRIDES * LINE] = "";
    rig_open(&r);
    for (unsigned stride = 0; stride < STRIDES; stride++)
        snprintf(lines + strlen(lines), LINE, "%04x f 1 R1 LDG.E.U8 1 R2 1 1 0x1000 %u\n", stride * 16, stride);
    write_block(&r, "k.traceg", HEADER, lines, STRIDES);
    expect_packed(&r, path_of(&r, "k.traceg"));
    rig_close(&r);
}

/* Bytes through a context's hooks, and the most there were at once. */
typedef struct heap {
    size_t live, most;
} heap;

#define HEAD 16u /* before each allocation: its size */

static void *take(heap *h, void *old, size_t bytes) {
    size_t had = old ? *(size_t *)(void *)((char *)old - HEAD) : 0;
    char *memory = realloc(old ? (char *)old - HEAD : NULL, bytes + HEAD);
    if (!memory)
        return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    h->live += bytes - had;
    h->most = h->live > h->most ? h->live : h->most;
    return memory + HEAD;
}

static void *allocate(void *user_data, size_t bytes) {
    void *memory = take(user_data, NULL, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    return take(user_data, memory, bytes);
}

static void release(void *user_data, void *memory) {
    heap *h = user_data;
    if (!memory)
        return;
    char *begin = (char *)memory - HEAD;
    h->live -= *(size_t *)(void *)begin;
    free(begin);
}

/* The most bytes that reading all blocks of a trace holds, `together` of them at a time. */
static size_t most_bytes(const char *source, unsigned together) {
    heap h = {0};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = &h;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpci_packed_block *held[64] = {NULL};
    cr_assert_eq(gpc_context_create(&options, &context, &error), GPC_OK);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &error), GPC_OK);
    size_t before = h.live;
    h.most = 0;
    const gpci_packed_block *block;
    for (unsigned n = 0; gpci_trace_next_packed(trace, &block, &error) == GPC_OK; n++) {
        gpci_trace_release_packed(trace, held[n % together]);
        held[n % together] = block;
    }
    for (unsigned i = 0; i < together; i++)
        gpci_trace_release_packed(trace, held[i]);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
    cr_assert_eq(h.live, 0, "all is given back");
    return h.most - before;
}

/*
 * 64 warps of 1 MiB each, read twice: 1.1 million instructions, 61 MB as gpc_instruction, and as much again for
 * addresses. Held all at once they are a few bytes for each access, and a path that all of them take.
 */
Test(packed, memory_is_bounded) {
    size_t bytes = most_bytes("synthetic:warp-reuse:16MiB:lines=4096,repeats=2", 64);
    cr_assert_lt(bytes, 3u << 20, "%zu bytes", bytes);
    bytes = most_bytes("synthetic:gather:256KiB", 64);
    cr_assert_lt(bytes, 1u << 20, "%zu bytes", bytes);
}

/* Blocks that are far apart cost no more than their number, and all of it is given back. */
Test(packed, blocks_far_apart) {
    static const char *const block = "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 0\n"
                                     "#END_TB\n";
    rig r;
    char text[1024];
    rig_open(&r);
    int at = snprintf(text, sizeof text, "-kernel name = k\n-grid dim = (3000000,1,1)\n-block dim = (32,1,1)\n#\n");
    for (unsigned index = 0; index < 3000000; index += 700000)
        at += snprintf(text + at, sizeof text - (size_t)at, block, index);
    write_text(&r, "k.traceg", text);
    const size_t bytes = most_bytes(path_of(&r, "k.traceg"), 2);
    cr_assert_lt(bytes, 1u << 17, "%zu bytes", bytes);
    rig_close(&r);
}

/* A warp of which other lanes take part in each step: 16 bytes a step, as read and as kept, and no forms more. */
Test(packed, lanes_are_no_forms) {
    enum { STEPS = 10000, PCS = 50, LINE = 40 };
    rig r;
    rig_open(&r);
    char *text = malloc((size_t)(STEPS + 10) * LINE), *to = text;
    cr_assert(text);
    to += sprintf(to, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n", HEADER, STEPS);
    uint32_t mask = 1;
    for (unsigned n = 0; n < STEPS; n++) {
        mask = mask * 1664525u + 1013904223u;
        to += sprintf(to, "%04x %08x 1 R1 IADD3 2 R2 R3 0\n", n % PCS * 16, mask | 1);
    }
    to += sprintf(to, "#END_TB\n");
    write_file(&r, "k.traceg", text, (size_t)(to - text));
    free(text);
    expect_packed(&r, path_of(&r, "k.traceg"));
    const size_t bytes = most_bytes(path_of(&r, "k.traceg"), 1);
    cr_assert_lt(bytes, STEPS * 64, "%zu bytes", bytes);
    rig_close(&r);
}

/* However many there are, each instruction is there once: in whatever order warps come to them. */
Test(packed, forms_are_there_once) {
    enum { PCS = 700, LINE = 40 };
    rig r;
    rig_open(&r);
    char *text = malloc((size_t)(2 * PCS + 10) * LINE), *to = text;
    cr_assert(text);
    to += sprintf(to, "%s#BEGIN_TB\nthread block = 0,0,0\n", HEADER);
    for (unsigned warp = 0; warp < 2; warp++) {
        to += sprintf(to, "warp = %u\ninsts = %d\n", warp, PCS);
        for (unsigned n = 0; n < PCS; n++)
            to += sprintf(to, "%04x ffffffff 1 R1 IADD3 2 R2 R3 0\n", (warp ? PCS - 1 - n : n) * 16);
    }
    to += sprintf(to, "#END_TB\n");
    write_file(&r, "k.traceg", text, (size_t)(to - text));
    free(text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpci_packed_block *block;
    cr_assert_eq(gpci_trace_next_packed(trace, &block, &r.error), GPC_OK, "%s", r.error.message);
    for (unsigned n = 0; n < PCS; n++)
        cr_assert_eq(block->warps[0].path->steps[n].form, block->warps[1].path->steps[PCS - 1 - n].form, "%u", n);
    gpci_trace_release_packed(trace, block);
    gpc_trace_close(trace);
    rig_close(&r);
}

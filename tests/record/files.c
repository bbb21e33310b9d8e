/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "record/host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Contents of a recorded file. */

static gpc_trace *open_file(host *h, const char *path) {
    gpc_trace *trace;
    cr_assert_eq(gpc_trace_open(h->context, path, &trace, &h->error), GPC_OK, "%s", h->error.message);
    return trace;
}

static gpc_kernel first_kernel(host *h, gpc_trace *trace) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &h->error), GPC_OK, "%s", h->error.message);
    return kernel;
}

/* Blocks have the host's numbers and SMs, warps come in order of appearance, and turns give the order of accesses. */
Test(record_files, blocks_and_warps) {
    host h;
    host_open(&h, "");
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 96;
    launch.registers = 20;
    launch.shared_bytes = 2048;
    cr_assert_eq(gpc_hierarchy_begin_kernel(h.hierarchy, &launch, &h.error), GPC_OK);
    host_record(&h);
    cr_assert_eq(gpc_hierarchy_begin_kernel(h.hierarchy, &launch, &h.error), GPC_OK);
    host_load(&h, 2, 5, 9, 0x1000);
    host_load(&h, 1, 3, 4, 0x2000);
    host_load(&h, 2, 5, 8, 0x3000);
    host_load(&h, 2, 5, 9, 0x4000);
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    const gpc_kernel kernel = first_kernel(&h, trace);
    cr_expect_str_eq(kernel.name, "recorded-0");
    cr_expect(kernel.grid[0] == 6 && kernel.block[0] == 96 && kernel.registers == 20 && kernel.shared_bytes == 2048);
    cr_expect(kernel.placement[5] == 2 && kernel.placement[3] == 1);
    const gpc_recording *r = kernel.recording;
    cr_assert_not_null(r);
    cr_expect(r->turn_count == 4 && r->begun && r->launched);
    const gpc_turn expected[] = {{.block = 5, .warp = 0, .sm = 2, .slot = 9},
                                 {.block = 3, .warp = 0, .sm = 1, .slot = 4},
                                 {.block = 5, .warp = 1, .sm = 2, .slot = 8},
                                 {.block = 5, .warp = 0, .sm = 2, .slot = 9}};
    cr_expect(!memcmp(r->turns, expected, sizeof expected));
    const gpc_block *block;
    cr_assert_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_OK);
    cr_expect(block->index == 3 && block->warps[0].count == 2 &&
              block->warps[0].instructions[0].addresses[0] == 0x2000);
    cr_assert_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_OK);
    cr_expect(block->index == 5 && block->warps[0].count == 3 && block->warps[1].count == 2);
    cr_expect_eq(block->warps[0].instructions[1].addresses[31], 0x4000 + 124);
    cr_expect_str_eq(gpc_trace_opcode(trace, block->warps[0].instructions[0].opcode), "LDG.E");
    cr_expect_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_END);
    gpc_trace_close(trace);
    host_close(&h);
}

/* Warps are numbered by block: slots formerly of another block's warp count anew. */
Test(record_files, slots_of_two_blocks) {
    host h;
    host_open(&h, "");
    host_record(&h);
    host_load(&h, 2, 0, 5, 0x1000);
    host_load(&h, 2, 0, 6, 0x2000);
    host_load(&h, 2, 1, 6, 0x3000);
    host_load(&h, 2, 1, 5, 0x4000);
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    const gpc_kernel kernel = first_kernel(&h, trace);
    static const uint32_t warps[] = {0, 1, 0, 1};
    cr_assert_eq(kernel.recording->turn_count, 4);
    for (unsigned n = 0; n < 4; n++)
        cr_expect_eq(kernel.recording->turns[n].warp, warps[n], "access %u", n);
    const gpc_block *block;
    for (uint64_t b = 0; b < 2; b++) {
        cr_assert_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_OK);
        cr_assert(block->index == b && block->warps[0].count == 2 && block->warps[1].count == 2);
        for (uint64_t w = 0; w < 2; w++)
            cr_expect_eq(block->warps[w].instructions[0].addresses[0], 0x1000 * (2 * b + w + 1));
    }
    gpc_trace_close(trace);
    host_close(&h);
}

/* A fence names no block: it belongs to the block whose warp was last in the SM's slot. */
Test(record_files, blocks_of_fences) {
    static const struct { uint32_t sm, slot, block; } all[] = {{2, 9, 5}, {1, 4, 3}, {2, 8, 6}, {1, 9, 2}};
    enum { COUNT = sizeof all / sizeof *all };
    host h;
    host_open(&h, "");
    host_record(&h);
    for (unsigned n = 0; n < COUNT; n++)
        host_load(&h, all[n].sm, all[n].block, all[n].slot, 0x1000 * n);
    for (unsigned n = 0; n < COUNT; n++) {
        gpc_fence fence = GPC_FENCE_INIT;
        fence.sm = all[n].sm;
        fence.warp = all[n].slot;
        fence.order = GPC_ORDER_SC;
        fence.scope = GPC_SCOPE_GPU;
        cr_assert_eq(gpc_hierarchy_fence(h.hierarchy, &fence, &h.error), GPC_OK, "%s", h.error.message);
    }
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    const gpc_recording *r = first_kernel(&h, trace).recording;
    cr_assert_eq(r->turn_count, 2 * COUNT);
    for (unsigned n = 0; n < COUNT; n++) {
        const gpc_turn *turn = &r->turns[COUNT + n];
        cr_expect(turn->sm == all[n].sm && turn->slot == all[n].slot && turn->block == all[n].block,
                  "fence %u: block %u", n, turn->block);
    }
    gpc_trace_close(trace);
    host_close(&h);
}

/* Kernels are counted from 0. */
Test(record_files, kernels_in_order) {
    host h;
    host_open(&h, "");
    host_record(&h);
    for (uint32_t n = 0; n < 3; n++) {
        cr_assert_eq(gpc_hierarchy_begin_kernel(h.hierarchy, NULL, &h.error), GPC_OK);
        host_load(&h, 0, 0, 0, 0);
    }
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    for (uint32_t n = 0; n < 3; n++) {
        char name[32];
        snprintf(name, sizeof name, "recorded-%u", n);
        cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &h.error), GPC_OK, "%s", h.error.message);
        cr_expect(kernel.id == n && !strcmp(kernel.name, name), "%s: %u", kernel.name, kernel.id);
    }
    cr_expect_eq(gpc_trace_next_kernel(trace, &kernel, &h.error), GPC_END);
    gpc_trace_close(trace);
    host_close(&h);
}

/* If the library ranks warps, an access has the warp's age at the time. */
Test(record_files, ranked_ages) {
    static const uint32_t ages[] = {2, 1, 0, 1};
    host h;
    host_open(&h, "");
    cr_assert_eq(gpc_hierarchy_rank_warps(h.hierarchy, true, &h.error), GPC_OK);
    for (uint32_t slot = 3; slot-- > 0;) {
        const gpc_warp_event event = {.kind = GPC_WARP_START, .warp = slot};
        cr_assert_eq(gpc_hierarchy_warp_event(h.hierarchy, &event, NULL), GPC_OK);
    }
    host_record(&h);
    for (uint32_t slot = 0; slot < 3; slot++)
        host_load(&h, 0, 0, slot, 0x1000);
    const gpc_warp_event event = {.kind = GPC_WARP_EXIT, .warp = 1};
    cr_assert_eq(gpc_hierarchy_warp_event(h.hierarchy, &event, NULL), GPC_OK);
    host_load(&h, 0, 0, 0, 0x1000);
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    const gpc_recording *r = first_kernel(&h, trace).recording;
    unsigned found = 0;
    for (uint64_t n = 0; n < r->turn_count; n++)
        if (r->turns[n].what == GPC_TURN_INSTRUCTION && found < 4) {
            cr_expect_eq(r->turns[n].warp_age, ages[found], "access %u has age %u", found, r->turns[n].warp_age);
            found++;
        }
    cr_expect_eq(found, 4);
    gpc_trace_close(trace);
    host_close(&h);
}

/* A host without blocks has one per SM; numbers that are far apart are replaced by their order. */
Test(record_files, numbers_of_blocks) {
    host h;
    host_open(&h, "");
    host_record(&h);
    host_load(&h, 1, 0, 0, 0);
    host_load(&h, 0, 0, 0, 0);
    cr_assert_eq(gpc_hierarchy_begin_kernel(h.hierarchy, NULL, &h.error), GPC_OK);
    host_load(&h, 3, UINT32_MAX, 0, 0);
    host_load(&h, 2, 17, 0, 0);
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    gpc_kernel kernel = first_kernel(&h, trace);
    cr_expect(kernel.grid[0] == 2 && kernel.placement[0] == 1 && kernel.placement[1] == 0);
    cr_expect(!kernel.recording->begun);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &h.error), GPC_OK);
    cr_expect(kernel.grid[0] == 2 && kernel.placement[0] == 3 && kernel.placement[1] == 2);
    cr_expect(kernel.recording->begun && !kernel.recording->launched);
    cr_expect(!kernel.recording->threads && !kernel.recording->registers && !kernel.recording->shared_bytes &&
              !kernel.recording->code_bytes);
    gpc_trace_close(trace);
    host_close(&h);
}

/* From 1,024 on, and four times the count, numbers are far apart. */
Test(record_files, how_far_apart_numbers_are) {
    for (uint32_t number = 1023; number <= 1024; number++) {
        host h;
        host_open(&h, "");
        host_record(&h);
        host_load(&h, 1, 5, 0, 0);
        host_load(&h, 0, number, 0, 0);
        host_end(&h);
        gpc_trace *trace = open_file(&h, h.path);
        const gpc_kernel kernel = first_kernel(&h, trace);
        cr_expect_eq(kernel.grid[0], number == 1023 ? 1024 : 2, "block %u: a grid of %u", number, kernel.grid[0]);
        gpc_trace_close(trace);
        host_close(&h);
    }
}

/* An access and a fence are expressed in SASS as far as possible. */
Test(record_files, opcodes) {
    host h;
    host_open(&h, "");
    host_record(&h);
    const struct {
        uint8_t kind, space, hint, order, scope;
        uint32_t width;
        const char *opcode; /* MAPPED: addresses in local space are the host's */
    } all[] = {{GPC_LOAD, GPC_SPACE_GLOBAL, 0, 0, 0, 8, "LDG.E.64"},
               {GPC_LOAD, GPC_SPACE_LOCAL, 0, 0, 0, 4, "LDL"},
               {GPC_LOAD, GPC_SPACE_LOCAL, 0, 0, 0, 4, "LDL.MAPPED"},
               {GPC_STORE, GPC_SPACE_LOCAL, GPC_HINT_WT, 0, 0, 8, "STL.64.MAPPED.WT"},
               {GPC_STORE, GPC_SPACE_GLOBAL, GPC_HINT_WT, 0, 0, 1, "STG.E.U8.WT"},
               {GPC_LOAD, GPC_SPACE_GLOBAL, 0, GPC_ORDER_RELAXED, GPC_SCOPE_GPU, 4, "LDG.E.STRONG.GPU"},
               {GPC_LOAD, GPC_SPACE_GLOBAL, 0, GPC_ORDER_RELAXED, GPC_SCOPE_SYS, 4, "LDG.E.STRONG.SYS"},
               {GPC_LOAD, GPC_SPACE_GLOBAL, 0, 0, 0, 4, "LDG.E"},
               {GPC_LOAD, GPC_SPACE_GLOBAL, 0, GPC_ORDER_RELAXED, GPC_SCOPE_CTA, 4, "LDG.E.STRONG.CTA"},
               {GPC_LOAD, GPC_SPACE_GLOBAL, 0, GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS, 4, "LDG.E.STRONG.SYS"},
               {GPC_REDUCTION, GPC_SPACE_GLOBAL, 0, 0, 0, 4, "REDG.E.ADD"},
               {GPC_ATOMIC, GPC_SPACE_SHARED, 0, 0, 0, 4, "ATOMS.ADD"},
               {GPC_LOAD, GPC_SPACE_CONSTANT, 0, 0, 0, 12, "LDC"}};
    enum { COUNT = sizeof all / sizeof *all };
    for (size_t n = 0; n < COUNT; n++) {
        const uint64_t address = 0x100 * n;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 1;
        access.addresses = &address;
        access.width = all[n].width;
        access.kind = all[n].kind;
        access.space = all[n].space;
        access.hint = all[n].hint;
        access.order = all[n].order;
        access.scope = all[n].scope;
        access.local_offsets = access.space == GPC_SPACE_LOCAL && !strstr(all[n].opcode, "MAPPED");
        cr_assert_eq(gpc_hierarchy_access(h.hierarchy, &access, NULL, NULL), GPC_OK);
    }
    gpc_fence fence = GPC_FENCE_INIT;
    fence.order = GPC_ORDER_SC;
    fence.scope = GPC_SCOPE_GPU;
    cr_assert_eq(gpc_hierarchy_fence(h.hierarchy, &fence, &h.error), GPC_OK);
    host_end(&h);
    gpc_trace *trace = open_file(&h, h.path);
    first_kernel(&h, trace);
    const gpc_block *block;
    cr_assert_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_OK);
    const gpc_warp *warp = &block->warps[0];
    cr_assert_eq(warp->count, COUNT + 2);
    for (size_t n = 0; n < COUNT; n++) {
        const gpc_instruction *i = &warp->instructions[n];
        cr_expect_str_eq(gpc_trace_opcode(trace, i->opcode), all[n].opcode);
        cr_expect(i->kind == all[n].kind && i->space == all[n].space && i->width == all[n].width &&
                  (all[n].order || i->hint == all[n].hint));
        gpc_ordering ordering = GPC_ORDERING_INIT;
        cr_assert_eq(gpc_trace_ordering(trace, i->opcode, &ordering, NULL), GPC_OK);
        cr_expect_eq(ordering.mapped, strstr(all[n].opcode, "MAPPED") != NULL);
    }
    cr_expect_str_eq(gpc_trace_opcode(trace, warp->instructions[COUNT].opcode), "MEMBAR.SC.GPU");
    gpc_trace_close(trace);
    host_close(&h);
}

/* Accesses that differ in a single field are distinguished. */
Test(record_files, forms) {
    enum { KINDS = GPC_KIND_COUNT, SPACES = GPC_SPACE_COUNT, HINTS = GPC_HINT_COUNT, PRIORITIES = GPC_PRIORITY_COUNT };
    static const uint32_t widths[] = {1, 2, 4, 8, 12, 16, 64};
    enum { WIDTHS = sizeof widths / sizeof *widths, ALL = KINDS * SPACES * HINTS * PRIORITIES * WIDTHS };
    host h;
    const uint64_t address = 0x4000;
    uint32_t count = 0;
    static gpc_warp_access accepted[ALL];
    host_open(&h, "");
    host_record(&h);
    for (uint32_t n = 0; n < ALL; n++) {
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        uint32_t left = n;
        access.mask = 1;
        access.addresses = &address;
        access.kind = (uint8_t)(left % KINDS), left /= KINDS;
        access.space = (uint8_t)(left % SPACES), left /= SPACES;
        access.hint = (uint8_t)(left % HINTS), left /= HINTS;
        access.priority = (uint8_t)(left % PRIORITIES), left /= PRIORITIES;
        access.width = widths[left];
        if (gpc_hierarchy_access(h.hierarchy, &access, NULL, NULL) == GPC_OK)
            accepted[count++] = access;
    }
    host_end(&h);
    cr_expect_gt(count, ALL / 2);
    gpc_trace *trace = open_file(&h, h.path);
    first_kernel(&h, trace);
    const gpc_block *block;
    cr_assert_eq(gpc_trace_next_block(trace, &block, &h.error), GPC_OK);
    const gpc_warp *warp = &block->warps[0];
    cr_assert_eq(warp->count, count + 1);
    for (uint32_t n = 0; n < count; n++) {
        const gpc_instruction *i = &warp->instructions[n];
        const gpc_warp_access *a = &accepted[n];
        cr_assert(i->kind == a->kind && i->space == a->space && i->hint == a->hint && i->priority == a->priority &&
                      i->width == a->width,
                  "access %u: %u %u %u %u %u, read %u %u %u %u %u", n, a->kind, a->space, a->hint, a->priority,
                  a->width, i->kind, i->space, i->hint, i->priority, i->width);
    }
    gpc_trace_close(trace);
    host_close(&h);
}

/* Copy a trace, kernel by kernel. */
static void convert(host *h, const char *path, gpc_trace_format format) {
    gpc_trace_writer *writer;
    gpc_trace *trace = open_file(h, h->path);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    cr_assert_eq(gpc_trace_writer_create(h->context, path, format, &writer, &h->error), GPC_OK);
    while (gpc_trace_next_kernel(trace, &kernel, &h->error) == GPC_OK) {
        cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &h->error), GPC_OK, "%s", h->error.message);
        while (gpc_trace_next_block(trace, &block, &h->error) == GPC_OK) {
            cr_assert_eq(gpc_trace_writer_block(writer, trace, block, &h->error), GPC_OK, "%s", h->error.message);
            gpc_trace_release_block(trace, block);
        }
    }
    cr_assert_eq(gpc_trace_writer_finish(writer, &h->error), GPC_OK, "%s", h->error.message);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
}

static size_t read_file(const char *path, char **out) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    *out = calloc(1, 1 << 20);
    cr_assert_not_null(*out);
    const size_t size = fread(*out, 1, 1 << 20, file);
    fclose(file);
    cr_assert_lt(size, (size_t)1 << 20);
    return size;
}

/* A copy of the file equals the file. */
Test(record_files, copy) {
    host h;
    char path[80], *a, *b;
    host_open(&h, "");
    host_record(&h);
    host_drive(&h, 2, HOST_FENCES | HOST_EVENTS | HOST_TOKENS | HOST_ORDERS);
    host_end(&h);
    snprintf(path, sizeof path, "%s/copy.gct", h.folder);
    convert(&h, path, GPC_TRACE_BINARY);
    const size_t size = read_file(h.path, &a);
    cr_expect_eq(read_file(path, &b), size);
    cr_expect(!memcmp(a, b, size));
    free(a);
    free(b);
    unlink(path);
    host_close(&h);
}

/* Damage of a recording is found, at any place. */
Test(record_files, damage) {
    host h;
    char *bytes;
    host_open(&h, "");
    host_record(&h);
    for (uint32_t n = 0; n < 40; n++)
        host_load(&h, n % 4, n % 8, n % 3, n * 128);
    host_end(&h);
    const size_t size = read_file(h.path, &bytes);
    for (size_t at = 0; at < size; at++) {
        FILE *file = fopen(h.path, "wb");
        cr_assert_not_null(file);
        bytes[at] ^= 4;
        cr_assert(fwrite(bytes, 1, size, file) == size && !fclose(file));
        bytes[at] ^= 4;
        gpc_trace *trace = NULL;
        gpc_kernel kernel = GPC_KERNEL_INIT;
        gpc_status status = gpc_trace_open(h.context, h.path, &trace, &h.error);
        if (status == GPC_OK)
            status = gpc_trace_next_kernel(trace, &kernel, &h.error);
        for (const gpc_block *block; status == GPC_OK;)
            status = gpc_trace_next_block(trace, &block, &h.error);
        cr_expect(status < 0, "a change of byte %zu was not found", at);
        gpc_trace_close(trace);
    }
    free(bytes);
    host_close(&h);
}

/* Snapshots contain only the hierarchy: the recording continues, and a loaded one does not record. */
Test(record_files, snapshots) {
    host h;
    measured_stats replayed;
    gpc_hierarchy *copy;
    host_open(&h, "");
    host_record(&h);
    host_drive(&h, 2, 0);
    cr_assert_eq(gpc_hierarchy_copy(h.hierarchy, &copy, &h.error), GPC_OK, "%s", h.error.message);
    cr_expect(!gpc_hierarchy_is_recording(copy));
    gpc_hierarchy_destroy(copy);
    cr_expect(gpc_hierarchy_is_recording(h.hierarchy));
    host_drive(&h, 4, 0);
    const measured_stats hosted = host_stats(h.hierarchy);
    host_end(&h);
    cr_assert_eq(host_replay(&h, "warps.order = recorded\n", &replayed), GPC_OK, "%s", h.error.message);
    host_expect_same(&hosted, &replayed);
    host_close(&h);
}

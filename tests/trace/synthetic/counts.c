/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts worked out by hand. */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static traffic first_kernel(rig *r, const char *source) {
    rig_open(r, source);
    cr_assert(rig_kernel(r));
    return rig_traffic(r);
}

static traffic only(const char *source) {
    rig r;
    traffic t = first_kernel(&r, source);
    cr_assert(!rig_kernel(&r), "%s has a second kernel", source);
    rig_close(&r);
    return t;
}

static void expect(const char *what, traffic t, uint64_t loads, uint64_t load_sectors, uint64_t stores,
                   uint64_t store_sectors) {
    cr_assert_eq(t.loads, loads, "%s: %lu loads, not %lu", what, (unsigned long)t.loads, (unsigned long)loads);
    cr_assert_eq(t.stores, stores, "%s: %lu stores, not %lu", what, (unsigned long)t.stores, (unsigned long)stores);
    cr_assert_eq(t.load_sectors, load_sectors, "%s: %lu load sectors, not %lu", what, (unsigned long)t.load_sectors,
                 (unsigned long)load_sectors);
    cr_assert_eq(t.store_sectors, store_sectors, "%s: %lu store sectors, not %lu", what, (unsigned long)t.store_sectors,
                 (unsigned long)store_sectors);
}

/* 524,288 floats are 16,384 warps; an access is four sectors. The SASS has 20 instructions. */
Test(synthetic_counts, vectoradd) {
    traffic t = only("vectoradd");
    expect("vectoradd", t, 2 * 16384, 2 * 4 * 16384, 16384, 4 * 16384);
    cr_assert_eq(t.warps, 16384);
    cr_assert_eq(t.blocks, 2048);
    cr_assert_eq(t.instructions, 20 * 16384);
    expect("vecscale", only("vecscale:64KiB"), 512, 4 * 512, 512, 4 * 512);
    /* 64 lanes: half as many warps, twice the sectors each. */
    expect("vectoradd, wide", only("vectoradd:2MiB:lanes=64"), 2 * 8192, 2 * 8 * 8192, 8192, 8 * 8192);
}

/* Arrays in sequence, each behind a word: the third begins at 12 bytes, and 32 floats are in five sectors. */
Test(synthetic_counts, header) {
    expect("vectoradd:2MiB:header=4", only("vectoradd:2MiB:header=4"), 2 * 16384, 2 * 5 * 16384, 16384, 5 * 16384);
    expect("vectoradd:64KiB:header=32", only("vectoradd:64KiB:header=32"), 2 * 512, 2 * 4 * 512, 512, 4 * 512);
    rig r;
    rig_open(&r, "vectoradd:64KiB:header=4");
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r.source, &count);
    cr_assert_eq(count, 3);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(arrays[i].base % (2 << 20), 4 + i * ((64 << 10) + 4));
    rig_close(&r);
}

/*
 * 25 elements: a warp with 25 lanes, with accesses of four sectors; seven more leave at the guard, the eighth
 * instruction.
 */
Test(synthetic_counts, guard) {
    rig r;
    rig_open(&r, "vectoradd:100");
    cr_assert(rig_kernel(&r));
    const gpc_block *block = rig_block(&r);
    cr_assert_eq(block->warp_count, 8);
    cr_assert_eq(block->warps[0].count, 20);
    for (uint32_t w = 1; w < 8; w++)
        cr_assert_eq(block->warps[w].count, 8);
    const gpc_instruction *guard = &block->warps[0].instructions[7], *load = &block->warps[0].instructions[13];
    cr_assert_eq(guard->op_class, GPC_OP_EXIT);
    cr_assert_eq(guard->mask, 0xfe000000);
    cr_assert_eq(load->kind, GPC_LOAD);
    cr_assert_eq(load->mask, 0x01ffffff);
    for (unsigned lane = 0; lane < 25; lane++)
        cr_assert_eq(load->addresses[lane], load->addresses[0] + 4 * lane);
    cr_assert_eq(block->warps[1].instructions[7].mask, 0xffffffff);
    cr_assert_null(rig_block(&r));
    rig_close(&r);
}

/* 32,768 doubles are 1,024 warps of eight sectors an access; copy, scale, add, triad load 1, 1, 2, 2. */
Test(synthetic_counts, stream) {
    static const unsigned loads[] = {1, 1, 2, 2};
    rig r;
    rig_open(&r, "stream:256KiB");
    for (unsigned k = 0; k < 4; k++) {
        cr_assert(rig_kernel(&r));
        expect(r.kernel.name, rig_traffic(&r), 1024 * loads[k], 8 * 1024 * loads[k], 1024, 8 * 1024);
    }
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
}

/*
 * 512 x 1024 floats: a warp is two rows of 16. A load is two half lines, four sectors. A transposed store has 16 rows
 * of two adjacent elements, a sector each; through a tile again two half lines.
 */
Test(synthetic_counts, transpose) {
    expect("naive", only("transpose-naive"), 16384, 4 * 16384, 16384, 16 * 16384);
    traffic t = only("transpose-tiled");
    expect("tiled", t, 16384, 4 * 16384, 16384, 4 * 16384);
    cr_assert_eq(t.barriers, 16384);
}

/*
 * 704 x 704 (the largest multiple of 32 whose square fits 2 MiB), 22 x 22 blocks of 32 warps, 22 tiles each:
 * rows of 32 floats, four sectors a load.
 */
Test(synthetic_counts, matmul) {
    uint64_t warps = 22 * 22 * 32;
    traffic t = only("matmul-tiled");
    expect("matmul", t, warps * 22 * 2, warps * 22 * 2 * 4, warps, warps * 4);
    cr_assert_eq(t.barriers, warps * 22 * 2);
}

/*
 * 2 MiB are 262,144 pairs of words, so 8,192 warps with a thread per pair. Words are four sectors an access, pairs
 * eight, and the third kernel has two loads; a result is a word.
 */
Test(synthetic_counts, cppoverload) {
    static const unsigned loads[] = {1, 1, 2}, load_sectors[] = {4, 8, 8}, width[] = {4, 8, 4};
    rig r;
    rig_open(&r, "cppoverload");
    for (unsigned k = 0; k < 3; k++) {
        cr_assert(rig_kernel(&r));
        const gpc_block *block = rig_block(&r);
        unsigned shared = 0;
        for (uint64_t i = 0; i < block->warps[3].count; i++) {
            const gpc_instruction *access = &block->warps[3].instructions[i];
            if (access->space != GPC_SPACE_SHARED)
                continue;
            cr_assert_eq(access->width, width[k]);
            cr_assert_eq(access->addresses[5] - access->addresses[0], 5 * width[k]);
            shared++;
        }
        cr_assert_eq(shared, 2 * loads[k]);
        traffic first = {0};
        traffic_add(&first, block); /* equal blocks */
        traffic t = rig_traffic(&r);
        cr_assert_eq(t.blocks, 1023);
        expect(r.kernel.name, first, 8 * loads[k], 8 * load_sectors[k], 8, 4 * 8);
        expect(r.kernel.name, t, 1023 * 8 * loads[k], 1023 * 8 * load_sectors[k], 1023 * 8, 1023 * 8 * 4);
        cr_assert_eq(t.barriers, 1023 * 8);
    }
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
}

/* A load of words makes four additions to bins; 64 blocks of 8 warps each write 256 bins, and one block reads them. */
Test(synthetic_counts, histogram) {
    rig r;
    traffic t = first_kernel(&r, "histogram");
    expect("histogram", t, 16384, 4 * 16384, 512, 4 * 512);
    cr_assert_eq(t.shared_atomics, 4 * 16384);
    cr_assert(rig_kernel(&r));
    expect("merge", rig_traffic(&r), 64 * 8, 4 * 64 * 8, 8, 4 * 8);
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
}

/* Rows of 1024 floats, 512 of them, so 16 warps: each step is a sector for each lane and one for the vector. */
Test(synthetic_counts, matrix_and_vector) {
    rig r;
    uint64_t by_rows = 16 * 1024, by_columns = 32 * 512;
    traffic t = first_kernel(&r, "atax");
    expect("atax1", t, 2 * by_rows, 33 * by_rows, 16, 4 * 16);
    cr_assert(rig_kernel(&r));
    expect("atax2", rig_traffic(&r), 2 * by_columns, 5 * by_columns, 32, 4 * 32);
    rig_close(&r);
    expect("gesummv", only("gesummv"), 3 * by_rows, 65 * by_rows, 16, 4 * 16);
    t = first_kernel(&r, "bicg");
    expect("bicg1", t, 2 * by_columns, 5 * by_columns, 32, 4 * 32);
    cr_assert(rig_kernel(&r));
    expect("bicg2", rig_traffic(&r), 2 * by_rows, 33 * by_rows, 16, 4 * 16);
    rig_close(&r);
    /* Step by step, equal loads; the second launch alone equals the second of two. */
    expect("gesummv, serial", only("gesummv:serial=1"), 3 * by_rows, 65 * by_rows, 16, 4 * 16);
    expect("bicg2 alone", only("bicg:serial=1,launch=2"), 2 * by_rows, 33 * by_rows, 16, 4 * 16);
    /* The old value of the result is loaded too. */
    t = first_kernel(&r, "mvt");
    expect("mvt1", t, 2 * by_rows + 16, 33 * by_rows + 4 * 16, 16, 4 * 16);
    rig_close(&r);
}

/* A warp reads lines, or words per lane, as often as specified; the lanes' words are a line apart. */
Test(synthetic_counts, reuse) {
    expect("warp-reuse", only("warp-reuse:2MiB:lines=8,repeats=5"), 2048 * 40, 4 * 2048 * 40, 2048, 4 * 2048);
    expect("private-reuse", only("private-reuse:1MiB:repeats=3"), 256 * 96, 32 * 256 * 96, 256, 4 * 256);
}

/* 6 warps of 5: a line each; a sector for each of 32 lanes; one sector; and stores of lines. */
Test(synthetic_counts, accesses) {
    expect("accesses", only("accesses:1KiB:threads=64,blocks=3,count=5"), 30, 4 * 30, 0, 0);
    expect("apart", only("accesses:1KiB:threads=64,blocks=3,count=5,stride=32"), 30, 32 * 30, 0, 0);
    expect("chain", only("accesses:1KiB:threads=64,blocks=3,count=5,stride=0,dependent=1"), 30, 30, 0, 0);
    expect("stores", only("accesses:1KiB:threads=64,blocks=3,count=5,store=1"), 0, 0, 30, 4 * 30);
}

/* Access i of warp w begins at (w * apart + i * step) modulo SIZE; a chain reads written addresses. */
Test(synthetic_counts, accesses_in_place) {
    rig r;
    rig_open(&r, "accesses:1KiB:threads=64,blocks=2,count=3,step=384,apart=640,stride=8,dependent=1,cg=1");
    cr_assert(rig_kernel(&r));
    uint64_t base = 0;
    for (uint64_t warp = 0; warp < 4; warp += 2) {
        const gpc_block *block = rig_block(&r);
        for (uint64_t w = 0; w < 2; w++)
            for (uint64_t i = 0; i < 3; i++) {
                const gpc_instruction *load = &block->warps[w].instructions[i];
                base = warp + w + i ? base : load->addresses[0];
                cr_expect_eq(load->hint, GPC_HINT_CG);
                cr_expect(i ? load->sources && load->registers[0] == load->registers[1] : !load->sources);
                for (uint64_t lane = 0; lane < 32; lane++)
                    cr_expect_eq(load->addresses[lane] - base, ((warp + w) * 640 + i * 384) % 1024 + lane * 8);
            }
    }
    rig_close(&r);
}

/*
 * Reversed, 32 neighbours are 2^14 elements apart and more. Of random elements out of 65,536 sectors a warp meets
 * 65,536 (1 - (1 - 1/65,536)^32) different ones, 31.9924; over 16,384 warps known to one in 10,000.
 */
Test(synthetic_counts, scattered) {
    expect("spatial", only("spatial"), 16384, 32 * 16384, 16384, 4 * 16384);
    traffic t = only("gather");
    double sectors = 65536 * (1 - pow(1 - 1.0 / 65536, 32)) + 4;
    cr_assert_eq(t.loads, 2 * 16384);
    cr_assert_float_eq((double)t.load_sectors / 16384, sectors, 0.0036);
}

/* 2^19 elements: passes of radix 4 down to 2^11, then 256 blocks of 512 threads in 8 KiB of shared memory. */
Test(synthetic_counts, fastwalsh) {
    rig r;
    rig_open(&r, "fastwalsh");
    cr_assert_eq(r.source->ops->kernel_count(r.source), 5);
    for (unsigned pass = 0; pass < 4; pass++) {
        cr_assert(rig_kernel(&r));
        cr_assert_eq(r.kernel.grid[0], 512);
        expect("pass", rig_traffic(&r), 16384, 4 * 16384, 16384, 4 * 16384);
    }
    cr_assert(rig_kernel(&r));
    cr_assert_eq(r.kernel.grid[0], 256);
    cr_assert_eq(r.kernel.block[0], 512);
    cr_assert_eq(r.kernel.shared_bytes, 1024 + 8192);
    traffic t = rig_traffic(&r);
    expect("shared", t, 16384, 4 * 16384, 16384, 4 * 16384);
    /* log 11: five radix-4 stages, a radix-2 stage, and before the way out, for 16 warps. */
    cr_assert_eq(t.barriers, 256 * 16 * 7);
    rig_close(&r);
    rig_open(&r, "fastwalsh:2MiB:convolve=1");
    cr_assert_eq(r.source->ops->kernel_count(r.source), 16);
    rig_close(&r);
}

/* The result's 510 rows are 255 pairs, and its 510 columns 32 blocks: 8,160 warps with work, nine loads each. */
Test(synthetic_counts, maxpool) {
    traffic t = only("maxpool:1MiB");
    cr_assert_eq(t.loads, 9 * 255 * 32);
    cr_assert_eq(t.stores, 255 * 32);
}

/* Loads of a launch, one lane each; counts the visits to `nodes` nodes, `stride` bytes apart. */
static uint64_t visit(rig *r, uint64_t base, uint64_t stride, unsigned *visits, uint64_t nodes) {
    uint64_t loads = 0;
    const gpc_block *block = rig_block(r);
    cr_assert_eq(block->warp_count, 1);
    for (uint64_t k = 0; k < block->warps[0].count; k++) {
        const gpc_instruction *i = &block->warps[0].instructions[k];
        if (i->op_class != GPC_OP_MEMORY || i->space != GPC_SPACE_GLOBAL || i->kind != GPC_LOAD)
            continue;
        uint64_t node = (i->addresses[0] - base) / stride;
        cr_assert_eq(i->mask, 1);
        cr_assert_eq(i->width, 8);
        cr_assert(node < nodes && base + node * stride == i->addresses[0]);
        cr_assert_eq(i->registers[0], i->registers[1], "the address is not what the load before it brought");
        visits[node]++;
        loads++;
    }
    cr_assert_null(rig_block(r));
    return loads;
}

/* 100 nodes of 96 bytes: 3 walks make 300 loads, spread evenly over the nodes, in the two launches. */
Test(synthetic_counts, chase) {
    static const char *const sources[] = {"chase:9600:stride=96,walks=3", "chase:9600:stride=96,walks=3,cg=1"};
    for (unsigned s = 0; s < 2; s++) {
        rig r;
        rig_open(&r, sources[s]);
        size_t count;
        for (unsigned half = 0; half < 2; half++) {
            unsigned visits[100] = {0};
            cr_assert(rig_kernel(&r));
            uint64_t base = gpci_synthetic_arrays(r.source, &count)->base;
            cr_assert_eq(visit(&r, base, 96, visits, 100), 300);
            for (unsigned node = 0; node < 100; node++)
                cr_assert_eq(visits[node], 3, "node %u: %u visits", node, visits[node]);
        }
        cr_assert(!rig_kernel(&r));
        rig_close(&r);
    }
}

/* 2^20 nodes are two launches of 2^19 loads for each half; together every node is visited once. */
Test(synthetic_counts, long_chase) {
    enum { NODES = 1 << 20 };
    rig r;
    unsigned *visits = calloc(NODES, sizeof *visits);
    cr_assert_not_null(visits);
    rig_open(&r, "chase:32MiB:stride=32");
    for (unsigned launch = 0; launch < 4; launch++) {
        size_t count;
        cr_assert(rig_kernel(&r));
        cr_assert_eq(visit(&r, gpci_synthetic_arrays(r.source, &count)->base, 32, visits, NODES), NODES / 2);
        for (unsigned node = 0; launch % 2 && node < NODES; node++)
            cr_assert_eq(visits[node], launch / 2 + 1, "node %u", node);
    }
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
    free(visits);
}

/*
 * 4 blocks of 4 warps bring 5 tiles of 4 x 512 bytes: 16 sectors a copy; of three stages' copies beyond the last tile
 * none.
 */
Test(synthetic_counts, bulk_copy) {
    static const char *const copies[] = {"LDG.E.128", "LDGSTS.E.128", "LDGSTS.E.BYPASS.128"};
    for (unsigned kind = 0; kind < 3; kind++) {
        char name[80];
        snprintf(name, sizeof name, "bulk-copy:40KiB:kind=%u,tiles=5,stages=3", kind);
        expect(name, only(name), 4 * 4 * 5, 4 * 4 * 5 * 16, 16, 16 * 4);
        rig r;
        rig_open(&r, name);
        cr_assert(rig_kernel(&r));
        const gpc_warp *warp = &rig_block(&r)->warps[1];
        unsigned waits = 0, commits = 0, found = 0;
        for (uint64_t n = 0; n < warp->count; n++) {
            const gpc_instruction *i = &warp->instructions[n];
            found += !strcmp(rig_opcode(&r, i), copies[kind]);
            commits += !strcmp(rig_opcode(&r, i), "LDGDEPBAR");
            waits += !strcmp(rig_opcode(&r, i), "DEPBAR.LE") && i->width == 2;
        }
        cr_expect_eq(found, kind ? 8 : 5);
        cr_expect_eq(commits, kind ? 8 : 0);
        cr_expect_eq(waits, kind ? 5 : 0);
        rig_close(&r);
    }
}

/* 4 blocks of 5 x 2 tiles of 16 rows of 128 bytes: by one warp, for all; and copies to memory. */
Test(synthetic_counts, bulk_copy_by_an_engine) {
    expect("UBLKCP", only("bulk-copy:80KiB:kind=3,tiles=10,stages=2"), 4 * 10, 4 * 10 * 64, 16, 16 * 4);
    expect("UTMALDG", only("bulk-copy:80KiB:kind=4,tiles=10,stages=5"), 4 * 10, 4 * 10 * 64, 16, 16 * 4);
    expect("UBLKCP.G.S", only("bulk-copy:80KiB:kind=5,tiles=10,stages=2"), 0, 0, 4 * 10, 4 * 10 * 64);
    rig r;
    rig_open(&r, "bulk-copy:80KiB:kind=4,tiles=10");
    cr_assert(rig_kernel(&r));
    const gpc_warp *warp = &rig_block(&r)->warps[0];
    unsigned boxes = 0;
    uint64_t first = 0;
    for (uint64_t n = 0; n < warp->count; n++) {
        const gpc_instruction *i = &warp->instructions[n];
        if (strcmp(rig_opcode(&r, i), "UTMALDG.2D") != 0 || !i->mask)
            continue;
        first = boxes ? first : i->addresses[0];
        /* the rows of a matrix of 4 x 128 bytes a row, divided by columns among blocks */
        cr_assert(i->mask == 0xffff && i->width == 128 && i->addresses[1] == i->addresses[0] + 512);
        cr_assert_eq(i->registers[i->destinations + i->sources - 1], GPC_REGISTER_BARRIER | boxes % 2);
        cr_assert_eq(i->addresses[0], first + boxes * UINT64_C(8192)); /* 16 rows on */
        boxes++;
    }
    cr_assert_eq(boxes, 10);
    rig_close(&r);
}

/* Pairs of stretches of 8 KiB, by block, then the next pair: parts of 512 KiB of 1 MiB, and block 2 has block 0's. */
Test(synthetic_counts, gpu_l2) {
    static const uint64_t kib[] = {0, 8, 32, 40, 64};
    expect("gpu-l2:1MiB", only("gpu-l2:1MiB:blocks=4"), 4 * 32 * 64, 4 * 32 * 64 * 8, 0, 0);
    rig r;
    rig_open(&r, "gpu-l2:1MiB:blocks=4");
    cr_assert(rig_kernel(&r));
    size_t count;
    const uint64_t base = gpci_synthetic_arrays(r.source, &count)->base;
    cr_assert_eq(count, 1);
    for (uint64_t b = 0; b < 4; b++) {
        const gpc_warp *warp = &rig_block(&r)->warps[3];
        size_t load = 0;
        for (uint64_t n = 0; n < warp->count && load < 5; n++)
            if (!strcmp(rig_opcode(&r, &warp->instructions[n]), "LDG.E.64"))
                cr_expect_eq(warp->instructions[n].addresses[0], base + ((kib[load++] + b % 2 * 16) << 10) + 3 * 256);
        cr_assert_eq(load, 5);
    }
    rig_close(&r);
}

/*
 * 64 elements, two warps. Elements 1 to 62 have two neighbours, 2 to 61 have four. Lanes begin a double before or behind
 * a sector, and the sectors of the shifted loads are 8, 9; 8, 8; 9, 8, and 8, 8; 8, 9; 8, 8; 9, 8; 8, 8.
 */
Test(synthetic_counts, gpu_stream) {
    expect("init", only("gpu-stream:512:kind=0,threads=64"), 0, 0, 2, 16);
    expect("read", only("gpu-stream:512:kind=1,threads=64"), 2, 16, 0, 0);
    expect("scale", only("gpu-stream:512:kind=2,threads=64"), 2, 16, 2, 16);
    expect("triad", only("gpu-stream:512:kind=3,threads=64"), 6, 48, 2, 16);
    expect("3 points", only("gpu-stream:512:kind=4,threads=64"), 6, 50, 2, 16);
    expect("5 points", only("gpu-stream:512:kind=5,threads=64"), 10, 82, 2, 16);
    const traffic t = only("gpu-stream:8KiB:kind=2,threads=16");
    expect("half warps", t, 64, 64 * 4, 64, 64 * 4);
    cr_expect_eq(t.blocks, 64);
}

/*
 * Lanes 256 bytes apart are in a sector each; warp 2 has the lanes of warp 0. Every second row of 4 doubles begins in the
 * middle of a sector.
 */
Test(synthetic_counts, gpu_strides) {
    expect("stride", only("gpu-strides:64KiB:stride=64,count=16"), 32 * 16, 32 * 16 * 32, 0, 0);
    expect("block", only("gpu-strides:64MiB:width=4,stride=4098,bytes=8,count=1"), 32, 32 * 12, 0, 0);
    expect("columns and rows repeat", only("gpu-strides:64MiB:width=128,stride=64,count=1"), 32, 32 * 4, 0, 0);
    rig r;
    rig_open(&r, "gpu-strides:64KiB:stride=3,count=9");
    cr_assert(rig_kernel(&r));
    const gpc_warp *warps = rig_block(&r)->warps;
    const uint64_t base = warps[0].instructions[2].addresses[0];
    for (unsigned w = 0; w < 32; w++) {
        const gpc_instruction *loads = warps[w].instructions + 2;
        cr_expect_eq(loads[0].addresses[31], base + (w % 2 * 32 + 31) * 12);
        cr_expect_eq(loads[5].addresses[0], base + w % 2 * 32 * 12 + 64);
        cr_expect_eq(loads[15].addresses[0], loads[0].addresses[0], "behind four products, and the loop's end");
    }
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of every kernel at every size. */
#include "trace/synthetic/rig.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A part of the largest launches; all instructions of others. */
#define MOST_INSTRUCTIONS (effort_is_small() ? 50000u : 2500000u)

static const char *const sizes[] = {"64KiB", "2MiB", "16MiB"};

static void each_kernel(const char *size, const char *tail, void (*check)(const char *)) {
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *name = NULL, *summary = NULL;
        uint64_t bytes = 0;
        char source[128];
        cr_assert_eq(gpc_synthetic_at(i, &name, &summary, &bytes, NULL), GPC_OK);
        cr_assert(strlen(name) > 0 && strlen(summary) > 0);
        cr_assert_eq(bytes, 2 << 20, "%s", name);
        snprintf(source, sizeof source, "%s:%s%s", name, size, tail);
        check(source);
    }
}

static bool inside_array(const gpci_synthetic_array *arrays, size_t count, uint64_t address, unsigned width) {
    for (size_t i = 0; i < count; i++)
        if (address >= arrays[i].base && address + width <= arrays[i].base + arrays[i].bytes)
            return true;
    return false;
}

static void check_addresses(const rig *r, const gpc_instruction *i) {
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r->source, &count);
    for (unsigned k = 0; k < gpci_popcount(i->mask); k++) {
        uint64_t a = i->addresses[k];
        if (i->space == GPC_SPACE_CLUSTER) /* an equal place in another block */
            a = (a - GPCI_SHARED_WINDOW) & 0xffffff;
        bool inside = i->space == GPC_SPACE_GLOBAL ? inside_array(arrays, count, a, i->width)
                                                   : a >= GPCI_SHARED_BASE && a + i->width <= r->kernel.shared_bytes;
        if (!inside || a % i->width)
            cr_assert_fail("%s: PC %#lx, %#lx is %s", r->kernel.name, (unsigned long)i->pc, (unsigned long)a,
                           inside ? "not aligned" : "outside all arrays");
    }
}

/* 64-bit results take a pair of registers; only the lower is listed. */
static bool writes_pair(const char *opcode) {
    return strstr(opcode, ".64") || strstr(opcode, ".WIDE") || !strncmp(opcode, "DADD", 4) ||
           !strncmp(opcode, "DMUL", 4) || !strncmp(opcode, "DFMA", 4);
}

enum { UNWRITTEN, WRITTEN, LOADED }; /* LOADED: from memory, and not read yet */

static void unread(const rig *r, const gpc_instruction *i, unsigned number) {
    if (!strcmp(r->kernel.name, "_Z8accessesPi")) /* loads alone */
        return;
    cr_assert_fail("%s: PC %#lx, what was loaded into register %#x was never read", r->kernel.name,
                   (unsigned long)i->pc, number);
}

/* Read values were written before, and loaded values are read. */
static void check_registers(const rig *r, const gpc_instruction *i, uint8_t *state) {
    bool load = i->op_class == GPC_OP_MEMORY && i->kind == GPC_LOAD && i->space != GPC_SPACE_CONSTANT;
    for (unsigned k = i->destinations; k < i->destinations + i->sources; k++) {
        if (i->registers[k] & (GPC_REGISTER_BARRIER | GPC_REGISTER_NUMBER)) /* no registers */
            continue;
        if (i->registers[k] != 255 && state[i->registers[k]] == UNWRITTEN)
            cr_assert_fail("%s: PC %#lx reads register %#x, never written", r->kernel.name, (unsigned long)i->pc,
                           i->registers[k]);
        state[i->registers[k]] = WRITTEN;
    }
    for (unsigned k = 0; k < i->destinations; k++) {
        uint16_t d = i->registers[k];
        if (state[d] == LOADED)
            unread(r, i, d);
        state[d] = load ? LOADED : WRITTEN;
        if (writes_pair(rig_opcode(r, i)))
            state[d + 1] = WRITTEN;
        if (d < 255 && d >= r->kernel.registers)
            cr_assert_fail("%s: PC %#lx writes R%u of %u", r->kernel.name, (unsigned long)i->pc, d,
                           r->kernel.registers);
    }
}

/* Warp whose threads have no work, and exit before the first access. No other warp waits for an ended warp. */
#define NO_WORK (-1)

/* Returns the number of barriers passed by the warp, or NO_WORK. */
static int check_warp(const rig *r, const gpc_warp *warp) {
    uint8_t registers[1024] = {UNWRITTEN};
    int barriers = 0;
    bool worked = false;
    uint64_t threads = (uint64_t)r->kernel.block[0] * r->kernel.block[1];
    uint64_t first = (uint64_t)warp->warp * r->kernel.warp_lanes;
    uint64_t left = threads - first < r->kernel.warp_lanes ? threads - first : r->kernel.warp_lanes;
    uint64_t lanes = left == 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    for (uint64_t k = 0; k < warp->count; k++) {
        const gpc_instruction *i = &warp->instructions[k];
        bool last = k + 1 == warp->count, exit = i->op_class == GPC_OP_EXIT;
        if (i->mask & ~lanes)
            cr_assert_fail("%s: PC %#lx, mask %#lx", r->kernel.name, (unsigned long)i->pc, (unsigned long)i->mask);
        if (last && (!exit || !i->mask))
            cr_assert_fail("%s: a warp ends in %s", r->kernel.name, rig_opcode(r, i));
        lanes &= exit ? ~i->mask : UINT64_MAX;
        if (!last && !lanes)
            cr_assert_fail("%s: instructions behind the exit of all lanes", r->kernel.name);
        check_registers(r, i, registers);
        barriers += i->op_class == GPC_OP_BARRIER;
        bool access = i->op_class == GPC_OP_MEMORY && i->space != GPC_SPACE_CONSTANT && i->space != GPC_SPACE_TEXTURE;
        if ((i->addresses != NULL) != (access && i->mask))
            cr_assert_fail("%s: PC %#lx, addresses where none belong or the reverse", r->kernel.name,
                           (unsigned long)i->pc);
        if (i->addresses)
            check_addresses(r, i);
        worked |= access || i->op_class == GPC_OP_BARRIER;
    }
    for (unsigned k = 0; k < 1024; k++)
        if (registers[k] == LOADED)
            unread(r, &warp->instructions[warp->count - 1], k);
    cr_assert_eq(lanes, 0, "%s: lanes %#lx never exit", r->kernel.name, (unsigned long)lanes);
    return worked ? barriers : NO_WORK;
}

static void check_block(const rig *r, const gpc_block *block, uint64_t index) {
    const gpc_kernel *k = &r->kernel;
    cr_assert_eq(block->index, index);
    cr_assert_eq(block->x + (uint64_t)k->grid[0] * (block->y + (uint64_t)k->grid[1] * block->z), index);
    cr_assert_eq(block->warp_count, (k->block[0] * k->block[1] + k->warp_lanes - 1) / k->warp_lanes);
    uint64_t instructions = 0;
    int barriers = NO_WORK;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        cr_assert_eq(block->warps[w].warp, w);
        int passed = check_warp(r, &block->warps[w]);
        cr_assert(passed == NO_WORK || barriers == NO_WORK || passed == barriers, "%s: warps pass %d and %d barriers",
                  k->name, barriers, passed);
        barriers = passed == NO_WORK ? barriers : passed;
        instructions += block->warps[w].count;
    }
    cr_assert_eq(instructions, block->instruction_count);
}

static void check_arrays(const rig *r) {
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r->source, &count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(arrays[i].base % (arrays[i].bytes >= 1 << 20 ? 2 << 20 : 512), 0);
        for (size_t j = 0; j < i; j++) {
            const gpci_synthetic_array *a = &arrays[i], *b = &arrays[j];
            bool apart = a->base + a->bytes <= b->base || b->base + b->bytes <= a->base;
            cr_assert(apart, "arrays %zu and %zu overlap", i, j);
        }
    }
}

static void check_kernel(const char *source) {
    rig r;
    rig_open(&r, source);
    check_arrays(&r);
    uint64_t kernels = 0;
    for (double before = 0; rig_kernel(&r); kernels++) {
        const gpc_kernel *k = &r.kernel;
        cr_assert_eq(k->index, kernels);
        cr_assert_eq(k->id, kernels + 1);
        cr_assert_eq(k->block_count, (uint64_t)k->grid[0] * k->grid[1] * k->grid[2]);
        cr_assert(!strncmp(k->file, "synthetic:", 10) && !strcmp(k->file + 10, source));
        cr_assert(!strncmp(k->name, "_Z", 2));
        cr_assert(k->shared_bytes >= 1024 && k->registers >= 16 && k->registers <= 255 && k->binary_version == 90);
        uint64_t blocks = 0, instructions = 0;
        for (const gpc_block *block; instructions < MOST_INSTRUCTIONS && (block = rig_block(&r)); blocks++) {
            check_block(&r, block, blocks);
            instructions += block->instruction_count;
            double now = r.source->ops->progress(r.source);
            cr_assert(now > before && now <= 1, "progress goes from %g to %g", before, now);
            before = now;
        }
        if (instructions < MOST_INSTRUCTIONS) {
            cr_assert_eq(blocks, k->block_count, "%s: %lu blocks of %lu", source, (unsigned long)blocks,
                         (unsigned long)k->block_count);
            cr_assert_null(rig_block(&r), "the end is not final");
        }
    }
    cr_assert_eq(kernels, r.source->ops->kernel_count(r.source));
    rig_close(&r);
}

Test(synthetic_contract, small) {
    each_kernel(sizes[0], "", check_kernel);
}

Test(synthetic_contract, medium) {
    each_kernel(sizes[1], "", check_kernel);
}

Test(synthetic_contract, large) {
    each_kernel(sizes[2], "", check_kernel);
}

Test(synthetic_contract, wavefronts_of_64_lanes) {
    each_kernel(sizes[0], ":lanes=64", check_kernel);
}

/* Sizes that leave incomplete blocks, rows and unrolled loops. */
Test(synthetic_contract, odd_sizes) {
    static const char *const odd[] = {
        "vectoradd:4",
        "vecscale:1021",
        "vecmul:128",
        "vecsub:129",
        "stream:8:turns=2",
        "stream:12345",
        "scalarprod:5000",
        "scalarprod:1000000:vectors=3",
        "histogram:4",
        "histogram:70001",
        "histogram:64KiB:blocks=7",
        "kmeans:128",
        "kmeans:50000:features=7,centres=3",
        "kmeans:50000:rowmajor=1,features=19",
        "maxpool:64",
        "maxpool:5003:window=5",
        "meanpool:16",
        "meanpool:99999:window=3,stride=2",
        "maxpool:9999:window=1,stride=7",
        "kronecker:4",
        "kronecker:77777",
        "kronecker:64KiB:inner=5",
        "elemmul:4",
        "relu:10007",
        "sigmoid:5555:columns=13",
        "zeropad:100",
        "zeropad:20000:pad=9",
        "spatial:4",
        "spatial:256",
        "gather:4",
        "gather:10001:seed=9",
        "warp-reuse:100000:lines=29,repeats=3",
        "warp-reuse:1MiB:lines=1,threads=32",
        "accesses:4",
        "accesses:1001:threads=100,count=3,blocks=5,step=36,apart=12,stride=128",
        "accesses:128B:dependent=1,stride=0,threads=32",
        "accesses:2KiB:store=1,count=17",
        "private-reuse:100000:words=5",
        "private-reuse:1MiB:words=17,threads=1000",
        "matmul-tiled:1024:tile=16",
        "matmul-tiled:99999",
        "atax:4",
        "atax:100003:columns=37",
        "bicg:100003",
        "gesummv:40000:columns=11",
        "mvt:54321",
        "fastwalsh:1KiB",
        "fastwalsh:32KiB:convolve=1",
        "transpose-naive:1KiB",
        "transpose-tiled:99999:columns=48",
        "sssp:4:degree=1",
        "sssp:50001:degree=13,first=1,launches=3",
        "string-match:64:record=64",
        "string-match:30001:record=97,scanned=41",
        "inverted-index:64:record=64",
        "inverted-index:65537:record=301,gap=8,scanned=200",
        "similarity-score:32:features=4",
        "similarity-score:50000:features=12,pairs=0",
        "comd:13824:atoms=1,spread=0",
        "comd:40000:atoms=33,spread=31",
        "comd-eam:27648:steps=2",
        "comd-eam:50000:steps=1,moved=200,double=0",
        "bicg:100003:columns=37,launch=1",
        "mvt:54321:launch=2",
        "polybench-atax:100003:columns=37,steps=5",
        "polybench-bicg:100003:columns=37,launch=1",
        "polybench-mvt:54321:launch=2",
        "polybench-gesummv:40000:columns=19",
        "polybench-gemm:4",
        "polybench-3mm:9999:steps=3",
        "rodinia-kmeans:40001:features=3,clusters=2",
        "rodinia-kmeans:99999:features=3,clusters=2,texture=0",
        "rodinia-streamcluster:12:dimensions=1,least=2,most=2",
        "rodinia-streamcluster:99999:dimensions=5,blocks=3,launches=5,lanes=64",
        "rodinia-streamcluster:9999:dimensions=7,launches=0,least=20,most=20",
        "rodinia-cfd:20:near=1",
        "rodinia-cfd:99999:near=17",
        "rodinia-gaussian:16",
        "rodinia-gaussian:4000:columns=1",
        "rodinia-gaussian:99999:first=100,columns=24",
        "rodinia-bfs:4:degree=1",
        "rodinia-bfs:50001:degree=13,first=2,levels=1",
        "rodinia-backprop:1156",
        "rodinia-backprop:99999",
        "rodinia-btree:4:queries=1,ranges=1",
        "rodinia-btree:99999:queries=99,ranges=3",
        "rodinia-heartwall:900:search=4,template=2,points=3,move=3,skip=1",
        "rodinia-heartwall:9999:search=7,template=7,points=5,frames=12,skip=3",
        "rodinia-hotspot:4",
        "rodinia-hotspot:99999:launches=3",
        "rodinia-mummergpu:22:reference=20,length=20",
        "rodinia-mummergpu:9999:reference=3000,length=57,least=9,errors=30,repeats=90",
        "rodinia-nn:8",
        "rodinia-nn:99999",
        "rodinia-lud:1024",
        "rodinia-lud:99999:first=3,patches=2",
        "rodinia-nw:1156",
        "rodinia-nw:99999:first=8,launches=30",
        "rodinia-srad:1024",
        "rodinia-srad:99999:rounds=2",
        "rodinia-dwt2d:4356",
        "rodinia-dwt2d:99999:levels=2",
        "sp:576:blocks=1,ratio=1",
        "sp:99999:rounds=1,decimated=7,ratio=33,passes=1,blocks=9",
        "bfs:50001:degree=13,rmat=1,blocks=1",
        "word-count:64:record=64",
        "word-count:30001:record=97,scanned=50",
        "cppoverload:2KiB",
        "cppoverload:38KiB:lanes=64",
        "gesummv:40000:columns=19,serial=1",
        "kmeans:50000:rowmajor=1,features=19,serial=1",
        "atax:54321:serial=1",
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        check_kernel(odd[i]);
}

/* A hash over words of eight bytes: the hash takes most of the test's time. */
static uint64_t mixed(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, (const unsigned char *)bytes + i, count - i < sizeof word ? count - i : sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Every field of every instruction. */
static uint64_t fingerprint(const char *source) {
    rig r;
    uint64_t hash = 14695981039346656037u;
    rig_open(&r, source);
    while (rig_kernel(&r)) {
        hash = mixed(hash, r.kernel.grid, sizeof r.kernel.grid);
        for (const gpc_block *block; (block = rig_block(&r));)
            for (uint32_t w = 0; w < block->warp_count; w++)
                for (uint64_t k = 0; k < block->warps[w].count; k++) {
                    gpc_instruction i = block->warps[w].instructions[k];
                    if (i.addresses)
                        hash = mixed(hash, i.addresses, gpci_popcount(i.mask) * sizeof *i.addresses);
                    i.addresses = NULL;
                    hash = mixed(hash, &i, sizeof i);
                }
    }
    rig_close(&r);
    return hash;
}

static void check_determinism(const char *source) {
    cr_assert_eq(fingerprint(source), fingerprint(source), "%s", source);
}

Test(synthetic_contract, same_bytes_twice) {
    each_kernel(sizes[0], "", check_determinism);
    cr_assert_neq(fingerprint("gather:64KiB:seed=1"), fingerprint("gather:64KiB:seed=2"));
    cr_assert_neq(fingerprint("histogram:64KiB:seed=1"), fingerprint("histogram:64KiB:seed=2"));
    cr_assert_eq(fingerprint("gather:64KiB:seed=1"), fingerprint("gather:65536:lanes=32"));
}

Test(synthetic_contract, names_differ_and_end) {
    const char *a, *b;
    for (size_t i = 0; i < gpc_synthetic_count(); i++)
        for (size_t j = 0; j < i; j++) {
            cr_assert_eq(gpc_synthetic_at(i, &a, NULL, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_synthetic_at(j, &b, NULL, NULL, NULL), GPC_OK);
            cr_assert_neq(strcmp(a, b), 0);
        }
    cr_assert_eq(gpc_synthetic_at(gpc_synthetic_count(), &a, NULL, NULL, NULL), GPC_ERROR_RANGE);
}

/* A kernel may be left before the end; the next kernel starts with the first block. */
Test(synthetic_contract, kernels_can_be_skipped) {
    rig r;
    rig_open(&r, "stream:64KiB");
    while (rig_kernel(&r)) {
        const gpc_block *block = rig_block(&r);
        cr_assert(block && block->index == 0);
    }
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Traces of real GPUs: every file is read to the end, with the recorder's counts. */

#define SHARED "../shared/traces"

/* Number behind `"key": ` in a trace's object of hardware.json. */
static uint64_t counted(const char *json, const char *trace, const char *key) {
    char name[160];
    snprintf(name, sizeof name, "\"trace\": \"%s\"", trace);
    const char *at = strstr(json, name);
    cr_assert_not_null(at, "hardware.json has no %s", trace);
    snprintf(name, sizeof name, "\"%s\": ", key);
    const char *value = strstr(at, name), *next = strstr(at + 1, "\"trace\": ");
    cr_assert(value && (!next || value < next), "%s has no %s", trace, key);
    return strtoull(value + strlen(name), NULL, 10);
}

/* Last two parts of a path: a trace's name in hardware.json. */
static const char *short_name(const char *path) {
    const char *slash = strrchr(path, '/');
    while (slash > path && slash[-1] != '/')
        slash--;
    return slash;
}

typedef struct tally {
    uint64_t instructions;
    uint64_t global, bare; /* with addresses, and without: on the intermediate path, but not executed */
} tally;

/* Warps of a single EXIT have no global access, and the recorder did not count them. */
static tally tally_block(const gpc_block *block) {
    tally t = {0, 0, 0};
    uint64_t all = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpc_warp *warp = &block->warps[w];
        all += warp->count;
        t.instructions += warp->count > 1 ? warp->count : 0;
        cr_assert_eq(warp->instructions[warp->count - 1].op_class, GPC_OP_EXIT);
        for (uint64_t i = 0; i < warp->count; i++) {
            const gpc_instruction *instruction = &warp->instructions[i];
            bool global = instruction->op_class == GPC_OP_MEMORY && instruction->space == GPC_SPACE_GLOBAL;
            t.global += instruction->addresses != NULL;
            t.bare += global && !instruction->addresses;
            cr_assert(!instruction->addresses || global);
        }
    }
    cr_assert_eq(all, block->instruction_count);
    return t;
}

static void check_kernel(rig *r, gpc_trace *trace, const gpc_kernel *kernel, const char *json) {
    tally sum = {0, 0, 0};
    uint64_t blocks = 0, next = 0;
    const gpc_block *block;
    gpc_status status;
    while ((status = gpc_trace_next_block(trace, &block, &r->error)) == GPC_OK) {
        tally t = tally_block(block);
        sum.instructions += t.instructions;
        sum.global += t.global;
        sum.bare += t.bare;
        blocks++;
        cr_assert_geq(block->index, next, "blocks ascend in these files");
        next = (uint64_t)block->index + 1;
        gpc_trace_release_block(trace, block);
    }
    cr_assert_eq(status, GPC_END, "%s", r->error.message);
    const char *name = short_name(kernel->file);
    cr_assert_eq(sum.instructions, counted(json, name, "trace_instructions"), "%s: %" PRIu64, name, sum.instructions);
    /* For one of the traces the recorder's count includes accesses without addresses. */
    uint64_t global = counted(json, name, "global_instructions");
    bool with_bare = !strcmp(name, "warp_reuse_26_4sm/kernel-1.traceg.xz");
    cr_assert_eq(sum.global + (with_bare ? sum.bare : 0), global, "%s: %" PRIu64, name, sum.global);
    cr_assert_eq(kernel->placement_count, kernel->block_count, "%s", name);
    cr_assert_eq(blocks, kernel->block_count, "%s: %" PRIu64, name, blocks);
}

static void check_folder(rig *r, const char *folder, const char *json) {
    gpc_trace *trace = open_trace(r, folder);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_status status;
    uint64_t kernels = 0;
    while ((status = gpc_trace_next_kernel(trace, &kernel, &r->error)) == GPC_OK) {
        check_kernel(r, trace, &kernel, json);
        kernels++;
    }
    cr_assert_eq(status, GPC_END, "%s", r->error.message);
    cr_assert_eq(kernels, gpc_trace_kernel_count(trace));
    gpc_trace_close(trace);
}

/* One of several similar traces: always the same, in any order. */
static bool takes(const char *name) {
    uint64_t sum = 0;
    while (*name)
        sum = 31 * sum + (unsigned char)*name++;
    return effort_takes(sum);
}

/* Compare each folder of `root` (some if `many`) with hardware.json; returns the number. */
static unsigned check_folders(const char *root, bool many) {
    rig r;
    rig_open(&r);
    char path[512];
    snprintf(path, sizeof path, "%s/hardware.json", root);
    size_t length;
    char *json = (char *)read_file(path, &length);
    json[length] = 0;
    DIR *folder = opendir(root);
    cr_assert_not_null(folder);
    unsigned folders = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s/kernelslist.g", root, entry->d_name);
        if (access(path, R_OK) != 0)
            continue;
        path[strlen(path) - strlen("/kernelslist.g")] = 0;
        if (!many || takes(entry->d_name))
            check_folder(&r, path, json);
        folders++;
    }
    closedir(folder);
    free(json);
    rig_close(&r);
    return folders;
}

Test(real, h100) {
    if (access(SHARED "/h100", R_OK) != 0)
        cr_skip_test("there is no " SHARED "/h100");
    cr_assert_eq(check_folders(SHARED "/h100", true), 29);
}

Test(real, bundled) {
    cr_assert_geq(check_folders("examples/traces", false), 2);
}

/* Into each format and back, with equal instructions. */
static void check_conversions(rig *r, const char *source) {
    convert(r, source, path_of(r, "k.gct"), GPC_TRACE_BINARY);
    expect_same(r, source, path_of(r, "k.gct"));
    convert(r, path_of(r, "k.gct"), path_of(r, "text"), GPC_TRACE_TEXT);
    expect_same(r, source, path_of(r, "text"));
    shell(r, "rm -r text");
}

Test(real, conversions) {
    rig r;
    rig_open(&r);
    check_conversions(&r, "examples/traces/atax");
    check_conversions(&r, "examples/traces/nn");
    if (access(SHARED "/h100", R_OK) == 0) {
        check_conversions(&r, SHARED "/h100/lud");
        check_conversions(&r, SHARED "/h100/streamcluster");
        if (!effort_is_small())
            check_conversions(&r, SHARED "/h100/gather");
    }
    rig_close(&r);
}

/* Output of NVBit's tracer. */
Test(real, nvbit) {
    if (access(SHARED "/nvbit", R_OK) != 0)
        cr_skip_test("there is no " SHARED "/nvbit");
    static const struct {
        const char *source;
        uint64_t blocks, instructions; /* by `grep -c` of the file: #END_TB; lines with an opcode */
    } files[] = {
        {SHARED "/nvbit/mgpusim-vectoradd", 196, 26601},
        {SHARED "/nvbit/microgpusim-samples/matrixmul-32-32.kernel-1.traceg", 1, 4416},
        {SHARED "/nvbit/microgpusim-samples/vectoradd-100-32.kernel-1.traceg", 1, 344},
        {SHARED "/nvbit/rodinia-lud-kernel-8.v1-format.excerpt.traceg", 1, 10 + 1}, /* an EXIT is missing */
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        rig r;
        rig_open(&r);
        gpc_trace *trace = open_trace(&r, files[n].source);
        next_kernel(&r, trace);
        uint64_t blocks = 0, instructions = 0;
        const gpc_block *block;
        while (gpc_trace_next_block(trace, &block, &r.error) == GPC_OK) {
            blocks++;
            instructions += block->instruction_count;
            gpc_trace_release_block(trace, block);
        }
        cr_assert_eq(blocks, files[n].blocks, "%s: %" PRIu64, files[n].source, blocks);
        cr_assert_eq(instructions, files[n].instructions, "%s: %" PRIu64, files[n].source, instructions);
        expect_last_kernel(&r, trace);
        gpc_trace_close(trace);
        check_conversions(&r, files[n].source);
        rig_close(&r);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rewind.h"

#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A kernel read again is equal, from any point on, in every kind of source. */

/* Compare the kernel's blocks with another reader's, at most `limit`. */
static void expect_blocks(rig *r, gpc_trace *trace, const char *source, uint32_t kernel, unsigned limit) {
    gpc_trace *fresh = open_trace(r, source);
    for (uint32_t k = 0; k <= kernel; k++)
        next_kernel(r, fresh);
    const gpc_block *block;
    while (limit-- && gpc_trace_next_block(fresh, &block, &r->error) == GPC_OK) {
        const gpc_block *again = next_block(r, trace);
        expect_same_block(fresh, block, trace, again);
        gpc_trace_release_block(fresh, block);
        gpc_trace_release_block(trace, again);
    }
    if (limit == UINT32_MAX - 1)
        expect_end(r, trace);
    gpc_trace_close(fresh);
}

static void expect_rewound(rig *r, gpc_trace *trace, gpc_kernel *kernel) {
    const gpc_kernel before = *kernel;
    char name[256], file[256];
    snprintf(name, sizeof name, "%s", before.name);
    snprintf(file, sizeof file, "%s", before.file);
    gpc_kernel k = GPC_KERNEL_INIT;
    gpc_status status = gpci_trace_rewind(trace, &k, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    cr_expect_str_eq(k.name, name);
    cr_expect_str_eq(k.file, file);
    cr_expect(k.id == before.id && k.index == before.index && !memcmp(k.grid, before.grid, sizeof k.grid) &&
                  !memcmp(k.block, before.block, sizeof k.block) && k.shared_bytes == before.shared_bytes &&
                  k.registers == before.registers && k.binary_version == before.binary_version &&
                  k.tracer_version == before.tracer_version && k.warp_lanes == before.warp_lanes &&
                  k.stream == before.stream && k.shared_base == before.shared_base &&
                  k.local_base == before.local_base && k.block_count == before.block_count &&
                  k.placement_count == before.placement_count,
              "kernel %u of %s", k.index, file);
    *kernel = k;
}

static void check(rig *r, const char *source) {
    gpc_trace *trace = open_trace(r, source);
    uint32_t kernels = 0;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    while (gpc_trace_next_kernel(trace, &kernel, &r->error) == GPC_OK) {
        expect_rewound(r, trace, &kernel); /* nothing read yet */
        expect_blocks(r, trace, source, kernels, 1);
        expect_rewound(r, trace, &kernel); /* in the middle */
        expect_blocks(r, trace, source, kernels, UINT32_MAX);
        expect_rewound(r, trace, &kernel); /* at the end */
        expect_blocks(r, trace, source, kernels, UINT32_MAX);
        kernels++;
    }
    cr_expect_eq(kernels, 2, "%s: %u kernels", source, kernels);
    gpc_trace_close(trace);
}

static const char synthetic[] = "synthetic:atax:64KiB"; /* two launches */

Test(rewind, generated) {
    rig r;
    rig_open(&r);
    check(&r, synthetic);
    rig_close(&r);
}

Test(rewind, binary) {
    rig r;
    rig_open(&r);
    convert(&r, synthetic, path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    check(&r, path_of(&r, "k.gct"));
    rig_close(&r);
}

Test(rewind, text_plain_and_compressed) {
    rig r;
    rig_open(&r);
    convert(&r, synthetic, path_of(&r, "text"), GPC_TRACE_TEXT);
    check(&r, path_of(&r, "text"));
    shell(&r, "gzip text/kernel-1.traceg text/kernel-2.traceg");
    check(&r, path_of(&r, "text"));
    rig_close(&r);
}

Test(rewind, placement_stays) {
    rig r;
    rig_open(&r);
    write_block(&r, "kernel-1.traceg", HEADER, "0000 ffffffff 0 EXIT 0 0\n", 1);
    write_text(&r, "kernel-1.sm", "3\n5\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernel-1.traceg"));
    gpc_kernel k = next_kernel(&r, trace);
    cr_assert_eq(k.placement_count, 2);
    for (unsigned n = 0; n < 2; n++) {
        gpc_status status = gpci_trace_rewind(trace, &k, &r.error);
        cr_assert_eq(status, GPC_OK, "%s", r.error.message);
        cr_expect(k.placement_count == 2 && k.placement[0] == 3 && k.placement[1] == 5);
    }
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(rewind, a_file_that_is_gone) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, "0000 ffffffff 0 EXIT 0 0\n", 1);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    gpc_kernel k = next_kernel(&r, trace);
    shell(&r, "rm k.traceg");
    cr_expect_eq(gpci_trace_rewind(trace, &k, &r.error), GPC_ERROR_NOT_FOUND);
    cr_expect(strstr(r.error.message, "k.traceg"));
    /* as after any error, only close is possible */
    cr_expect_eq(gpci_trace_rewind(trace, &k, &r.error), GPC_ERROR_STATE);
    const gpc_block *block;
    cr_expect_eq(gpc_trace_next_block(trace, &block, &r.error), GPC_ERROR_STATE);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Impossible names, sizes and parameters, unreadable listings, and memory failures. */
#include "oom/heap.h"
#include "registry/spec.h"
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void refused(const char *name, gpc_status expected, const char *part) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_source *source = NULL;
    gpc_status status = gpci_synthetic_open(context, opcodes, name, &error, &source);
    cr_assert_eq(status, expected, "'%s': %s", name, gpc_status_string(status));
    cr_assert_eq(error.status, expected);
    cr_assert_null(source);
    cr_assert(strstr(error.message, part), "'%s': the message is '%s'", name, error.message);
    /* Also without a place for the message. */
    cr_assert_eq(gpci_synthetic_open(context, opcodes, name, NULL, &source), expected);
    gpci_opcodes_destroy(opcodes);
    gpc_context_destroy(context);
}

static void taken(const char *name) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_source *source = NULL;
    cr_assert_eq(gpci_synthetic_open(context, opcodes, name, &error, &source), GPC_OK, "'%s': %s", name, error.message);
    source->ops->close(source);
    gpci_opcodes_destroy(opcodes);
    gpc_context_destroy(context);
}

Test(synthetic_errors, names) {
    refused("", GPC_ERROR_NOT_FOUND, "''");
    refused(":2MiB", GPC_ERROR_NOT_FOUND, "''");
    refused("vectorad:2MiB", GPC_ERROR_NOT_FOUND, "did you mean 'vectoradd'?");
    refused("transpose-tyled", GPC_ERROR_NOT_FOUND, "did you mean 'transpose-tiled'?");
    refused("VECTORADD", GPC_ERROR_NOT_FOUND, "'VECTORADD'");
    refused("something else", GPC_ERROR_NOT_FOUND, "no synthetic kernel is named 'something else'");
    char longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refused(longest, GPC_ERROR_NOT_FOUND, "xxx...'");
    refused("two\nlines", GPC_ERROR_NOT_FOUND, "'two?lines'");
}

Test(synthetic_errors, sizes) {
    refused("vectoradd:2QiB", GPC_ERROR_FORMAT, "synthetic:vectoradd: '2QiB' is not a size");
    refused("vectoradd:MiB", GPC_ERROR_FORMAT, "'MiB'");
    refused("vectoradd:2\n", GPC_ERROR_FORMAT, "'2?'");
    refused("vectoradd:-4", GPC_ERROR_FORMAT, "'-4'");
    refused("vectoradd:4 MiB", GPC_ERROR_FORMAT, "'4 MiB'");
    refused("vectoradd:2MB", GPC_ERROR_FORMAT, "'2MB'");
    refused("vectoradd:1.5MiB", GPC_ERROR_FORMAT, "'1.5MiB'");
    refused("vectoradd:99999999999999999999", GPC_ERROR_FORMAT, "is not a size");
    refused("vectoradd:99999999999999GiB", GPC_ERROR_FORMAT, "is not a size");
    refused("vectoradd:0", GPC_ERROR_RANGE, "synthetic:vectoradd: the size 0 is not from 4 bytes to 1 GiB");
    refused("vectoradd:3", GPC_ERROR_RANGE, "the size 3 is not");
    refused("vectoradd:1025MiB", GPC_ERROR_RANGE, "the size 1074790400 is not");
    refused("matmul-tiled:1023", GPC_ERROR_RANGE, "from 1024 bytes");
    refused("vectoradd:2MiB:lanes=32:lanes=64", GPC_ERROR_FORMAT, "lanes");
}

/* Sizes in range that make no valid problem. */
Test(synthetic_errors, sizes_that_do_not_fit) {
    refused("spatial:3MiB", GPC_ERROR_RANGE, "not a power of two");
    refused("fastwalsh:3MiB", GPC_ERROR_RANGE, "not a power of two");
    refused("fastwalsh:512", GPC_ERROR_RANGE, "from 1024 bytes");
    refused("cppoverload:2047", GPC_ERROR_RANGE, "from 2048 bytes");
    refused("cppoverload:3000", GPC_ERROR_RANGE, "3000 bytes are no whole number of blocks' inputs, 2048 each");
    refused("transpose-naive:2MiB:columns=1000", GPC_ERROR_RANGE, "1000 columns");
    refused("transpose-tiled:4KiB:columns=1024", GPC_ERROR_RANGE, "by 16, 1024 columns");
    refused("matmul-tiled:2000", GPC_ERROR_RANGE, "less than a tile");
    refused("matmul-tiled:2MiB:tile=24", GPC_ERROR_RANGE, "neither 16 nor 32");
    refused("scalarprod:1000:vectors=256", GPC_ERROR_RANGE, "256 vectors");
    refused("sdk-scalarprod:32:vectors=16", GPC_ERROR_RANGE, "16 vectors");
    refused("kmeans:100", GPC_ERROR_RANGE, "a point of 32 features");
    refused("maxpool:64:window=5", GPC_ERROR_RANGE, "4 x 4 is smaller than the window");
    refused("zeropad:64", GPC_ERROR_RANGE, "4 x 4 has no room for a border of 2");
    refused("zeropad:64MiB:pad=1.5", GPC_ERROR_FORMAT, "pad");
    refused("zeropad:64MiB:pad=0", GPC_ERROR_RANGE, "pad");
    refused("zeropad:64MiB:pad=1025", GPC_ERROR_RANGE, "pad");
    taken("zeropad:64MiB:pad=1");
    taken("zeropad:64MiB:pad=1024");
    refused("kronecker:64:inner=5", GPC_ERROR_RANGE, "inner matrix of 5 x 5");
    refused("warp-reuse:8KiB:lines=26", GPC_ERROR_RANGE, "less than a block's 26624");
    refused("warp-reuse:2MiB:threads=48", GPC_ERROR_RANGE, "48 are no whole warps");
    refused("accesses:128:store=1,cg=1", GPC_ERROR_RANGE, "'cg' and 'dependent' are of loads");
    refused("accesses:128:store=1,dependent=1", GPC_ERROR_RANGE, "'cg' and 'dependent' are of loads");
    refused("accesses:128:step=130", GPC_ERROR_RANGE, "parameter 'step': 130 is no multiple of 4");
    refused("private-reuse:1KiB", GPC_ERROR_RANGE, "less than a block's 16384");
    refused("sssp:100:degree=32", GPC_ERROR_RANGE, "a node's 32 edges");
    refused("bfs:64KiB:first=6", GPC_ERROR_RANGE, "parameter 'first': the search has 6 launches");
    taken("bfs:64KiB:first=5");
    refused("similarity-score:2MiB:features=7", GPC_ERROR_RANGE, "7 is no multiple of 4");
    refused("similarity-score:256:features=64", GPC_ERROR_RANGE, "two documents of 64 features");
    refused("similarity-score:1GiB:features=4,pairs=0", GPC_ERROR_RANGE, "pairs are more than 67108864");
    refused("rodinia-dwt2d:4355", GPC_ERROR_RANGE, "from 4356 bytes");
    refused("rodinia-dwt2d:16KiB:levels=2", GPC_ERROR_RANGE,
            "'levels': at the last of 2 an image of 64 x 64 has less than 33");
    refused("rodinia-heartwall:28KiB", GPC_ERROR_RANGE, "'search': a frame of 84 x 84 has no room for 40");
    refused("rodinia-heartwall:1MiB:template=41", GPC_ERROR_RANGE, "'template': 41 is more than 40");
    refused("rodinia-mummergpu:101", GPC_ERROR_RANGE, "101 bytes are less than a read's 102");
    refused("rodinia-mummergpu:2MiB:length=19", GPC_ERROR_RANGE, "'least': 20 bases are more than there are in a read");
    refused("rodinia-mummergpu:2MiB:reference=99", GPC_ERROR_RANGE, "'length': 100 bases are more");
    refused("sp:2KiB:ratio=100,decimated=17", GPC_ERROR_RANGE, "'decimated': 17 variables");
    refused("rodinia-srad-v1:119:rows=30", GPC_ERROR_RANGE, "119 bytes are less than a column of 30 rows");
    taken("rodinia-srad-v1:120:rows=30");
    refused("comd:13823", GPC_ERROR_RANGE, "from 13824 bytes");
    refused("comd-eam:27647", GPC_ERROR_RANGE, "from 27648 bytes");
    refused("comd:1MiB:atoms=4,spread=4", GPC_ERROR_RANGE, "'spread': 4 is not below 4");
    refused("rodinia-kmeans:1MiB:texture=0,launch=2", GPC_ERROR_RANGE, "'launch': there is one launch");
    refused("rodinia-streamcluster:5KiB", GPC_ERROR_RANGE,
            "5120 bytes are 20 points of 64 dimensions; from 21 to 262144");
    taken("rodinia-streamcluster:5376");
    refused("rodinia-streamcluster:1048580:dimensions=1", GPC_ERROR_RANGE, "are 262145 points");
    refused("rodinia-streamcluster:2MiB:least=9,most=8", GPC_ERROR_RANGE, "'least': 9 centres are more than 'most', 8");
    refused("comd:1MiB:atoms=60,spread=5", GPC_ERROR_RANGE, "more than 64");
    refused("string-match:63", GPC_ERROR_RANGE, "from 64 bytes");
    /* A grid of more than 65,535 blocks in y. */
    refused("relu:64MiB:columns=1", GPC_ERROR_RANGE, "more than GPUs take");
}

Test(synthetic_errors, parameters) {
    refused("warp-reuse:2MiB:linse=3", GPC_ERROR_NOT_FOUND, "unknown parameter 'linse'; did you mean 'lines'?");
    refused("warp-reuse:linse=3", GPC_ERROR_NOT_FOUND, "'linse'");
    refused("warp-reuse:2MiB:lines=0", GPC_ERROR_RANGE, "'lines': 0 is not between 1 and 65536");
    refused("warp-reuse:2MiB:lines=2.5", GPC_ERROR_FORMAT, "whole number");
    refused("warp-reuse:2MiB:lines=many", GPC_ERROR_FORMAT, "'many' is not a number");
    refused("warp-reuse:2MiB:lines", GPC_ERROR_FORMAT, "'lines'");
    refused("vectoradd:2MiB:lines=8", GPC_ERROR_NOT_FOUND, "unknown parameter 'lines'");
    refused("vectoradd:2MiB:header=4097", GPC_ERROR_RANGE, "header");
    refused("vectoradd:2MiB:lanes=48", GPC_ERROR_RANGE, "48 is neither 32 nor 64");
    char longest[GPCI_MAX_ARGUMENTS + 100] = "vectoradd:2MiB:lanes=";
    memset(longest + strlen(longest), '3', sizeof longest - 1 - strlen(longest));
    refused(longest, GPC_ERROR_RANGE, "longer than");
}

/* Sizes and parameters in every correct form; the empty size is the default. */
Test(synthetic_errors, right_forms) {
    static const char *const forms[] = {
        "warp-reuse",
        "warp-reuse:",
        "warp-reuse:2097152",
        "warp-reuse:2097152B",
        "warp-reuse:2048KiB",
        "warp-reuse:2048K",
        "warp-reuse:2M",
        "warp-reuse:2MiB:",
        "warp-reuse::lines=8",
        "warp-reuse:lines=8, repeats=8",
        "warp-reuse:2MiB:threads=256,lanes=32",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        rig r;
        rig_open(&r, forms[i]);
        cr_assert(rig_kernel(&r));
        cr_assert_eq(r.kernel.block_count, 256, "%s", forms[i]);
        rig_close(&r);
    }
}

Test(synthetic_errors, block_before_kernel) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, "vectoradd:64KiB");
    cr_assert_eq(r.source->ops->next_block(r.source, r.block, &error), GPC_ERROR_STATE);
    cr_assert(strstr(error.message, "before its kernel"));
    rig_close(&r);
}

static gpc_status assemble(const char *text, gpci_listing *listing, gpc_error *error) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, error), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_listing local = {0};
    gpc_status status = gpci_listing_assemble(context, opcodes, text, &local, error);
    *listing = local;
    if (status == GPC_OK && local.count > 8)
        cr_assert_fail("a listing of this test is longer than eight");
    static gpci_listing_step steps[8];
    if (status == GPC_OK)
        memcpy(steps, local.steps, local.count * sizeof *steps);
    gpci_free(context, local.steps);
    listing->steps = steps;
    gpci_opcodes_destroy(opcodes);
    gpc_context_destroy(context);
    return status;
}

Test(synthetic_errors, listings) {
    gpc_error error = GPC_ERROR_INIT;
    gpci_listing l;
    static const char right[] = "R1 LDC; top: P0 ISETP R1 UR4; 2*{R20+3 LDG.E R2}; @!P0 BRA top; @UP1 EXIT; EXIT";
    cr_assert_eq(assemble(right, &l, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(l.count, 7);
    cr_assert_eq(l.registers, 24);
    static const uint8_t roles[] = {GPCI_ROLE_PLAIN,  GPCI_ROLE_PLAIN, GPCI_ROLE_ACCESS, GPCI_ROLE_ACCESS,
                                    GPCI_ROLE_BRANCH, GPCI_ROLE_GUARD, GPCI_ROLE_EXIT};
    for (size_t i = 0; i < 7; i++)
        cr_assert_eq(l.steps[i].role, roles[i], "step %zu", i);
    cr_assert_eq(l.steps[1].destinations, 1);
    cr_assert_eq(l.steps[1].registers[0], GPC_REGISTER_P);
    cr_assert_eq(l.steps[1].sources, 2);
    cr_assert_eq(l.steps[1].registers[2], GPC_REGISTER_UR + 4);
    cr_assert_eq(l.steps[2].registers[0], 20);
    cr_assert_eq(l.steps[3].registers[0], 23);
    cr_assert_eq(l.steps[4].target, 1);
    cr_assert_eq(l.steps[5].registers[0], GPC_REGISTER_UP + 1);

    char many[1024] = ""; /* labels */
    for (unsigned k = 0; k < 129; k++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "NOP l%u;", k);
    const char *const wrong[] = {
        "",
        "R1 LDC",
        "BRA nowhere; EXIT",
        "a: R1 LDC; a: EXIT",
        "BRA late; EXIT; late:",
        "R1; EXIT",
        "@X1 EXIT; EXIT",
        "R300 LDC; EXIT",
        "R1 R2 R3 R4 IMAD R5 R6 R7 R8 R9; EXIT",
        "8*{R1 LDC; EXIT",
        "0*{R1 LDC}; EXIT",
        "99*{R1 LDC}; EXIT",
        "8{R1 LDC}; EXIT",
        "R1 LDC}; EXIT",
        "BRA a_label_that_is_longer_than_any; EXIT",
        many,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        gpc_status status = assemble(wrong[i], &l, &error);
        cr_assert_eq(status, GPC_ERROR_FORMAT, "'%s': %s", wrong[i], gpc_status_string(status));
    }
}

/* A driver that asks for a missing part of the listing gets an error, without an endless loop. */
static void wrong_driver(gpci_walk *w, const gpci_launch *l) {
    (void)l;
    while (gpci_branch(w, true))
        gpci_barrier(w);
    gpci_access(w, 0, 0);
    gpci_finish(w);
}

Test(synthetic_errors, driver_and_listing_differ) {
    rig r;
    gpci_listing listing;
    rig_open(&r, "vectoradd:64KiB");
    gpci_launch launch = {.warp = wrong_driver, .grid = {1, 1, 1}, .block = {64, 1, 1}};
    static const char *const codes[] = {"R1 LDC; EXIT", "again: BRA again; R1 LDG.E R2; EXIT", "R1 LDG.E R2; EXIT"};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(gpci_listing_assemble(r.context, r.opcodes, codes[i], &listing, NULL), GPC_OK);
        gpci_walk walk = {.opcodes = r.opcodes, .steps = listing.steps, .lanes = 32};
        cr_assert_eq(gpci_walk_block(&walk, &launch, r.block, 0), GPC_ERROR_STATE);
        gpci_free(r.context, listing.steps);
    }
    rig_close(&r);
}

static const char *scenario_source;

/* Failed blocks can be asked for again. */
static gpc_status scenario(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_block *block = gpci_block_create(context);
    gpci_source *source = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_status status = opcodes && block ? gpci_synthetic_open(context, opcodes, scenario_source, error, &source)
                                         : gpci_out_of_memory(error);
    while (status == GPC_OK && (status = source->ops->next_kernel(source, &kernel, error)) == GPC_OK) {
        uint64_t blocks = 0;
        while ((status = source->ops->next_block(source, block, error)) == GPC_OK)
            blocks++;
        if (status == GPC_ERROR_MEMORY) {
            oom_heal(heap);
            while (source->ops->next_block(source, block, NULL) == GPC_OK)
                blocks++;
        } else if (status == GPC_END) {
            status = GPC_OK;
        }
        cr_assert_eq(blocks, kernel.block_count);
    }
    if (source)
        source->ops->close(source);
    gpci_block_destroy(block);
    gpci_opcodes_destroy(opcodes);
    return status == GPC_END ? GPC_OK : status;
}

Test(synthetic_errors, out_of_memory) {
    static const char *const sources[] = {"histogram:16KiB:blocks=4",
                                          "fastwalsh:16KiB",
                                          "atax:16KiB:columns=32",
                                          "matmul-tiled:4KiB",
                                          "sssp:8KiB",
                                          "inverted-index:16KiB",
                                          "sp:576:blocks=1,rounds=1",
                                          "rodinia-mummergpu:204:reference=200",
                                          "rodinia-streamcluster:2KiB:dimensions=8,launches=9,least=2,most=3"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        scenario_source = sources[i];
        oom_check(scenario, 8);
    }
}

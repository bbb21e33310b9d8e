/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/observe.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/ext/parts.h (DRAM), ext/observe.h (recordings) */

Test(dram, creation) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "dram.model = timing\ndram.mapping = bank row\n");
    gpc_dram *dram = NULL;
    FAILS(ARGUMENT, "context is NULL", gpc_dram_create, NULL, config, &dram);
    FAILS(ARGUMENT, "config is NULL", gpc_dram_create, context, NULL, &dram);
    FAILS(ARGUMENT, "out is NULL", gpc_dram_create, context, config, NULL);
    FAILS(FORMAT, "dram.mapping", gpc_dram_create, context, config, &dram);
    cr_expect_null(dram);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

static gpc_dram *calling;
static unsigned calls;

static void on_done(void *user_data, uint64_t token, bool write, uint64_t cycle) {
    (void)user_data, (void)token, (void)write, (void)cycle;
    calls++;
    FAILS(ARGUMENT, "called from on_done", gpc_dram_try_request, calling, 0, 0, false, 1);
    FAILS(ARGUMENT, "called from on_done", gpc_dram_advance, calling, 1);
}

Test(dram, calls) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "");
    cr_assert_eq(gpc_dram_create(context, config, &calling, NULL), GPC_OK);
    gpc_dram_on_done(calling, on_done, NULL);
    FAILS(ARGUMENT, "dram is NULL", gpc_dram_try_request, NULL, 0, 0, false, 1);
    FAILS(ARGUMENT, "channel 4294967295 of", gpc_dram_try_request, calling, UINT32_MAX, 0, false, 1);
    WORKS(gpc_dram_try_request, calling, 0, 0, false, 1);
    FAILS(ARGUMENT, "dram is NULL", gpc_dram_advance, NULL, 1);
    FAILS(RANGE, "18446744073709551615 cycles", gpc_dram_advance, calling, UINT64_MAX);
    WORKS(gpc_dram_advance, calling, 1000);
    cr_expect_eq(calls, 2u);
    gpc_dram_destroy(calling);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(record, calls) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "");
    gpc_hierarchy *hierarchy;
    cr_assert_eq(gpc_hierarchy_create(context, config, &hierarchy, NULL), GPC_OK);
    FAILS(ARGUMENT, "hierarchy", gpc_hierarchy_record, NULL, "/tmp/any.gct");
    FAILS(ARGUMENT, "path", gpc_hierarchy_record, hierarchy, NULL);
    FAILS(IO, "/nowhere/any.gct", gpc_hierarchy_record, hierarchy, "/nowhere/any.gct");
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_record_end, NULL);
    FAILS(STATE, "no recording", gpc_hierarchy_record_end, hierarchy);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

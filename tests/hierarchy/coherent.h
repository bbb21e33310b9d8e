/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_HIERARCHY_COHERENT_H
#define TESTS_HIERARCHY_COHERENT_H

#include "hierarchy/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A hierarchy of two SMs on a tree: lines of 128 bytes are four sectors of DRAM, and one of the caches. */

#define COHERENT                                                                                           \
    "sm.count = 2\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"               \
    "l2.interleave_bytes = 128\n"

static inline void open_tree(rig *r, const char *protocol, const char *settings) {
    char text[2048];
    snprintf(text, sizeof text, COHERENT "coherence = %s\n%s", protocol, settings);
    rig_open(r, text);
}

/* A replacement policy's choose_victim: the first way. */
static inline uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

/* Make a hierarchy from configuration text, not kept: the status, and the message. */
static inline gpc_status make(gpc_context *context, const char *text, gpc_error *error) {
    gpc_config *config;
    gpc_hierarchy *hierarchy = NULL;
    *error = (gpc_error)GPC_ERROR_INIT;
    cr_assert_eq(gpc_config_create(context, &config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, text, "settings", error), GPC_OK, "%s", error->message);
    gpc_status status = gpc_hierarchy_create(context, config, &hierarchy, error);
    gpc_config_destroy(config);
    gpc_hierarchy_destroy(hierarchy);
    return status;
}

#endif

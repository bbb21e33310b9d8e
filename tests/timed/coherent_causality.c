/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * No result before the cause. With a memory that never answers no access to a separate line can end, with any other
 * accesses to the line, under any protocol.
 */

static const char *const protocols[] = {"msi", "mesi",    "mosi", "moesi", "nmoesi", "nmoesi-multi2sim",
                                        "vi",  "slc-glc", "hmg"};
static const char *const shapes[] = {
    "",
    "l2.enabled = false\n",
    "cluster.sms = 2\n",
    "l2.inclusion = non-inclusive\n",
    "l1.write_policy = through\nl1.write_policy_local = through\n",
    "memory.link_width = 32\n",
    "l2.mshr_entries = 1\nl1.mshr_entries = 2\n",
};
enum { SMS = 4, LINES = 8, ACCESSES = 200, NEVER = 1 << 30 };

static void expect_nobody_through(const char *protocol, const char *conflict, const char *shape) {
    static rig r;
    char text[4096];
    uint64_t random = 1, issued = 0;
    snprintf(text, sizeof text, "%scoherence = %s\ncoherence.conflict = %s\nsm.count = %d\n%s", coherent_base, protocol,
             conflict, SMS, shape);
    rig_open(&r, text, NEVER);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC};
        /* a write through to memory is done when memory has accepted */
        const bool loads = strstr(shape, "l2.enabled = false") != NULL;
        const shot s = {.sm = rig_below(&random, SMS),
                        .warp = i,
                        .kind = kinds[rig_below(&random, loads ? 1 : 3)],
                        .address = (uint64_t)rig_below(&random, LINES) * 128,
                        .lanes = 1,
                        .width = 4};
        issued += rig_try(&r, s, NULL) == GPC_OK;
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, rig_below(&random, 20), NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 20000, NULL), GPC_OK);
    cr_expect_gt(issued, LINES, "%s, %s, %s", protocol, conflict, shape);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), issued, "%s, %s, %s: %u of %u ended", protocol, conflict, shape,
                 (unsigned)(issued - gpc_hierarchy_in_flight(r.hierarchy)), (unsigned)issued);
    rig_abandon(&r);
}

Test(timed_coherent_causality, a_memory_that_never_answers) {
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            if (strcmp(protocols[p], "nmoesi-multi2sim") != 0)
                expect_nobody_through(protocols[p], "wait", shapes[s]);
            expect_nobody_through(protocols[p], "retry", shapes[s]);
        }
}

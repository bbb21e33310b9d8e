/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"
#include "golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Parameters of every built-in policy, as in parameters.golden: default, least, most, and whether whole; or a text's
 * default and choices. A change alters the meaning of users' configurations, and the list.
 */

enum { ROOM = 1 << 17 };

static void put_policy(char *text, const char *kind, const gpc_policy_info *info) {
    for (size_t i = 0; i < info->parameter_count; i++) {
        const gpc_parameter *p = &info->parameters[i];
        cr_expect(p->minimum <= p->initial && p->initial <= p->maximum, "%s %s", info->name, p->name);
        snprintf(text + strlen(text), ROOM - strlen(text), "%s %s.%s %.10g %.10g %.10g %s\n", kind, info->name, p->name,
                 p->initial, p->minimum, p->maximum, p->whole ? "whole" : "any");
    }
    for (size_t i = 0; i < info->text_count; i++) {
        const gpc_text_parameter *t = &info->texts[i];
        snprintf(text + strlen(text), ROOM - strlen(text), "%s %s.%s '%s' %s\n", kind, info->name, t->name, t->initial,
                 t->choices ? t->choices : "text");
    }
}

Test(registry, parameters) {
    static const char *const kinds[GPC_POLICY_KIND_COUNT] = {"replacement", "predictor", "scheduler",
                                                             "throttle",    "protocol",  "prefetcher"};
    static char text[ROOM];
    rig r;
    rig_open(&r);
    for (unsigned kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++)
        for (size_t i = 0; i < gpc_policy_count(r.context, (gpc_policy_kind)kind); i++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            cr_assert_eq(gpc_policy_at(r.context, (gpc_policy_kind)kind, i, &info, NULL), GPC_OK);
            put_policy(text, kinds[kind], &info);
        }
    expect_golden("tests/registry/parameters.golden", text);
    rig_close(&r);
}

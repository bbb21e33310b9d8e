/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

void rig_open(rig *r, const char *spec) {
    const gpc_policy_env env = {.line_bytes = 128, .sectors = 4, .count = 1};
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK);
    gpc_status status = gpci_policy_create(r->context, GPC_POLICY_PREFETCHER, spec, &env, NULL, &error, &r->policy);
    cr_assert_eq(status, GPC_OK, "%s: %s", spec, error.message);
    r->ops = r->policy->ops;
}

void rig_close(rig *r) {
    gpci_policy_destroy(r->policy);
    gpc_context_destroy(r->context);
}

void rig_load(int at, const rig *r, load l, const char *lines) {
    gpc_prefetch out[GPC_MAX_PREFETCHES + 1] = {{0}};
    const gpc_request request = {
        .pc = l.pc, .address = l.address & ~(uint64_t)127, .warp = l.warp, .cycle = l.cycle, .transactions = 1};
    const gpc_prefetch_access access = {.request = &request,
                                        .lane_address = l.lane ? l.lane : l.address,
                                        .line = l.line,
                                        .sectors = 15,
                                        .found = l.found,
                                        .prefetched = l.prefetched};
    uint32_t count = r->ops->on_access(r->policy->self, &access, out);
    char got[512] = "";
    size_t length = 0;
    cr_assert_leq(count, GPC_MAX_PREFETCHES);
    for (uint32_t i = count; i <= GPC_MAX_PREFETCHES; i++)
        cr_expect(!out[i].address && !out[i].sectors, "line %d: place %u is behind the %u lines", at, i, count);
    for (uint32_t i = 0; i < count; i++)
        length += (size_t)snprintf(got + length, sizeof got - length, "%s%lld", i ? " " : "",
                                   (long long)(out[i].address / 128));
    cr_expect_str_eq(got, lines, "line %d: '%s', not '%s'", at, got, lines);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "golden.h"

#include <inttypes.h>

/*
 * Golden digests of every built-in policy, in golden/policies.golden: with defaults, and with every parameter at the
 * least value and above the default. Replays of a burst with a clock, and of a kernel without; then the cost in bits. A
 * dash: refused.
 */

enum { ROOM = 1 << 17 };

static const char machine[] = "sm.count = 2\nsm.warps = 16\nl1.size = 2KiB\nl2.slices = 2\nl2.size = 16KiB\n"
                              "dram.channels = 2\nlaunch.cycles = 10\n";

/* Keys that name a policy of a kind. */
static const struct {
    gpc_policy_kind kind;
    const char *name, *setting;
} kinds[] = {{GPC_POLICY_REPLACEMENT, "replacement", "l1.replacement = %s\nl2.replacement = %s\n"},
             {GPC_POLICY_PREDICTOR, "predictor", "l1.bypass = %s\n"},
             {GPC_POLICY_SCHEDULER, "scheduler", "scheduler = %s\n"},
             {GPC_POLICY_THROTTLE, "throttle", "scheduler = gto + %s\n"},
             {GPC_POLICY_PREFETCHER, "prefetcher", "l1.prefetcher = %s\n"}};

static void put_run(works *w, const char *settings, bool timed, work which, const char *source, char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = NULL;
    outcome o = {.status = GPC_ERROR_ARGUMENT};
    cr_assert_eq(gpc_config_create(w->context, &error, &config), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, machine, "machine", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "mode", timed ? "timed" : "functional", &error), GPC_OK);
    w->source = source;
    if (gpc_config_load_text(config, settings, "policy", &error) == GPC_OK)
        o = works_run(w, config, which);
    if (o.status == GPC_OK)
        snprintf(text + strlen(text), ROOM - strlen(text), " %08" PRIx32, (uint32_t)(o.digest ^ o.digest >> 32));
    else
        strcat(text, " -");
    gpc_config_destroy(config);
}

static void put_policy(works *w, size_t k, const char *spec, char *text) {
    char settings[512];
    uint64_t bits = 0;
    snprintf(settings, sizeof settings, kinds[k].setting, spec, spec);
    snprintf(text + strlen(text), ROOM - strlen(text), "%s %s:", kinds[k].name, spec);
    put_run(w, settings, true, WORK_BURST, NULL, text);
    put_run(w, settings, true, WORK_MEMORY, "synthetic:bicg:4KiB", text);
    put_run(w, settings, false, WORK_MEMORY, "synthetic:gather:16KiB", text);
    if (gpc_policy_cost(w->context, kinds[k].kind, spec, 32, 4, 128, 4, NULL, &bits) == GPC_OK)
        snprintf(text + strlen(text), ROOM - strlen(text), ", %" PRIu64 " bits", bits);
    strcat(text, "\n");
}

/* A parameter's least value, and twice the default plus one, up to the most. */
static void put_parameter(works *w, size_t k, const char *name, const gpc_parameter *p, char *text) {
    const double more = 2 * p->initial + (p->whole ? 1 : 0.25);
    const double values[] = {p->minimum, more < p->maximum ? more : p->maximum};
    for (size_t i = 0; i < 2; i++) {
        char spec[160];
        snprintf(spec, sizeof spec, "%s(%s=%.10g)", name, p->name, values[i]);
        if (values[i] != p->initial && (!p->whole || values[i] < 1e6))
            put_policy(w, k, spec, text);
    }
}

static void expect_kind(size_t k) {
    static char text[ROOM];
    char path[64];
    works w;
    works_open(&w);
    w.deep = true;
    for (size_t i = 0; i < gpc_policy_count(w.context, kinds[k].kind); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(w.context, kinds[k].kind, i, &info), GPC_OK);
        put_policy(&w, k, info.name, text);
        for (size_t n = 0; n < info.parameter_count; n++)
            put_parameter(&w, k, info.name, &info.parameters[n], text);
    }
    snprintf(path, sizeof path, "tests/keys/golden/%s.golden", kinds[k].name);
    expect_golden(path, text);
    works_close(&w);
}

Test(golden, replacement) {
    expect_kind(0);
}

Test(golden, predictor) {
    expect_kind(1);
}

Test(golden, scheduler) {
    expect_kind(2);
}

Test(golden, throttle) {
    expect_kind(3);
}

Test(golden, prefetcher) {
    expect_kind(4);
}

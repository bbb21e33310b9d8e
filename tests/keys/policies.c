/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "golden.h"
#include "torture/torture.h"

#include <inttypes.h>

/*
 * Golden digests of every built-in policy, in a file of golden/ per kind: with defaults, and with every parameter at the
 * least value and above the default. Replays of a burst with a clock, and of a kernel without; then the cost in bits. A
 * dash: refused. In golden/policies.golden, several parameters are random together, on machines of random keys.
 */

enum { ROOM = 1 << 17, DRAWS = 4, TRIES = 12 };

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
    cr_assert_eq(gpc_config_create(w->context, &config, &error), GPC_OK);
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
    if (gpc_policy_cost(w->context, kinds[k].kind, spec, 32, 4, 128, 4, &bits, NULL) == GPC_OK)
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
        cr_assert_eq(gpc_policy_at(w.context, kinds[k].kind, i, &info, NULL), GPC_OK);
        put_policy(&w, k, info.name, text);
        for (size_t n = 0; n < info.parameter_count; n++)
            put_parameter(&w, k, info.name, &info.parameters[n], text);
    }
    snprintf(path, sizeof path, "tests/keys/golden/%s.golden", kinds[k].name);
    expect_golden(path, text);
    works_close(&w);
}

/* A random value of a parameter: up to a few times the default. */
static double draw_value(dice *d, const gpc_parameter *p) {
    const double most = 4 * p->initial + 8 < p->maximum ? 4 * p->initial + 8 : p->maximum;
    const double part = dice_below(d, 4096) / 4096.0, width = most - p->minimum + p->whole;
    const double value = p->minimum + width * part * part;
    return p->whole ? (double)(uint64_t)value : value;
}

/* A policy with half of its parameters drawn. */
static void draw_spec(dice *d, const gpc_policy_info *info, char *spec, size_t size) {
    const char *before = "(";
    snprintf(spec, size, "%s", info->name);
    for (size_t n = 0; n < info->parameter_count; n++)
        if (dice_one_in(d, 2)) {
            snprintf(spec + strlen(spec), size - strlen(spec), "%s%s=%.10g", before, info->parameters[n].name,
                     draw_value(d, &info->parameters[n]));
            before = ", ";
        }
    if (*before == ',')
        strcat(spec, ")");
}

/* A machine of random keys with a policy; false: refused. */
static bool put_draw(works *w, size_t k, const char *spec, dice *d, char *text) {
    static torture_case c;
    gpc_error error = GPC_ERROR_INIT;
    outcome o = {.status = GPC_ERROR_ARGUMENT};
    char settings[640];
    keys_draw(w->context, &c, 1200 + dice_below(d, 800));
    c.functional = dice_one_in(d, 3);
    snprintf(settings, sizeof settings, kinds[k].setting, spec, spec);
    gpc_config *config = case_config(w->context, &c, NULL, &error);
    w->source = dice_one_in(d, 2) ? "synthetic:gather:16KiB" : NULL;
    if (config && gpc_config_load_text(config, settings, "policy", &error) == GPC_OK)
        o = works_run(w, config, dice_one_in(d, 2) ? WORK_BURST : WORK_MEMORY);
    gpc_config_destroy(config);
    if (o.status == GPC_OK)
        snprintf(text + strlen(text), ROOM - strlen(text), "%s %s: %08" PRIx32 "\n", kinds[k].name, spec,
                 (uint32_t)(o.digest ^ o.digest >> 32));
    return o.status == GPC_OK;
}

static void put_draws(works *w, size_t k, const gpc_policy_info *info, char *text) {
    dice d = {k};
    char spec[512];
    for (const char *at = info->name; *at; at++)
        d.state = dice_next(&d) ^ (uint8_t)*at;
    for (unsigned n = 0; n < DRAWS; n++)
        for (unsigned tries = 0; tries < TRIES; tries++) {
            draw_spec(&d, info, spec, sizeof spec);
            if (put_draw(w, k, spec, &d, text))
                break;
        }
}

Test(golden, policies) {
    static char text[ROOM];
    works w;
    works_open(&w);
    w.deep = true;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < gpc_policy_count(w.context, kinds[k].kind); i++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            cr_assert_eq(gpc_policy_at(w.context, kinds[k].kind, i, &info, NULL), GPC_OK);
            put_draws(&w, k, &info, text);
        }
    expect_golden("tests/keys/golden/policies.golden", text);
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

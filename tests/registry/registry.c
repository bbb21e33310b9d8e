/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "base/rig.h"
#include "registry/spec.h"

#include <criterion/criterion.h>
#include <string.h>

/* Registries: allowed registrations, ownership of memory, and meaning of a spec. */

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void cache_all(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static uint64_t cost(const gpc_policy_env *env) {
    return (uint64_t)env->sets * env->ways * (uint64_t)env->parameters[0] + (uint64_t)env->line_bytes * env->sectors;
}

static const gpc_parameter parameters[] = {{"depth", 2, 1, 8, true, "levels"}, {"rate", 0.5, 0, 1, false, "share"}};

static gpc_replacement_ops good(void) {
    gpc_replacement_ops ops = {.struct_size = sizeof ops,
                               .name = "mine",
                               .summary = "for tests",
                               .parameters = parameters,
                               .parameter_count = 2,
                               .choose_victim = first_way,
                               .cost_bits = cost};
    return ops;
}

static void count_destroyed(void *data) {
    ++*(int *)data;
}

/* Every failure destroys the user data, once and at once. */
static void refuse(const char *what, const gpc_replacement_ops *ops, gpc_status expected, const char *part) {
    rig r;
    rig_open(&r);
    int destroyed = 0;
    size_t before = gpc_policy_count(r.context, GPC_POLICY_REPLACEMENT);
    gpc_status status = gpc_context_register_replacement(r.context, ops, &destroyed, count_destroyed, &r.error);
    expect_failure(&r, status, expected, part);
    cr_expect_eq(destroyed, 1, "%s: destroyed %d times", what, destroyed);
    cr_expect_eq(gpc_policy_count(r.context, GPC_POLICY_REPLACEMENT), before);
    rig_close(&r);
    cr_expect_eq(destroyed, 1, "%s: destroyed again", what);
}

static void refuse_change(const char *what, size_t offset, const void *bytes, size_t length, gpc_status expected,
                          const char *part) {
    gpc_replacement_ops ops = good();
    memcpy((char *)&ops + offset, bytes, length);
    refuse(what, &ops, expected, part);
}

#define REFUSE(field, type, content, expected, part) \
    refuse_change(#field, offsetof(gpc_replacement_ops, field), &(type){content}, sizeof(type), expected, part)

Test(registry, refusals) {
    refuse("no ops", NULL, GPC_ERROR_ARGUMENT, "ops is NULL");
    REFUSE(struct_size, size_t, sizeof(gpc_replacement_ops) - 1, GPC_ERROR_ABI, "gpc_replacement_ops.struct_size");
    REFUSE(name, const char *, NULL, GPC_ERROR_ARGUMENT, "gpc_replacement_ops.name");
    REFUSE(name, const char *, "", GPC_ERROR_ARGUMENT, "gpc_replacement_ops.name");
    REFUSE(name, const char *, "Mine", GPC_ERROR_ARGUMENT, "a-z, 0-9 and '-'");
    REFUSE(name, const char *, "my policy", GPC_ERROR_ARGUMENT, "a-z, 0-9 and '-'");
    REFUSE(name, const char *, "lru", GPC_ERROR_EXISTS, "a replacement policy named 'lru' is registered already");
    REFUSE(parameter_count, size_t, 17, GPC_ERROR_ARGUMENT, "parameter_count of 'mine' is 17");
    REFUSE(parameters, const gpc_parameter *, NULL, GPC_ERROR_ARGUMENT, "parameter_count of 'mine' is 2");
    gpc_replacement_ops ops = good();
    ops.choose_victim = NULL;
    refuse("no choose_victim", &ops, GPC_ERROR_ARGUMENT, "gpc_replacement_ops.choose_victim of 'mine' is NULL");
}

Test(registry, names_of_63_and_64) {
    char name[65];
    memset(name, 'a', 64);
    name[64] = '\0';
    REFUSE(name, const char *, name, GPC_ERROR_ARGUMENT, "1 to 63 characters");
    name[63] = '\0';
    gpc_replacement_ops ops = good();
    ops.name = name;
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_OK);
    rig_close(&r);
}

Test(registry, bad_parameter_tables) {
    static const gpc_parameter tables[][1] = {{{NULL, 1, 0, 2, false, ""}},
                                              {{"", 1, 0, 2, false, ""}},
                                              {{"p", 3, 0, 2, false, ""}},
                                              {{"p", -1, 0, 2, false, ""}},
                                              {{"p", 1, 2, 0, false, ""}}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gpc_replacement_ops ops = good();
        ops.parameters = tables[i];
        ops.parameter_count = 1;
        refuse("parameter table", &ops, GPC_ERROR_ARGUMENT, "parameters[0] of 'mine' has no name or an initial value");
    }
}

Test(registry, no_context) {
    int destroyed = 0;
    gpc_error error = GPC_ERROR_INIT;
    gpc_replacement_ops ops = good();
    cr_expect_eq(gpc_context_register_replacement(NULL, &ops, &destroyed, count_destroyed, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "context is NULL"), "%s", error.message);
    cr_expect_eq(destroyed, 1);
    cr_expect_eq(gpc_policy_count(NULL, GPC_POLICY_REPLACEMENT), 0);
}

Test(registry, newer_tables) {
    struct {
        gpc_replacement_ops known;
        void (*newer)(void);
    } ops = {.known = good()};
    ops.known.struct_size = sizeof ops;
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_context_register_replacement(r.context, &ops.known, NULL, NULL, &r.error), GPC_OK,
                 "a newer table that uses nothing new: %s", r.error.message);
    ops.known.name = "other";
    memset(&ops.newer, 1, sizeof ops.newer);
    expect_failure(&r, gpc_context_register_replacement(r.context, &ops.known, NULL, NULL, &r.error), GPC_ERROR_ABI,
                   "gpc_replacement_ops: byte");
    rig_close(&r);
}

Test(registry, user_data_goes_with_the_context) {
    rig r;
    rig_open(&r);
    int destroyed[3] = {0};
    gpc_replacement_ops ops = good();
    gpc_predictor_ops predictor = {.struct_size = sizeof predictor, .name = "mine", .predict = cache_all};
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, &destroyed[0], count_destroyed, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(r.context, &predictor, &destroyed[1], count_destroyed, NULL), GPC_OK,
                 "the two kinds have names of their own");
    cr_expect_eq(gpc_context_register_predictor(r.context, &predictor, &destroyed[2], count_destroyed, NULL),
                 GPC_ERROR_EXISTS);
    predictor.name = "other";
    predictor.predict = NULL;
    expect_failure(&r, gpc_context_register_predictor(r.context, &predictor, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT,
                   "gpc_predictor_ops.predict of 'other' is NULL");
    gpc_context_destroy(r.context);
    r.context = NULL;
    cr_expect(destroyed[0] == 0 && destroyed[1] == 0, "the configuration still holds the context");
    rig_close(&r);
    cr_expect(destroyed[0] == 1 && destroyed[1] == 1 && destroyed[2] == 1);
}

/* Strings and tables are copied: a caller's may be freed after the call. */
Test(registry, copies) {
    rig r;
    rig_open(&r);
    char name[] = "mine", summary[] = "for tests", parameter[] = "depth", meaning[] = "levels";
    gpc_parameter table = {parameter, 2, 1, 8, true, meaning};
    gpc_replacement_ops ops = good();
    ops.name = name;
    ops.summary = summary;
    ops.parameters = &table;
    ops.parameter_count = 1;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    memset(name, 'x', 4);
    memset(summary, 'x', 9);
    memset(parameter, 'x', 5);
    memset(meaning, 'x', 6);
    table.maximum = 0;
    memset(&ops, 0xff, sizeof ops);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    size_t last = gpc_policy_count(r.context, GPC_POLICY_REPLACEMENT) - 1;
    cr_assert_eq(gpc_policy_at(r.context, GPC_POLICY_REPLACEMENT, last, &info, NULL), GPC_OK);
    cr_expect_str_eq(info.name, "mine");
    cr_expect_str_eq(info.summary, "for tests");
    cr_expect_str_eq(info.source, "", "NULL reads as an empty string");
    cr_expect_str_eq(info.parameters[0].name, "depth");
    cr_expect_str_eq(info.parameters[0].meaning, "levels");
    cr_expect_eq(info.parameters[0].maximum, 8);
    cr_expect_not(info.builtin);
    rig_close(&r);
}

Test(registry, enumeration) {
    rig r;
    rig_open(&r);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++) {
        size_t count = gpc_policy_count(r.context, (gpc_policy_kind)kind);
        cr_expect_gt(count, 0);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(gpc_policy_at(r.context, (gpc_policy_kind)kind, i, &info, NULL), GPC_OK);
            cr_expect(info.builtin && *info.name && *info.summary && info.struct_size == sizeof info);
        }
        cr_expect_eq(gpc_policy_at(r.context, (gpc_policy_kind)kind, count, &info, NULL), GPC_ERROR_RANGE);
    }
    cr_expect_eq(gpc_policy_at(r.context, GPC_POLICY_REPLACEMENT, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_policy_at(r.context, GPC_POLICY_KIND_COUNT, 0, &info, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_policy_count(r.context, GPC_POLICY_KIND_COUNT), 0);
    rig_close(&r);
}

static void check_spec(const char *spec, gpc_status expected, const char *part) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    gpc_status status = gpci_policy_check(r.context, GPC_POLICY_REPLACEMENT, spec, &r.error);
    if (expected == GPC_OK)
        cr_expect_eq(status, GPC_OK, "%s: %s", spec, r.error.message);
    else
        expect_failure(&r, status, expected, part);
    rig_close(&r);
}

Test(registry, specs) {
    check_spec("mine", GPC_OK, "");
    check_spec("mine()", GPC_OK, "");
    check_spec(" mine ( depth = 3 , rate = .25 ) ", GPC_OK, "");
    check_spec("mine(rate=1e-1)", GPC_OK, "");
    check_spec("mine(depth=3", GPC_ERROR_FORMAT, "is not of the form name(parameter=value, ...)");
    check_spec("mine depth=3", GPC_ERROR_FORMAT, "is not of the form");
    check_spec("(depth=3)", GPC_ERROR_FORMAT, "names no policy");
    check_spec("mine(depth)", GPC_ERROR_FORMAT, "'depth' is not of the form parameter=value");
    check_spec("mine(depth=3,)", GPC_ERROR_FORMAT, "is not of the form parameter=value");
    check_spec("mine(depth=two)", GPC_ERROR_FORMAT, "parameter 'depth': 'two' is not a number");
    check_spec("mine(depth=3 4)", GPC_ERROR_FORMAT, "is not a number");
    check_spec("mine(depth=inf)", GPC_ERROR_FORMAT, "is not a number");
    check_spec("mine(depth=1e999)", GPC_ERROR_FORMAT, "is not a number");
    check_spec("mine(depth=2.5)", GPC_ERROR_FORMAT, "parameter 'depth': 2.5 is not a whole number");
    check_spec("mine(depth=9)", GPC_ERROR_RANGE, "parameter 'depth': 9 is not between 1 and 8");
    check_spec("mine(rate=-0.1)", GPC_ERROR_RANGE, "parameter 'rate': -0.1 is not between 0 and 1");
    check_spec("mine(dept=3)", GPC_ERROR_NOT_FOUND, "unknown parameter 'dept'; did you mean 'depth'?");
    check_spec("mime", GPC_ERROR_NOT_FOUND, "no replacement policy is named 'mime'; did you mean 'mine'?");
}

/* Unread arguments are refused; a caller's table without parameters may read arguments directly. */
Test(registry, raw_arguments) {
    check_spec("lru(depth=3)", GPC_ERROR_NOT_FOUND, "replacement policy 'lru' takes no parameters");
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    ops.parameters = NULL;
    ops.parameter_count = 0;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpci_policy_check(r.context, GPC_POLICY_REPLACEMENT, "mine(anything, at all)", &r.error), GPC_OK);
    rig_close(&r);
}

Test(registry, arguments_of_1023_and_1024) {
    gpci_spec spec;
    gpc_error error = GPC_ERROR_INIT;
    char text[1100] = "raw(";
    memset(text + 4, 'a', 1024);
    strcpy(text + 4 + 1023, ")");
    cr_expect_eq(gpci_spec_parse(text, &spec, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(strlen(spec.arguments), 1023);
    text[4 + 1023] = 'a';
    strcpy(text + 4 + 1024, ")");
    cr_expect_eq(gpci_spec_parse(text, &spec, &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "longer than 1023 characters"), "%s", error.message);
}

/* Cost = sets x ways x depth + line x sectors, by the table above. */
Test(registry, costs) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    uint64_t bits = 0;
    cr_expect_eq(gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "mine", 32, 4, 128, 1, &bits, &r.error), GPC_OK);
    cr_expect_eq(bits, 32 * 4 * 2 + 128);
    cr_expect_eq(gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "mine(depth=5)", 32, 4, 128, 4, &bits, &r.error),
                 GPC_OK);
    cr_expect_eq(bits, 32 * 4 * 5 + 128 * 4);
    expect_failure(&r, gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "nine", 32, 4, 128, 1, &bits, &r.error),
                   GPC_ERROR_NOT_FOUND, "did you mean 'mine'?");
    expect_failure(&r, gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "mine", 0, 4, 128, 1, &bits, &r.error),
                   GPC_ERROR_ARGUMENT, "gpc_policy_cost: sets is 0");
    expect_failure(&r, gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "mine", 1, 1025, 128, 1, &bits, &r.error),
                   GPC_ERROR_ARGUMENT, "gpc_policy_cost: ways is not 1 to 1024");
    cr_expect_eq(bits, 32 * 4 * 5 + 128 * 4, "untouched on failure");
    rig_close(&r);
}

static uint64_t reads_by_depth(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->parameters[0] > 2 ? GPC_READS_PC : 0);
}

/* Inputs of a policy: from the table, or by the parameters; not stated: 0. */
Test(registry, reads) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    uint64_t reads = 1;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "mine", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, 0);
    ops.name = "pc-reader";
    ops.reads = GPC_READS_PLACE | GPC_READS_PC;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "pc-reader", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, ops.reads);
    ops.name = "by-depth";
    ops.reads_with = reads_by_depth;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "by-depth(depth=2)", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_PLACE);
    cr_expect_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "by-depth(depth=3)", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_PLACE | GPC_READS_PC);
    cr_expect_eq(gpc_policy_reads(r.context, GPC_POLICY_PREDICTOR, "hint", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_PLACE | GPC_READS_HINT);
    expect_failure(&r, gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "nine", &reads, &r.error),
                   GPC_ERROR_NOT_FOUND, "did you mean 'mine'?");
    expect_failure(&r, gpc_policy_reads(r.context, GPC_POLICY_SCHEDULER, "gto", &reads, &r.error), GPC_ERROR_ARGUMENT,
                   "gpc_policy_reads");
    expect_failure(&r, gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, NULL, &reads, &r.error), GPC_ERROR_ARGUMENT,
                   "gpc_policy_reads");
    cr_expect_eq(reads, GPC_READS_PLACE | GPC_READS_HINT, "untouched on failure");
    ops.name = "unknown-bit";
    ops.reads = (uint64_t)GPC_READS_EVERYTHING + 1;
    expect_failure(&r, gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT,
                   "none of GPC_READS_");
    rig_close(&r);
}

/* A vote reads the candidates' inputs, and samples; unknown ones are taken for everything. */
Test(registry, reads_of_a_vote) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    uint64_t reads;
    cr_assert_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "vote(lru, ship)", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_PLACE | GPC_READS_PC | GPC_READS_SAMPLES);
    cr_assert_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "vote(lru, mine)", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_EVERYTHING);
    rig_close(&r);
}

/* A table from before `reads`: accepted, without stated inputs. Bytes behind it are not read. */
Test(registry, tables_of_before_reads) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    ops.struct_size = offsetof(gpc_replacement_ops, reads);
    ops.reads = UINT64_MAX;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_OK, "%s",
                 r.error.message);
    gpc_predictor_ops predictor = {
        .struct_size = offsetof(gpc_predictor_ops, reads), .name = "mine", .predict = cache_all, .reads = UINT64_MAX};
    cr_assert_eq(gpc_context_register_predictor(r.context, &predictor, NULL, NULL, &r.error), GPC_OK, "%s",
                 r.error.message);
    for (gpc_policy_kind kind = GPC_POLICY_REPLACEMENT; kind <= GPC_POLICY_PREDICTOR; kind++) {
        uint64_t reads = 1;
        cr_assert_eq(gpc_policy_reads(r.context, kind, "mine", &reads, &r.error), GPC_OK);
        cr_expect_eq(reads, 0);
    }
    rig_close(&r);
}

/* From before `state`: accepted, too; of every kind with state. */
Test(registry, tables_of_before_state) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops ops = good();
    ops.struct_size = offsetof(gpc_replacement_ops, state);
    ops.reads = GPC_READS_PLACE;
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_OK, "%s",
                 r.error.message);
    uint64_t reads = 0;
    cr_assert_eq(gpc_policy_reads(r.context, GPC_POLICY_REPLACEMENT, "mine", &reads, &r.error), GPC_OK);
    cr_expect_eq(reads, GPC_READS_PLACE);
    ops.struct_size--;
    cr_expect_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_ERROR_ABI);
    rig_close(&r);
}

Test(registry, without_memory) {
    for (long n = 1;; n++) {
        heap h = {0};
        gpc_context_options options = heap_options(&h);
        gpc_context *context;
        int destroyed = 0;
        gpc_replacement_ops ops = good();
        cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
        h.fail_at = h.calls + n;
        gpc_status status = gpc_context_register_replacement(context, &ops, &destroyed, count_destroyed, NULL);
        cr_expect(status == GPC_OK || status == GPC_ERROR_MEMORY);
        cr_expect_eq(destroyed, status == GPC_OK ? 0 : 1);
        h.fail_at = 0;
        if (status < 0)
            cr_expect_eq(gpc_context_register_replacement(context, &ops, &destroyed, count_destroyed, NULL), GPC_OK,
                         "works as soon as there is memory");
        gpc_context_destroy(context);
        cr_assert_eq(h.live, 0);
        cr_expect_eq(destroyed, status == GPC_OK ? 1 : 2);
        if (status == GPC_OK)
            return;
    }
}

/* Only these are no counts, sizes or switches. */
static bool takes_fractions(const char *parameter) {
    static const char *const names[] = {"activity",    "contention",  "early-high", "early-low",       "epsilon",
                                        "fall",        "lambda",      "locality",   "margin",          "merge",
                                        "miss-floor",  "noc-latency", "p",          "phase-threshold", "rise",
                                        "stall-ratio", "stalls",      "threshold"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], parameter))
            return true;
    return false;
}

/* Every default of a built-in policy is allowed, and of the right sort. */
Test(registry, parameters_of_what_is_built_in) {
    gpc_context *context;
    size_t count = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (int kind = 0; kind <= GPC_POLICY_PREFETCHER; kind++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        for (size_t i = 0; gpc_policy_at(context, (gpc_policy_kind)kind, i, &info, NULL) == GPC_OK; i++)
            for (size_t n = 0; n < info.parameter_count; n++, count++) {
                const gpc_parameter *p = &info.parameters[n];
                cr_expect(p->minimum <= p->initial && p->initial <= p->maximum, "%s(%s): %g is not in %g to %g",
                          info.name, p->name, p->initial, p->minimum, p->maximum);
                cr_expect(p->whole || takes_fractions(p->name), "%s(%s)", info.name, p->name);
                cr_expect(!p->whole || (p->initial == (double)(int64_t)p->initial), "%s(%s)", info.name, p->name);
            }
    }
    cr_expect_gt(count, 50);
    gpc_context_destroy(context);
}

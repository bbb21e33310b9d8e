/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Refusals of single replacement policies and predictors, with messages. */

static gpc_context *context;

static void open_context(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void close_context(void) {
    gpc_context_destroy(context);
}

TestSuite(decisions_errors, .init = open_context, .fini = close_context);

static void refused(const gpc_replacement_options *options, gpc_status expected, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_replacement *replacement = NULL;
    cr_expect_eq(gpc_replacement_create(context, options, &replacement, &error), expected, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in: %s", text, error.message);
    cr_expect_null(replacement);
}

static void refused_predictor(const gpc_predictor_options *options, gpc_status expected, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_predictor *predictor = NULL;
    cr_expect_eq(gpc_predictor_create(context, options, &predictor, &error), expected, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in: %s", text, error.message);
    cr_expect_null(predictor);
}

#define REFUSED(field, value, expected, text)                             \
    do {                                                                  \
        gpc_replacement_options r_options = GPC_REPLACEMENT_OPTIONS_INIT; \
        gpc_predictor_options p_options = GPC_PREDICTOR_OPTIONS_INIT;     \
        r_options.field = p_options.field = value;                        \
        refused(&r_options, expected, text);                              \
        refused_predictor(&p_options, expected, text);                    \
    } while (0)

Test(decisions_errors, options) {
    REFUSED(struct_size, 4, GPC_ERROR_ABI, "options");
    REFUSED(ways, 0, GPC_ERROR_RANGE, "_options.ways: 0 is not between 1 and 1024");
    REFUSED(ways, 1025, GPC_ERROR_RANGE, "_options.ways: 1025");
    REFUSED(sets, 0, GPC_ERROR_RANGE, "_options.sets: 0");
    REFUSED(sets, (uint64_t)1 << 30, GPC_ERROR_RANGE, "_options.sets: 1073741824");
    REFUSED(line_bytes, 100, GPC_ERROR_RANGE, "_options.line_bytes: 100");
    REFUSED(sectors, 3, GPC_ERROR_RANGE, "_options.sectors: 3");
    REFUSED(sectors, 16, GPC_ERROR_RANGE, "_options.sectors: 16");
    REFUSED(instance, 1, GPC_ERROR_RANGE, "_options.instance: 1 is not below instances");
    REFUSED(reserved, 1, GPC_ERROR_RANGE, "_options.reserved: 1");
    REFUSED(tells, (uint64_t)1 << 40, GPC_ERROR_RANGE, "_options.tells");
    REFUSED(policy, "lruu", GPC_ERROR_NOT_FOUND, "'lruu'");
    REFUSED(policy, "vote(vote)", GPC_ERROR_ARGUMENT, "cannot be voted about");
}

/* The least and most bytes of a line, and their neighbours. */
Test(decisions_errors, line_bytes) {
    static const uint32_t lines[] = {8, 4096};
    REFUSED(line_bytes, 4, GPC_ERROR_RANGE, "_options.line_bytes: 4");
    REFUSED(line_bytes, 8192, GPC_ERROR_RANGE, "_options.line_bytes: 8192");
    for (size_t i = 0; i < 2; i++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_replacement *replacement = NULL;
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        options.line_bytes = lines[i];
        cr_expect_eq(gpc_replacement_create(context, &options, &replacement, &error), GPC_OK, "%s", error.message);
        gpc_replacement_destroy(replacement);
    }
}

/* A policy is refused if its host does not tell what the policy reads. */
Test(decisions_errors, feeds) {
    REFUSED(policy, "vote", GPC_ERROR_UNSUPPORTED, "'vote' reads what its host does not tell (tells): ");
    static const struct {
        const char *policy, *lacks;
    } replacements[] = {{"dynamic-age-lru", "warp events, samples"},
                        {"dynamic-rpr", "samples"},
                        {"vote(lru, mru)", "samples"},
                        {"age-lru", "warp events"},
                        {"opt", "next_use"}},
      predictors[] = {{"agcb", "policy_word"}, {"agcb-below", "policy_word"}, {"mrpb", "stalls"}};
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        options.policy = replacements[i].policy;
        refused(&options, GPC_ERROR_UNSUPPORTED, replacements[i].lacks);
        options.tells = GPC_READS_EVERYTHING;
        gpc_replacement *replacement = NULL;
        cr_expect_eq(gpc_replacement_create(context, &options, &replacement, NULL), GPC_OK, "%s", options.policy);
        gpc_replacement_destroy(replacement);
    }
    for (size_t i = 0; i < sizeof predictors / sizeof *predictors; i++) {
        gpc_predictor_options options = GPC_PREDICTOR_OPTIONS_INIT;
        options.policy = predictors[i].policy;
        refused_predictor(&options, GPC_ERROR_UNSUPPORTED, predictors[i].lacks);
        options.tells = GPC_READS_EVERYTHING;
        gpc_predictor *predictor = NULL;
        cr_expect_eq(gpc_predictor_create(context, &options, &predictor, NULL), GPC_OK, "%s", options.policy);
        gpc_predictor_destroy(predictor);
    }
    /* A host without bypass must declare the lack. */
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    options.policy = "bip(bypass=1)";
    options.tells = GPC_READS_OF_REQUESTS & ~(uint64_t)GPC_READS_ADMISSION;
    refused(&options, GPC_ERROR_UNSUPPORTED, "admission");
}

/* Without a number of sectors, a line is a single sector: a request of a second sector is an error. */
Test(decisions_errors, one_sector_unless_said) {
    for (uint32_t sectors = 0; sectors < 3; sectors++) {
        const gpc_status expected = sectors < 2 ? GPC_ERROR_ARGUMENT : GPC_OK;
        const gpc_request second = {.address = 0, .sector_mask = 2};
        gpc_replacement_options r = GPC_REPLACEMENT_OPTIONS_INIT;
        gpc_predictor_options p = GPC_PREDICTOR_OPTIONS_INIT;
        gpc_replacement *replacement;
        gpc_predictor *predictor;
        gpc_prediction prediction;
        r.sectors = p.sectors = sectors;
        cr_assert_eq(gpc_replacement_create(context, &r, &replacement, NULL), GPC_OK);
        cr_assert_eq(gpc_predictor_create(context, &p, &predictor, NULL), GPC_OK);
        cr_expect_eq(gpc_replacement_event(
                         replacement, &(gpc_policy_event){.kind = GPC_ON_HIT, .set = 0, .way = 0, .request = &second},
                         1, NULL, NULL),
                     expected, "%u sectors", sectors);
        cr_expect_eq(gpc_predictor_predict(predictor, 0, &second, &prediction, NULL), expected, "%u sectors", sectors);
        gpc_replacement_destroy(replacement);
        gpc_predictor_destroy(predictor);
    }
}

Test(decisions_errors, sharing) {
    gpc_replacement_options r = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_predictor_options p = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_replacement *replacement, *alone;
    gpc_predictor *predictor;
    cr_assert_eq(gpc_replacement_create(context, &r, &alone, NULL), GPC_OK);
    r.instances = p.instances = 2;
    cr_assert_eq(gpc_replacement_create(context, &r, &replacement, NULL), GPC_OK);
    cr_assert_eq(gpc_predictor_create(context, &p, &predictor, NULL), GPC_OK);
    r.share_with = replacement;
    p.share_with = predictor;
    r.instance = p.instance = 1;
    r.ways = p.sectors = 8;
    refused(&r, GPC_ERROR_ARGUMENT,
            "gpc_replacement_options.share_with: a cache of ways = 8 cannot share with one of 4");
    refused_predictor(&p, GPC_ERROR_ARGUMENT, "gpc_predictor_options.share_with: a cache of sectors = 8");
    r.ways = 4;
    r.instances = 3;
    refused(&r, GPC_ERROR_ARGUMENT, "instances = 3");
    r.instances = 1;
    r.instance = 0;
    r.share_with = alone;
    refused(&r, GPC_ERROR_ARGUMENT, "is the only one of its level");
    gpc_context *own = context;
    open_context();
    r.instances = 2;
    r.share_with = replacement;
    refused(&r, GPC_ERROR_ARGUMENT, "is of another context");
    close_context();
    context = own;
    gpc_replacement_destroy(replacement);
    gpc_replacement_destroy(alone);
    gpc_predictor_destroy(predictor);
}

Test(decisions_errors, nothing_there) {
    const gpc_request load = {.address = 0};
    const gpc_sample sample = GPC_SAMPLE_INIT;
    const gpc_warp_event event = {.kind = GPC_WARP_START};
    const gpc_policy_event hit = {.request = &load};
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    gpc_prediction prediction;
    gpc_error error = GPC_ERROR_INIT;
    gpc_replacement *replacement;
    gpc_predictor *predictor;
    uint32_t way = 77;
    cr_expect_eq(gpc_replacement_create(NULL, NULL, &replacement, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "context is NULL"), "%s", error.message);
    cr_expect_eq(gpc_replacement_create(context, NULL, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_create(NULL, NULL, &predictor, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_create(context, NULL, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_choose(NULL, 0, NULL, &load, &way, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(NULL,
                                       &(gpc_policy_event){.kind = GPC_ON_HIT, .set = 0, .way = 0, .request = &load}, 1,
                                       NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(NULL, &hit, 1, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "replacement is NULL"), "%s", error.message);
    cr_expect_eq(gpc_replacement_event(NULL, &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &event}, 1,
                                       NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(
        gpc_replacement_event(NULL, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &sample}, 1, NULL, NULL),
        GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_policy_value(NULL, 0, &value, NULL), GPC_ERROR_ARGUMENT);
    cr_expect(!gpc_replacement_declines(NULL, 0, NULL, &load));
    cr_expect(!gpc_predictor_before_lookup(NULL));
    cr_expect_eq(gpc_predictor_predict(NULL, 0, &load, &prediction, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_event(NULL, &hit, 1, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_event(NULL, &hit, 1, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_reply(NULL, &load, GPC_BYPASS, 1), GPC_BYPASS);
    cr_expect_eq(gpc_predictor_respond(NULL, 0, 0, &load), 0);
    cr_expect_eq(gpc_predictor_stall(NULL, &load, GPC_BUSY_LINE), GPC_CACHE);
    cr_expect_eq(
        gpc_predictor_event(NULL, &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &event}, 1, NULL, NULL),
        GPC_ERROR_ARGUMENT);
    cr_expect_eq(
        gpc_predictor_event(NULL, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &sample}, 1, NULL, NULL),
        GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_predictor_policy_value(NULL, 0, &value, NULL), GPC_ERROR_ARGUMENT);
    gpc_replacement_destroy(NULL);
    gpc_predictor_destroy(NULL);
    cr_assert_eq(gpc_predictor_create(context, NULL, &predictor, &error), GPC_OK, "the defaults");
    cr_expect_eq(gpc_predictor_predict_many(predictor, NULL, &load, 1, &prediction, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "sets is NULL"), "%s", error.message);
    cr_expect_eq(gpc_predictor_predict_many(predictor, NULL, NULL, 0, NULL, NULL, &error), GPC_OK);
    cr_expect_eq(gpc_predictor_event(predictor, NULL, 1, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "events is NULL"), "%s", error.message);
    cr_expect_eq(gpc_predictor_event(predictor, NULL, 0, NULL, &error), GPC_OK);
    cr_expect_eq(gpc_predictor_policy_value(predictor, 0, &value, NULL), GPC_ERROR_RANGE);
    gpc_context_destroy(context); /* before the objects */
    gpc_predictor_destroy(predictor);
    open_context();
}

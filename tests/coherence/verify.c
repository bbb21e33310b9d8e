/* SPDX-License-Identifier: BSD-2-Clause */
/* gpc_verify: sound protocols pass, every broken one is caught, and the counterexample is correct. */
#include "verify/verify.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static gpc_context *context;
static gpc_protocol_rules first, memory_rules;

static void set_up(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void tear_down(void) {
    gpc_context_destroy(context);
}

TestSuite(verify, .init = set_up, .fini = tear_down);

static gpc_verify_options options_of(const char *protocol, const char *tree, uint32_t blocks, uint32_t in_flight) {
    gpc_verify_options o = GPC_VERIFY_OPTIONS_INIT;
    o.protocol = protocol;
    o.tree = tree;
    o.blocks = blocks;
    o.in_flight = in_flight;
    return o;
}

static gpc_verify *verified(const gpc_verify_options *o, gpc_verify_report *report) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *v = NULL;
    cr_assert_eq(gpc_verify_run(context, o, &v, &error), GPC_OK, "%s, %s: %s", o->protocol, o->tree, error.message);
    *report = (gpc_verify_report)GPC_VERIFY_REPORT_INIT;
    cr_assert_eq(gpc_verify_get_report(v, report, NULL), GPC_OK);
    return v;
}

static gpc_verify_report passes(const gpc_verify_options *o) {
    gpc_verify_report report;
    gpc_verify *v = verified(o, &report);
    cr_expect_eq(report.verdict, GPC_VERIFY_PASSED, "%s, %s: %s", o->protocol, o->tree, report.text);
    cr_expect_eq(report.step_count, 0);
    gpc_verify_destroy(v);
    report.text = NULL;
    return report;
}

/* -- sound protocols */

static const char *const protocols[] = {"msi",    "mesi",     "mesif", "mosi",    "moesi",
                                        "nmoesi", "nmoesi-d", "vi",    "slc-glc", "none"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols, WITH_DIRECTORY = 7 };

/* With bounded queues of three classes and without, and with latencies; with one class no message waits in a queue. */
Test(verify, protocols_pass_in_any_order_of_messages) {
    static const struct way {
        uint32_t entries, channels;
        bool latencies;
    } ways[] = {{0, 3, false}, {1, 3, false}, {2, 3, false}, {0, 1, false}, {0, 3, true}, {1, 3, true}};
    for (size_t p = 0; p < PROTOCOLS; p++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            if (!effort_takes(p * 6 + i))
                continue;
            gpc_verify_options o = options_of(protocols[p], "2 over memory", 1, 1);
            o.entries = ways[i].entries;
            o.channels = ways[i].channels;
            o.latencies = ways[i].latencies;
            o.states = effort_of(8000);
            const gpc_verify_report report = passes(&o);
            cr_expect(report.limit == GPC_VERIFY_ALL || report.states > o.states);
        }
}

/* Every named tree can be built. */
Test(verify, all_trees_can_be) {
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; gpci_verify_tree_at(i); i++) {
        const gpci_verify_setup setup = {
            .context = context, .protocol = "nmoesi", .tree = *gpci_verify_tree_at(i), .blocks = 2, .positions = 1};
        gpc_coherence *c = gpci_verify_make(&setup, &error);
        cr_expect(c, "%s: %s", setup.tree.name, error.message);
        gpc_coherence_destroy(c);
    }
}

/* No two systems of the family are equal, except known pairs. */
static bool may_be_one(const gpc_verify_options *a, const gpc_verify_options *b) {
    if (!strcmp(a->protocol, "mesif") && !strcmp(a->tree, "3 over memory of 1 pointer") &&
        !strcmp(b->tree, "3 over evicting memory")) /* equally many states and steps, the deepest after 4 and after 3 */
        return true;
    return strstr(a->tree, "writing") && strstr(b->tree, "writing");
}

Test(verify, systems_differ_and_pass) {
    enum { SYSTEMS = 48 };
    uint32_t all = 0;
    for (size_t p = 0; p < WITH_DIRECTORY; p++) {
        gpc_verify_options o[SYSTEMS];
        gpc_verify_report found[SYSTEMS];
        uint32_t count = 0;
        for (uint32_t i = 0; count < SYSTEMS; i++) {
            o[count] = options_of(protocols[p], NULL, 1, 0);
            const gpc_status status = gpc_verify_system(i, &o[count], NULL);
            if (status == GPC_END)
                break;
            if (!effort_takes(p + i))
                continue;
            o[count].states = effort_of(o[count].in_flight ? 3000 : 8000);
            found[count] = passes(&o[count]);
            for (uint32_t k = 0; k < count && found[count].limit == GPC_VERIFY_ALL; k++)
                cr_expect(found[k].states != found[count].states || found[k].edges != found[count].edges ||
                              may_be_one(&o[k], &o[count]),
                          "%s: %s is %s", o[k].protocol, o[k].tree, o[count].tree);
            count++;
        }
        all += count;
    }
    cr_expect_gt(all, 2);
}

/* Symmetry: fewer states, at least one per order of the caches, and an equal verdict. */
Test(verify, symmetry_is_sound) {
    static const struct pair {
        const char *protocol, *tree;
        uint32_t in_flight, orders;
        bool fewer;
    } pairs[] = {
        {"moesi", "2 over memory", 0, 2, true},   {"moesi", "3 over memory", 0, 6, true},
        {"moesi", "2 over memory", 1, 2, true},   {"nmoesi", "2 over memory", 1, 2, true},
        {"nmoesi", "2 over memory", 0, 1, false}, /* the first module is asked first */
        {"msi", "3 over memory", 0, 1, false},    /* the last of several sharers is asked */
        {"vi", "2 over memory", 0, 1, false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        gpc_verify_options o = options_of(pairs[i].protocol, pairs[i].tree, 1, pairs[i].in_flight);
        o.kinds = pairs[i].in_flight ? GPC_VERIFY_LOADS | GPC_VERIFY_N_STORES : 0;
        const gpc_verify_report with = passes(&o);
        o.symmetry = false;
        const gpc_verify_report without = passes(&o);
        cr_expect_eq(with.states < without.states, pairs[i].fewer, "%s, %s", o.protocol, o.tree);
        cr_expect_leq(without.states, with.states * pairs[i].orders);
        cr_expect_eq(with.depth, without.depth);
    }
}

/* -- broken ones */

/* A protocol's tables, to be changed. */
static void broken(const char *of, gpc_protocol *protocol) {
    *protocol = *gpc_protocol_find(context, of);
    memcpy(first, *protocol->first, sizeof first);
    memcpy(memory_rules, *protocol->memory, sizeof memory_rules);
    protocol->name = "broken";
    protocol->first = (const gpc_protocol_rules *)&first;
    protocol->memory = (const gpc_protocol_rules *)&memory_rules;
}

static void add(const gpc_protocol *protocol) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_register_protocol(context, protocol, &error), GPC_OK, "%s", error.message);
}

/* The step of the counterexample, by public calls of a tree; the status of the last call. */
static gpc_status do_step(gpc_coherence *c, const gpc_verify_step *step, uint8_t out[2], gpc_error *error) {
    uint64_t token;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    const uint8_t value = (uint8_t)step->value;
    request.module = step->module;
    request.address = step->address;
    request.kind = step->access;
    request.size = step->size ? step->size : 1;
    request.bytes = &value;
    request.out = out;
    switch ((gpc_verify_step_kind)step->kind) {
    case GPC_VERIFY_ACCESS:
        return gpc_coherence_access(c, &request, NULL, error);
    case GPC_VERIFY_ISSUE: {
        const gpc_status status = gpc_coherence_issue(c, &request, &token, error);
        return status == GPC_OK ? gpc_coherence_advance(c, 0, error) : status;
    }
    case GPC_VERIFY_CHOICE:
        return gpc_coherence_choose(c, step->index, error);
    case GPC_VERIFY_FLUSH:
        return gpc_coherence_flush(c, step->module, 0, NULL, error);
    default:
        return gpc_coherence_acquire(c, step->module, 0, NULL, error);
    }
}

/* A byte's value when nothing is in flight: a load of the module, or memory after a flush. */
static uint8_t look(gpc_coherence *c, const gpc_verify_report *r) {
    uint8_t value = 0;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = r->module;
    request.address = r->address;
    request.out = &value;
    if (r->module == GPC_NO_MODULE) {
        cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_coherence_read_memory(c, r->address, &value, 1, NULL), GPC_OK);
    } else {
        cr_assert_eq(gpc_coherence_access(c, &request, NULL, NULL), GPC_OK);
    }
    return value;
}

/* The tree, made and driven from outside, fails as predicted. */
static void replays(const gpc_verify_options *o, const gpc_verify *v, const gpc_verify_report *r) {
    gpc_coherence *c = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = GPC_OK;
    uint8_t out[2] = {0, 0};
    cr_assert_eq(gpc_verify_make_tree(context, o, &c, &error), GPC_OK, "%s", error.message);
    if (o->in_flight)
        cr_assert_eq(gpc_coherence_hold(c, o->entries, o->channels, &error), GPC_OK, "%s", error.message);
    for (uint32_t i = 0; i < r->step_count; i++) {
        gpc_verify_step step = GPC_VERIFY_STEP_INIT;
        cr_assert_eq(status, GPC_OK, "step %u: %s", i, error.message);
        cr_assert_eq(gpc_coherence_check(c, GPCI_VERIFY_BASE, 16, &error), GPC_OK, "step %u: %s", i, error.message);
        cr_assert_eq(gpc_verify_get_step(v, i, &step, NULL), GPC_OK);
        status = do_step(c, &step, out, &error);
    }
    if (r->verdict == GPC_VERIFY_STRUCTURE)
        status = gpc_coherence_check(c, GPCI_VERIFY_BASE, 16, &error);
    if (r->verdict == GPC_VERIFY_VALUE || r->verdict == GPC_VERIFY_LOST) {
        cr_expect_eq(status, GPC_OK, "%s", error.message);
        cr_expect(r->wrong);
        if (r->verdict == GPC_VERIFY_VALUE && o->in_flight)
            cr_expect_eq(out[0], r->value);
        else
            cr_expect_eq(look(c, r), r->value);
    } else {
        cr_expect_eq(status, GPC_ERROR_STATE);
        cr_expect(r->verdict != GPC_VERIFY_DEADLOCK || strstr(error.message, "deadlock"), "%s", error.message);
    }
    gpc_coherence_destroy(c);
}

static void is_caught(const gpc_verify_options *o, uint32_t verdict, const char *text) {
    gpc_verify_report report;
    gpc_verify *v = verified(o, &report);
    cr_expect_eq(report.verdict, verdict, "%s: %s: %u: %s", text, o->tree, report.verdict, report.text);
    cr_expect(strstr(report.text, text), "%s: %s", text, report.text);
    cr_expect_eq(report.limit, GPC_VERIFY_LIMIT_VIOLATION);
    cr_expect_gt(report.step_count, 0);
    replays(o, v, &report);
    gpc_verify_destroy(v);
}

/* A cell of moesi's first level, in two ways: with one access at a time, and in flight. */
static void cell_is_caught(uint32_t state, uint32_t event, gpc_protocol_rule rule, uint32_t blocks,
                           const uint32_t verdicts[2], const char *const texts[2]) {
    gpc_protocol protocol;
    broken("moesi", &protocol);
    first[state][event] = rule;
    add(&protocol);
    for (uint32_t way = 0; way < 2; way++) {
        const gpc_verify_options o = options_of("broken", blocks == 2 ? "2 over memory of 1 entry" : NULL, blocks, way);
        is_caught(&o, verdicts[way], texts[way]);
    }
}

/* The check of the table already names the cell. */
Test(verify, a_dropped_invalidation) {
    gpc_protocol protocol;
    gpc_error error = GPC_ERROR_INIT;
    broken("moesi", &protocol);
    first[GPC_LINE_S][GPC_EVENT_WRITE_PROBE] = (gpc_protocol_rule){GPC_DO_IGNORE, GPC_LINE_S, GPC_LINE_S};
    cr_expect_eq(gpc_context_register_protocol(context, &protocol, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "first, S, Write Req."), "%s", error.message);
}

/* A module in M sends the block to a reader without telling memory: modified data have no owner. */
Test(verify, an_owner_that_forgets) {
    cell_is_caught(GPC_LINE_M, GPC_EVENT_READ_PROBE, (gpc_protocol_rule){GPC_DO_SEND_DATA, GPC_LINE_S, GPC_LINE_S}, 1,
                   (uint32_t[]){GPC_VERIFY_STRUCTURE, GPC_VERIFY_STRUCTURE}, (const char *const[]){"clean", "clean"});
}

Test(verify, a_lost_write_back) {
    cell_is_caught(GPC_LINE_M, GPC_EVENT_EVICTION, (gpc_protocol_rule){GPC_DO_HIT, GPC_LINE_I, GPC_LINE_I}, 2,
                   (uint32_t[]){GPC_VERIFY_VALUE, GPC_VERIFY_LOST},
                   (const char *const[]){"not the last write", "lost, what was stored last"});
}

Test(verify, a_store_to_a_shared_copy_without_a_request) {
    cell_is_caught(GPC_LINE_S, GPC_EVENT_STORE, (gpc_protocol_rule){GPC_DO_HIT, GPC_LINE_M, GPC_LINE_M}, 1,
                   (uint32_t[]){GPC_VERIFY_STRUCTURE, GPC_VERIFY_STRUCTURE},
                   (const char *const[]){"one writer", "one writer"});
}

Test(verify, an_owner_that_keeps_its_rights) {
    cell_is_caught(GPC_LINE_E, GPC_EVENT_READ_PROBE, (gpc_protocol_rule){GPC_DO_SEND_DATA, GPC_LINE_E, GPC_LINE_E}, 1,
                   (uint32_t[]){GPC_VERIFY_STRUCTURE, GPC_VERIFY_STRUCTURE},
                   (const char *const[]){"one writer", "one writer"});
}

Test(verify, a_probe_that_is_not_to_happen) {
    cell_is_caught(GPC_LINE_O, GPC_EVENT_WRITE_PROBE, (gpc_protocol_rule){GPC_DO_FORBID, GPC_LINE_I, GPC_LINE_I}, 1,
                   (uint32_t[]){GPC_VERIFY_REFUSED, GPC_VERIFY_REFUSED}, (const char *const[]){"refused", "refused"});
}

/* Multi2Sim's: with N, a module's own stores get lost below an L2. */
Test(verify, multi2sim_loses_stores) {
    for (uint32_t way = 0; way < 2; way++) {
        const gpc_verify_options o = options_of("nmoesi-multi2sim", "2 over L2", 1, way);
        is_caught(&o, way ? GPC_VERIFY_LOST : GPC_VERIFY_VALUE, way ? "lost" : "not the last write");
    }
}

/* -- deadlock and livelock */

/*
 * With refusals, a probe waits for a block whose own request is refused, with the refusal behind it in the queue. With
 * waiting, a request waits before the answer for which the block is locked.
 */
Test(verify, one_class_of_messages_is_a_deadlock) {
    gpc_protocol refusing = *gpc_protocol_find(context, "moesi");
    refusing.name = "refusing";
    refusing.flags |= GPC_PROTOCOL_RETRY;
    add(&refusing);
    for (uint32_t entries = 0; entries < 3; entries++)
        for (uint32_t channels = 1; channels <= 3; channels += 2)
            for (unsigned refuses = 0; refuses < 2; refuses++) {
                gpc_verify_options o = options_of(refuses ? "refusing" : "moesi", "2 over memory", 1, 1);
                o.entries = entries;
                o.channels = channels;
                if (entries && channels == 1)
                    is_caught(&o, GPC_VERIFY_DEADLOCK,
                              refuses ? "write probe for A, m2 to m1: waits" : "write request for A, m1 to m2: waits");
                else
                    (void)passes(&o);
            }
}

/* Multi2Sim's D1: a module refused during an eviction does not unlock, and then finds its own lock. */
Test(verify, a_lock_that_is_kept_is_a_deadlock) {
    gpci_verify_found *found = calloc(1, sizeof *found);
    cr_assert(found);
    gpci_verify_setup setup = {.context = context,
                               .protocol = "nmoesi-multi2sim",
                               .tree = *gpci_verify_tree_of("2 over memory"),
                               .blocks = 1,
                               .positions = 1,
                               .kinds = GPC_VERIFY_LOADS | GPC_VERIFY_STORES | GPC_VERIFY_N_STORES,
                               .races = true,
                               .in_flight = 1,
                               .faults = GPCI_FAULT_NO_UNLOCK};
    gpci_verify_overlap(&setup, found);
    cr_expect_eq(found->status, GPC_OK, "%s", found->text);
    cr_expect_eq(found->verdict, GPC_VERIFY_DEADLOCK, "%u: %s", found->verdict, found->text);
    setup.faults = 0;
    setup.most = 10000;
    gpci_verify_overlap(&setup, found);
    cr_expect_eq(found->verdict, GPC_VERIFY_PASSED, "%s", found->text);
    free(found);
}

typedef struct edge {
    uint32_t from, to;
    bool retry;
} edge;

static void graph_has(const edge *edges, size_t count, uint32_t states, uint32_t settled, uint32_t stuck,
                      uint32_t circle) {
    gpci_verify_graph g = {0};
    uint32_t found[2] = {0, 0};
    for (uint32_t s = 0; s < states; s++) {
        cr_assert(gpci_verify_graph_begin(context, &g, settled >> s & 1));
        for (size_t i = 0; i < count; i++)
            if (edges[i].from == s)
                cr_assert(gpci_verify_graph_add(context, &g, edges[i].to, edges[i].retry));
    }
    cr_assert_eq(gpci_verify_graph_look(context, &g, states, &found[0], &found[1]), GPC_OK);
    cr_expect_eq(found[0], stuck, "%u, not %u", found[0], stuck);
    cr_expect_eq(found[1], circle, "%u, not %u", found[1], circle);
    gpci_verify_graph_close(context, &g);
}

/* 0 is the start, with nothing in flight; lists contain steps other than new accesses. */
Test(verify, livelock) {
    const uint32_t none = GPCI_VERIFY_NO_STATE;
    graph_has((edge[]){{1, 0, false}, {2, 1, true}, {2, 2, true}}, 3, 3, 1, none, none);
    graph_has((edge[]){{1, 2, true}, {2, 1, false}}, 2, 3, 1, 1, none); /* back and forth, without exit */
    graph_has((edge[]){{1, 2, false}, {2, 1, false}, {2, 0, true}}, 3, 3, 1, none, 1); /* a way out only by a retry */
    graph_has((edge[]){{1, 2, false}, {2, 3, false}, {3, 2, false}, {3, 0, false}}, 4, 4, 1, none, 1);
    graph_has((edge[]){{1, 2, false}, {1, 0, false}, {2, 2, true}}, 3, 3, 1, 2, none); /* one of two ways */
}

/* -- random walks */

Test(verify, walks) {
    gpc_verify_options o = options_of("nmoesi", "2 L2 of 2, L3", 2, 2);
    o.bytes = 2;
    o.walks = effort_of(200);
    o.latencies = true;
    o.entries = 1;
    const gpc_verify_report one = passes(&o), other = passes(&o);
    cr_expect_eq(one.states, o.walks);
    cr_expect_eq(one.edges, other.edges); /* by the seed */
    cr_expect(one.edges > o.walks * 160, "%llu", (unsigned long long)one.edges);
}

/* Counterexamples are shortened: at most three times as long as a search finds. */
Test(verify, walks_that_go_wrong) {
    gpc_protocol protocol;
    gpc_verify_report shortest, report;
    broken("moesi", &protocol);
    first[GPC_LINE_S][GPC_EVENT_STORE] = (gpc_protocol_rule){GPC_DO_HIT, GPC_LINE_M, GPC_LINE_M};
    add(&protocol);
    gpc_verify_options o = options_of("broken", "2 over memory", 2, 2);
    gpc_verify_destroy(verified(&o, &shortest));
    o.walks = 50;
    gpc_verify *v = verified(&o, &report);
    cr_expect_eq(report.verdict, GPC_VERIFY_STRUCTURE, "%s", report.text);
    cr_expect(report.step_count && report.step_count <= 3 * shortest.step_count, "%u, %u", report.step_count,
              shortest.step_count);
    replays(&o, v, &report);
    gpc_verify_destroy(v);
}

/* -- bounds, arguments */

static bool enough(void *data, const gpc_verify_progress *progress) {
    uint32_t *calls = data;
    cr_expect_leq(progress->waiting, progress->states);
    return ++*calls < 3;
}

Test(verify, bounds) {
    gpc_verify_options o = options_of("nmoesi", "3 over memory", 1, 1);
    uint32_t calls = 0;
    o.states = 500;
    gpc_verify_report report = passes(&o);
    cr_expect_eq(report.limit, GPC_VERIFY_LIMIT_STATES);
    cr_expect_eq(report.states, 501);
    o.states = 0;
    o.memory = 1 << 20;
    report = passes(&o);
    cr_expect_eq(report.limit, GPC_VERIFY_LIMIT_MEMORY);
    cr_expect(report.bytes > o.memory && report.bytes < 2 * o.memory + (1 << 18), "%llu",
              (unsigned long long)report.bytes);
    o.on_progress = enough;
    o.user_data = &calls;
    o.interval = 50;
    report = passes(&o);
    cr_expect_eq(report.limit, GPC_VERIFY_LIMIT_CANCELLED);
    cr_expect_eq(calls, 3);
}

static void refuses(gpc_verify_options o, gpc_status status, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *v = NULL;
    cr_expect_eq(gpc_verify_run(context, &o, &v, &error), status, "%s", text);
    cr_expect(strstr(error.message, text), "%s: %s", text, error.message);
    cr_expect_null(v);
}

Test(verify, arguments) {
    const gpc_verify_options good = options_of("moesi", NULL, 1, 1);
    gpc_verify_options o = good;
    refuses(options_of(NULL, NULL, 1, 1), GPC_ERROR_ARGUMENT, "protocol is NULL");
    refuses(options_of("mosaic", NULL, 1, 1), GPC_ERROR_NOT_FOUND, "mosaic");
    refuses(options_of("moesi", "an oak", 1, 1), GPC_ERROR_NOT_FOUND, "an oak");
    refuses(options_of("moesi", NULL, 3, 1), GPC_ERROR_ARGUMENT, "blocks");
    refuses(options_of("moesi", NULL, 1, 5), GPC_ERROR_ARGUMENT, "in_flight");
    o.bytes = 0;
    refuses(o, GPC_ERROR_ARGUMENT, "bytes");
    o = good;
    o.channels = 2;
    refuses(o, GPC_ERROR_ARGUMENT, "channels");
    o = good;
    o.kinds = 32;
    refuses(o, GPC_ERROR_ARGUMENT, "kinds");
    o = good;
    o.in_flight = 0;
    o.walks = 1;
    refuses(o, GPC_ERROR_ARGUMENT, "walks");
    o = good;
    o.struct_size = 3;
    refuses(o, GPC_ERROR_ABI, "gpc_verify_options");
    cr_expect_eq(gpc_verify_run(NULL, &good, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_verify_get_report(NULL, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_verify_get_step(NULL, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_verify_system(0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_null(gpc_verify_tree_name(1000));
    gpc_verify_destroy(NULL);
}

/* -- held trees */

static gpc_coherence *held(void) {
    const gpc_verify_options o = options_of("moesi", "2 over memory", 1, 1);
    gpc_coherence *c = NULL;
    cr_assert_eq(gpc_verify_make_tree(context, &o, &c, NULL), GPC_OK);
    return c;
}

static void issue(gpc_coherence *c, uint32_t module, uint32_t kind) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token;
    request.module = module;
    request.kind = kind;
    request.address = GPCI_VERIFY_BASE;
    cr_assert_eq(gpc_coherence_issue(c, &request, &token, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_advance(c, 0, NULL), GPC_OK);
}

Test(verify, held_tree_by_hand) {
    gpc_coherence *c = held();
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_coherence_get_choice(c, 0, &choice, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_choose(c, 0, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_hold(c, 0, 2, &error), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_coherence_hold(c, 0, 3, &error), GPC_OK);
    cr_expect_eq(gpc_coherence_hold(c, 0, 3, &error), GPC_ERROR_STATE);
    issue(c, 0, GPC_COHERENCE_LOAD);
    issue(c, 1, GPC_COHERENCE_STORE);
    cr_assert_eq(gpc_coherence_get_choice(c, 1, &choice, NULL), GPC_OK);
    cr_expect(choice.kind == GPC_CHOICE_MESSAGE && choice.message == GPC_MESSAGE_WRITE_REQUEST && choice.ready);
    cr_expect(choice.from == 1 && choice.to == 2 && choice.address == GPCI_VERIFY_BASE);
    cr_expect_eq(gpc_coherence_get_choice(c, 2, &choice, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_choose(c, 2, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &error), GPC_ERROR_STATE);
    for (uint32_t steps = 0; gpc_coherence_get_choice(c, 0, &choice, NULL) == GPC_OK; steps++) {
        cr_assert_lt(steps, 20);
        cr_assert_eq(gpc_coherence_choose(c, 0, &error), GPC_OK, "%s", error.message);
    }
    cr_expect_eq(gpc_coherence_check(c, GPCI_VERIFY_BASE, 8, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(gpc_coherence_check(c, 8, UINT64_MAX, &error), GPC_ERROR_ARGUMENT);
    gpc_coherence_destroy(c);
}

/* The first waiting message of these kinds, from one module to another. */
static void deliver(gpc_coherence *c, uint32_t kind, uint32_t from, uint32_t to) {
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    for (uint32_t i = 0; gpc_coherence_get_choice(c, i, &choice, NULL) == GPC_OK; i++)
        if (choice.message == kind && choice.from == from && choice.to == to) {
            cr_assert_eq(gpc_coherence_choose(c, i, NULL), GPC_OK);
            return;
        }
    cr_assert_fail("no message %u from %u to %u", kind, from, to);
}

/* A load ended with a peer's block does not matter to the low module, which still has the block locked. */
Test(verify, nothing_is_done_at_once_before_all_is_done) {
    gpc_coherence *c = held();
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_coherence_hold(c, 0, 3, &error), GPC_OK);
    issue(c, 0, GPC_COHERENCE_STORE);
    deliver(c, GPC_MESSAGE_WRITE_REQUEST, 0, 2);
    deliver(c, GPC_MESSAGE_DATA, 2, 0);
    issue(c, 1, GPC_COHERENCE_LOAD);
    deliver(c, GPC_MESSAGE_READ_REQUEST, 1, 2);
    deliver(c, GPC_MESSAGE_READ_PROBE, 2, 0);
    deliver(c, GPC_MESSAGE_DATA, 0, 1); /* before the acknowledgement to memory */
    cr_expect_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &error), GPC_ERROR_STATE);
    deliver(c, GPC_MESSAGE_ACK, 0, 2);
    cr_expect_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &error), GPC_OK, "%s", error.message);
    gpc_coherence_destroy(c);
}

/* An ended access may have left a lock below; a later access in the place is not taken for the holder. */
Test(verify, a_lock_outlives_its_access) {
    const gpc_verify_options o = options_of("msi", "2 L2 of 2", 1, 1);
    gpc_coherence *c = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    cr_assert_eq(gpc_verify_make_tree(context, &o, &c, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_hold(c, 0, 3, &error), GPC_OK);
    issue(c, 2, GPC_COHERENCE_LOAD);
    deliver(c, GPC_MESSAGE_READ_REQUEST, 2, 5);
    deliver(c, GPC_MESSAGE_READ_REQUEST, 5, 6);
    deliver(c, GPC_MESSAGE_DATA, 6, 5);
    deliver(c, GPC_MESSAGE_DATA, 5, 2);
    issue(c, 3, GPC_COHERENCE_LOAD);
    deliver(c, GPC_MESSAGE_READ_REQUEST, 3, 5);
    deliver(c, GPC_MESSAGE_READ_PROBE, 5, 2);
    deliver(c, GPC_MESSAGE_DATA, 2, 3); /* the load ends; m5 waits for m2's acknowledgement */
    issue(c, 1, GPC_COHERENCE_STORE);
    deliver(c, GPC_MESSAGE_WRITE_REQUEST, 1, 4);
    deliver(c, GPC_MESSAGE_WRITE_REQUEST, 4, 6);
    deliver(c, GPC_MESSAGE_WRITE_PROBE, 6, 5);
    for (uint32_t steps = 0; gpc_coherence_get_choice(c, 0, &choice, NULL) == GPC_OK; steps++) {
        cr_assert_lt(steps, 40);
        cr_assert_eq(gpc_coherence_choose(c, 0, &error), GPC_OK, "%s", error.message);
    }
    cr_expect_eq(gpc_coherence_check(c, GPCI_VERIFY_BASE, 8, &error), GPC_OK, "%s", error.message);
    gpc_coherence_destroy(c);
}

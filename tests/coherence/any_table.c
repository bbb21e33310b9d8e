/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"
#include "effort.h"
#include "policies/protocol/protocols.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * Any table accepted by the check may be used. Built-in tables are changed at random, cell by cell; accepted tables run
 * on every shape of tree with every kind of access. Whatever happens to data, calls return GPC_OK, or GPC_ERROR_STATE
 * from a forbidden cell on; blocks hold existing states, and a run ends.
 */

enum { TABLES = 3000, ACCESSES = 150, LONGEST = 200000 };

static uint32_t draw(uint64_t *random, uint32_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

typedef struct any {
    gpc_protocol protocol;
    gpc_protocol_rule rules[4][GPC_MAX_STATES][GPC_EVENT_COUNT];
} any;

/* Number of states to draw from: the six, and the protocol's further states. */
static uint32_t states_of(const any *a) {
    return GPC_LINE_COUNT + a->protocol.state_count;
}

static void borrow(any *a, const gpc_protocol *from) {
    a->protocol = *from;
    a->protocol.name = "any";
    const gpc_protocol_rules **tables[] = {&a->protocol.first, &a->protocol.between, &a->protocol.shared,
                                           &a->protocol.memory};
    for (int place = 0; place < 4; place++) {
        const gpc_protocol_rules *table = *tables[place] ? *tables[place] : from->between; /* every place separately */
        memset(a->rules[place], 0, sizeof a->rules[place]);
        memcpy(a->rules[place], *table, (place < 3 ? states_of(a) : GPC_LINE_COUNT) * sizeof *a->rules[place]);
        *tables[place] = (const gpc_protocol_rules *)&a->rules[place];
    }
    if (!from->shared) {
        a->protocol.event_rules[2] = from->event_rules[1];
        a->protocol.raises[2] = from->raises[1];
    }
}

static gpc_protocol_rule any_rule(uint64_t *random, uint32_t states, bool memory) {
    static const uint8_t of_memory[] = {GPC_LINE_E, GPC_LINE_M, GPC_LINE_I};
    gpc_protocol_rule rule = {(uint16_t)(1u << draw(random, 12)), 0, 0};
    if (!draw(random, 3))
        rule.actions |= (uint16_t)(1u << draw(random, 12));
    rule.next = memory ? of_memory[draw(random, 3)] : (uint8_t)draw(random, states);
    rule.next_shared = draw(random, 3) ? rule.next : memory ? GPC_LINE_E : (uint8_t)draw(random, states);
    return rule;
}

/* One to six changes accepted by the check, in sequence. */
static void change(any *a, uint64_t *random) {
    uint32_t wanted = 1 + draw(random, 6);
    for (int tries = 0; wanted && tries < 400; tries++) {
        any before = *a;
        uint32_t place = draw(random, 4);
        if (!draw(random, 8))
            a->protocol.flags ^= 1u << draw(random, 10);
        else
            a->rules[place][draw(random, place < 3 ? states_of(a) : GPC_LINE_COUNT)][draw(random, GPC_EVENT_COUNT)] =
                any_rule(random, states_of(a), place == 3);
        if (gpci_protocol_check(&a->protocol, NULL) == GPC_OK) {
            wanted--;
        } else {
            a->protocol.flags = before.protocol.flags;
            memcpy(a->rules, before.rules, sizeof a->rules);
        }
    }
}

static gpc_coherence_request any_request(uint64_t *random) {
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = draw(random, 3);
    request.kind = draw(random, 3);
    request.flags = draw(random, 4) ? 0 : draw(random, 4);
    request.address = draw(random, 12) * 64 + draw(random, 15) * 4;
    request.size = 4;
    request.bytes = bytes;
    return request;
}

static gpc_status act(stage *s, uint64_t *random) {
    gpc_error *error = &s->small->error;
    uint32_t modules = s->small->options.module_count, what = draw(random, 40);
    if (what == 0)
        return gpc_coherence_flush(s->tree, draw(random, 2) ? GPC_NO_MODULE : draw(random, modules - 1), 0, NULL,
                                   error);
    if (what == 1)
        return gpc_coherence_acquire(s->tree, draw(random, 2) ? GPC_NO_MODULE : draw(random, modules - 1), 0, NULL,
                                     error);
    uint8_t out[4];
    gpc_coherence_request request = any_request(random);
    request.out = out;
    return gpc_coherence_access(s->tree, &request, &s->result, error);
}

static void check_blocks(const stage *s) {
    for (uint32_t m = 0; m + 1 < s->small->options.module_count; m++)
        for (uint32_t block = 0; block < s->small->modules[m].sets * s->small->modules[m].ways; block++) {
            gpc_coherence_block found = GPC_COHERENCE_BLOCK_INIT;
            uint32_t ways = s->small->modules[m].ways;
            cr_assert_eq(gpc_coherence_get_block(s->tree, m, block / ways, block % ways, &found, NULL), GPC_OK);
            cr_assert_lt(found.state, GPC_LINE_COUNT + gpc_coherence_protocol(s->tree)->state_count);
        }
}

/* Options of the modules, leading to other places of the tables. */
static void vary(small *tree, uint64_t *random) {
    uint32_t memory = tree->options.module_count - 1;
    for (uint32_t m = 0; m < memory; m++) {
        gpc_coherence_module *module = &tree->modules[m];
        module->any_victim = !draw(random, 4);
        if (m < 3) {
            module->write_through = !draw(random, 4);
            module->no_write_allocate = !draw(random, 4);
        } else if (!draw(random, 2)) {
            module->non_inclusive = true;
            module->directory_ways = 1 + draw(random, 3);
        }
    }
    tree->modules[memory].ways = draw(random, 2) ? 0 : 2;
    tree->options.data = draw(random, 4);
    tree->options.timing = draw(random, 2);
}

static void make(stage *s, const any *a, stage_shape shape, uint64_t *random) {
    stage_prepare(s, shape);
    cr_assert_eq(gpc_context_register_protocol(s->small->context, &a->protocol, &s->small->error), GPC_OK, "%s",
                 s->small->error.message);
    vary(s->small, random);
    stage_make(s, "any");
}

static bool run(const any *a, stage_shape shape, uint64_t *random) {
    stage s;
    gpc_status status = GPC_OK;
    make(&s, a, shape, random);
    for (int i = 0; i < ACCESSES && status == GPC_OK; i++) {
        status = act(&s, random);
        cr_assert(status == GPC_OK || status == GPC_ERROR_STATE, "status %d: %s", status, s.small->error.message);
        check_blocks(&s);
    }
    if (status == GPC_ERROR_STATE) /* and from now on */
        cr_assert_eq(act(&s, random), GPC_ERROR_STATE);
    stage_close(&s);
    return status == GPC_OK;
}

/* Message by message: several accesses at a time, which end, or come to a forbidden cell or a deadlock. */
static bool run_overlapping(const any *a, stage_shape shape, uint64_t *random) {
    stage s;
    gpc_status status = GPC_OK;
    uint64_t cycle = 0, token;
    make(&s, a, shape, random);
    for (int i = 0; i < ACCESSES && status == GPC_OK; i++) {
        gpc_coherence_request request = any_request(random);
        request.cycle = cycle;
        cr_assert_eq(gpc_coherence_issue(s.tree, &request, &token, &s.small->error), GPC_OK, "%s",
                     s.small->error.message);
        if (draw(random, 3))
            continue;
        status = gpc_coherence_advance(s.tree, cycle += draw(random, 30), &s.small->error);
        check_blocks(&s);
    }
    if (status == GPC_OK)
        status = gpc_coherence_advance(s.tree, cycle + LONGEST, &s.small->error);
    const bool ended = gpc_coherence_next_event(s.tree) == UINT64_MAX;
    cr_assert(status == GPC_OK || status == GPC_ERROR_STATE, "status %d: %s", status, s.small->error.message);
    cr_expect(ended, "no end");
    check_blocks(&s);
    stage_close(&s);
    return status == GPC_OK && ended;
}

typedef bool (*run_fn)(const any *a, stage_shape shape, uint64_t *random);

/* Run changed tables; count the runs that come to an end. */
static void run_tables(run_fn run_one, uint64_t random) {
    size_t builtin = 0, whole = 0;
    while (gpci_builtin_protocols[builtin])
        builtin++;
    const uint32_t tables = effort_of(TABLES);
    for (uint32_t i = 0; i < tables; i++) {
        any a;
        borrow(&a, gpci_builtin_protocols[draw(&random, (uint32_t)builtin)]);
        change(&a, &random);
        whole += run_one(&a, (stage_shape)(i % 3), &random);
    }
    cr_log_info("%zu of %u ran to their end, the others to a forbidden cell", whole, tables);
    cr_expect_gt(whole, tables / 10);
}

Test(coherence_any_table, what_passes_the_check_runs) {
    run_tables(run, 5);
}

Test(coherence_any_table, what_passes_the_check_overlaps) {
    run_tables(run_overlapping, 7);
}

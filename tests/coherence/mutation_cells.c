/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/mutation.h"

#include <stdio.h>
#include <string.h>

/* One changed cell, and the results of the trees. */

enum { PLACES = 4, ACTIONS = 12, TREES = 16 };

static const struct gate {
    const char *tree;
    uint32_t blocks, positions;
    uint32_t places; /* places whose rules can matter, a bit per place */
    bool light;      /* not only in thorough runs */
} gates[] = {
    {"2 over memory", 1, 2, 9, true},
    {"2 over memory of 1 entry", 2, 1, 9, true},
    {"2 over L2", 1, 1, 13, true},
    {"2 L2 of 1", 1, 1, 11, true},
    {"2 over L2", 1, 2, 13, true}, /* only of protocols without a directory */
    {"2 over L2 of 1 block", 2, 1, 13, false},
    {"3 over memory", 1, 1, 9, false},
    {"L2 of 2, L2 of 1", 1, 1, 11, false},
    {"2 L2 of 1, memory of 1", 2, 1, 11, false},
    {"2 L2 of 1, L3", 1, 1, 15, false},
    {"2 over a loose L2", 1, 1, 13, false},
    {"2 writing through to L2", 1, 1, 13, false},
    {"2 writing around to L2", 2, 1, 13, false},
};
enum { GATES = sizeof gates / sizeof *gates };

/* A copy of a protocol that can be changed. */
typedef struct copy {
    gpc_protocol protocol;
    gpc_protocol_rule tables[PLACES][GPC_MAX_STATES][GPC_EVENT_COUNT];
    uint32_t places; /* places with a table, a bit each */
} copy;

typedef struct gatekeeper {
    const explore_family *family;
    bool thorough;
    copy right;
    uint64_t prints[GATES]; /* prints of the correct table */
    char text[1600];
} gatekeeper;

static uint32_t rows_of(const copy *c, uint32_t place) {
    return place == PLACES - 1 ? GPC_LINE_COUNT : gpci_states_of(&c->protocol);
}

static void take_copy(copy *c, const gpc_protocol *p) {
    const gpc_protocol_rules *const tables[PLACES] = {p->first, p->between, p->shared, p->memory};
    const gpc_protocol_rules **const ours[PLACES] = {&c->protocol.first, &c->protocol.between, &c->protocol.shared,
                                                     &c->protocol.memory};
    c->protocol = *p;
    c->protocol.name = "changed";
    c->protocol.flags &= ~(uint32_t)(GPC_PROTOCOL_DROP_PROBE_DATA | GPC_PROTOCOL_STALE_REPLY | GPC_PROTOCOL_BARE_ACK);
    c->places = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        if (!tables[i])
            continue;
        memcpy(c->tables[i], *tables[i], rows_of(c, i) * sizeof c->tables[i][0]);
        *ours[i] = (const gpc_protocol_rules *)&c->tables[i];
        c->places |= 1u << i;
    }
}

static gpc_protocol_rule *cell_of(copy *c, mutation_cell cell) {
    return &c->tables[cell.place][cell.state][cell.event];
}

/* Two bytes in a tree of two levels are many states with coherent caches, and few without. */
static bool is_taken(const gatekeeper *k, const struct gate *gate) {
    const bool tracked = k->right.protocol.flags & GPC_PROTOCOL_DIRECTORY;
    const bool large = gate->positions > 1 && strcmp(gate->tree, "2 over memory") != 0;
    return (gate->light || k->thorough) && !(tracked && large);
}

/* A place without a separate table uses another's: `shared` uses `between`. */
static bool matters(const gatekeeper *k, const struct gate *gate, uint32_t place) {
    if (!is_taken(k, gate))
        return false;
    const bool lent = place == GPCI_PLACE_BETWEEN && !(k->right.places >> GPCI_PLACE_LAST & 1);
    return gate->places >> place & 1 || (lent && gate->places >> GPCI_PLACE_LAST & 1);
}

static bool explore_gate(const explore_family *family, gpc_context *context, const struct gate *gate,
                         explore_report *report) {
    /* Multi2Sim's overwrites n-stores of others in a block of two bytes. */
    const uint32_t positions = family == &explore_mended ? 1 : gate->positions;
    explore_setup setup = explore_setup_of(context, family, gpci_verify_tree_of(gate->tree), gate->blocks, positions);
    setup.protocol = "changed";
    setup.most = 60000;
    explore_run(&setup, report);
    return report->complete;
}

/* CAUGHT, EQUIVALENT or SURVIVED; REFUSED. */
static mutation_verdict judge(gatekeeper *k, copy *c, uint32_t place) {
    gpc_context *context = NULL;
    gpc_error error = GPC_ERROR_INIT;
    mutation_verdict verdict = MUTATION_EQUIVALENT;
    explore_report report;
    *k->text = '\0';
    if (gpc_context_create(NULL, &context, NULL))
        return MUTATION_SURVIVED;
    if (gpc_context_register_protocol(context, &c->protocol, &error)) {
        verdict = MUTATION_REFUSED;
        snprintf(k->text, sizeof k->text, "%s", error.message);
    }
    for (uint32_t i = 0; i < GATES && verdict != MUTATION_REFUSED && verdict != MUTATION_CAUGHT; i++) {
        if (!matters(k, &gates[i], place))
            continue;
        const bool passed = explore_gate(k->family, context, &gates[i], &report);
        if (!passed && !report.failed) {
            verdict = MUTATION_CAUGHT;
            snprintf(k->text, sizeof k->text, "%s", report.text);
        } else if (!passed || report.print != k->prints[i]) {
            verdict = MUTATION_SURVIVED;
            snprintf(k->text, sizeof k->text, "%s: %s", gates[i].tree,
                     passed ? "other states or messages" : report.text);
        }
    }
    gpc_context_destroy(context);
    return verdict;
}

static bool take_prints(gatekeeper *k) {
    gpc_context *context = NULL;
    explore_report report;
    bool sound = gpc_context_create(NULL, &context, NULL) == GPC_OK;
    sound = sound && gpc_context_register_protocol(context, &k->right.protocol, NULL) == GPC_OK;
    for (uint32_t i = 0; i < GATES && sound; i++) {
        if (!is_taken(k, &gates[i]))
            continue;
        sound = explore_gate(k->family, context, &gates[i], &report);
        k->prints[i] = report.print;
    }
    gpc_context_destroy(context);
    return sound;
}

/* -- the changes to a cell */

/* The `index`th; false: no such change. */
static bool change_rule(const gpc_protocol_rule *was, uint32_t index, uint32_t states, gpc_protocol_rule *rule) {
    *rule = *was;
    if (index < states) {
        rule->next = (uint8_t)index;
        return rule->next != was->next;
    }
    index -= states;
    if (index < states) {
        rule->next_shared = (uint8_t)index;
        return rule->next_shared != was->next_shared && was->actions & GPC_DO_READ_REQUEST;
    }
    index -= states;
    const uint16_t old = (uint16_t)(1u << index / (ACTIONS + 1));
    const uint32_t with = index % (ACTIONS + 1);
    rule->actions = (uint16_t)(was->actions & ~old);
    rule->actions = (uint16_t)(rule->actions | (with < ACTIONS ? 1u << with : 0));
    return was->actions & old && rule->actions != was->actions && !(with < ACTIONS && was->actions >> with & 1);
}

typedef struct tour {
    gatekeeper *k;
    mutation_tally *tally;
    uint32_t stride, next;
    mutation_listener listener;
    void *data;
} tour;

static void change_cell(tour *t, mutation_cell cell) {
    gpc_protocol_rule *rule = cell_of(&t->k->right, cell);
    mutation_change change = {.cell = cell, .was = *rule};
    const uint32_t states = gpci_states_of(&t->k->right.protocol);
    int reached = -1;
    for (uint32_t i = 0; i < 2 * states + ACTIONS * (ACTIONS + 1); i++) {
        if (!change_rule(&change.was, i, states, &change.rule) || t->next++ % t->stride)
            continue;
        if (reached < 0) {
            *rule = (gpc_protocol_rule){GPC_DO_FORBID, GPC_LINE_I, GPC_LINE_I};
            const mutation_verdict verdict = judge(t->k, &t->k->right, cell.place);
            reached = verdict != MUTATION_EQUIVALENT;
        }
        *rule = change.rule;
        const mutation_verdict verdict = reached ? judge(t->k, &t->k->right, cell.place) : MUTATION_UNREACHED;
        *rule = change.was;
        t->tally->count[verdict]++;
        if (t->listener)
            t->listener(t->data, &change, verdict, reached ? t->k->text : "");
    }
    *rule = change.was;
}

mutation_tally mutation_run(const explore_family *family, uint32_t stride, bool thorough, mutation_listener listener,
                            void *data) {
    static gatekeeper keeper; /* tables are large; a run at a time */
    mutation_tally tally = {{0}, 0};
    gpc_context *context = NULL;
    if (gpc_context_create(NULL, &context, NULL))
        return tally;
    keeper.family = family;
    keeper.thorough = thorough;
    take_copy(&keeper.right, gpc_protocol_find(context, family->protocol));
    const bool sound = take_prints(&keeper);
    tour t = {&keeper, &tally, stride, 0, listener, data};
    for (uint8_t place = 0; sound && place < PLACES; place++)
        for (uint8_t state = 0; state < rows_of(&keeper.right, place); state++)
            for (uint8_t event = 0; event < GPC_EVENT_COUNT; event++) {
                const mutation_cell cell = {place, state, event};
                const uint16_t actions = cell_of(&keeper.right, cell)->actions;
                if (!(keeper.right.places >> place & 1) || !actions)
                    continue;
                if (actions & GPC_DO_FORBID)
                    tally.forbidden++;
                else
                    change_cell(&t, cell);
            }
    gpc_context_destroy(context);
    return tally;
}

size_t mutation_text(const mutation_change *change, char *text, size_t size) {
    static const char *const places[PLACES] = {"first", "between", "shared", "memory"};
    const gpc_protocol_rule *a = &change->was, *b = &change->rule;
    const int length = snprintf(
        text, size, "%s %c %s: 0x%x %c %c instead of 0x%x %c %c", places[change->cell.place],
        "NMOESIF"[change->cell.state], gpc_coherence_event_name((gpc_coherence_event)change->cell.event), b -> actions,
        "NMOESIF"[b->next], "NMOESIF"[b->next_shared], a -> actions, "NMOESIF"[a->next], "NMOESIF"[a->next_shared]);
    return length < 0 ? 0 : (size_t)length;
}

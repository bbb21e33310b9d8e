/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/protocol_registry.h"

#include <string.h>

/*
 * Check that a protocol's table is complete and consistent. Not every cell needs a rule: a protocol without O leaves
 * the row empty. The reachable states are the states that rules lead to, directly or not, from I. In each reachable
 * state every event possible at the place must have a rule. No rule, reachable or not, may contradict itself.
 *
 * Example: in a first level, a load of I leads to E and S, and a store of E leads to M. The rows I, E, S, M must be
 * full, and O may be empty. Add a read request that leads from M to O, and O's row must be full too.
 */

typedef const gpc_protocol_rule (*rows)[GPC_EVENT_COUNT];
enum { PLACES = 4 };

/* Table of a protocol for one place in a tree of caches: "first", "between", "shared" or "memory". */
typedef struct place {
    const gpc_protocol *protocol;
    const char *name;
    rows rules;
    const gpc_protocol_rule *more;    /* [state][event_count]: rules of the protocol's own events; NULL = no rules */
    const gpc_protocol_raise *raises; /* [state][GPC_EVENT_COUNT + event_count]: events raised by the cells; or NULL */
    uint32_t events;                  /* bit mask of the standard events that are possible at this place */
    bool first, memory;
    gpc_error *error;
} place;

/* Cell under check. */
typedef struct cell {
    const place *where;
    uint32_t state, event, like; /* like: the standard event that `event` is, or is like (gpci_like) */
    const gpc_protocol_rule *rule;
} cell;

#define BIT(event) (1u << GPC_EVENT_##event)
#define PROCESSOR (BIT(LOAD) | BIT(STORE) | BIT(N_STORE) | BIT(PASSING_LOAD) | BIT(PASSING_STORE) | BIT(THROUGH_STORE))
#define PROBES (BIT(READ_PROBE) | BIT(WRITE_PROBE))
#define DATA_EVENTS (BIT(DATA_ABOVE) | BIT(N_DATA_ABOVE))
#define FROM_ABOVE (BIT(READ_ABOVE) | BIT(WRITE_ABOVE) | DATA_EVENTS)
#define ANSWERS (BIT(PROBE_DATA) | BIT(INVALIDATE_DATA))
#define REQUESTS (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST)
#define TO_LOW                                                                                                       \
    (REQUESTS | GPC_DO_WRITE_BACK | GPC_DO_NOTIFY | GPC_DO_CLEAR_OWNER | GPC_DO_EVICT_FIRST | GPC_DO_WRITE_THROUGH | \
     GPC_DO_PASS)

static uint32_t events_of(const gpc_protocol *protocol, const place *where) {
    bool directory = protocol->flags & GPC_PROTOCOL_DIRECTORY;
    bool told = protocol->flags & GPC_PROTOCOL_INVALIDATES && !where->first;
    uint32_t events = BIT(EVICTION);
    if (where->first) {
        events |= BIT(LOAD) | BIT(STORE) | BIT(N_STORE);
    } else {
        events |= FROM_ABOVE;
        if (directory)
            events |= ANSWERS;
        if (protocol->flags & GPC_PROTOCOL_DROP_PROBE_DATA)
            events &= ~BIT(PROBE_DATA);
    }
    if (where->memory)
        return events;
    events |= BIT(ACQUIRE);
    if (directory)
        events |= PROBES;
    if (told)
        events |= BIT(WRITE_PROBE);
    if (protocol->pass_loads[!where->first])
        events |= BIT(PASSING_LOAD);
    if (protocol->pass_stores[!where->first])
        events |= BIT(PASSING_STORE);
    if (protocol->through_stores && where->first)
        events |= BIT(THROUGH_STORE);
    return events;
}

/* Refuse the protocol for a cell: "first, S, Load: why". */
static gpc_status refuse(const cell *entry, const char *why) {
    const gpc_protocol *protocol = entry->where->protocol;
    return gpci_fail(entry->where->error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': %s, %s, %s: %s", protocol->name,
                     entry->where->name, gpci_name_of_state(protocol, entry->state).text,
                     gpci_name_of_event(protocol, entry->event).text, why);
}

/* Number of rows of the table: a row per state. */
static uint32_t states_of(const place *where) {
    return where->memory ? GPC_LINE_COUNT : gpci_states_of(where->protocol);
}

static cell cell_of(const place *where, uint32_t state, uint32_t event) {
    static const gpc_protocol_rule none;
    cell entry = {
        .where = where, .state = state, .event = event, .like = gpci_like(where->protocol, event), .rule = &none};
    if (event < GPC_EVENT_COUNT)
        entry.rule = &where->rules[state][event];
    else if (where->more)
        entry.rule = &where->more[state * where->protocol->event_count + event - GPC_EVENT_COUNT];
    return entry;
}

static bool can_happen(const cell *entry) {
    return entry->where->events >> entry->like & 1;
}

static bool is_detached(const place *where, uint32_t state) {
    return state >= GPC_LINE_COUNT && state < gpci_states_of(where->protocol) &&
           where->protocol->states[state - GPC_LINE_COUNT].means & GPC_MEANS_DETACHED;
}

static bool bad_state(const place *where, uint32_t state) {
    return where->memory ? state != GPC_LINE_I && state != GPC_LINE_E && state != GPC_LINE_M
                         : state >= states_of(where);
}

static bool is_clean(const cell *entry) {
    if (entry->state >= GPC_LINE_COUNT)
        return !(entry->where->protocol->states[entry->state - GPC_LINE_COUNT].means & GPC_MEANS_MODIFIED);
    return entry->state == GPC_LINE_E || entry->state == GPC_LINE_S || entry->state == GPC_LINE_I;
}

/* Fault of a cell, of the kind that does not depend on the event; NULL = correct. */
static const char *malformed(const cell *entry) {
    uint32_t actions = entry->rule->actions, alone = actions & (GPC_DO_IGNORE | GPC_DO_FORBID);
    if (actions >> 12)
        return "unknown action";
    if (bad_state(entry->where, entry->rule->next) || bad_state(entry->where, entry->rule->next_shared))
        return entry->where->memory ? "the next state is none of E, M, I" : "the next state is none";
    if (alone && actions & (actions - 1))
        return "IGNORE and FORBID stand alone";
    if (alone == GPC_DO_IGNORE && (entry->rule->next != entry->state || entry->rule->next_shared != entry->state))
        return "IGNORE leaves the state";
    if (actions & GPC_DO_HIT && actions & (REQUESTS | GPC_DO_PASS | GPC_DO_EVICT_FIRST))
        return "HIT asks for nothing";
    if ((actions & REQUESTS) == REQUESTS)
        return "READ_REQUEST and WRITE_REQUEST exclude each other";
    if (entry->where->memory && actions & TO_LOW)
        return "memory has no low module";
    return NULL;
}

/*
 * Fault of a cell for an access or a request from above: the access must get its data, and the data must stay in some
 * cache. NULL = correct.
 */
static const char *unanswered(const cell *entry) {
    uint32_t actions = entry->rule->actions;
    bool stays_out = entry->rule->next == GPC_LINE_I || entry->rule->next_shared == GPC_LINE_I;
    if (!(actions & (GPC_DO_HIT | REQUESTS | GPC_DO_PASS)))
        return "the access gets no answer";
    if (actions & GPC_DO_PASS)
        return entry->rule->next == GPC_LINE_I ? NULL : "PASS keeps no copy: the next state must be I";
    if (entry->state == GPC_LINE_I && actions & GPC_DO_HIT)
        return "HIT, and there is nothing";
    return stays_out ? "the block is lost: the next state is I" : NULL;
}

#define ANY_STORE                                                                                                 \
    (GPC_DO_HIT | REQUESTS | GPC_DO_WRITE_BACK | GPC_DO_CLEAR_OWNER | GPC_DO_EVICT_FIRST | GPC_DO_WRITE_THROUGH | \
     GPC_DO_PASS)
#define ANY_LOAD (GPC_DO_HIT | GPC_DO_READ_REQUEST | GPC_DO_WRITE_BACK | GPC_DO_PASS)
#define ANY_DATA (GPC_DO_HIT | GPC_DO_IGNORE | GPC_DO_READ_REQUEST | GPC_DO_WRITE_THROUGH | GPC_DO_PASS)

/* [event]: the actions that have a meaning upon the event. */
static const uint16_t meant[GPC_EVENT_COUNT] = {
    [GPC_EVENT_LOAD] = ANY_LOAD,
    [GPC_EVENT_PASSING_LOAD] = ANY_LOAD,
    [GPC_EVENT_STORE] = ANY_STORE,
    [GPC_EVENT_N_STORE] = ANY_STORE,
    [GPC_EVENT_PASSING_STORE] = ANY_STORE,
    [GPC_EVENT_THROUGH_STORE] = ANY_STORE,
    [GPC_EVENT_EVICTION] = GPC_DO_HIT | GPC_DO_IGNORE | GPC_DO_WRITE_BACK | GPC_DO_NOTIFY,
    [GPC_EVENT_READ_PROBE] = GPC_DO_HIT | GPC_DO_IGNORE | GPC_DO_SEND_DATA | GPC_DO_WRITE_BACK,
    [GPC_EVENT_WRITE_PROBE] = GPC_DO_HIT | GPC_DO_IGNORE | GPC_DO_SEND_DATA,
    [GPC_EVENT_READ_ABOVE] = GPC_DO_HIT | GPC_DO_READ_REQUEST,
    [GPC_EVENT_WRITE_ABOVE] = GPC_DO_HIT | GPC_DO_WRITE_REQUEST,
    [GPC_EVENT_DATA_ABOVE] = ANY_DATA,
    [GPC_EVENT_N_DATA_ABOVE] = ANY_DATA,
    [GPC_EVENT_PROBE_DATA] = GPC_DO_HIT | GPC_DO_IGNORE,
    [GPC_EVENT_INVALIDATE_DATA] = GPC_DO_HIT | GPC_DO_IGNORE,
    [GPC_EVENT_ACQUIRE] = GPC_DO_HIT | GPC_DO_IGNORE | GPC_DO_WRITE_BACK,
};

static const char *meaningless(const cell *entry) {
    uint32_t actions = entry->rule->actions;
    /* an event of the protocol itself that is like Load may be a load before a store, and request the right to write */
    const bool own_load = entry->event >= GPC_EVENT_COUNT && entry->like == GPC_EVENT_LOAD;
    if (actions & ~(uint32_t)meant[entry->like] & ~(own_load ? (uint32_t)GPC_DO_WRITE_REQUEST : 0))
        return "an action that means nothing upon this event";
    if (actions & GPC_DO_WRITE_BACK && is_clean(entry))
        return "WRITE_BACK, and nothing is modified";
    if (actions & GPC_DO_WRITE_BACK && entry->like == GPC_EVENT_READ_PROBE && !(actions & GPC_DO_SEND_DATA))
        return "WRITE_BACK upon a probe goes with SEND_DATA";
    if (actions & GPC_DO_WRITE_BACK && meant[entry->like] & GPC_DO_PASS && !(actions & GPC_DO_PASS))
        return "WRITE_BACK of an access goes before PASS";
    return NULL;
}

/*
 * Fault of a cell that loses data, or forgets copies; NULL = correct. While modules above have copies not invalidated
 * by the event, a module with a directory may not drop the block. Data from above must be kept or sent on.
 */
static const char *lost(const cell *entry) {
    uint32_t actions = entry->rule->actions, event = 1u << entry->like;
    bool goes = entry->state != GPC_LINE_I && entry->rule->next == GPC_LINE_I;
    bool has_directory =
        entry->where->protocol->flags & (GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_INVALIDATES) && !entry->where->first;
    if (event & (BIT(READ_PROBE) | DATA_EVENTS | ANSWERS) && goes)
        return "the block is lost: the next state is I";
    if (event & (BIT(ACQUIRE) | PROCESSOR) && goes && has_directory)
        return "modules above would keep their copies";
    if (event & DATA_EVENTS && entry->state == GPC_LINE_I && actions & (GPC_DO_HIT | GPC_DO_WRITE_THROUGH))
        return "there is no block to write";
    if (event & DATA_EVENTS && entry->state != GPC_LINE_I && actions & (GPC_DO_READ_REQUEST | GPC_DO_PASS))
        return "there is a block to write";
    return NULL;
}

/*
 * Fault of a cell with a detached copy, which is a copy unknown to the low module; NULL = correct. The low module
 * cannot learn of a modification: the copy must not be modified or sent on. Only the protocol's own write probes lead
 * to a detached copy.
 */
static const char *detached(const cell *entry) {
    const uint32_t actions = entry->rule->actions, event = 1u << entry->like, to_low = TO_LOW & ~(uint32_t)GPC_DO_PASS;
    const bool is = is_detached(entry->where, entry->state), next = is_detached(entry->where, entry->rule->next);
    if (next && !entry->where->first)
        return "only the first level keeps detached copies";
    if (is_detached(entry->where, entry->rule->next_shared) != next)
        return "a copy is detached, or not, whether or not others have copies";
    if (next && !is &&
        !(entry->like == GPC_EVENT_WRITE_PROBE && entry->event >= GPC_EVENT_COUNT && entry->state != GPC_LINE_I))
        return "the next state is detached: only an event of the protocol's own that is like WRITE_PROBE leads there";
    if (!is)
        return NULL;
    if (actions & GPC_DO_SEND_DATA)
        return "SEND_DATA, and the copy is detached";
    if (actions & to_low && !(actions & GPC_DO_EVICT_FIRST))
        return "the low module does not know of a detached copy: EVICT_FIRST";
    if (actions & (GPC_DO_HIT | GPC_DO_IGNORE) && (event & (PROCESSOR & ~(BIT(LOAD) | BIT(PASSING_LOAD)))))
        return "a detached copy is not modified";
    if (actions & (GPC_DO_HIT | GPC_DO_IGNORE) && !next && entry->rule->next != GPC_LINE_I)
        return "a detached copy that nobody asks for stays so, or goes";
    return NULL;
}

/* True if a cell may raise `event`: 0 (none), or an event of the protocol itself that is like an event of `likes`. */
static bool may_raise(const cell *entry, uint32_t event, uint32_t likes) {
    const gpc_protocol *protocol = entry->where->protocol;
    return !event ||
           (event >= GPC_EVENT_COUNT && event < gpci_events_of(protocol) && likes >> gpci_like(protocol, event) & 1);
}

static const char *raises_wrongly(const cell *entry) {
    const gpc_protocol_raise *raise =
        &entry->where->raises[entry->state * gpci_events_of(entry->where->protocol) + entry->event];
    const uint32_t actions = entry->rule->actions, event = 1u << entry->like;
    const uint32_t below = (actions & GPC_DO_READ_REQUEST ? BIT(READ_ABOVE) : 0) |
                           (actions & GPC_DO_WRITE_REQUEST ? BIT(WRITE_ABOVE) : 0) |
                           (actions & (GPC_DO_WRITE_BACK | GPC_DO_WRITE_THROUGH) ? DATA_EVENTS : 0) |
                           (event & DATA_EVENTS && actions & GPC_DO_PASS ? DATA_EVENTS : 0);
    const uint32_t above = event & (BIT(READ_ABOVE) | BIT(READ_PROBE))                     ? BIT(READ_PROBE)
                           : event & (BIT(WRITE_ABOVE) | BIT(WRITE_PROBE) | BIT(EVICTION)) ? BIT(WRITE_PROBE)
                                                                                           : 0;
    if (!may_raise(entry, raise->below, below))
        return "what it raises below is no event of the protocol's own that is like what happens there";
    if (!may_raise(entry, raise->above, entry->where->first ? 0 : above))
        return "what it raises above is no event of the protocol's own that is like what happens there";
    return NULL;
}

static const char *contradiction(const cell *entry) {
    uint32_t actions = entry->rule->actions, event = 1u << entry->like;
    const char *why = malformed(entry);
    if (!why && entry->where->raises)
        why = raises_wrongly(entry);
    if (why || actions & GPC_DO_FORBID)
        return why;
    why = meaningless(entry);
    if (!why)
        why = detached(entry);
    if (!why && event & (PROCESSOR | BIT(READ_ABOVE) | BIT(WRITE_ABOVE)))
        why = unanswered(entry);
    if (!why)
        why = lost(entry);
    if (!why && event & (BIT(EVICTION) | BIT(WRITE_PROBE)) && entry->rule->next != GPC_LINE_I &&
        !(event & BIT(WRITE_PROBE) && is_detached(entry->where, entry->rule->next)))
        why = "the block is to go: the next state must be I";
    if (!why && event & PROBES && actions & GPC_DO_SEND_DATA && entry->state == GPC_LINE_I)
        why = "SEND_DATA, and there are none";
    return why;
}

/* Bit mask of the states reachable from I. */
static uint64_t reachable(const place *where) {
    /* in memory a lookup takes a block from I to E before any event */
    uint64_t reached = (uint64_t)1 << (where->memory ? GPC_LINE_E : GPC_LINE_I), before;
    do {
        before = reached;
        for (uint32_t at = 0; at < states_of(where) * gpci_events_of(where->protocol); at++) {
            const cell entry =
                cell_of(where, at / gpci_events_of(where->protocol), at % gpci_events_of(where->protocol));
            const gpc_protocol_rule *rule = entry.rule;
            if (!(before >> entry.state & 1 && can_happen(&entry)) || !rule->actions || rule->actions & GPC_DO_FORBID)
                continue;
            reached |= (uint64_t)1 << rule->next;
            if (rule->actions & GPC_DO_READ_REQUEST)
                reached |= (uint64_t)1 << rule->next_shared;
        }
        if (where->memory)
            reached &= ~((uint64_t)1 << GPC_LINE_I);
    } while (reached != before);
    return reached;
}

static gpc_status check_place(const place *where) {
    const uint32_t events = gpci_events_of(where->protocol);
    for (uint32_t at = 0; at < states_of(where) * events; at++) {
        const cell entry = cell_of(where, at / events, at % events);
        const char *why = entry.rule->actions ? contradiction(&entry) : NULL;
        if (why)
            return refuse(&entry, why);
    }
    const uint64_t states = reachable(where);
    for (uint32_t at = 0; at < states_of(where) * events; at++) {
        const cell entry = cell_of(where, at / events, at % events);
        if (states >> entry.state & 1 && can_happen(&entry) && !entry.rule->actions)
            return refuse(&entry, "no rule");
    }
    return GPC_OK;
}

static gpc_status check_head(const gpc_protocol *protocol, gpc_error *error) {
    const uint32_t flags = (GPC_PROTOCOL_INVALIDATES << 1) - 1, bits = GPC_ACCESS_GLC | GPC_ACCESS_SLC;
    const char *name = protocol->name, *letters = protocol->letters;
    if (!name || !*name || strlen(name) > 63 || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol.name must be 1 to 63 characters of a-z, 0-9 and '-'");
    if (!protocol->first || !protocol->memory)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': %s is NULL", name,
                         protocol->first ? "memory" : "first");
    if (protocol->flags & ~flags)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': flags has unknown bits 0x%x", name,
                         (unsigned)(protocol->flags & ~flags));
    uint32_t steering = protocol->pass_loads[0] | protocol->pass_loads[1] | protocol->pass_stores[0] |
                        protocol->pass_stores[1] | protocol->through_stores;
    if (steering & ~bits)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': unknown bits 0x%x of an access", name,
                         (unsigned)(steering & ~bits));
    if (protocol->flags & GPC_PROTOCOL_INVALIDATES && protocol->flags & GPC_PROTOCOL_DIRECTORY)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': INVALIDATES goes without DIRECTORY", name);
    if (letters &&
        (strlen(letters) != GPC_LINE_COUNT || strspn(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != GPC_LINE_COUNT))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_protocol '%s': letters must be %u of A to Z", name,
                         (unsigned)GPC_LINE_COUNT);
    return GPC_OK;
}

/* True if the name has valid characters, and no earlier state has the name. */
static bool is_new_name(const gpc_protocol *protocol, uint32_t state, const char *name) {
    const char *alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (!name || !*name || strlen(name) > 15 || name[strspn(name, alphabet)])
        return false;
    for (uint32_t i = 0; i < state; i++)
        if (strcmp(gpci_name_of_state(protocol, i).text, name) == 0)
            return false;
    return true;
}

static gpc_status check_states(const gpc_protocol *protocol, gpc_error *error) {
    static const uint32_t kinds[] = {GPC_MEANS_N, GPC_MEANS_M, GPC_MEANS_O,       GPC_MEANS_E,
                                     GPC_MEANS_S, GPC_MEANS_F, GPC_MEANS_DETACHED};
    const uint32_t most = GPC_MAX_STATES - GPC_LINE_COUNT;
    if (protocol->state_count > most || (protocol->state_count && !protocol->states))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_protocol '%s': state_count is %u, states is %s; at most %u may be", protocol->name,
                         (unsigned)protocol->state_count, protocol->states ? "given" : "NULL", most);
    for (uint32_t i = 0; i < protocol->state_count; i++) {
        const gpc_protocol_state *state = &protocol->states[i];
        if (!is_new_name(protocol, GPC_LINE_COUNT + i, state->name))
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "gpc_protocol '%s': states[%u].name must be 1 to 15 characters of a-z, A-Z, 0-9, _ and -, "
                             "and no other state's",
                             protocol->name, (unsigned)i);
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            known |= state->means == kinds[k];
        if (!known || state->reserved)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "gpc_protocol '%s': state %s means 0x%x: ONLY goes with OWNER, MODIFIED with OWNER or "
                             "NON_COHERENT alone, DETACHED with nothing",
                             protocol->name, state->name, (unsigned)state->means);
    }
    return GPC_OK;
}

static gpc_status check_events(const gpc_protocol *protocol, gpc_error *error) {
    const uint32_t likes = BIT(LOAD) | BIT(STORE) | BIT(N_STORE) | PROBES | FROM_ABOVE;
    const uint32_t most = GPC_MAX_EVENTS - GPC_EVENT_COUNT;
    if (protocol->event_count > most || (protocol->event_count && !protocol->events))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_protocol '%s': event_count is %u, events is %s; at most %u may be", protocol->name,
                         (unsigned)protocol->event_count, protocol->events ? "given" : "NULL", most);
    for (uint32_t i = 0; i < protocol->event_count; i++) {
        const gpc_protocol_event *event = &protocol->events[i];
        bool good = event->name && *event->name && strlen(event->name) <= 15 &&
                    !event->name[strspn(event->name, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
        for (uint32_t k = 0; good && k < i; k++)
            good = strcmp(protocol->events[k].name, event->name) != 0;
        if (!good)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "gpc_protocol '%s': events[%u].name must be 1 to 15 characters of a-z, 0-9, _ and -, and "
                             "no other event's",
                             protocol->name, (unsigned)i);
        if (event->like >= GPC_EVENT_COUNT || !(likes >> event->like & 1) || event->reserved)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "gpc_protocol '%s': event %s is like %u, which is no access, request, probe or write-back",
                             protocol->name, event->name, (unsigned)event->like);
    }
    return GPC_OK;
}

gpc_status gpci_protocol_check(const gpc_protocol *protocol, gpc_error *error) {
    gpc_status status = check_head(protocol, error);
    if (status == GPC_OK)
        status = check_states(protocol, error);
    if (status == GPC_OK)
        status = check_events(protocol, error);
    const gpc_protocol_rules *const tables[] = {protocol->first, protocol->between, protocol->shared, protocol->memory};
    static const char *const names[PLACES] = {"first", "between", "shared", "memory"};
    for (size_t i = 0; status == GPC_OK && i < PLACES; i++) {
        if (!tables[i])
            continue;
        const bool named = protocol->event_count != 0;
        place where = {.protocol = protocol,
                       .name = names[i],
                       .rules = *tables[i],
                       .more = named ? protocol->event_rules[i] : NULL,
                       .raises = named ? protocol->raises[i] : NULL,
                       .first = i == 0,
                       .memory = i == PLACES - 1,
                       .error = error};
        where.events = events_of(protocol, &where);
        status = check_place(&where);
    }
    return status;
}

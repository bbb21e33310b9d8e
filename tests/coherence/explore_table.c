/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"
#include "coherence/module/tree.h"

#include <stdio.h>
#include <string.h>

/*
 * seeds/002 section 2.2.3 again, independent of the library's tables: effects of an access on the first-level caches
 * that meet in one module, and the sender of data. So coherent deviations from the protocol (an unnecessary request of
 * a store, a clean block written back, S instead of E) do not go unseen. A protocol's name gives the states, the only
 * difference between these five.
 */

typedef struct traits {
    bool e, o, n;
} traits;

static traits traits_of(const char *letters) {
    return (traits){strchr(letters, 'E'), strchr(letters, 'O'), strchr(letters, 'N')};
}

static bool said(char *text, size_t size, const gpci_verify_action *a, uint32_t module, const char *what) {
    snprintf(text, size, "table: %s, in m%u, by an access of m%u", what, module, a->module);
    return false;
}

static bool is_any(uint8_t state, const char *states) {
    return strchr(states, "NMOESI"[state]);
}

/* True without a request to other modules. */
static bool hits(uint8_t state, uint8_t kind) {
    return kind == GPCI_VERIFY_STORE ? is_any(state, "ME") : is_any(state, "NMOES");
}

/* State of the accessing cache afterwards, without and with other copies. */
static uint8_t own_next(traits t, uint8_t state, uint8_t kind, bool alone) {
    if (kind == GPCI_VERIFY_STORE)
        return GPC_LINE_M;
    if (kind == GPCI_VERIFY_N_STORE)
        return is_any(state, "MO") ? state : GPC_LINE_N;
    if (state != GPC_LINE_I)
        return state;
    return t.e && alone ? GPC_LINE_E : GPC_LINE_S;
}

static uint8_t other_next(traits t, uint8_t state, uint8_t kind, bool hit) {
    if (hit || state == GPC_LINE_I)
        return state;
    if (kind == GPCI_VERIFY_STORE)
        return GPC_LINE_I;
    if (state == GPC_LINE_M)
        return t.o ? GPC_LINE_O : GPC_LINE_S;
    return state == GPC_LINE_E ? GPC_LINE_S : state;
}

/* True if the directory below knows of no other sharer. It still counts caches that dropped copies in silence. */
static bool thought_alone(const gpci_explorer *e, uint32_t module, uint32_t b) {
    const gpci_module *low = &e->coherence->modules[e->low[module][b]];
    const uint64_t address = gpci_verify_address(b, 0);
    const uint32_t block = gpci_module_find(low, gpci_module_tag_of(low, address));
    const uint64_t me = (uint64_t)1 << low->slots[module];
    return block != GPCI_TREE_NO_BLOCK && gpci_sharers_word(low, block, gpci_module_sub_of(low, address), 0) == me;
}

static bool states_are_right(const gpci_explorer *e, traits t, const gpci_verify_action *a, uint8_t kind,
                             const gpci_verify_picture *before, const gpci_verify_picture *after, char *text,
                             size_t size) {
    const uint8_t mine = before->state[a->module][a->block];
    const bool hit = hits(mine, kind);
    bool alone = true;
    for (uint32_t i = 0; i < e->setup->tree.caches; i++) {
        const uint8_t was = before->state[i][a->block], is = after->state[i][a->block];
        if (i == a->module)
            continue;
        alone &= was == GPC_LINE_I;
        if (is != other_next(t, was, kind, hit))
            return said(text, size, a, i, "another cache's state");
    }
    const uint8_t is = after->state[a->module][a->block];
    if (is == own_next(t, mine, kind, alone))
        return true;
    if (mine == GPC_LINE_I && kind == GPCI_VERIFY_LOAD && alone && is == GPC_LINE_S)
        return true; /* checked by fetch_is_right */
    return said(text, size, a, a->module, "its own state");
}

/* Messages of a kind from a module about the block, with bytes. */
static uint32_t count(const gpc_coherence_result *r, uint32_t kind, uint32_t from, uint32_t to, uint64_t address) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        n += m->kind == kind && m->from == from && (to == GPC_NO_MODULE || m->to == to) && m->address == address;
    }
    return n;
}

/* Block number of an address; addresses of messages and transitions may be of larger blocks. */
static uint32_t block_of(const gpci_explorer *e, const gpci_verify_action *a, uint64_t address, uint32_t module) {
    const gpci_module *m = &e->coherence->modules[module];
    return gpci_module_tag_of(m, gpci_verify_address(a->block, 0)) == gpci_module_tag_of(m, address) ? a->block
                                                                                                     : 1u - a->block;
}

/* Another module above X's low module. */
static bool is_beside(const gpci_explorer *e, uint32_t module, uint32_t x, uint32_t b) {
    return module != x && e->low[module][b] != GPC_NO_MODULE && e->low[module][b] == e->low[x][b];
}

/* True if another module above X's low module has a copy in a given state. */
static bool peers_have(const gpci_explorer *e, uint32_t x, uint32_t b, const gpci_verify_picture *before,
                       const char *states) {
    for (uint32_t i = 0; i < e->coherence->module_count; i++)
        if (is_beside(e, i, x, b) && is_any(before->state[i][b], states))
            return true;
    return false;
}

/* True if the last of the modules beside X is in S: asked if the block has no owner. */
static bool last_peer_shares(const gpci_explorer *e, uint32_t x, uint32_t b, const gpci_verify_picture *before) {
    uint32_t last = x;
    for (uint32_t i = 0; i < e->coherence->module_count; i++)
        last = is_beside(e, i, x, b) ? i : last;
    return last != x && before->state[last][b] == GPC_LINE_S;
}

/* Blocks sent to X by peers. */
static uint32_t sent_by_peers(const gpci_explorer *e, uint32_t x, uint32_t b, const gpc_coherence_result *r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        n += m->kind == GPC_MESSAGE_DATA && m->to == x && is_beside(e, m->from, x, b);
    }
    return n;
}

/*
 * True if X, a non-inclusive cache, sends two requests, first reading the data of a block with only a directory entry.
 * Data sent to it are then for either.
 */
static bool promotes(const gpci_explorer *e, uint32_t x, uint32_t b, const gpc_coherence_result *r) {
    const uint64_t address = gpci_verify_address(b, 0);
    return e->setup->tree.non_inclusive && x >= e->setup->tree.caches &&
           count(r, GPC_MESSAGE_READ_REQUEST, x, e->low[x][b], address) &&
           count(r, GPC_MESSAGE_WRITE_REQUEST, x, e->low[x][b], address);
}

/*
 * "Send Data": a read request is answered by a module beside the requester in M, O or E; without O, by the last of the
 * modules in S (Table 2.1, steps 8 and 9). A write request is answered by a module in M, O or E. And without O, a
 * module in M also writes back (Tables 2.1 and 2.2, steps 6 and 7).
 */
static bool senders_are_right(const gpci_explorer *e, traits t, const gpci_verify_action *a,
                              const gpci_verify_picture *before, const gpc_coherence_result *r, char *text,
                              size_t size) {
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        const bool read = m->kind == GPC_MESSAGE_READ_REQUEST;
        if (!read && m->kind != GPC_MESSAGE_WRITE_REQUEST)
            continue;
        const uint32_t b = block_of(e, a, m->address, m->from);
        const bool has = before->state[m->from][b] != GPC_LINE_I;
        if (read ? has : is_any(before->state[m->from][b], "ME"))
            return said(text, size, a, m->from, "a request for what it has");
        const uint32_t sent = sent_by_peers(e, m->from, b, r);
        if (promotes(e, m->from, b, r))
            continue;
        const bool owned = peers_have(e, m->from, b, before, "MOE");
        const bool must = !has && (owned || (read && !t.o && last_peer_shares(e, m->from, b, before)));
        /* A lower cache in S takes N data from above before answering. */
        const bool below = t.n && m->from >= e->setup->tree.caches;
        const bool may = peers_have(e, m->from, b, before, below ? "NMOES" : !read ? "NMOE" : t.o ? "MOE" : "MOES");
        if ((must && sent == 0) || (read && sent > 1) || (sent && !may))
            return said(text, size, a, m->from, "who sends the data");
    }
    for (uint32_t x = 0; x < e->coherence->module_count; x++) {
        const uint32_t b = a->block;
        const bool probed = count(r, GPC_MESSAGE_READ_PROBE, e->low[x][b], x, gpci_verify_address(b, 0)) != 0;
        const uint32_t back = count(r, GPC_MESSAGE_WRITE_BACK, x, e->low[x][b], gpci_verify_address(b, 0)) +
                              count(r, GPC_MESSAGE_DATA, x, e->low[x][b], gpci_verify_address(b, 0));
        if (probed && before->state[x][b] == GPC_LINE_M && !t.o && back != 1)
            return said(text, size, a, x, "write-back upon a read request");
    }
    return true;
}

/* A hit sends no request; a miss asks the low module once, for the right kind; an eviction writes back if necessary. */
static bool requests_are_right(const gpci_explorer *e, const gpci_verify_action *a, uint8_t kind,
                               const gpci_verify_picture *before, const gpc_coherence_result *r, char *text,
                               size_t size) {
    const uint8_t mine = before->state[a->module][a->block];
    const uint64_t address = gpci_verify_address(a->block, 0);
    const bool hit = hits(mine, kind);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < r->message_count; i++)
        bytes += r->messages[i].bytes;
    if (hit && bytes)
        return said(text, size, a, a->module, "a hit that sends messages");
    if (r->hit != hit)
        return said(text, size, a, a->module, "what is called a hit");
    const uint32_t asked = kind == GPCI_VERIFY_STORE ? GPC_MESSAGE_WRITE_REQUEST : GPC_MESSAGE_READ_REQUEST;
    if (!hit && count(r, asked, a->module, GPC_NO_MODULE, address) != 1)
        return said(text, size, a, a->module, "no request for what it needs");
    for (uint32_t b = 0; b < e->setup->blocks; b++) {
        const uint8_t was = before->state[a->module][b];
        const bool leaves = b != a->block && was != GPC_LINE_I;
        const uint64_t other = gpci_verify_address(b, 0);
        if (b == a->block)
            continue;
        if (count(r, GPC_MESSAGE_WRITE_BACK, a->module, GPC_NO_MODULE, other) != (leaves && is_any(was, "NMO")))
            return said(text, size, a, a->module, "what an eviction writes back");
    }
    return true;
}

/* True if a cache below evicted. It takes copies along, not covered by the table. */
static bool took_copies(const gpci_explorer *e, const gpc_coherence_result *r) {
    for (uint32_t i = 0; i < r->message_count; i++)
        if (r->messages[i].kind == GPC_MESSAGE_EVICTION && r->messages[i].from >= e->setup->tree.caches)
            return true;
    return false;
}

/*
 * From state and to state by origin: Table 3.3's, as in section 5 of the specification of the document's simulator
 * (`multi2sim`), and with changes by Table 2.5 and the protocols' other states.
 */
static const struct pairs {
    uint32_t origin;
    const char *with_e, *without_e, *multi2sim;
} all_pairs[] = {
    {GPC_ORIGIN_LOAD_MISS, "IE IS", "IS", "IE IS"},
    {GPC_ORIGIN_STORE, "NM MM OM EM SM IM", "MM OM SM IM", "MM EM SM OM NM IM"},
    {GPC_ORIGIN_N_STORE, "NN EN SN IN MM OO", "", "NN SN EN IN"},
    {GPC_ORIGIN_EVICTION, "II", "II", "II"},
    {GPC_ORIGIN_FIND_IN_MEMORY, "IE", "IE", "IE"},
    {GPC_ORIGIN_EVICT_IN_MEMORY, "EI MI", "EI MI", "EI MI"},
    {GPC_ORIGIN_EVICT_DATA, "EM", "EM", "EM"},
    {GPC_ORIGIN_N_EVICT_DATA_1, "EM", "EM", "EM"},
    {GPC_ORIGIN_N_EVICT_DATA_2, "SN NN", "", "SN NN"},
    {GPC_ORIGIN_EVICTED, "NI MI OI EI SI", "MI OI SI", "NI MI OI EI SI"},
    {GPC_ORIGIN_WRITE_UP_DOWN, "NM MM OM EE SE IE", "MM OM EE SM IM", "ME EE SE OE NE IE"},
    {GPC_ORIGIN_WRITE_DOWN_UP, "NI MI OI EI SI", "MI OI SI", "MI OI EI SI NI"},
    {GPC_ORIGIN_READ_UP_DOWN, "IE IS", "IS", "IE IS"},
    {GPC_ORIGIN_INVALIDATE_DATA_1, "EM", "EM", "EM MM"},
    {GPC_ORIGIN_INVALIDATE_DATA_2, "SN NN", "", "SN NN"},
    {GPC_ORIGIN_PROBE_DATA, "EM", "EM", "EM SN"},
};

static bool has_pair(const char *pairs, const gpc_coherence_transition *t) {
    const char pair[] = {"NMOESI"[t->from], "NMOESI"[t->to], '\0'};
    return strstr(pairs, pair);
}

/* Answering module of a read request; without O, S sends too, and with O, O keeps the state. */
static bool probe_is_right(traits t, const gpc_coherence_transition *x) {
    return has_pair(t.o ? "MO OO ES" : "MS SS ES", x);
}

static bool transition_is_right(traits t, const gpci_verify_action *a, const gpc_coherence_transition *x) {
    const uint32_t probed = GPC_ORIGIN_READ_DOWN_UP_1 | GPC_ORIGIN_READ_DOWN_UP_2 | GPC_ORIGIN_READ_DOWN_UP_3;
    const bool as_store = x->origin == GPC_ORIGIN_N_STORE && !t.n; /* an n-store of a protocol without N is a store */
    const uint32_t origin = as_store ? GPC_ORIGIN_STORE : x->origin;
    if (origin & probed && a->kind <= GPCI_VERIFY_N_STORE)
        return probe_is_right(t, x);
    for (size_t i = 0; i < sizeof all_pairs / sizeof *all_pairs; i++)
        if (all_pairs[i].origin == origin)
            return has_pair(t.e ? all_pairs[i].with_e : all_pairs[i].without_e, x);
    return true;
}

/* A fetched copy is exclusive if possible, and if the directory below knows so. */
static bool fetch_is_right(const gpci_explorer *e, traits t, const gpci_verify_action *a,
                           const gpci_verify_picture *before, const gpci_verify_picture *after,
                           const gpc_coherence_transition *x) {
    if (!(x->origin & (GPC_ORIGIN_LOAD_MISS | GPC_ORIGIN_READ_UP_DOWN)))
        return true;
    const uint32_t b = block_of(e, a, x->tag, x->module);
    const bool alone =
        !peers_have(e, x->module, b, before, "NMOES") && !is_any(after->state[e->low[x->module][b]][b], "NOS");
    if (x->to == GPC_LINE_E)
        return alone;
    return !t.e || !alone || !thought_alone(e, x->module, b);
}

static bool transitions_are_right(const gpci_explorer *e, traits t, const gpci_verify_action *a,
                                  const gpci_verify_picture *before, const gpci_verify_picture *after,
                                  const gpc_coherence_result *r, char *text, size_t size) {
    for (uint32_t i = 0; i < r->transition_count; i++) {
        const gpc_coherence_transition *x = &r->transitions[i];
        char what[64];
        snprintf(what, sizeof what, "%c -> %c by 0x%x", "NMOESI"[x->from], "NMOESI"[x->to], (unsigned)x -> origin);
        if (!transition_is_right(t, a, x) || !fetch_is_right(e, t, a, before, after, x))
            return said(text, size, a, x->module, what);
    }
    return true;
}

/*
 * Modified data are written back by the module that loses the block; and, without O, by a module in M when another
 * reads.
 */
static bool write_backs_are_right(const gpci_explorer *e, traits t, const gpci_verify_action *a,
                                  const gpci_verify_picture *before, const gpci_verify_picture *after,
                                  const gpc_coherence_result *r, char *text, size_t size) {
    for (uint32_t i = 0; i < r->message_count && !e->setup->tree.non_inclusive; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        if (m->kind != GPC_MESSAGE_WRITE_BACK)
            continue;
        const uint32_t b = block_of(e, a, m->address, m->from);
        const bool shares = !t.o && is_any(before->state[m->from][b], "ME") && after->state[m->from][b] == GPC_LINE_S;
        if (after->state[m->from][b] != GPC_LINE_I && !shares)
            return said(text, size, a, m->from, "a write-back of what stays");
    }
    return true;
}

/* Table 2.5 sends no message for a clean eviction; and has no acquires, since there are no old data. */
static bool is_silent(const gpci_verify_action *a, const gpc_coherence_result *r, char *text, size_t size) {
    for (uint32_t i = 0; i < r->message_count; i++) {
        if (r->messages[i].kind == GPC_MESSAGE_NOTICE)
            return said(text, size, a, r->messages[i].from, "a clean eviction that is told");
        if (a->kind == GPCI_VERIFY_ACQUIRE && r->messages[i].bytes)
            return said(text, size, a, r->messages[i].from, "messages for an acquire");
    }
    if (a->kind == GPCI_VERIFY_ACQUIRE && r->transition_count)
        return said(text, size, a, r->transitions[0].module, "a transition for an acquire");
    return true;
}

/*
 * Multi2Sim's: the specification's pairs; an acquire has no effect; it requests missing blocks, and reports all
 * evictions.
 */
static bool is_multi2sim(const gpci_explorer *e, const gpci_verify_action *a, const gpci_verify_picture *before,
                         const gpci_verify_picture *after, const gpc_coherence_result *r, char *text, size_t size) {
    const uint32_t probed = GPC_ORIGIN_READ_DOWN_UP_1 | GPC_ORIGIN_READ_DOWN_UP_2 | GPC_ORIGIN_READ_DOWN_UP_3;
    for (uint32_t i = 0; i < r->transition_count; i++) {
        const gpc_coherence_transition *x = &r->transitions[i];
        bool right = a->kind != GPCI_VERIFY_ACQUIRE && (!(x->origin & probed) || has_pair("ES MS OS", x));
        for (size_t k = 0; k < sizeof all_pairs / sizeof *all_pairs; k++)
            right &= all_pairs[k].origin != x->origin || has_pair(all_pairs[k].multi2sim, x);
        if (!right || !fetch_is_right(e, traits_of("NMOESI"), a, before, after, x))
            return said(text, size, a, x->module, "a transition");
        const uint32_t kind = is_any(x->from, "ES") ? GPC_MESSAGE_NOTICE : GPC_MESSAGE_WRITE_BACK;
        if (x->origin == GPC_ORIGIN_EVICTED && count(r, kind, x->module, GPC_NO_MODULE, x->tag_before) == 0)
            return said(text, size, a, x->module, "an eviction that is not told");
    }
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        const uint32_t b = block_of(e, a, m->address, m->from);
        const bool read = m->kind == GPC_MESSAGE_READ_REQUEST, write = m->kind == GPC_MESSAGE_WRITE_REQUEST;
        /* An n-store to M first evicts the block. */
        const char *has = !read ? "ME" : a->kind == GPCI_VERIFY_N_STORE ? "NOES" : "NMOES";
        if (a->kind == GPCI_VERIFY_ACQUIRE && m->bytes)
            return said(text, size, a, m->from, "a message for an acquire");
        if ((read || write) && is_any(before->state[m->from][b], has) && !took_copies(e, r))
            return said(text, size, a, m->from, "a request for what it has");
        if (m->kind == GPC_MESSAGE_WRITE_BACK && after->state[m->from][b] != GPC_LINE_I &&
            a->kind != GPCI_VERIFY_N_STORE)
            return said(text, size, a, m->from, "a write-back of what stays");
        if (m->kind == GPC_MESSAGE_DATA && m->from < e->setup->tree.caches && is_any(before->state[m->from][b], "ES"))
            return said(text, size, a, m->from, "data that the low module has");
    }
    const bool steps_back = a->kind == GPCI_VERIFY_N_STORE && before->state[a->module][a->block] == GPC_LINE_E;
    if (steps_back && !count(r, GPC_MESSAGE_CLEAR_OWNER, a->module, GPC_NO_MODULE, gpci_verify_address(a->block, 0)))
        return said(text, size, a, a->module, "an owner that steps back in silence");
    return true;
}

void explore_look_up(const gpci_explorer *e, const gpci_verify_action *a, const gpci_verify_picture *before,
                     const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size) {
    *text = '\0';
    if (explore_asked(e)->multi2sim)
        is_multi2sim(e, a, before, after, result, text, size);
    if (!explore_asked(e)->letters)
        return;
    const traits t = traits_of(explore_asked(e)->letters);
    if (!is_silent(a, result, text, size) || !write_backs_are_right(e, t, a, before, after, result, text, size))
        return;
    if (!transitions_are_right(e, t, a, before, after, result, text, size))
        return;
    if (a->kind > GPCI_VERIFY_N_STORE || took_copies(e, result))
        return;
    const uint8_t kind = a->kind == GPCI_VERIFY_N_STORE && !t.n ? GPCI_VERIFY_STORE : a->kind;
    if (senders_are_right(e, t, a, before, result, text, size) && e->setup->tree.l2 < 2 &&
        states_are_right(e, t, a, kind, before, after, text, size))
        requests_are_right(e, a, kind, before, result, text, size);
}

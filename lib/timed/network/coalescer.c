/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/coalescer.h"

/*
 * Every LRC has a table of entries. An entry is at the hash of the line, or at the first free place after; at least
 * half of the places are free. A search therefore touches one or two cache lines (prefetched by gpci_lrc_expect) and
 * rarely a packet. LRCs share no changing data: several threads may use different LRCs.
 */

typedef struct entry {
    uint32_t mshr_entry; /* packet in flight; GPCI_NO_PACKET: place is free */
    uint32_t hash;       /* of the line */
    uint32_t word;       /* policy word that the read takes to L2 */
    uint32_t count;      /* number of reads answered */
    uint64_t number;     /* number among the LRC's reads */
    uint32_t first;      /* waiting packets, linked through the pool; undefined if empty */
    uint32_t last;
} entry;

_Static_assert(sizeof(entry) == 32, "two entries fill a cache line");

typedef struct unit {
    gpci_lrc_stats stats;
    uint64_t sent;
    uint32_t used; /* entries */
    uint32_t waiting;
} unit;

/* Changes of lines by an SM. Lines with equal hashes share an element. */
typedef struct change {
    uint64_t since;     /* core cycle: reads that set out in or after the cycle see all finished changes */
    uint32_t under_way; /* number of changes that are not done */
} change;

enum { CHANGES = 64 }; /* elements of an SM, a power of two */

struct gpci_lrc {
    gpc_context *context;
    gpci_pool *pool;
    gpci_lrc_options options;
    entry *entries;  /* [groups][mask + 1] */
    unit *units;     /* [groups] */
    change *changes; /* [sms][CHANGES] */
    uint32_t groups, mask;
};

/* A tree's messages have only a first cache line. */
static uint32_t sm_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    return lrc->options.messages ? packet->message.from : packet->request.sm;
}

static uint32_t word_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    return lrc->options.messages ? 0 : packet->request.policy.policy_word;
}

static uint32_t group_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    return lrc->options.group_of[sm_of(lrc, packet)];
}

static uint64_t line_of(const gpci_lrc *lrc, uint64_t address) {
    return address & ~(uint64_t)(lrc->options.line ? lrc->options.line - 1 : 0);
}

static uint32_t hash_of(const gpci_lrc *lrc, uint64_t address) {
    return (uint32_t)gpci_mix(line_of(lrc, address));
}

static entry *table_of(const gpci_lrc *lrc, uint32_t group) {
    return lrc->entries + group * ((size_t)lrc->mask + 1);
}

void gpci_lrc_expect(const gpci_lrc *lrc, uint32_t sm, uint64_t address) {
    GPCI_PREFETCH(table_of(lrc, lrc->options.group_of[sm]) + (hash_of(lrc, address) & lrc->mask));
}

static change *change_of(const gpci_lrc *lrc, uint32_t sm, uint64_t address) {
    return &lrc->changes[(size_t)sm * CHANGES + hash_of(lrc, address) % CHANGES];
}

void gpci_lrc_changes(gpci_lrc *lrc, uint32_t sm, uint64_t address) {
    change_of(lrc, sm, address)->under_way++;
}

void gpci_lrc_changed(gpci_lrc *lrc, uint32_t sm, uint64_t address, uint64_t now) {
    change *c = change_of(lrc, sm, address);
    c->under_way--;
    c->since = now + 1;
}

/*
 * True if a packet may wait for an entry's read: the read covers the packet's segments, has the packet's policy word,
 * is among the LRC's last `window` reads, has room for another waiter, and left in core cycle `since` or later.
 */
static bool covers(const gpci_lrc *lrc, const unit *own, const entry *e, const gpci_packet *packet, uint64_t since) {
    if (e->word != word_of(lrc, packet) || e->count >= lrc->options.merges ||
        own->sent - e->number >= lrc->options.window)
        return false;
    const gpci_packet *mshr_entry = gpci_packet_at(lrc->pool, e->mshr_entry);
    const uint8_t differs = lrc->options.equal ? packet->segments ^ mshr_entry->segments
                                               : packet->segments & (uint8_t)~mshr_entry->segments;
    return line_of(lrc, mshr_entry->address) == line_of(lrc, packet->address) && !differs && mshr_entry->born >= since;
}

/* Send a read on: make an entry for the packet at a free place, if the LRC has entries left. */
static void follow(gpci_lrc *lrc, entry *place, unit *own, uint32_t packet, uint32_t hash) {
    own->sent++;
    if (own->used == lrc->options.entries) {
        own->stats.full++;
        return;
    }
    own->used++;
    *place = (entry){.mshr_entry = packet,
                     .hash = hash,
                     .word = word_of(lrc, gpci_packet_at(lrc->pool, packet)),
                     .count = 1,
                     .number = own->sent};
}

static void join(gpci_lrc *lrc, unit *own, entry *e, uint32_t packet) {
    lrc->pool->links[packet].next = GPCI_NO_PACKET;
    if (e->count++ == 1)
        e->first = packet;
    else
        lrc->pool->links[e->last].next = packet;
    e->last = packet;
    own->stats.merged++;
    own->waiting++;
}

bool gpci_lrc_read(gpci_lrc *lrc, uint32_t index, uint64_t since) {
    const gpci_packet *packet = gpci_packet_at(lrc->pool, index);
    const uint32_t group = group_of(lrc, packet), hash = hash_of(lrc, packet->address);
    entry *table = table_of(lrc, group), *found = NULL;
    unit *own = &lrc->units[group];
    uint32_t at = hash & lrc->mask;
    const change *c = change_of(lrc, sm_of(lrc, packet), packet->address);
    since = c->under_way ? UINT64_MAX : since > c->since ? since : c->since;
    own->stats.reads++;
    for (; table[at].mshr_entry != GPCI_NO_PACKET; at = (at + 1) & lrc->mask)
        if (table[at].hash == hash && (!found || table[at].number > found->number) &&
            covers(lrc, own, &table[at], packet, since))
            found = &table[at]; /* if there are several, the last sent */
    if (found)
        join(lrc, own, found, index);
    else
        follow(lrc, &table[at], own, index, hash);
    return found != NULL;
}

/* Free a place, and move up later entries that would no longer be found. */
static void release(const gpci_lrc *lrc, entry *table, uint32_t hole) {
    for (uint32_t at = hole;;) {
        at = (at + 1) & lrc->mask;
        if (table[at].mshr_entry == GPCI_NO_PACKET)
            break;
        if (((at - table[at].hash) & lrc->mask) < ((at - hole) & lrc->mask))
            continue; /* the entry's own place is after the free place: the entry is still found */
        table[hole] = table[at];
        hole = at;
    }
    table[hole] = (entry){.mshr_entry = GPCI_NO_PACKET};
}

uint32_t gpci_lrc_reply(gpci_lrc *lrc, uint32_t index, gpci_lrc_hand_fn hand, void *user_data) {
    const gpci_packet *packet = gpci_packet_at(lrc->pool, index);
    if (sm_of(lrc, packet) >= lrc->options.sms)
        return 0; /* a tree message not sent by an SM */
    const uint32_t group = group_of(lrc, packet);
    entry *table = table_of(lrc, group);
    uint32_t at = hash_of(lrc, packet->address) & lrc->mask, handed = 0;
    while (table[at].mshr_entry != GPCI_NO_PACKET && table[at].mshr_entry != index)
        at = (at + 1) & lrc->mask;
    if (table[at].mshr_entry == GPCI_NO_PACKET)
        return 0; /* the read had no entry */
    unit *own = &lrc->units[group];
    uint32_t next = table[at].count > 1 ? table[at].first : GPCI_NO_PACKET;
    own->used--;
    release(lrc, table, at);
    for (uint32_t mshr_target; (mshr_target = next) != GPCI_NO_PACKET; handed++) {
        next = lrc->pool->links[mshr_target].next; /* read before the caller links the waiter elsewhere */
        own->waiting--;
        hand(user_data, mshr_target);
    }
    return handed;
}

/* Number of places in the tables of all LRCs. */
static size_t places_of(const gpci_lrc *lrc) {
    return lrc->groups * ((size_t)lrc->mask + 1);
}

void gpci_lrc_state(gpci_lrc *lrc, gpci_state_fn visit, void *user_data) {
    visit(user_data, lrc->units, lrc->groups * sizeof *lrc->units);
    visit(user_data, lrc->entries, places_of(lrc) * sizeof *lrc->entries);
    visit(user_data, lrc->changes, (size_t)lrc->options.sms * CHANGES * sizeof *lrc->changes);
}

uint32_t gpci_lrc_count(const gpci_lrc *lrc) {
    uint32_t waiting = 0;
    for (uint32_t group = 0; group < lrc->groups; group++)
        waiting += lrc->units[group].waiting;
    return waiting;
}

gpci_lrc_stats gpci_lrc_get_stats(const gpci_lrc *lrc) {
    gpci_lrc_stats stats = {0};
    for (uint32_t group = 0; group < lrc->groups; group++) {
        stats.reads += lrc->units[group].stats.reads;
        stats.merged += lrc->units[group].stats.merged;
        stats.full += lrc->units[group].stats.full;
    }
    return stats;
}

void gpci_lrc_reset_stats(gpci_lrc *lrc) {
    for (uint32_t group = 0; group < lrc->groups; group++)
        lrc->units[group].stats = (gpci_lrc_stats){0};
}

gpc_status gpci_lrc_create(gpc_context *context, const gpci_lrc_options *options, gpci_pool *pool, gpc_error *error,
                           gpci_lrc **out) {
    const uint32_t groups = options->groups;
    const uint64_t count = (uint64_t)groups * options->entries;
    *out = NULL;
    if (count > (uint32_t)1 << 30)
        return gpci_fail(error, GPC_ERROR_RANGE, "%u LRCs of %u entries are more than 2^30 entries", groups,
                         options->entries);
    gpci_lrc *lrc = gpci_zalloc(context, 1, sizeof *lrc);
    if (!lrc)
        return gpci_out_of_memory(error);
    *lrc = (gpci_lrc){.context = context, .pool = pool, .options = *options, .groups = groups};
    lrc->mask = (uint32_t)(((uint64_t)2 << gpci_ceil_log2(options->entries ? options->entries : 1)) - 1);
    lrc->entries = gpci_zalloc_lines(context, groups ? places_of(lrc) : 1, sizeof *lrc->entries);
    lrc->units = gpci_zalloc(context, groups ? groups : 1, sizeof *lrc->units);
    lrc->changes = gpci_zalloc(context, options->sms ? options->sms * (size_t)CHANGES : 1, sizeof *lrc->changes);
    if (!lrc->entries || !lrc->units || !lrc->changes) {
        gpci_lrc_destroy(lrc);
        return gpci_out_of_memory(error);
    }
    for (size_t i = 0; i < places_of(lrc); i++)
        lrc->entries[i].mshr_entry = GPCI_NO_PACKET;
    *out = lrc;
    return GPC_OK;
}

void gpci_lrc_destroy(gpci_lrc *lrc) {
    if (!lrc)
        return;
    gpci_free_lines(lrc->context, lrc->entries);
    gpci_free(lrc->context, lrc->units);
    gpci_free(lrc->context, lrc->changes);
    gpci_free(lrc->context, lrc);
}

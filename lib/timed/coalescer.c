/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coalescer.h"

/*
 * The entries of an LRC are found through a hash of their lines. They are chained, for they leave one by one, which
 * those of a gpci_map cannot. LRCs share nothing that changes: several threads may each use their own.
 */

#define NO_ENTRY UINT32_MAX

typedef struct entry {
    uint32_t leader;      /* the packet in flight */
    uint32_t first, last; /* packets that wait with it, linked through the pool */
    uint32_t next;        /* in its bucket, or in its LRC's list of free entries */
    uint32_t word;        /* that the leader takes to L2 */
    uint32_t count;       /* of reads that it answers */
    uint64_t number;      /* of those that its LRC has sent on */
} entry;

typedef struct unit {
    gpci_lrc_stats stats;
    uint64_t sent;
    uint32_t free; /* list of free entries */
    uint32_t waiting;
} unit;

struct gpci_lrc {
    gpc_context *context;
    gpci_pool *pool;
    gpci_lrc_options options;
    entry *entries;    /* [groups * options.entries] */
    unit *units;       /* [groups] */
    uint32_t *buckets; /* [groups][bucket_mask + 1] */
    uint32_t groups, bucket_mask;
};

static uint32_t group_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    return lrc->options.group_of[packet->request.sm];
}

static uint64_t line_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    return packet->address & ~(uint64_t)(lrc->options.line ? lrc->options.line - 1 : 0);
}

static uint32_t *bucket_of(const gpci_lrc *lrc, const gpci_packet *packet) {
    const size_t first = group_of(lrc, packet) * ((size_t)lrc->bucket_mask + 1);
    return &lrc->buckets[first + (gpci_mix(line_of(lrc, packet)) & lrc->bucket_mask)];
}

/* What one packet asks for comes with the other's reply, it tells L2 the same, and one more may wait. */
static bool covers(const gpci_lrc *lrc, const entry *e, const gpci_packet *packet) {
    const gpci_packet *leader = gpci_packet_at(lrc->pool, e->leader);
    const uint8_t apart =
        lrc->options.equal ? packet->segments ^ leader->segments : packet->segments & (uint8_t)~leader->segments;
    return line_of(lrc, leader) == line_of(lrc, packet) && !apart && e->word == packet->request.policy_word &&
           e->count < lrc->options.merges && lrc->units[group_of(lrc, packet)].sent - e->number < lrc->options.window;
}

static void follow(gpci_lrc *lrc, uint32_t *bucket, unit *own, uint32_t packet) {
    uint32_t index = own->free;
    own->sent++;
    if (index == NO_ENTRY) {
        own->stats.full++;
        return;
    }
    own->free = lrc->entries[index].next;
    lrc->entries[index] = (entry){.leader = packet,
                                  .first = GPCI_NO_PACKET,
                                  .last = GPCI_NO_PACKET,
                                  .next = *bucket,
                                  .word = gpci_packet_at(lrc->pool, packet)->request.policy_word,
                                  .count = 1,
                                  .number = own->sent};
    *bucket = index;
}

bool gpci_lrc_read(gpci_lrc *lrc, uint32_t index, uint64_t since) {
    gpci_packet *packet = gpci_packet_at(lrc->pool, index);
    uint32_t *bucket = bucket_of(lrc, packet);
    unit *own = &lrc->units[group_of(lrc, packet)];
    own->stats.reads++;
    for (uint32_t i = *bucket; i != NO_ENTRY; i = lrc->entries[i].next) {
        entry *e = &lrc->entries[i];
        if (!covers(lrc, e, packet) || gpci_packet_at(lrc->pool, e->leader)->born < since)
            continue;
        lrc->pool->links[index].next = GPCI_NO_PACKET;
        if (e->first == GPCI_NO_PACKET)
            e->first = index;
        else
            lrc->pool->links[e->last].next = index;
        e->last = index;
        e->count++;
        own->stats.merged++;
        own->waiting++;
        return true;
    }
    follow(lrc, bucket, own, index);
    return false;
}

uint32_t gpci_lrc_reply(gpci_lrc *lrc, uint32_t index, gpci_lrc_hand_fn hand, void *user_data) {
    const gpci_packet *packet = gpci_packet_at(lrc->pool, index);
    if (packet->request.sm >= lrc->options.sms)
        return 0; /* a message of a tree that no SM has sent, whose request is undefined */
    uint32_t *link = bucket_of(lrc, packet), handed = 0;
    while (*link != NO_ENTRY && lrc->entries[*link].leader != index)
        link = &lrc->entries[*link].next;
    if (*link == NO_ENTRY)
        return 0; /* there was no entry for it */
    unit *own = &lrc->units[group_of(lrc, packet)];
    uint32_t found = *link, next = lrc->entries[found].first;
    *link = lrc->entries[found].next;
    lrc->entries[found].next = own->free;
    own->free = found;
    for (uint32_t waiter; (waiter = next) != GPCI_NO_PACKET; handed++) {
        next = lrc->pool->links[waiter].next; /* before the caller links it elsewhere */
        own->waiting--;
        hand(user_data, waiter);
    }
    return handed;
}

void gpci_lrc_state(gpci_lrc *lrc, gpci_state_fn visit, void *user_data) {
    visit(user_data, lrc->units, lrc->groups * sizeof *lrc->units);
    visit(user_data, lrc->entries, (size_t)lrc->groups * lrc->options.entries * sizeof *lrc->entries);
    visit(user_data, lrc->buckets, lrc->groups * ((size_t)lrc->bucket_mask + 1) * sizeof *lrc->buckets);
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

/* Chain each LRC's own entries; empty the buckets. */
static void clear(gpci_lrc *lrc) {
    const uint32_t each = lrc->options.entries;
    for (uint32_t group = 0; group < lrc->groups; group++) {
        lrc->units[group].free = each ? group * each : NO_ENTRY;
        for (uint32_t i = 0; i < each; i++)
            lrc->entries[group * each + i].next = i + 1 < each ? group * each + i + 1 : NO_ENTRY;
    }
    for (size_t i = 0; i < lrc->groups * ((size_t)lrc->bucket_mask + 1); i++)
        lrc->buckets[i] = NO_ENTRY;
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
    lrc->bucket_mask = (uint32_t)(((uint64_t)1 << gpci_ceil_log2(options->entries ? options->entries : 1)) - 1);
    lrc->entries = gpci_zalloc(context, count ? count : 1, sizeof *lrc->entries);
    lrc->units = gpci_zalloc(context, groups ? groups : 1, sizeof *lrc->units);
    lrc->buckets = gpci_zalloc(context, (groups ? groups : 1) * ((size_t)lrc->bucket_mask + 1), sizeof *lrc->buckets);
    if (!lrc->entries || !lrc->units || !lrc->buckets) {
        gpci_lrc_destroy(lrc);
        return gpci_out_of_memory(error);
    }
    clear(lrc);
    *out = lrc;
    return GPC_OK;
}

void gpci_lrc_destroy(gpci_lrc *lrc) {
    if (!lrc)
        return;
    gpci_free(lrc->context, lrc->entries);
    gpci_free(lrc->context, lrc->units);
    gpci_free(lrc->context, lrc->buckets);
    gpci_free(lrc->context, lrc);
}

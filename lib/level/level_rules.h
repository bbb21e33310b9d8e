/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LEVEL_RULES_H
#define GPC_LEVEL_LEVEL_RULES_H

#include "cache/cache.h"
#include "level/hierarchy.h"

/*
 * What a level of either kind does with a request, in no time: L1 and L2 alike. A driver runs these at once, or step
 * by step as its packets go on. What is special to L1 is in l1_rules.h, to L2 in l2_rules.h.
 */

/*
 * The request's lookup. `admit`: where it misses, a replacement policy that may decline is asked before the line is
 * sent for, as a cache does that finds room when the data come (allocate on fill); one that reserves its way at once
 * is asked then.
 */
GPCI_INLINE void gpci_level_look_up(gpc_cache *cache, gpc_request *request, const gpci_view *view, bool admit,
                                    gpc_access_result *result) {
    gpci_lookup(cache, request, view, result);
    if (!admit || result->outcome == GPC_HIT)
        return;
    gpci_admit(cache, request, view, result);
    request->admitted = result->admission == GPC_ADMITTED;
}

/* Does the request take its line's way before its data have come? Bytes that a store brings itself need one at once. */
GPCI_INLINE bool gpci_level_reserves(const gpc_request *request, const gpc_access_result *result, bool on_miss) {
    if (result->outcome == GPC_SECTOR_MISS)
        return result->fetch_sectors != 0;
    if (result->outcome != GPC_MISS)
        return false;
    return on_miss || (gpci_is_write(request) && !result->fetch_sectors);
}

/* There is no way for the line of a request that would have taken one: `refused` is what its reserve step said. */
void gpci_level_refused(const gpc_access_result *refused, gpc_access_result *result);
/* The same where it may not wait for a way to come free: what it writes, `bytes`, goes to the level below. */
void gpci_level_crowded_out(const gpc_request *request, const uint64_t bytes[2], gpc_access_result *result);
/* What a store or an atomic wrote finds no room in the cache: as an eviction, which goes to the level below. */
gpc_eviction gpci_level_unkept(const gpc_cache *cache, const gpc_request *request);

/* Segments of a request's line that it need not ask for. */
typedef struct gpci_line_state {
    uint8_t valid; /* in the cache */
    uint8_t whole; /* in flight, their sectors whole, */
    uint8_t part;  /* or by themselves, for who bypasses the cache */
} gpci_line_state;

/* What a request lacks, in segments. */
typedef struct gpci_lack {
    uint8_t fetch; /* to ask the level below for */
    uint8_t wait;  /* to wait for, whoever has asked for them */
} gpci_lack;

/*
 * What passes the cache by is not served from it, and needs no more than `own`, its own segments, whoever has sent for
 * them. With `own_only` (bypass_fetch = segments) it asks for no others. What is to be kept needs sectors that come
 * whole.
 *
 * Example, a line of one sector, own_only: a load of segment 0 bypasses, and asks for segment 0. While that is in
 * flight a load of segment 2 that bypasses asks for segment 2 alone; one that is to be kept asks for the whole line;
 * one that comes after that, whichever it is, asks for nothing and waits.
 */
GPCI_INLINE gpci_lack gpci_level_lacks(const gpci_level *level, const gpc_request *request,
                                       const gpc_access_result *result, uint8_t own, bool own_only,
                                       gpci_line_state line) {
    uint8_t fetch = level->segments_of[result->fetch_sectors], flying, need;
    gpci_lack lack;
    if (result->outcome == GPC_BYPASSED) {
        fetch &= own_only ? own : 0xff;
        flying = line.whole | line.part;
        lack.fetch = fetch & (uint8_t)~flying;
        lack.wait = (gpci_is_write(request) ? fetch : own) & (flying | lack.fetch);
        return lack;
    }
    need = gpci_is_write(request) ? fetch : level->segments_of[result->needed_sectors];
    lack.fetch = fetch & (uint8_t) ~(line.valid | line.whole);
    lack.wait = need & (uint8_t)~line.valid & (line.whole | lack.fetch);
    return lack;
}

#endif

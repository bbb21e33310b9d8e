/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/stream_buffer.h"

#include "level/rules/cache_lines.h"

static gpci_icache_miss *place_at(const gpci_icache *icache, uint32_t n) {
    return &icache->misses[icache->entries + n];
}

/* Free a place. `asked`: the line was requested, and no warp has used the line. */
static void empty(gpci_timed_sm *core, gpci_icache_miss *miss, bool asked) {
    core->counts.l1i_unused_prefetches += asked;
    miss->used = miss->abandoned = false;
}

/* Discard a prefetched line for which no warp waits. If the line is in flight, the place is freed on arrival. */
static void give_up(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *miss) {
    if (!miss->used || !miss->ahead || miss->abandoned)
        return;
    if (miss->sent && !miss->here) {
        miss->abandoned = true;
        return;
    }
    icache->unsent -= !miss->sent;
    empty(core, miss, miss->sent);
}

static gpci_icache_miss *free_place(const gpci_icache *icache) {
    for (uint32_t n = 0; n < icache->ahead; n++)
        if (!place_at(icache, n)->used)
            return place_at(icache, n);
    return NULL;
}

static gpci_icache_miss *find(const gpci_icache *icache, uint64_t line) {
    for (uint32_t n = 0; n < icache->entries + icache->ahead; n++)
        if (icache->misses[n].used && icache->misses[n].line == line)
            return &icache->misses[n];
    return NULL;
}

void gpci_stream_go_on(gpci_icache *icache, uint8_t stream) {
    for (gpci_icache_miss *miss; icache->next < icache->end && (miss = free_place(icache)) != NULL;
         icache->next += icache->line_bytes) {
        if (gpci_holds(icache->cache, icache->next) || find(icache, icache->next))
            continue;
        *miss = (gpci_icache_miss){.line = icache->next, .stream = stream, .used = true, .ahead = true};
        icache->unsent++;
    }
}

/* Prefetch up to icache->ahead lines after `line`. */
static void follow(gpci_icache *icache, uint64_t line, uint8_t stream) {
    icache->end = line + ((uint64_t)icache->ahead + 1) * icache->line_bytes;
    gpci_stream_go_on(icache, stream);
}

/* Handle a fetch of a line of the stream: discard earlier lines, and prefetch further lines. */
static void reached(gpci_timed_sm *core, gpci_icache *icache, uint64_t line, uint8_t stream) {
    for (uint32_t n = 0; n < icache->ahead; n++)
        if (place_at(icache, n)->line < line)
            give_up(core, icache, place_at(icache, n));
    follow(icache, line, stream);
}

void gpci_stream_sent(gpci_timed_sm *core) {
    core->counts.l1i_prefetches++;
    core->deeds->ahead++;
}

bool gpci_stream_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_icache *icache, uint64_t line,
                      uint8_t stream) {
    gpci_icache_miss *miss = icache->ahead ? find(icache, line) : NULL;
    if (!miss || !miss->here)
        return false;
    const gpc_request request = gpci_icache_request(timed_replay, core, line, miss->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_cache_fill(icache->cache, &request, 1, &result, NULL);
    miss->used = false;
    core->counts.l1i_prefetch_hits++;
    reached(core, icache, line, stream);
    return true;
}

void gpci_stream_wanted(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *miss) {
    miss->ahead = miss->abandoned = false;
    core->counts.l1i_late_prefetches += miss->sent;
    core->deeds->ahead -= miss->sent;
    reached(core, icache, miss->line, miss->stream);
}

void gpci_stream_missed(gpci_timed_sm *core, gpci_icache *icache, const gpci_icache_miss *miss) {
    gpci_stream_drop(core, icache);
    icache->next = miss->line + icache->line_bytes;
    follow(icache, miss->line, miss->stream);
}

void gpci_stream_came(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *miss) {
    core->deeds->ahead--;
    miss->here = true;
    if (!miss->abandoned)
        return;
    empty(core, miss, true);
    gpci_stream_go_on(icache, miss->stream);
}

void gpci_stream_drop(gpci_timed_sm *core, gpci_icache *icache) {
    for (uint32_t n = 0; n < icache->ahead; n++)
        give_up(core, icache, place_at(icache, n));
}

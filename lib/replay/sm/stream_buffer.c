/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/stream_buffer.h"

#include "level/rules/cache_lines.h"

static gpci_icache_miss *place_at(const gpci_icache *icache, uint32_t n) {
    return &icache->misses[icache->entries + n];
}

/* Free a place. `asked`: its line was requested and never used. */
static void empty(gpci_timed_sm *m, gpci_icache_miss *a, bool asked) {
    m->counts.l1i_unused_prefetches += asked;
    a->used = a->abandoned = false;
}

/* Discard a prefetched line without a waiting warp; a line in flight is freed on arrival. */
static void give_up(gpci_timed_sm *m, gpci_icache *icache, gpci_icache_miss *a) {
    if (!a->used || !a->ahead || a->abandoned)
        return;
    if (a->sent && !a->here) {
        a->abandoned = true;
        return;
    }
    icache->unsent -= !a->sent;
    empty(m, a, a->sent);
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
    for (gpci_icache_miss *a; icache->next < icache->end && (a = free_place(icache)) != NULL;
         icache->next += icache->line_bytes) {
        if (gpci_holds(icache->cache, icache->next) || find(icache, icache->next))
            continue;
        *a = (gpci_icache_miss){.line = icache->next, .stream = stream, .used = true, .ahead = true};
        icache->unsent++;
    }
}

/* Prefetch up to `ahead` lines behind a line. */
static void follow(gpci_icache *icache, uint64_t line, uint8_t stream) {
    icache->end = line + ((uint64_t)icache->ahead + 1) * icache->line_bytes;
    gpci_stream_go_on(icache, stream);
}

/* A fetch reached a line of the stream. */
static void reached(gpci_timed_sm *m, gpci_icache *icache, uint64_t line, uint8_t stream) {
    for (uint32_t n = 0; n < icache->ahead; n++)
        if (place_at(icache, n)->line < line)
            give_up(m, icache, place_at(icache, n));
    follow(icache, line, stream);
}

void gpci_stream_sent(gpci_timed_sm *m) {
    m->counts.l1i_prefetches++;
    m->deeds->ahead++;
}

bool gpci_stream_take(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_icache *icache, uint64_t line,
                      uint8_t stream) {
    gpci_icache_miss *a = icache->ahead ? find(icache, line) : NULL;
    if (!a || !a->here)
        return false;
    const gpc_request request = gpci_icache_request(t, m, line, a->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_cache_fill(icache->cache, &request, 1, &result);
    a->used = false;
    m->counts.l1i_prefetch_hits++;
    reached(m, icache, line, stream);
    return true;
}

void gpci_stream_wanted(gpci_timed_sm *m, gpci_icache *icache, gpci_icache_miss *a) {
    a->ahead = a->abandoned = false;
    m->counts.l1i_late_prefetches += a->sent;
    m->deeds->ahead -= a->sent;
    reached(m, icache, a->line, a->stream);
}

void gpci_stream_missed(gpci_timed_sm *m, gpci_icache *icache, const gpci_icache_miss *miss) {
    gpci_stream_drop(m, icache);
    icache->next = miss->line + icache->line_bytes;
    follow(icache, miss->line, miss->stream);
}

void gpci_stream_came(gpci_timed_sm *m, gpci_icache *icache, gpci_icache_miss *a) {
    m->deeds->ahead--;
    a->here = true;
    if (!a->abandoned)
        return;
    empty(m, a, true);
    gpci_stream_go_on(icache, a->stream);
}

void gpci_stream_drop(gpci_timed_sm *m, gpci_icache *icache) {
    for (uint32_t n = 0; n < icache->ahead; n++)
        give_up(m, icache, place_at(icache, n));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/pair.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * lookup, reserve and fill as called by a host with a clock: several misses under way, filled in any order, with
 * invalidations, flushes and accesses between.
 */

#define IN_FLIGHT 12

typedef struct miss {
    gpc_request request;
    uint8_t sectors;
    bool reserved; /* or not tried yet, or refused for lack of a way */
} miss;

typedef struct host {
    pair p;
    miss misses[IN_FLIGHT];
    uint32_t count;
    uint64_t no_victims, pending_hits, fills_anew; /* events of the run */
} host;

static bool on_miss(const host *h) {
    return h->p.options.allocate == GPC_ALLOCATE_ON_MISS;
}

/* Lines with pending sectors of one set, or of all if `set` is UINT32_MAX: number and addresses. */
static uint32_t pending_lines(const host *h, uint32_t set, uint64_t *addresses) {
    uint32_t n = 0;
    gpc_line line;
    for (uint64_t cursor = 0; gpc_cache_next_line(h->p.cache, &cursor, &line, NULL) == GPC_OK;)
        if (line.pending_sectors && (set == UINT32_MAX || set == line.set)) {
            if (addresses)
                addresses[n] = line.line_address;
            n++;
        }
    return n;
}

static bool is_resident(const host *h, uint64_t address) {
    gpc_request request = {.address = address};
    gpc_access_result found;
    cr_assert_eq(gpc_cache_probe(h->p.cache, &request, &found, NULL), GPC_OK);
    return found.outcome != GPC_MISS;
}

typedef gpc_status (*cache_step)(gpc_cache *, const gpc_request *, uint8_t, gpc_access_result *, gpc_error *);
typedef gpc_status (*model_step)(model *, const gpc_request *, uint8_t, gpc_access_result *);

/* A reservation or a fill on every side, with the promises about pending lines. Returns the outcome. */
static gpc_outcome step(host *h, const char *what, cache_step real, model_step modelled, const miss *m) {
    uint64_t before[64 + IN_FLIGHT];
    gpc_access_result expected, got;
    bool resident = is_resident(h, m->request.address);
    uint32_t count = pending_lines(h, UINT32_MAX, before);
    cr_assert_leq(count, IN_FLIGHT);
    memset(&got, 0xa5, sizeof got);
    cr_assert_eq(modelled(&h->p.model, &m->request, m->sectors, &expected), GPC_OK);
    cr_assert_eq(real(h->p.cache, &m->request, m->sectors, &got, NULL), GPC_OK, "%s %s", pair_text(&h->p), what);
    pair_same_result(&h->p, what, &expected, &got);
    pair_same_events(&h->p, what, false);
    pair_same_counters(&h->p, what);
    for (uint32_t i = 0; i < count; i++)
        cr_assert(is_resident(h, before[i]), "%s %s: the pending line %llx left", pair_text(&h->p), what,
                  (unsigned long long)before[i]);
    bool full = !resident && pending_lines(h, got.set, NULL) == h->p.options.ways;
    if (got.outcome == GPC_NO_VICTIM)
        cr_assert(full && !got.evicted && got.way == UINT32_MAX, "%s %s: refused", pair_text(&h->p), what);
    return (gpc_outcome)got.outcome;
}

static void remove_miss(host *h, uint32_t i) {
    h->misses[i] = h->misses[--h->count];
}

/* The next step of miss i. */
static void advance(host *h, uint32_t i) {
    miss *m = &h->misses[i];
    if (on_miss(h) && !m->reserved) {
        gpc_outcome outcome = step(h, "reserve", gpc_cache_reserve, model_reserve, m);
        h->no_victims += outcome == GPC_NO_VICTIM;
        m->reserved = outcome != GPC_NO_VICTIM;
        if (outcome == GPC_BYPASSED || (m->reserved && !m->sectors))
            remove_miss(h, i);
        return;
    }
    h->fills_anew += m->reserved && !is_resident(h, m->request.address);
    if (step(h, "fill", gpc_cache_fill, model_fill, m) == GPC_NO_VICTIM)
        h->no_victims++;
    else
        remove_miss(h, i);
}

static void look_up(host *h) {
    pair *p = &h->p;
    gpc_request request = pair_request(p);
    gpc_access_result expected, got;
    memset(&got, 0xa5, sizeof got);
    gpc_status status = model_lookup(&p->model, &request, &expected);
    cr_assert_eq(gpc_cache_lookup(p->cache, &request, &got, NULL), status, "%s lookup", pair_text(p));
    if (status != GPC_OK)
        return;
    pair_same_result(p, "lookup", &expected, &got);
    pair_same_events(p, "lookup", false);
    pair_same_counters(p, "lookup");
    h->pending_hits += got.outcome == GPC_PENDING_HIT;
    if (got.outcome != GPC_MISS && got.outcome != GPC_SECTOR_MISS)
        return;
    h->misses[h->count++] = (miss){request, got.fetch_sectors, false};
    if (on_miss(h) && pair_random(p, 4))
        advance(h, h->count - 1);
}

static void forget_lines(host *h) {
    pair *p = &h->p;
    gpc_request request = {.address = p->first_line * p->options.line_bytes};
    if (h->count)
        request = h->misses[pair_random(p, h->count)].request;
    uint64_t line = request.address / p->options.line_bytes;
    cr_assert_eq(gpc_cache_invalidate_line(p->cache, request.address, NULL), GPC_OK);
    model_invalidate(&p->model, line, line);
    if (pair_random(p, 16) == 0) {
        cr_assert_eq(gpc_cache_invalidate_all(p->cache, NULL), GPC_OK);
        model_invalidate(&p->model, 0, UINT64_MAX);
    }
    pair_same_events(p, "invalidate", true);
}

/* A host may use both ways on one cache. */
static void access_at_once(host *h) {
    pair *p = &h->p;
    p->simple = pair_random(p, 2);
    gpc_request request = pair_request(p);
    gpc_access_result expected, got;
    p->simple = false;
    gpc_status status = model_access(&p->model, &request, &expected);
    cr_assert_eq(gpc_cache_access(p->cache, &request, &got, NULL), status, "%s", pair_text(p));
    if (status == GPC_OK)
        pair_same_result(p, "access", &expected, &got);
    pair_same_events(p, "access", false);
    pair_same_counters(p, "access");
}

static void flush(host *h) {
    uint64_t sectors, expected = model_flush(&h->p.model);
    cr_assert_eq(gpc_cache_flush(h->p.cache, &sectors, NULL), GPC_OK);
    cr_assert_eq(sectors, expected);
    pair_same_events(&h->p, "flush", false);
}

static void run(host *h, uint64_t seed, unsigned steps) {
    *h = (host){.count = 0};
    pair *p = &h->p;
    pair_open(p, seed, seed % 4 ? PAIR_ANY : PAIR_PLAIN, GPC_SIMD_AUTO);
    for (p->step = 0; p->step < steps; p->step++) {
        uint32_t what = pair_random(p, 32);
        if (what == 0)
            forget_lines(h);
        else if (what == 1)
            flush(h);
        else if (what == 2)
            access_at_once(h);
        else if (h->count == IN_FLIGHT || (h->count && what < 16))
            advance(h, pair_random(p, h->count));
        else
            look_up(h);
        if (p->step % 16 == 15)
            pair_same_lines(p, "lines");
    }
    pair_close(p);
}

Test(steps, interleaved) {
    static host h;
    uint64_t no_victims = 0, pending_hits = 0, fills_anew = 0;
    for (uint64_t seed = 1; seed <= effort_of(2400); seed++) {
        run(&h, seed, 400);
        no_victims += h.no_victims;
        pending_hits += h.pending_hits;
        fills_anew += h.fills_anew;
    }
    cr_expect_gt(no_victims, effort_of(1000), "the streams are no test of full sets");
    cr_expect_gt(pending_hits, effort_of(1000), "the streams are no test of pending hits");
    cr_expect_gt(fills_anew, effort_of(1000), "the streams are no test of lines that left before their fill");
}

/* -- every miss filled at once: what gpc_cache_access does */

/* One access may report a line's sectors in one call or in two. */
static void join_fills(event_log *log) {
    size_t kept = 0;
    for (size_t i = 0; i < log->count; i++) {
        event *e = &log->events[i], *last = kept ? &log->events[kept - 1] : NULL;
        if (last && e->kind == CALLBACK_FILL && last->kind == CALLBACK_FILL && e->line_address == last->line_address)
            last->sectors |= e->sectors;
        else
            log->events[kept++] = *e;
    }
    log->count = kept;
}

/* Add a later step's result to the lookup's. */
static void join_results(gpc_access_result *whole, const gpc_access_result *part) {
    if (part->outcome == GPC_BYPASSED) {
        whole->outcome = GPC_BYPASSED;
        whole->fetch_sectors = part->fetch_sectors;
    }
    if (part->write_sectors) {
        whole->write_sectors = part->write_sectors;
        memcpy(whole->write_bytes, part->write_bytes, sizeof whole->write_bytes);
    }
    if (part->evicted) {
        whole->evicted = 1;
        whole->eviction = part->eviction;
    }
    whole->way = part->way;
}

/* Stores of a space without allocation, and atomics that bypass, have no second step. */
static bool has_second_step(const pair *p, const gpc_request *r) {
    bool local = r->space == GPC_SPACE_LOCAL;
    uint32_t policy = local ? p->options.write_policy_local : p->options.write_policy;
    uint32_t allocate = local ? p->options.write_allocate_local : p->options.write_allocate;
    if (r->kind == GPC_STORE)
        return policy != GPC_WRITE_EVICT && allocate != GPC_WRITE_NO_ALLOCATE;
    return (r->kind != GPC_ATOMIC && r->kind != GPC_REDUCTION) || p->options.atomics_here;
}

static void access_in_steps(pair *p, const gpc_request *request, gpc_access_result *whole) {
    gpc_access_result part;
    cr_assert_eq(gpc_cache_lookup(p->cache, request, whole, NULL), GPC_OK);
    uint8_t fetch = whole->fetch_sectors;
    if (whole->outcome != GPC_MISS && whole->outcome != GPC_SECTOR_MISS)
        return;
    if (!has_second_step(p, request)) {
        cr_assert_eq(gpc_cache_reserve(p->cache, request, 0, &part, NULL), GPC_OK);
        cr_assert_eq(part.outcome, GPC_BYPASSED);
        cr_assert_eq(gpc_cache_fill(p->cache, request, 0, &part, NULL), GPC_OK);
        cr_assert(part.outcome == GPC_BYPASSED && part.way == UINT32_MAX && !part.evicted && !part.write_sectors);
        return;
    }
    if (p->options.allocate == GPC_ALLOCATE_ON_MISS) {
        cr_assert_eq(gpc_cache_reserve(p->cache, request, fetch, &part, NULL), GPC_OK);
        join_results(whole, &part);
        if (part.outcome == GPC_BYPASSED || !fetch)
            return;
    }
    cr_assert_eq(gpc_cache_fill(p->cache, request, fetch, &part, NULL), GPC_OK);
    join_results(whole, &part);
}

Test(steps, at_once_are_an_access) {
    for (uint64_t seed = 1; seed <= effort_of(1200); seed++) {
        pair p;
        pair_open(&p, seed, PAIR_TIMED, GPC_SIMD_AUTO);
        for (p.step = 0; p.step < 400; p.step++) {
            gpc_request request = pair_request(&p);
            gpc_access_result expected, got;
            if (model_access(&p.model, &request, &expected) != GPC_OK)
                continue;
            access_in_steps(&p, &request, &got);
            pair_same_result(&p, "three steps", &expected, &got);
            join_fills(&p.log);
            join_fills(&p.model.log);
            pair_same_events(&p, "three steps", false);
            pair_same_counters(&p, "three steps");
        }
        pair_same_lines(&p, "three steps");
        pair_close(&p);
    }
}

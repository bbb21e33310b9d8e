/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/icache.h"

#include "level/access/l15.h"
#include "level/rules/kernels.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/stream_buffer.h"

static uint64_t number(const gpci_timed_replay *t, gpci_key key) {
    return gpci_config_number(t->r->config, key);
}

static gpc_status refuse(const gpci_timed_replay *t, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(t->r->config, key),
                     why);
}

/* Reject keys without effect in this configuration. */
static gpc_status check_without(const gpci_timed_replay *t, gpc_error *error) {
    if (t->fetchers > 1 && !t->fetch)
        return refuse(t, GPCI_KEY_SM_FETCH_BY, "needs sm.fetch: else instructions are always at hand", error);
    if (number(t, GPCI_KEY_L1I_SIZE))
        return GPC_OK;
    if (number(t, GPCI_KEY_L1I_PREFETCH))
        return refuse(t, GPCI_KEY_L1I_PREFETCH, "needs l1i.size: else there is nothing to fetch ahead", error);
    if (t->r->hierarchy->l15 && !t->r->hierarchy->constants)
        return refuse(t, GPCI_KEY_L15_SIZE, "needs l1i.size or const.size: else a replay asks it for nothing", error);
    return GPC_OK;
}

static gpc_status check(const gpci_timed_replay *t, gpc_error *error) {
    if (!t->fetch)
        return refuse(t, GPCI_KEY_L1I_SIZE, "needs sm.fetch: else instructions are always at hand", error);
    if (t->r->hierarchy->coherent || t->r->hierarchy->with_data)
        return refuse(t, GPCI_KEY_L1I_SIZE,
                      "needs coherence = none or viper, and coherence.data = false: trees, and values, know no code",
                      error);
    if (number(t, GPCI_KEY_L1I_LINE) > t->r->hierarchy->l1_level.line_bytes)
        return refuse(t, GPCI_KEY_L1I_LINE, "must be at most l1.line: so much an SM asks for at once", error);
    if (number(t, GPCI_KEY_KERNELS_CODE) && t->r->hierarchy->streams > 1)
        return refuse(t, GPCI_KEY_KERNELS_CODE, "needs streams = 1: kernels at once share instruction caches", error);
    return GPC_OK;
}

static gpc_status make(gpci_timed_replay *t, uint32_t n, gpci_icache *icache, gpc_error *error) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    o.ways = (uint32_t)number(t, GPCI_KEY_L1I_WAYS);
    o.line_bytes = icache->line_bytes = (uint32_t)number(t, GPCI_KEY_L1I_LINE);
    o.sets = number(t, GPCI_KEY_L1I_SIZE) / o.line_bytes / o.ways;
    o.allocate = GPC_ALLOCATE_ON_FILL;
    o.replacement = gpci_config_text(t->r->config, GPCI_KEY_L1I_REPLACEMENT);
    o.seed = 4;
    o.instance = n;
    o.instances = t->r->sm_count * t->fetchers;
    o.share_with = n ? t->icaches[0].cache : NULL;
    if (!o.sets)
        return refuse(t, GPCI_KEY_L1I_SIZE, "is less than one set of l1i.ways lines", error);
    icache->entries = (uint32_t)number(t, GPCI_KEY_L1I_MSHR);
    icache->ahead = (uint32_t)number(t, GPCI_KEY_L1I_PREFETCH);
    icache->merges = number(t, GPCI_KEY_L1I_MERGES);
    icache->first = n % t->fetchers * (icache->entries + icache->ahead);
    icache->misses = gpci_zalloc(t->r->context, icache->entries + icache->ahead, sizeof *icache->misses);
    if (!icache->misses)
        return gpci_out_of_memory(error);
    gpc_error detail = GPC_ERROR_INIT;
    const gpc_status status = gpc_cache_create(t->r->context, &o, &detail, &icache->cache);
    return status < 0 ? gpci_fail(error, status, "l1i: %s", detail.message) : GPC_OK;
}

static gpc_status make_fetchers(gpci_timed_replay *t, gpc_error *error) {
    if (!t->fetch)
        return GPC_OK;
    t->fetch_turns = gpci_zalloc(t->r->context, (size_t)t->r->sm_count * t->fetchers, sizeof *t->fetch_turns);
    for (uint32_t sm = 0; t->fetch_turns && sm < t->r->sm_count; sm++)
        t->sms[sm].fetchers = t->fetch_turns + (size_t)sm * t->fetchers;
    return t->fetch_turns ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_icaches_create(gpci_timed_replay *t, gpc_error *error) {
    t->fetchers = number(t, GPCI_KEY_SM_FETCH_BY) ? t->schedulers : 1;
    gpc_status status = check_without(t, error);
    if (status == GPC_OK)
        status = make_fetchers(t, error);
    if (status < 0 || !number(t, GPCI_KEY_L1I_SIZE))
        return status;
    status = check(t, error);
    if (status < 0)
        return status;
    const uint32_t count = t->r->sm_count * t->fetchers;
    t->icaches = gpci_zalloc(t->r->context, count, sizeof *t->icaches);
    t->code = gpci_zalloc(t->r->context, t->r->hierarchy->streams, sizeof *t->code);
    if (!t->icaches || !t->code)
        return gpci_out_of_memory(error);
    for (uint32_t n = 0; n < count && status == GPC_OK; n++) {
        status = make(t, n, &t->icaches[n], error);
        t->sms[n / t->fetchers].icache = &t->icaches[n - n % t->fetchers];
    }
    return status;
}

void gpci_icaches_destroy(gpci_timed_replay *t) {
    for (uint32_t n = t->icaches ? t->r->sm_count * t->fetchers : 0; n--;) {
        gpc_cache_destroy(t->icaches[n].cache);
        gpci_free(t->r->context, t->icaches[n].misses);
    }
    gpci_free(t->r->context, t->icaches);
    gpci_free(t->r->context, t->fetch_turns);
    gpci_free(t->r->context, t->code);
}

uint32_t gpci_icaches_lines(const gpci_timed_replay *t) {
    return t->icaches ? t->fetchers * (t->icaches->entries + t->icaches->ahead) : 0;
}

/* Number of instruction caches of an SM. */
static uint32_t count_of(const gpci_timed_replay *t, const gpci_timed_sm *m) {
    return m->icache ? t->fetchers : 0;
}

void gpci_icaches_clear(const gpci_timed_replay *t, gpci_timed_sm *m) {
    for (uint32_t n = 0; n < count_of(t, m); n++) {
        gpci_icache *icache = &m->icache[n];
        gpci_stream_drop(m, icache);
        for (uint32_t i = 0; i < icache->entries + icache->ahead; i++)
            icache->misses[i] = (gpci_icache_miss){.used = false};
        icache->used = icache->unsent = icache->waiting.level = 0;
        icache->next = icache->end = 0;
    }
}

void gpci_icaches_archive(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_archive *a) {
    for (uint32_t n = 0; n < t->fetchers && m->fetchers; n++)
        gpci_archive_bytes(a, &m->fetchers[n], sizeof *m->fetchers);
    for (uint32_t n = 0; n < count_of(t, m); n++) {
        gpci_icache *icache = &m->icache[n];
        gpci_cache_archive(icache->cache, a);
        gpci_archive_bytes(a, icache->misses, (icache->entries + icache->ahead) * sizeof *icache->misses);
        GPCI_ARCHIVE_FIELD(a, icache->used), GPCI_ARCHIVE_FIELD(a, icache->unsent);
        GPCI_ARCHIVE_FIELD(a, icache->next), GPCI_ARCHIVE_FIELD(a, icache->end), GPCI_ARCHIVE_FIELD(a, icache->waiting);
    }
}

void gpci_icaches_account(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t end) {
    for (uint32_t n = 0; n < count_of(t, m); n++) {
        gpci_gauge *waiting = &m->icache[n].waiting;
        gpci_gauge_set(waiting, end, waiting->level);
        m->counts.l1i_waits += waiting->sum;
        waiting->sum = 0;
    }
}

void gpci_icaches_count_from(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t cycle) {
    for (uint32_t n = 0; n < count_of(t, m); n++)
        m->icache[n].waiting.since = cycle;
}

bool gpci_icaches_ask(const gpci_timed_replay *t, const gpci_timed_sm *m) {
    bool any = false;
    for (uint32_t n = 0; n < count_of(t, m); n++)
        any |= m->icache[n].unsent != 0;
    return any;
}

/* Code addresses lie above program data. A 24-bit hash of the kernel's name, 256 MiB apart, selects the base. */
void gpci_icaches_begin(gpci_timed_replay *t, const gpc_kernel *kernel, uint32_t stream, uint8_t process) {
    uint64_t name = 0;
    if (!t->icaches)
        return;
    for (const char *at = kernel->name; at && *at; at++)
        name = gpci_mix(name ^ (unsigned char)*at);
    t->code[stream] = (gpci_code){gpc_process_address(process, GPCI_CODE | (name & 0xffffff) << 28),
                                  kernel->binary_version >= 70 ? 16 : 8};
}

void gpci_icaches_launch(gpci_timed_replay *t) {
    const bool drops = t->icaches && number(t, GPCI_KEY_KERNELS_CODE);
    for (uint32_t n = 0; drops && n < t->r->sm_count * t->fetchers; n++)
        gpc_cache_invalidate_all(t->icaches[n].cache);
}

bool gpci_replay_reads_code(const gpc_replay *r) {
    return r->timed && r->timed->icaches;
}

/* Address of a warp's next instruction. */
static uint64_t address_of(const gpci_timed_replay *t, const gpci_timed_warp *w) {
    return t->code[w->run->stream].first + w->next->form->instruction.pc;
}

static uint64_t line_of(const gpci_timed_replay *t, const gpci_icache *icache, const gpci_timed_warp *w) {
    return address_of(t, w) & ~(uint64_t)(icache->line_bytes - 1);
}

gpc_request gpci_icache_request(const gpci_timed_replay *t, const gpci_timed_sm *m, uint64_t line, uint8_t stream) {
    return (gpc_request){.address = line,
                         .size = m->icache->line_bytes,
                         .sm = (uint32_t)(m - t->sms),
                         .kernel = gpci_kernel_of(t->r->hierarchy, stream),
                         .stream = stream,
                         .kind = GPC_LOAD,
                         .space = GPC_SPACE_INSTRUCTION,
                         .process = gpci_process_of(t->r->hierarchy, line)};
}

static gpci_icache_miss *find(gpci_icache *icache, uint64_t line) {
    for (uint32_t i = 0; i < icache->entries + icache->ahead; i++)
        if (icache->misses[i].used && icache->misses[i].line == line)
            return &icache->misses[i];
    return NULL;
}

/*
 * Register a warp with the MSHR entry of a line. False: no entry or merge is free; try again later. `merges`: the entry
 * existed.
 */
static bool waits(gpci_timed_sm *m, gpci_icache *icache, uint64_t line, uint8_t stream, bool *merges) {
    gpci_icache_miss *miss = find(icache, line);
    *merges = miss != NULL;
    if (miss ? miss->waiters >= icache->merges : icache->used == icache->entries)
        return false;
    if (miss) {
        if (GPCI_UNLIKELY(miss->ahead))
            gpci_stream_wanted(m, icache, miss);
        miss->waiters++;
        return true;
    }
    for (uint32_t i = 0; !miss; i++)
        miss = icache->misses[i].used ? NULL : &icache->misses[i];
    *miss = (gpci_icache_miss){.line = line, .waiters = 1, .stream = stream, .used = true};
    icache->used++;
    icache->unsent++;
    if (icache->ahead)
        gpci_stream_missed(m, icache, miss);
    return true;
}

static gpci_icache *icache_of(const gpci_timed_replay *t, const gpci_timed_sm *m, const gpci_timed_warp *w) {
    return &m->icache[gpci_fetcher_of(t, w)];
}

/* Look up a warp's fetch and count it once it hits or waits for its line. If neither, the warp tries again later. */
static void look(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w) {
    gpci_icache *icache = icache_of(t, m, w);
    const uint64_t line = line_of(t, icache, w);
    const gpc_request request = gpci_icache_request(t, m, line, w->run->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    bool merges = false;
    const bool hit = gpc_cache_lookup(icache->cache, &request, &result) == GPC_OK && result.outcome == GPC_HIT,
               found = hit || gpci_stream_take(t, m, icache, line, w->run->stream);
    w->held &= GPCI_HELD_FENCE;
    if (!found && !waits(m, icache, line, w->run->stream, &merges)) {
        w->held |= GPCI_HELD_MSHR;
        return;
    }
    m->counts.l1i_accesses++;
    m->counts.l1i_hits += hit;
    m->counts.l1i_merges += merges;
    w->held |= found ? 0 : GPCI_HELD_LINE;
}

/* Cut the warp's buffer at the end of the line. */
static void end_at_line(const gpci_timed_replay *t, const gpci_icache *icache, gpci_timed_warp *w) {
    const uint64_t left = line_of(t, icache, w) + icache->line_bytes - address_of(t, w);
    const uint32_t bytes = t->code[w->run->stream].instruction_bytes;
    const uint64_t count = left > bytes ? left / bytes : 1;
    w->buffered = count < w->buffered ? (uint8_t)count : w->buffered;
}

/* Requests for missing lines leave in this step or the next. */
void gpci_icache_fetch(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, uint64_t now) {
    gpci_icache *icache = icache_of(t, m, w);
    look(t, m, w);
    end_at_line(t, icache, w);
    if (w->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        gpci_gauge_set(&icache->waiting, now, icache->waiting.level + 1);
    if (icache->unsent) {
        m->any_answered = true;
        gpci_timed_wake(t->r->hierarchy, (uint32_t)(m - t->sms), now + 1);
    }
}

/* Continue a warp whose line arrived, or that tries again: take a fetch slot if possible. */
static void go_on(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now) {
    gpci_timed_warp *w = &m->warps[slot];
    gpci_icache *icache = icache_of(t, m, w);
    if (w->held & GPCI_HELD_HERE)
        w->held &= GPCI_HELD_FENCE;
    else
        look(t, m, w);
    if (w->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        return;
    gpci_gauge_set(&icache->waiting, now, icache->waiting.level - 1);
    gpci_fetch_turn(t, m, w, now, now);
    end_at_line(t, icache, w);
    if (gpci_warp_state(m, w) == GPC_STATE_WAITING)
        m->answered[slot / 64] |= gpci_warp_bit(slot);
}

/* Send one miss. False: the hierarchy is busy and will notify the SM. */
static bool send_one(gpci_timed_replay *t, gpci_timed_sm *m, gpci_icache *icache, uint32_t i) {
    gpci_icache_miss *miss = &icache->misses[i];
    const gpc_request request = gpci_icache_request(t, m, miss->line, miss->stream);
    const gpc_status status =
        gpci_timed_read(t->r->hierarchy, &request, GPCI_TOKEN_ICACHE | (uint64_t)(icache->first + i) << 1 | 1);
    if (status == GPC_BUSY)
        return false;
    if (status < 0) {
        t->stopped = true;
        t->status =
            gpci_fail(&t->error, status, "%s: SM %u: %s", t->r->kernel.file, request.sm, gpc_status_string(status));
        return false;
    }
    miss->sent = true;
    icache->unsent--;
    m->deeds->in_flight++;
    if (miss->ahead)
        gpci_stream_sent(m);
    return true;
}

/* Send the misses of waiting warps first, then prefetches. */
static void send(gpci_timed_replay *t, gpci_timed_sm *m) {
    for (unsigned ahead = 0; ahead < 2; ahead++)
        for (uint32_t n = 0; n < t->fetchers; n++)
            for (uint32_t i = 0; m->icache[n].unsent && i < m->icache[n].entries + m->icache[n].ahead; i++) {
                const gpci_icache_miss *miss = &m->icache[n].misses[i];
                if (miss->used && !miss->sent && miss->ahead == (ahead != 0) && !send_one(t, m, &m->icache[n], i))
                    return;
            }
}

/* True if a warp of the SM waits for instructions. */
static bool any_waits(const gpci_timed_replay *t, const gpci_timed_sm *m) {
    uint64_t waiting = 0;
    for (uint32_t n = 0; n < t->fetchers; n++)
        waiting += m->icache[n].waiting.level;
    return waiting != 0;
}

void gpci_icache_step(gpci_timed_replay *t, uint32_t sm, uint64_t now) {
    gpci_timed_sm *m = &t->sms[sm];
    for (uint32_t slot = 0; slot < t->slots && any_waits(t, m); slot++) {
        const gpci_timed_warp *w = &m->warps[slot];
        if (w->run && w->held & (GPCI_HELD_HERE | GPCI_HELD_MSHR))
            go_on(t, m, slot, now);
    }
    send(t, m);
}

/* Let the warps continue that wait for an arrived line, even if the line was not cached. */
static void free_waiting(const gpci_timed_replay *t, gpci_timed_sm *m, const gpci_icache *icache, uint64_t line) {
    for (uint32_t slot = 0; slot < t->slots; slot++) {
        gpci_timed_warp *w = &m->warps[slot];
        if (w->run && w->held & GPCI_HELD_LINE && icache_of(t, m, w) == icache && line_of(t, icache, w) == line)
            w->held ^= GPCI_HELD_LINE | GPCI_HELD_HERE;
    }
}

/* Fill a line that warps wait for. */
static void keep(const gpci_timed_replay *t, gpci_timed_sm *m, const gpci_icache *icache, gpci_icache_miss *miss) {
    const gpc_request request = gpci_icache_request(t, m, miss->line, miss->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_cache_fill(icache->cache, &request, 1, &result);
    free_waiting(t, m, icache, miss->line);
    miss->used = false;
}

void gpci_icache_fill(gpci_timed_replay *t, const gpc_completion *completion) {
    gpci_timed_sm *m = &t->sms[completion->sm];
    const uint32_t number = gpci_token_number(completion->token), each = m->icache->entries + m->icache->ahead;
    gpci_icache *icache = &m->icache[number / each];
    gpci_icache_miss *miss = &icache->misses[number % each];
    if (miss->ahead) {
        gpci_stream_came(m, icache, miss);
        if (!icache->unsent)
            return;
    } else {
        keep(t, m, icache, miss);
        icache->used -= number % each < icache->entries;
        if (icache->ahead)
            gpci_stream_go_on(icache, miss->stream);
    }
    m->any_answered = true;
    gpci_timed_wake(t->r->hierarchy, completion->sm, completion->cycle);
}

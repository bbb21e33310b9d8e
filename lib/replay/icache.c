/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/icache.h"

#include "level/kernels.h"
#include "replay/fetch.h"
#include "replay/sm_tokens.h"

static uint64_t number(const gpci_timed_replay *t, gpci_key key) {
    return gpci_config_number(t->r->config, key);
}

static gpc_status refuse(const gpci_timed_replay *t, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(t->r->config, key),
                     why);
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
    return GPC_OK;
}

static gpc_status make(gpci_timed_replay *t, uint32_t sm, gpci_icache *icache, gpc_error *error) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    o.ways = (uint32_t)number(t, GPCI_KEY_L1I_WAYS);
    o.line_bytes = icache->line_bytes = (uint32_t)number(t, GPCI_KEY_L1I_LINE);
    o.sets = number(t, GPCI_KEY_L1I_SIZE) / o.line_bytes / o.ways;
    o.allocate = GPC_ALLOCATE_ON_FILL;
    o.replacement = gpci_config_text(t->r->config, GPCI_KEY_L1I_REPLACEMENT);
    o.seed = 4;
    o.instance = sm;
    o.instances = t->r->sm_count;
    o.share_with = sm ? t->icaches[0].cache : NULL;
    if (!o.sets)
        return refuse(t, GPCI_KEY_L1I_SIZE, "is less than one set of l1i.ways lines", error);
    icache->entries = (uint32_t)number(t, GPCI_KEY_L1I_MSHR);
    icache->merges = number(t, GPCI_KEY_L1I_MERGES);
    icache->misses = gpci_zalloc(t->r->context, icache->entries, sizeof *icache->misses);
    if (!icache->misses)
        return gpci_out_of_memory(error);
    gpc_error detail = GPC_ERROR_INIT;
    const gpc_status status = gpc_cache_create(t->r->context, &o, &detail, &icache->cache);
    return status < 0 ? gpci_fail(error, status, "l1i: %s", detail.message) : GPC_OK;
}

gpc_status gpci_icaches_create(gpci_timed_replay *t, gpc_error *error) {
    if (!number(t, GPCI_KEY_L1I_SIZE))
        return GPC_OK;
    gpc_status status = check(t, error);
    if (status < 0)
        return status;
    t->icaches = gpci_zalloc(t->r->context, t->r->sm_count, sizeof *t->icaches);
    t->code = gpci_zalloc(t->r->context, t->r->hierarchy->streams, sizeof *t->code);
    if (!t->icaches || !t->code)
        return gpci_out_of_memory(error);
    for (uint32_t sm = 0; sm < t->r->sm_count && status == GPC_OK; sm++) {
        status = make(t, sm, &t->icaches[sm], error);
        t->sms[sm].icache = &t->icaches[sm];
    }
    return status;
}

void gpci_icaches_destroy(gpci_timed_replay *t) {
    for (uint32_t sm = t->icaches ? t->r->sm_count : 0; sm--;) {
        gpc_cache_destroy(t->icaches[sm].cache);
        gpci_free(t->r->context, t->icaches[sm].misses);
    }
    gpci_free(t->r->context, t->icaches);
    gpci_free(t->r->context, t->code);
}

void gpci_icache_clear(gpci_icache *icache) {
    for (uint32_t i = 0; i < icache->entries; i++)
        icache->misses[i] = (gpci_icache_miss){.used = false};
    icache->used = icache->unsent = icache->waiting.level = 0;
}

void gpci_icache_archive(gpci_icache *icache, gpci_archive *a) {
    gpci_cache_archive(icache->cache, a);
    gpci_archive_bytes(a, icache->misses, icache->entries * sizeof *icache->misses);
    GPCI_ARCHIVE_FIELD(a, icache->used), GPCI_ARCHIVE_FIELD(a, icache->unsent), GPCI_ARCHIVE_FIELD(a, icache->waiting);
}

/* Beyond what programs have, and as far apart as code is long. */
void gpci_icaches_begin(gpci_timed_replay *t, const gpc_kernel *kernel, uint32_t stream) {
    uint64_t name = 0;
    if (!t->icaches)
        return;
    for (const char *at = kernel->name; at && *at; at++)
        name = gpci_mix(name ^ (unsigned char)*at);
    t->code[stream] = (gpci_code){(uint64_t)1 << 56 | (name & 0xffffff) << 28, kernel->binary_version >= 70 ? 16 : 8};
}

/* Where a warp's next instruction is. */
static uint64_t address_of(const gpci_timed_replay *t, const gpci_timed_warp *w) {
    return t->code[w->run->stream].first + w->next->form->instruction.pc;
}

static uint64_t line_of(const gpci_timed_replay *t, const gpci_icache *icache, const gpci_timed_warp *w) {
    return address_of(t, w) & ~(uint64_t)(icache->line_bytes - 1);
}

static gpc_request request_of(const gpci_timed_replay *t, const gpci_timed_sm *m, uint64_t line, uint8_t stream) {
    return (gpc_request){.address = line,
                         .size = m->icache->line_bytes,
                         .sm = (uint32_t)(m - t->sms),
                         .kernel = gpci_kernel_of(t->r->hierarchy, stream),
                         .stream = stream,
                         .kind = GPC_LOAD,
                         .space = GPC_SPACE_INSTRUCTION};
}

static gpci_icache_miss *find(gpci_icache *icache, uint64_t line) {
    for (uint32_t i = 0, left = icache->used; left; i++)
        if (icache->misses[i].used) {
            left--;
            if (icache->misses[i].line == line)
                return &icache->misses[i];
        }
    return NULL;
}

/* Does a warp wait with an MSHR entry for its line now? Else it is to look again. */
static bool waits(gpci_icache *icache, uint64_t line, uint8_t stream, bool *merges) {
    gpci_icache_miss *miss = find(icache, line);
    *merges = miss != NULL;
    if (miss ? miss->waiters >= icache->merges : icache->used == icache->entries)
        return false;
    for (uint32_t i = 0; !miss; i++)
        miss = icache->misses[i].used ? NULL : &icache->misses[i];
    if (!*merges) {
        *miss = (gpci_icache_miss){.line = line, .stream = stream, .used = true};
        icache->used++;
        icache->unsent++;
    }
    miss->waiters++;
    return true;
}

/* A warp's fetch is counted once it is found, or waits for its line; else the warp is to look again. */
static void look(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w) {
    gpci_icache *icache = m->icache;
    const uint64_t line = line_of(t, icache, w);
    const gpc_request request = request_of(t, m, line, w->run->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    bool merges = false;
    const bool hit = gpc_cache_lookup(icache->cache, &request, &result) == GPC_OK && result.outcome == GPC_HIT;
    w->held &= GPCI_HELD_FENCE;
    if (!hit && !waits(icache, line, w->run->stream, &merges)) {
        w->held |= GPCI_HELD_MSHR;
        return;
    }
    m->counts.l1i_accesses++;
    m->counts.l1i_hits += hit;
    m->counts.l1i_merges += merges;
    w->held |= hit ? 0 : GPCI_HELD_LINE;
}

/* Its buffer has no more than the rest of the line. */
static void end_at_line(const gpci_timed_replay *t, const gpci_icache *icache, gpci_timed_warp *w) {
    const uint64_t left = line_of(t, icache, w) + icache->line_bytes - address_of(t, w);
    const uint32_t bytes = t->code[w->run->stream].instruction_bytes;
    const uint64_t count = left > bytes ? left / bytes : 1;
    w->buffered = count < w->buffered ? (uint8_t)count : w->buffered;
}

/* What has been found missing is asked for in the next step, if not in this. */
void gpci_icache_fetch(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, uint64_t now) {
    look(t, m, w);
    end_at_line(t, m->icache, w);
    if (w->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        gpci_gauge_set(&m->icache->waiting, now, m->icache->waiting.level + 1);
    if (m->icache->unsent) {
        m->any_answered = true;
        gpci_timed_wake(t->r->hierarchy, (uint32_t)(m - t->sms), now + 1);
    }
}

/* A warp whose line has come, or that is to look again, takes another turn if it can. */
static void go_on(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now) {
    gpci_timed_warp *w = &m->warps[slot];
    if (w->held & GPCI_HELD_HERE)
        w->held &= GPCI_HELD_FENCE;
    else
        look(t, m, w);
    if (w->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        return;
    gpci_gauge_set(&m->icache->waiting, now, m->icache->waiting.level - 1);
    gpci_fetch_turn(t, m, w, now, now);
    end_at_line(t, m->icache, w);
    if (gpci_warp_state(m, w) == GPC_STATE_WAITING)
        m->answered[slot / 64] |= gpci_warp_bit(slot);
}

static void send(gpci_timed_replay *t, uint32_t sm) {
    gpci_timed_sm *m = &t->sms[sm];
    gpci_icache *icache = m->icache;
    for (uint32_t i = 0; icache->unsent && i < icache->entries; i++) {
        gpci_icache_miss *miss = &icache->misses[i];
        if (!miss->used || miss->sent)
            continue;
        const gpc_request request = request_of(t, m, miss->line, miss->stream);
        const gpc_status status = gpci_timed_read(t->r->hierarchy, &request, GPCI_TOKEN_ICACHE | i << 1 | 1);
        if (status == GPC_BUSY) /* the SM is told when there is room */
            return;
        if (status < 0) {
            t->stopped = true;
            t->status = gpci_fail(&t->error, status, "%s: SM %u: %s", t->r->kernel.file, sm, gpc_status_string(status));
            return;
        }
        miss->sent = true;
        icache->unsent--;
        m->deeds->in_flight++;
    }
}

void gpci_icache_step(gpci_timed_replay *t, uint32_t sm, uint64_t now) {
    gpci_timed_sm *m = &t->sms[sm];
    for (uint32_t slot = 0; slot < t->slots && m->icache->waiting.level; slot++) {
        const gpci_timed_warp *w = &m->warps[slot];
        if (w->run && w->held & (GPCI_HELD_HERE | GPCI_HELD_MSHR))
            go_on(t, m, slot, now);
    }
    if (m->icache->unsent)
        send(t, sm);
}

void gpci_icache_fill(gpci_timed_replay *t, const gpc_completion *completion) {
    gpci_timed_sm *m = &t->sms[completion->sm];
    gpci_icache *icache = m->icache;
    gpci_icache_miss *miss = &icache->misses[gpci_token_number(completion->token)];
    const gpc_request request = request_of(t, m, miss->line, miss->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_cache_fill(icache->cache, &request, 1, &result);
    for (uint32_t slot = 0; slot < t->slots; slot++) { /* whether it is kept or not */
        gpci_timed_warp *w = &m->warps[slot];
        if (w->run && w->held & GPCI_HELD_LINE && line_of(t, icache, w) == miss->line)
            w->held ^= GPCI_HELD_LINE | GPCI_HELD_HERE;
    }
    miss->used = false;
    icache->used--;
    m->any_answered = true;
    gpci_timed_wake(t->r->hierarchy, completion->sm, completion->cycle);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/icache.h"
#include "base/check.h"

#include "level/access/l15.h"
#include "level/rules/kernels.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/stream_buffer.h"

static uint64_t number(const gpci_timed_replay *timed_replay, gpci_key key) {
    return gpci_config_number(timed_replay->replay->config, key);
}

static gpc_status refuse(const gpci_timed_replay *timed_replay, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(timed_replay->replay->config, key), why);
}

/* Reject keys without effect in this configuration. */
static gpc_status check_without(const gpci_timed_replay *timed_replay, gpc_error *error) {
    if (timed_replay->fetchers > 1 && !timed_replay->fetch)
        return refuse(timed_replay, GPCI_KEY_SM_FETCH_BY, "needs sm.fetch: else instructions are always at hand",
                      error);
    if (number(timed_replay, GPCI_KEY_L1I_SIZE))
        return GPC_OK;
    if (number(timed_replay, GPCI_KEY_L1I_PREFETCH))
        return refuse(timed_replay, GPCI_KEY_L1I_PREFETCH, "needs l1i.size: else there is nothing to fetch ahead",
                      error);
    if (timed_replay->replay->hierarchy->l15 && !timed_replay->replay->hierarchy->constants)
        return refuse(timed_replay, GPCI_KEY_L15_SIZE,
                      "needs l1i.size or const.size: else a replay asks it for nothing", error);
    return GPC_OK;
}

static gpc_status check(const gpci_timed_replay *timed_replay, gpc_error *error) {
    if (!timed_replay->fetch)
        return refuse(timed_replay, GPCI_KEY_L1I_SIZE, "needs sm.fetch: else instructions are always at hand", error);
    if (timed_replay->replay->hierarchy->coherent || timed_replay->replay->hierarchy->with_data)
        return refuse(timed_replay, GPCI_KEY_L1I_SIZE,
                      "needs coherence = none or viper, and coherence.data = false: trees, and values, know no code",
                      error);
    if (number(timed_replay, GPCI_KEY_L1I_LINE) > timed_replay->replay->hierarchy->l1_level.line_bytes)
        return refuse(timed_replay, GPCI_KEY_L1I_LINE, "must be at most l1.line: so much an SM asks for at once",
                      error);
    if (number(timed_replay, GPCI_KEY_KERNELS_CODE) && timed_replay->replay->hierarchy->streams > 1)
        return refuse(timed_replay, GPCI_KEY_KERNELS_CODE,
                      "needs streams = 1: kernels at once share instruction caches", error);
    return GPC_OK;
}

static gpc_status make(gpci_timed_replay *timed_replay, uint32_t n, gpci_icache *icache, gpc_error *error) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.ways = (uint32_t)number(timed_replay, GPCI_KEY_L1I_WAYS);
    options.line_bytes = icache->line_bytes = (uint32_t)number(timed_replay, GPCI_KEY_L1I_LINE);
    options.sets = number(timed_replay, GPCI_KEY_L1I_SIZE) / options.line_bytes / options.ways;
    options.allocate = GPC_ALLOCATE_ON_FILL;
    options.replacement = gpci_config_text(timed_replay->replay->config, GPCI_KEY_L1I_REPLACEMENT);
    options.seed = 4;
    options.instance = n;
    options.instances = timed_replay->replay->sm_count * timed_replay->fetchers;
    options.share_with = n ? timed_replay->icaches[0].cache : NULL;
    if (!options.sets)
        return refuse(timed_replay, GPCI_KEY_L1I_SIZE, "is less than one set of l1i.ways lines", error);
    icache->entries = (uint32_t)number(timed_replay, GPCI_KEY_L1I_MSHR);
    icache->ahead = (uint32_t)number(timed_replay, GPCI_KEY_L1I_PREFETCH);
    icache->merges = number(timed_replay, GPCI_KEY_L1I_MERGES);
    icache->first = n % timed_replay->fetchers * (icache->entries + icache->ahead);
    icache->misses =
        gpci_zalloc(timed_replay->replay->context, icache->entries + icache->ahead, sizeof *icache->misses);
    if (!icache->misses)
        return gpci_out_of_memory(error);
    gpc_error detail = GPC_ERROR_INIT;
    const gpc_status status = gpc_cache_create(timed_replay->replay->context, &options, &icache->cache, &detail);
    return status < 0 ? gpci_fail(error, status, "l1i: %s", detail.message) : GPC_OK;
}

static gpc_status make_fetchers(gpci_timed_replay *timed_replay, gpc_error *error) {
    if (!timed_replay->fetch)
        return GPC_OK;
    timed_replay->fetch_turns =
        gpci_zalloc(timed_replay->replay->context, (size_t)timed_replay->replay->sm_count * timed_replay->fetchers,
                    sizeof *timed_replay->fetch_turns);
    for (uint32_t sm = 0; timed_replay->fetch_turns && sm < timed_replay->replay->sm_count; sm++)
        timed_replay->sms[sm].fetchers = timed_replay->fetch_turns + (size_t)sm * timed_replay->fetchers;
    return timed_replay->fetch_turns ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_icaches_create(gpci_timed_replay *timed_replay, gpc_error *error) {
    timed_replay->fetchers = number(timed_replay, GPCI_KEY_SM_FETCH_BY) ? timed_replay->schedulers : 1;
    gpc_status status = check_without(timed_replay, error);
    if (status == GPC_OK)
        status = make_fetchers(timed_replay, error);
    if (status < 0 || !number(timed_replay, GPCI_KEY_L1I_SIZE))
        return status;
    status = check(timed_replay, error);
    if (status < 0)
        return status;
    const uint32_t count = timed_replay->replay->sm_count * timed_replay->fetchers;
    timed_replay->icaches = gpci_zalloc(timed_replay->replay->context, count, sizeof *timed_replay->icaches);
    timed_replay->code = gpci_zalloc(timed_replay->replay->context, timed_replay->replay->hierarchy->streams,
                                     sizeof *timed_replay->code);
    if (!timed_replay->icaches || !timed_replay->code)
        return gpci_out_of_memory(error);
    for (uint32_t n = 0; n < count && status == GPC_OK; n++) {
        status = make(timed_replay, n, &timed_replay->icaches[n], error);
        timed_replay->sms[n / timed_replay->fetchers].icache = &timed_replay->icaches[n - n % timed_replay->fetchers];
    }
    return status;
}

void gpci_icaches_destroy(gpci_timed_replay *timed_replay) {
    for (uint32_t n = timed_replay->icaches ? timed_replay->replay->sm_count * timed_replay->fetchers : 0; n--;) {
        gpc_cache_destroy(timed_replay->icaches[n].cache);
        gpci_free(timed_replay->replay->context, timed_replay->icaches[n].misses);
    }
    gpci_free(timed_replay->replay->context, timed_replay->icaches);
    gpci_free(timed_replay->replay->context, timed_replay->fetch_turns);
    gpci_free(timed_replay->replay->context, timed_replay->code);
}

uint32_t gpci_icaches_lines(const gpci_timed_replay *timed_replay) {
    return timed_replay->icaches
               ? timed_replay->fetchers * (timed_replay->icaches->entries + timed_replay->icaches->ahead)
               : 0;
}

/* Number of instruction caches of an SM. */
static uint32_t count_of(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core) {
    return core->icache ? timed_replay->fetchers : 0;
}

void gpci_icaches_clear(const gpci_timed_replay *timed_replay, gpci_timed_sm *core) {
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++) {
        gpci_icache *icache = &core->icache[n];
        gpci_stream_drop(core, icache);
        for (uint32_t i = 0; i < icache->entries + icache->ahead; i++)
            icache->misses[i] = (gpci_icache_miss){.used = false};
        icache->used = icache->unsent = 0;
        gpci_gauge_move(&icache->waiting, icache->waiting.since, 0);
        icache->next = icache->end = 0;
    }
}

void gpci_icaches_archive(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_archive *archive) {
    for (uint32_t n = 0; n < timed_replay->fetchers && core->fetchers; n++)
        gpci_archive_bytes(archive, &core->fetchers[n], sizeof *core->fetchers);
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++) {
        gpci_icache *icache = &core->icache[n];
        gpci_cache_archive(icache->cache, archive);
        gpci_archive_bytes(archive, icache->misses, (icache->entries + icache->ahead) * sizeof *icache->misses);
        GPCI_ARCHIVE_FIELD(archive, icache->used), GPCI_ARCHIVE_FIELD(archive, icache->unsent);
        GPCI_ARCHIVE_FIELD(archive, icache->next), GPCI_ARCHIVE_FIELD(archive, icache->end),
            GPCI_ARCHIVE_FIELD(archive, icache->waiting);
    }
}

void gpci_icaches_account(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t end) {
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++) {
        gpci_gauge *waiting = &core->icache[n].waiting;
        gpci_gauge_set(waiting, end, waiting->level);
        core->counts.l1i_waits += waiting->sum;
        waiting->sum = 0;
    }
}

void gpci_icaches_count_from(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t cycle) {
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++)
        gpci_gauge_skip(&core->icache[n].waiting, cycle);
}

#ifdef GPCI_CHECK
/* Add prefetched lines that are in the stream buffer or in flight, and the cycles of waiting warps not yet counted. */
void gpci_icaches_count_again(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, gpc_stats *stats) {
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++) {
        const gpci_icache *icache = &core->icache[n];
        for (uint32_t i = 0; i < icache->entries + icache->ahead; i++)
            stats->l1i_prefetches += icache->misses[i].used && icache->misses[i].ahead && icache->misses[i].sent;
        stats->l1i_wait_cycles += gpci_gauge_sum_again(&icache->waiting, icache->waiting.since);
    }
}
#endif

bool gpci_icaches_ask(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core) {
    bool any = false;
    for (uint32_t n = 0; n < count_of(timed_replay, core); n++)
        any |= core->icache[n].unsent != 0;
    return any;
}

/*
 * Code has addresses above all data (GPCI_CODE). A 24-bit hash of the kernel's name selects the first address, a
 * multiple of 256 MiB.
 */
void gpci_icaches_begin(gpci_timed_replay *timed_replay, const gpc_kernel *kernel, uint32_t stream, uint8_t process) {
    uint64_t name = 0;
    if (!timed_replay->icaches)
        return;
    for (const char *at = kernel->name; at && *at; at++)
        name = gpci_mix(name ^ (unsigned char)*at);
    timed_replay->code[stream] = (gpci_code){gpc_process_address(process, GPCI_CODE | (name & 0xffffff) << 28),
                                             kernel->binary_version >= 70 ? 16 : 8};
}

void gpci_icaches_launch(gpci_timed_replay *timed_replay) {
    const bool drops = timed_replay->icaches && number(timed_replay, GPCI_KEY_KERNELS_CODE);
    for (uint32_t n = 0; drops && n < timed_replay->replay->sm_count * timed_replay->fetchers; n++)
        gpc_cache_invalidate_all(timed_replay->icaches[n].cache, NULL);
}

bool gpci_replay_reads_code(const gpc_replay *replay) {
    return replay->timed && replay->timed->icaches;
}

/* Address of a warp's next instruction. */
static uint64_t address_of(const gpci_timed_replay *timed_replay, const gpci_timed_warp *warp) {
    return timed_replay->code[warp->run->stream].first + warp->next->form->instruction.pc;
}

static uint64_t line_of(const gpci_timed_replay *timed_replay, const gpci_icache *icache, const gpci_timed_warp *warp) {
    return address_of(timed_replay, warp) & ~(uint64_t)(icache->line_bytes - 1);
}

gpc_request gpci_icache_request(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, uint64_t line,
                                uint8_t stream) {
    return (gpc_request){.address = line,
                         .size = core->icache->line_bytes,
                         .sm = (uint32_t)(core - timed_replay->sms),
                         .kernel = gpci_kernel_of(timed_replay->replay->hierarchy, stream),
                         .stream = stream,
                         .kind = GPC_LOAD,
                         .space = GPC_SPACE_INSTRUCTION,
                         .process = gpci_process_of(timed_replay->replay->hierarchy, line)};
}

static gpci_icache_miss *find(gpci_icache *icache, uint64_t line) {
    for (uint32_t i = 0; i < icache->entries + icache->ahead; i++)
        if (icache->misses[i].used && icache->misses[i].line == line)
            return &icache->misses[i];
    return NULL;
}

/*
 * Let a warp wait at the MSHR entry of a line. If the line has no entry, take a free entry. False: no entry is free, or
 * too many warps wait at the entry. `merges`: receives true if the line had an entry.
 */
static bool waits(gpci_timed_sm *core, gpci_icache *icache, uint64_t line, uint8_t stream, bool *merges) {
    gpci_icache_miss *miss = find(icache, line);
    *merges = miss != NULL;
    if (miss ? miss->waiters >= icache->merges : icache->used == icache->entries)
        return false;
    if (miss) {
        if (GPCI_UNLIKELY(miss->ahead))
            gpci_stream_wanted(core, icache, miss);
        miss->waiters++;
        return true;
    }
    for (uint32_t i = 0; !miss; i++)
        miss = icache->misses[i].used ? NULL : &icache->misses[i];
    *miss = (gpci_icache_miss){.line = line, .waiters = 1, .stream = stream, .used = true};
    icache->used++;
    icache->unsent++;
    GPCI_AGAIN(core->again.l1i_accesses++);
    if (icache->ahead)
        gpci_stream_missed(core, icache, miss);
    return true;
}

static gpci_icache *icache_of(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core,
                              const gpci_timed_warp *warp) {
    return &core->icache[gpci_fetcher_of(timed_replay, warp)];
}

/*
 * Look up the line of a warp's fetch. Count the fetch if the line is found, or if the warp waits for the line. If the
 * warp cannot wait (GPCI_HELD_MSHR), the warp tries again later.
 */
static void look(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp) {
    gpci_icache *icache = icache_of(timed_replay, core, warp);
    const uint64_t line = line_of(timed_replay, icache, warp);
    const gpc_request request = gpci_icache_request(timed_replay, core, line, warp->run->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    bool merges = false;
    const bool hit = gpc_cache_lookup(icache->cache, &request, &result, NULL) == GPC_OK && result.outcome == GPC_HIT,
               found = hit || gpci_stream_take(timed_replay, core, icache, line, warp->run->stream);
    warp->held &= GPCI_HELD_FENCE;
    if (!found && !waits(core, icache, line, warp->run->stream, &merges)) {
        warp->held |= GPCI_HELD_MSHR;
        return;
    }
    core->counts.l1i_accesses++;
    core->counts.l1i_hits += hit;
    core->counts.l1i_merges += merges;
    warp->held |= found ? 0 : GPCI_HELD_LINE;
}

/* Limit the instructions in the warp's buffer to the end of the line. */
static void end_at_line(const gpci_timed_replay *timed_replay, const gpci_icache *icache, gpci_timed_warp *warp) {
    const uint64_t left = line_of(timed_replay, icache, warp) + icache->line_bytes - address_of(timed_replay, warp);
    const uint32_t bytes = timed_replay->code[warp->run->stream].instruction_bytes;
    const uint64_t count = left > bytes ? left / bytes : 1;
    warp->buffered = count < warp->buffered ? (uint8_t)count : warp->buffered;
}

/* A request for a missing line is sent in this step of the SM, or in the next. */
void gpci_icache_fetch(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                       uint64_t now) {
    gpci_icache *icache = icache_of(timed_replay, core, warp);
    look(timed_replay, core, warp);
    end_at_line(timed_replay, icache, warp);
    if (warp->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        gpci_gauge_move(&icache->waiting, now, icache->waiting.level + 1);
    if (icache->unsent) {
        core->any_answered = true;
        gpci_timed_wake(timed_replay->replay->hierarchy, (uint32_t)(core - timed_replay->sms), now + 1);
    }
}

/* Let a warp fetch whose line has arrived, or that tries again. If the warp must wait, nothing changes. */
static void go_on(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now) {
    gpci_timed_warp *warp = &core->warps[slot];
    gpci_icache *icache = icache_of(timed_replay, core, warp);
    if (warp->held & GPCI_HELD_HERE)
        warp->held &= GPCI_HELD_FENCE;
    else
        look(timed_replay, core, warp);
    if (warp->held & (GPCI_HELD_LINE | GPCI_HELD_MSHR))
        return;
    gpci_gauge_move(&icache->waiting, now, icache->waiting.level - 1);
    gpci_fetch_turn(timed_replay, core, warp, now, now);
    end_at_line(timed_replay, icache, warp);
    if (gpci_warp_state(core, warp) == GPC_STATE_WAITING)
        core->answered[slot / 64] |= gpci_warp_bit(slot);
}

/* Send the request of entry `i`. False: the memory pipeline is busy, and will call gpci_sm_ready; or an error. */
static bool send_one(gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_icache *icache, uint32_t i) {
    gpci_icache_miss *miss = &icache->misses[i];
    const gpc_request request = gpci_icache_request(timed_replay, core, miss->line, miss->stream);
    const gpc_status status = gpci_timed_read(timed_replay->replay->hierarchy, &request,
                                              GPCI_TOKEN_ICACHE | (uint64_t)(icache->first + i) << 1 | 1);
    if (status == GPC_BUSY)
        return false;
    if (status < 0) {
        timed_replay->stopped = true;
        timed_replay->status = gpci_fail(&timed_replay->error, status, "%s: SM %u: %s",
                                         timed_replay->replay->kernel.file, request.sm, gpc_status_string(status));
        return false;
    }
    miss->sent = true;
    icache->unsent--;
    core->deeds->in_flight++;
    if (miss->ahead)
        gpci_stream_sent(core);
    return true;
}

/* Send the misses of waiting warps first, then prefetches. */
static void send(gpci_timed_replay *timed_replay, gpci_timed_sm *core) {
    for (unsigned ahead = 0; ahead < 2; ahead++)
        for (uint32_t n = 0; n < timed_replay->fetchers; n++)
            for (uint32_t i = 0; core->icache[n].unsent && i < core->icache[n].entries + core->icache[n].ahead; i++) {
                const gpci_icache_miss *miss = &core->icache[n].misses[i];
                if (miss->used && !miss->sent && miss->ahead == (ahead != 0) &&
                    !send_one(timed_replay, core, &core->icache[n], i))
                    return;
            }
}

/* True if a warp of the SM waits for instructions. */
static bool any_waits(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core) {
    uint64_t waiting = 0;
    for (uint32_t n = 0; n < timed_replay->fetchers; n++)
        waiting += core->icache[n].waiting.level;
    return waiting != 0;
}

void gpci_icache_step(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[sm];
    for (uint32_t slot = 0; slot < timed_replay->slots && any_waits(timed_replay, core); slot++) {
        const gpci_timed_warp *warp = &core->warps[slot];
        if (warp->run && warp->held & (GPCI_HELD_HERE | GPCI_HELD_MSHR))
            go_on(timed_replay, core, slot, now);
    }
    send(timed_replay, core);
}

/* Mark the warps that wait for a line as GPCI_HELD_HERE: the line has arrived, even if the cache did not keep it. */
static void free_waiting(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, const gpci_icache *icache,
                         uint64_t line) {
    for (uint32_t slot = 0; slot < timed_replay->slots; slot++) {
        gpci_timed_warp *warp = &core->warps[slot];
        if (warp->run && warp->held & GPCI_HELD_LINE && icache_of(timed_replay, core, warp) == icache &&
            line_of(timed_replay, icache, warp) == line)
            warp->held ^= GPCI_HELD_LINE | GPCI_HELD_HERE;
    }
}

/* Fill an arrived line into the cache, and let the waiting warps continue. */
static void keep(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, const gpci_icache *icache,
                 gpci_icache_miss *miss) {
    const gpc_request request = gpci_icache_request(timed_replay, core, miss->line, miss->stream);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_cache_fill(icache->cache, &request, 1, &result, NULL);
    free_waiting(timed_replay, core, icache, miss->line);
    miss->used = false;
}

void gpci_icache_fill(gpci_timed_replay *timed_replay, const gpc_completion *completion) {
    gpci_timed_sm *core = &timed_replay->sms[completion->sm];
    const uint32_t number = gpci_token_number(completion->token), each = core->icache->entries + core->icache->ahead;
    gpci_icache *icache = &core->icache[number / each];
    gpci_icache_miss *miss = &icache->misses[number % each];
    if (miss->ahead) {
        gpci_stream_came(core, icache, miss);
        if (!icache->unsent)
            return;
    } else {
        keep(timed_replay, core, icache, miss);
        icache->used -= number % each < icache->entries;
        if (icache->ahead)
            gpci_stream_go_on(icache, miss->stream);
    }
    core->any_answered = true;
    gpci_timed_wake(timed_replay->replay->hierarchy, completion->sm, completion->cycle);
}

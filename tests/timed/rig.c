/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "timed/rig.h"

#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#define PATIENCE 2000000u /* cycles after which a wait is hopeless */

const char rig_base[] =
    "mode = timed\nsm.count = 1\nclock.core = 1000\nclock.network = 1000\nclock.l2 = 1000\nclock.dram = 1000\n"
    "kernels.flush = none\n"
    "l1.size = 16KiB\nl1.ways = 4\nl1.line = 128B\nl1.sectors = 4\nl1.write_policy = evict\n"
    "l1.write_policy_local = evict\nl1.write_allocate = none\nl1.write_allocate_local = none\n"
    "l1.latency = 10\nl1.queue = unlimited\nl1.tag_ports = 1\nl1.banks = 1\nl1.data_width = 128B\n"
    "l1.fill_width = 128B\nl1.mshr_entries = unlimited\nl1.mshr_merges = unlimited\nl1.miss_queue = unlimited\n"
    "network.latency = 5\nnetwork.width = 256B\nnetwork.reply_width = 256B\nnetwork.header = 8B\n"
    "network.input_buffer = unlimited\nnetwork.output_buffer = unlimited\n"
    "l2.size = 256KiB\nl2.slices = 1\nl2.ways = 16\nl2.line = 128B\nl2.sectors = 4\n"
    "l2.write_policy = back\nl2.write_allocate = fetch\nl2.rop_latency = 0\nl2.latency = 20\nl2.queue = unlimited\n"
    "l2.tag_ports = 1\nl2.banks = 1\nl2.data_width = 128B\nl2.fill_width = 128B\nl2.mshr_entries = unlimited\n"
    "l2.mshr_merges = unlimited\nl2.miss_queue = unlimited\nl2.reply_queue = unlimited\nl2.link_width = 256B\n"
    "l2.link_buffer = unlimited\nmemory.link_buffer = unlimited\ndram.channels = 1\n";

/* Stages, with stats.stages, are parts of the way, and complete. */
static void check_stages(const gpc_completion *c) {
    uint64_t left = c->cycle - c->issued;
    for (uint32_t i = 0; i < c->stage_count; i++) {
        cr_expect_leq(c->stages[i], left, "%s", gpc_stage_name(i));
        left -= c->stages[i];
    }
    cr_expect(!c->stage_count || !left, "%" PRIu64 " cycles are in no stage", left);
}

static void on_complete(void *user_data, const gpc_completion *c) {
    rig *r = user_data;
    cr_assert_lt(c->token, RIG_TOKENS);
    rig_done *d = &r->done[c->token];
    d->issued = c->issued;
    d->cycle = c->cycle;
    d->level = c->level;
    d->kind = c->kind;
    d->fence = c->fence;
    d->times++;
    r->completed++;
    r->trail = (r->trail ^ c->token) * 0x9e3779b97f4a7c15u + c->cycle * 8 + c->level;
    check_stages(c);
    cr_expect_eq(c->cycle, gpc_hierarchy_now(r->hierarchy), "a completion's cycle is the present one");
}

static void on_ready(void *user_data, uint32_t sm) {
    rig *r = user_data;
    r->ready++;
    r->ready_sm = sm;
    cr_assert_lt(sm, 64);
    r->ready_sms[sm] = true;
}

static void on_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                    const gpc_request *request) {
    rig *r = user_data;
    (void)instance, (void)line_address;
    cr_assert(level == 1 || level == 2);
    cr_expect(sectors && request);
    static const uint8_t zeros[sizeof request->reserved];
    cr_expect_eq(memcmp(request->reserved, zeros, sizeof zeros), 0);
    r->fills[level]++;
}

static void on_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    rig *r = user_data;
    (void)instance;
    cr_assert(level == 1 || level == 2);
    cr_expect_not_null(eviction);
    r->evictions[level]++;
}

static bool on_memory(void *user_data, const gpc_memory_request *request) {
    rig *r = user_data;
    rig_memory *m = &r->memory;
    uint64_t now = gpc_hierarchy_now(r->hierarchy);
    cr_expect_eq(request->address % 32, 0);
    cr_expect(request->bytes >= 32 && request->bytes <= 128 && request->bytes % 32 == 0, "%u bytes", request->bytes);
    cr_assert_lt(request->channel, 64);
    cr_expect_not(m->refused[request->channel], "offered again before a word to the channel");
    m->calls++;
    if (m->refuse || (!request->write && m->room && m->count >= m->room)) {
        m->refused[request->channel] = true;
        m->refusals++;
        return false;
    }
    m->last_call = now;
    if (request->write) {
        m->writes++;
        m->write_bytes += request->bytes;
        return true;
    }
    m->read_bytes += request->bytes;
    cr_assert_lt(m->count, RIG_READS);
    m->reads[m->count++] = (rig_read){request->id, now + m->latency};
    return true;
}

static gpc_status make(rig *r, const char *settings, gpc_error *error) {
    *r = (rig){.settings = settings ? settings : ""};
    cr_assert_eq(gpc_context_create(NULL, &r->context, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_create(r->context, &r->config, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_load_text(r->config, rig_base, "base", error), GPC_OK, "%s", error->message);
    if (settings)
        cr_assert_eq(gpc_config_load_text(r->config, settings, "settings", error), GPC_OK, "%s", error->message);
    suit(r->context, r->config);
    return gpc_hierarchy_create(r->context, r->config, &r->hierarchy, error);
}

static void listen(rig *r, bool host_memory) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = r;
    callbacks.on_complete = on_complete;
    callbacks.on_ready = on_ready;
    callbacks.on_fill = on_fill;
    callbacks.on_evict = on_evict;
    callbacks.on_memory = host_memory ? on_memory : NULL;
    cr_assert_eq(gpc_hierarchy_set_callbacks(r->hierarchy, &callbacks, NULL), GPC_OK);
}

static void open_rig(rig *r, const char *settings, bool host_memory) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(make(r, settings, &error), GPC_OK, "%s: %s", settings, error.message);
    listen(r, host_memory);
}

void rig_reopen(rig *r, const char *settings, uint64_t latency) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_config_load_text(r->config, settings, "settings", &error), GPC_OK, "%s", error.message);
    gpc_hierarchy_destroy(r->hierarchy);
    suit(r->context, r->config);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &r->hierarchy, &error), GPC_OK, "%s", error.message);
    r->memory.latency = latency;
    listen(r, true);
}

void rig_open_dram(rig *r, const char *settings) {
    open_rig(r, settings, false);
}

void rig_open(rig *r, const char *settings, uint64_t latency) {
    open_rig(r, settings, true);
    r->memory.latency = latency;
}

gpc_status rig_refused(const char *settings, gpc_error *error) {
    static rig r;
    gpc_status status = make(&r, settings, error);
    cr_assert_lt(status, 0, "%s was accepted", settings);
    cr_assert_null(r.hierarchy);
    rig_abandon(&r);
    return status;
}

void rig_abandon(rig *r) {
    gpc_hierarchy_destroy(r->hierarchy);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
}

void rig_close(rig *r) {
    rig_finish(r);
    measured_stats stats = rig_stats(r);
    cr_expect_eq(r->completed, r->issued);
    cr_expect_eq(stats.accepted, stats.completed);
    for (uint64_t token = 0; token < r->issued; token++)
        cr_expect_eq(r->done[token].times, 1, "token %" PRIu64 " completed %u times", token, r->done[token].times);
    rig_abandon(r);
}

gpc_status rig_try(rig *r, shot s, gpc_busy *busy) {
    uint64_t addresses[64];
    for (uint32_t i = 0; i < s.lanes; i++)
        addresses[i] = s.address + i * s.stride;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = s.sm;
    access.warp = s.warp;
    access.warp_age = s.age;
    access.pc = s.pc;
    access.mask = s.lanes == 64 ? UINT64_MAX : ((uint64_t)1 << s.lanes) - 1;
    access.addresses = addresses;
    access.width = s.width;
    access.kind = s.kind;
    access.space = s.space;
    access.hint = s.hint;
    access.token = s.token;
    access.token_l2 = s.token_l2;
    access.scope = s.scope;
    access.order = s.order;
    access.copy = s.copy;
    access.multicast = s.multicast;
    access.multicast_count = s.multicast_count;
    cr_assert_lt(r->issued, RIG_TOKENS);
    gpc_busy why = GPC_BUSY_COUNT;
    gpc_status status = gpc_hierarchy_try_issue(r->hierarchy, &access, r->issued, &why, NULL);
    cr_assert(status == GPC_OK || status == GPC_BUSY, "%s", gpc_status_string(status));
    cr_expect_eq(why == GPC_BUSY_NOT, status == GPC_OK);
    cr_expect_lt(why, GPC_BUSY_COUNT);
    if (busy)
        *busy = why;
    if (status == GPC_OK)
        r->done[r->issued++].accepted = true;
    return status;
}

uint64_t rig_issue(rig *r, shot s) {
    gpc_busy busy;
    cr_assert_eq(rig_try(r, s, &busy), GPC_OK, "busy: %d", (int)busy);
    return r->issued - 1;
}

gpc_status rig_try_fence(rig *r, fence_shot f, gpc_busy *busy) {
    gpc_fence fence = GPC_FENCE_INIT;
    fence.sm = f.sm;
    fence.warp = f.warp;
    fence.scope = (uint8_t)f.scope;
    fence.order = (uint8_t)f.order;
    fence.control = (uint8_t)f.control;
    cr_assert_lt(r->issued, RIG_TOKENS);
    gpc_busy why = GPC_BUSY_COUNT;
    gpc_status status = gpc_hierarchy_try_fence(r->hierarchy, &fence, r->issued, &why, NULL);
    cr_assert(status == GPC_OK || status == GPC_BUSY, "%s", gpc_status_string(status));
    cr_expect_eq(why == GPC_BUSY_NOT, status == GPC_OK);
    if (busy)
        *busy = why;
    if (status == GPC_OK)
        r->done[r->issued++].accepted = true;
    return status;
}

uint64_t rig_fence(rig *r, fence_shot f) {
    cr_assert_eq(rig_try_fence(r, f, NULL), GPC_OK);
    return r->issued - 1;
}

uint64_t rig_push(rig *r, shot s) {
    for (uint32_t tries = 0; rig_try(r, s, NULL) == GPC_BUSY; tries++) {
        cr_assert_lt(tries, PATIENCE, "never accepted");
        rig_step(r);
    }
    return r->issued - 1;
}

/* Tell every refused channel of room. */
static void tell_channels(rig *r) {
    for (uint32_t c = 0; c < 64; c++)
        if (r->memory.refused[c]) {
            r->memory.refused[c] = false;
            cr_assert_eq(gpc_hierarchy_memory_ready(r->hierarchy, c, NULL), GPC_OK);
        }
}

/* The due reads; `reads` keeps the order of arrival. */
static void answer(rig *r) {
    rig_memory *m = &r->memory;
    uint64_t now = rig_now(r), due[RIG_READS];
    uint32_t count = 0, left = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->reads[i].due <= now)
            due[count++] = m->reads[i].id;
        else
            m->reads[left++] = m->reads[i];
    m->count = left;
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(gpc_hierarchy_memory_reply(r->hierarchy, due[m->order == RIG_BACKWARDS ? count - 1 - i : i], NULL),
                     GPC_OK);
    if (count && !m->refuse)
        tell_channels(r);
}

static void go(rig *r, uint64_t cycles) {
    gpc_error error = GPC_ERROR_INIT;
    if (gpc_hierarchy_advance(r->hierarchy, cycles, &error) != GPC_OK)
        cr_assert_fail("%s\n%s", error.message, r->settings);
}

void rig_step(rig *r) {
    uint64_t now = rig_now(r);
    go(r, 1);
    cr_assert_eq(rig_now(r), now + 1);
    answer(r);
}

void rig_steps(rig *r, uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; i++)
        rig_step(r);
}

void rig_skip(rig *r, uint64_t limit) {
    uint64_t now = rig_now(r), to = gpc_hierarchy_next_event(r->hierarchy);
    for (uint32_t i = 0; i < r->memory.count; i++)
        to = r->memory.reads[i].due < to ? r->memory.reads[i].due : to;
    to = to > limit ? limit : to <= now ? now + 1 : to;
    go(r, to - now);
    answer(r);
}

void rig_wait(rig *r, uint64_t token) {
    for (uint32_t i = 0; !r->done[token].times; i++) {
        cr_assert_lt(i, PATIENCE, "token %" PRIu64 " never completes", token);
        rig_step(r);
    }
}

void rig_finish(rig *r) {
    /* a prefetch or a store may end before memory has been asked: also wait for packets on the way */
    for (uint32_t i = 0; gpc_hierarchy_in_flight(r->hierarchy) || r->memory.count ||
                         gpc_hierarchy_next_event(r->hierarchy) != UINT64_MAX;
         i++) {
        cr_assert_lt(i, PATIENCE, "%" PRIu64 " of %" PRIu64 " accesses complete", r->completed, r->issued);
        rig_step(r);
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, &error), GPC_OK, "%s", error.message);
}

void rig_release(rig *r) {
    r->memory.refuse = false;
    tell_channels(r);
}

uint64_t rig_latency(rig *r, shot s) {
    uint64_t token = rig_issue(r, s);
    rig_wait(r, token);
    cr_assert_eq(r->done[token].times, 1);
    uint64_t cycles = r->done[token].cycle - r->done[token].issued;
    rig_finish(r);
    return cycles;
}

uint64_t rig_spread(rig *r, shot s, uint32_t count, uint64_t apart) {
    uint64_t first = r->issued, from = UINT64_MAX, to = 0;
    for (uint32_t i = 0; i < count; i++, s.address += apart)
        rig_push(r, s);
    rig_finish(r);
    for (uint64_t token = first; token < r->issued; token++) {
        from = r->done[token].cycle < from ? r->done[token].cycle : from;
        to = r->done[token].cycle > to ? r->done[token].cycle : to;
    }
    return to - from;
}

measured_stats rig_stats(const rig *r) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(r->hierarchy, &stats), GPC_OK);
    return measured(stats);
}

uint64_t rig_now(const rig *r) {
    return gpc_hierarchy_now(r->hierarchy);
}

uint64_t rig_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t rig_below(uint64_t *state, uint32_t limit) {
    return (uint32_t)(rig_random(state) % limit);
}

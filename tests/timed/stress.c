/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/drive.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Random small hierarchies under random streams: no loss, deadlock or nondeterminism in any configuration. */

static stream draw_stream(uint64_t *state, uint32_t sms) {
    return (stream){.seed = rig_random(state),
                    .sms = sms,
                    .accesses = 1 + rig_below(state, 60),
                    .bytes = 1024u << rig_below(state, 6),
                    .loads = rig_below(state, 13),
                    .stores = rig_below(state, 4)};
}

static uint64_t count_loads(const stream *s) {
    uint64_t loads = 0;
    for (uint32_t sm = 0; sm < s->sms; sm++)
        for (uint32_t n = 0; n < s->accesses; n++)
            loads += stream_shot(s, sm, n).kind == GPC_LOAD;
    return loads;
}

typedef struct outcome {
    uint64_t trail, now;
    measured_stats stats;
} outcome;

static void draw_memory(uint64_t *state, rig *r) {
    r->memory.latency = 1 + rig_below(state, 300);
    r->memory.room = rig_below(state, 3) ? 0 : 1 + rig_below(state, 4);
    r->memory.order = rig_below(state, 2) ? RIG_BACKWARDS : RIG_IN_ORDER;
}

/* A hierarchy and stream, by a seed. The host is the memory in half of the seeds. */
static outcome run(uint64_t seed, host_kind host, bool check) {
    static rig r;
    uint64_t state = seed;
    machine m;
    outcome o;
    draw_machine(&state, true, &m);
    stream s = draw_stream(&state, m.sms);
    if (rig_below(&state, 2)) {
        rig_open(&r, m.text, 0);
        draw_memory(&state, &r);
    } else {
        rig_open_dram(&r, m.text);
    }
    drive(&r, &s, host);
    o = (outcome){.trail = r.trail, .now = rig_now(&r), .stats = rig_stats(&r)};
    if (check)
        check_idle(&r, &m, count_loads(&s));
    rig_close(&r);
    return o;
}

static void same(const outcome *a, const outcome *b, uint64_t seed, const char *what) {
    cr_expect_eq(a->trail, b->trail, "seed %u: %s: completions differ", (unsigned)seed, what);
    cr_expect_eq(a->now, b->now, "seed %u: %s: ends at another cycle", (unsigned)seed, what);
    cr_expect_eq(memcmp(&a->stats, &b->stats, sizeof a->stats), 0, "seed %u: %s: counters differ", (unsigned)seed,
                 what);
}

/* In parts, divided among the test runner's processes. */
static void part(uint64_t from, uint64_t to) {
    for (uint64_t seed = from; seed < to; seed++)
        run(seed, HOST_SKIPS, true);
}

#define PART(n)                                                       \
    Test(timed_stress, small_hierarchies_##n) {                       \
        part(n *(uint64_t)1000, n *(uint64_t)1000 + effort_of(1000)); \
    }

PART(0)
PART(1)
PART(2)
PART(3)

Test(timed_stress, same_result_twice) {
    for (uint64_t seed = 10000; seed < 10000 + effort_of(300); seed++) {
        outcome a = run(seed, HOST_SKIPS, false), b = run(seed, HOST_SKIPS, false);
        same(&a, &b, seed, "again");
    }
}

/* A host skipping to next_event sees the same as a host stepping every cycle, and nothing happens in between. */
Test(timed_stress, hosts_that_poll_and_that_skip) {
    for (uint64_t seed = 20000; seed < 20000 + effort_of(300); seed++) {
        outcome polls = run(seed, HOST_POLLS, false), skips = run(seed, HOST_SKIPS, false);
        outcome checks = run(seed, HOST_CHECKS, false);
        same(&polls, &skips, seed, "skipping");
        same(&skips, &checks, seed, "in two steps");
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_RIG_H
#define TESTS_TIMED_RIG_H

#include "measured.h"

#include <gpucache/gpucache.h>

/*
 * A timed hierarchy with a host: the host issues, moves the clock, records every completion, and provides memory if
 * wanted. Uses only the public interface.
 */

#define RIG_TOKENS 8192u
#define RIG_READS 4096u

/* Result of an access, by token. */
typedef struct rig_done {
    uint64_t issued, cycle;
    uint32_t times; /* completions: must be 1 at the end */
    uint8_t level, kind;
    bool accepted, fence;
} rig_done;

/* Order of answers of the host's memory to due reads. */
typedef enum rig_order { RIG_IN_ORDER, RIG_BACKWARDS } rig_order;

typedef struct rig_read {
    uint64_t id, due;
} rig_read;

typedef struct rig_memory {
    uint64_t latency; /* core cycles from the call to the reply */
    uint32_t room;    /* reads at once, 0 = unlimited */
    bool refuse;      /* takes nothing */
    rig_order order;
    rig_read reads[RIG_READS];
    uint32_t count;
    uint64_t calls, refusals, read_bytes, write_bytes, writes, last_call;
    bool refused[64]; /* by channel, since last told ready */
} rig_memory;

typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    const char *settings;
    rig_done done[RIG_TOKENS];
    uint64_t issued, completed;
    uint64_t trail; /* digest of all completions, in order: equal trails mean equal histories */
    uint64_t ready, fills[3], evictions[3];
    uint32_t ready_sm;
    bool ready_sms[64]; /* since the host last looked */
    rig_memory memory;
} rig;

/*
 * Wide and deep everywhere, so that a test narrows one part: one SM, one slice, one channel, equal clocks; L1 of 32
 * sets x 4 ways x 128 bytes, lines 4 KiB apart in one set, hits after 10 cycles, one lookup a cycle; packets of 8 bytes
 * plus data, crossing in one cycle plus a latency of 5; L2 of 128 sets x 16 ways, hits after 20 cycles, one lookup a
 * cycle; sectors of 32 bytes; no other limits. L1 writes evict, L2 writes back and fetches.
 */
extern const char rig_base[];

/* The base, then the settings (`key = value` lines, or NULL), with the configured DRAM. */
void rig_open_dram(rig *r, const char *settings);
/* With the host as memory: `latency` core cycles from the transfer to the reply. */
void rig_open(rig *r, const char *settings, uint64_t latency);
/* After registering policies with the context: open an idle rig anew, with further settings that name them. */
void rig_reopen(rig *r, const char *settings, uint64_t latency);
gpc_status rig_refused(const char *settings, gpc_error *error);
/* Every accepted access has completed, once; destroys. */
void rig_close(rig *r);
/* Destroys without checking. */
void rig_abandon(rig *r);

/* An access by the first `lanes` lanes: lane i at address + i * stride. */
typedef struct shot {
    uint64_t address, stride, pc;
    uint32_t lanes, width, sm, warp, age;
    uint8_t kind, space, hint, token, token_l2, scope, order, copy;
    const uint32_t *multicast;
    uint32_t multicast_count;
} shot;

/* 4 bytes; all 128 bytes of a line; `n` words, the given number of bytes apart. Further fields of a shot may follow. */
#define WORD(k, ...) ((shot){.kind = (k), .lanes = 1, .width = 4, .address = __VA_ARGS__})
#define LINE(k, ...) ((shot){.kind = (k), .stride = 4, .lanes = 32, .width = 4, .address = __VA_ARGS__})
#define WORDS(k, a, n, ...) ((shot){.kind = (k), .address = (a), .lanes = (n), .width = 4, .stride = __VA_ARGS__})

/* Try an access; tokens count from 0. GPC_OK or GPC_BUSY. */
gpc_status rig_try(rig *r, shot s, gpc_busy *busy);
/* Issue; must be accepted; returns the token. */
uint64_t rig_issue(rig *r, shot s);
/* Step until accepted; returns the token. */
uint64_t rig_push(rig *r, shot s);

/* A fence, by default of SM 0's warp 0; must be accepted; returns the token. */
typedef struct fence_shot {
    gpc_scope scope;
    gpc_order order;
    gpc_control control;
    uint32_t sm, warp;
} fence_shot;
gpc_status rig_try_fence(rig *r, fence_shot f, gpc_busy *busy);
uint64_t rig_fence(rig *r, fence_shot f);

/* One core cycle, then the host's memory answers. */
void rig_step(rig *r);
void rig_steps(rig *r, uint64_t cycles);
/* Go to the next possible event, at most to `limit`. */
void rig_skip(rig *r, uint64_t limit);
/* Go to the completion of a token, or of everything, including memory. */
void rig_wait(rig *r, uint64_t token);
void rig_finish(rig *r);
/* The host's memory takes transfers again. */
void rig_release(rig *r);

/* Issue alone, wait, and return the core cycles from issue to completion. */
uint64_t rig_latency(rig *r, shot s);
/* Issue `count` shots, `apart` bytes apart, as fast as they are accepted; cycles from first to last completion. */
uint64_t rig_spread(rig *r, shot s, uint32_t count, uint64_t apart);

measured_stats rig_stats(const rig *r);
uint64_t rig_now(const rig *r);

/* A stream of numbers from a seed. */
uint64_t rig_random(uint64_t *state);
uint32_t rig_below(uint64_t *state, uint32_t limit);

#endif

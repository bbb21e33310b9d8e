/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_DRAM_INTERNAL_H
#define GPC_DRAM_DRAM_INTERNAL_H

#include "base/check.h"
#include "cache/index/address_map.h"
#include "dram/dram.h"
#include "dram/timing.h"

#define GPCI_NO_REQUEST UINT32_MAX
#define GPCI_NO_ROW UINT64_MAX
#define GPCI_NO_TIME UINT64_MAX
#define GPCI_ALL_BANKS UINT32_MAX
#define GPCI_MOST_BANKS 64u /* largest number of banks of a lane: a bitmap of banks is a word */

/* Piece of an address: `bits` bits of the address, from bit `from` on, become the bits of a field from bit `to` on. */
typedef struct gpci_dram_piece {
    uint8_t field, from, bits, to;
} gpci_dram_piece;

enum { GPCI_FIELD_ROW, GPCI_FIELD_BANK, GPCI_FIELD_GROUP, GPCI_FIELD_PSEUDO, GPCI_FIELD_COLUMN, GPCI_FIELD_COUNT };

/*
 * Division of an address into row, bank, group, pseudo channel and column. Column pieces come last, because the choice
 * of the bank does not need them. Without address.mapping, the address is an address within a channel. With
 * address.mapping, the address is a whole address. If then the number of channels is no power of two (`divides`), the
 * pieces are of gpci_address_quotient.
 */
typedef struct gpci_dram_mapping {
    gpci_dram_piece pieces[64];
    uint32_t count, columns; /* number of pieces of other fields, then of column pieces */
    uint32_t bank_shift;     /* position of the group in a bank's number */
    uint32_t hash_mask;      /* mask of row bits that are XORed onto the bank's number; 0: none */
    uint32_t rotation;       /* dram.group_bits = low: number of group bits, which locate moves to the top; 0: none */
    uint32_t bank_bits;      /* with address.mapping: bits of a bank's number, including the group */
    uint32_t from;           /* with `divides`: first bit of the channel number (dramid@) */
    bool divides;
    gpci_divisor channels;
} gpci_dram_mapping;

typedef struct gpci_dram_place {
    uint64_t row;
    uint32_t pseudo, bank;
} gpci_dram_place;

gpc_status gpci_dram_mapping_read(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                  gpci_dram_mapping *mapping);

/* Rotate a bank's number: the low `rotation` bits move to the top. Rotation by bank_bits - rotation is the inverse. */
GPCI_INLINE uint32_t gpci_dram_rotated(const gpci_dram_mapping *mapping, uint32_t bank, uint32_t rotation) {
    return bank >> rotation | (bank & ((1u << rotation) - 1)) << (mapping->bank_bits - rotation);
}

/* Number of a bank as in address.mapping, from the library's number of the bank. */
GPCI_INLINE uint32_t gpci_dram_bank_number(const gpci_dram_mapping *mapping, uint32_t bank) {
    return mapping->rotation ? gpci_dram_rotated(mapping, bank, mapping->bank_bits - mapping->rotation) : bank;
}

GPCI_INLINE uint64_t gpci_dram_piece_of(gpci_dram_piece dram_piece, uint64_t address) {
    return (address >> dram_piece.from & (((uint64_t)1 << dram_piece.bits) - 1)) << dram_piece.to;
}

GPCI_INLINE gpci_dram_place gpci_dram_locate(const gpci_dram_mapping *mapping, uint64_t address) {
    uint64_t fields[GPCI_FIELD_COUNT] = {0};
    if (GPCI_UNLIKELY(mapping->divides))
        address = gpci_address_quotient(&mapping->channels, mapping->from, address);
    for (uint32_t i = 0; i < mapping->count; i++)
        fields[mapping->pieces[i].field] |= gpci_dram_piece_of(mapping->pieces[i], address);
    uint32_t bank = (uint32_t)(fields[GPCI_FIELD_GROUP] << mapping->bank_shift | fields[GPCI_FIELD_BANK]);
    bank ^= (uint32_t)fields[GPCI_FIELD_ROW] & mapping->hash_mask;
    if (GPCI_UNLIKELY(mapping->rotation))
        bank = gpci_dram_rotated(mapping, bank, mapping->rotation);
    return (gpci_dram_place){fields[GPCI_FIELD_ROW], (uint32_t)fields[GPCI_FIELD_PSEUDO], bank};
}

/* Byte within the row. */
GPCI_INLINE uint32_t gpci_dram_column(const gpci_dram_mapping *mapping, uint64_t address) {
    uint64_t column = 0;
    if (mapping->divides)
        address = gpci_address_quotient(&mapping->channels, mapping->from, address);
    for (uint32_t i = mapping->count; i < mapping->count + mapping->columns; i++)
        column |= gpci_dram_piece_of(mapping->pieces[i], address);
    return (uint32_t)column;
}

/* Rules common to all channels. */
typedef struct gpci_dram_rules {
    gpci_dram_timing timing;
    gpci_dram_mapping mapping;
    /*
     * Index 0: cycles from a read; index 1: cycles from a write. same, other: to a command of the same kind, in the
     * same bank group, in another bank group.
     */
    uint32_t same[2], other[2];
    uint32_t turnaround_same[2], turnaround_other[2]; /* to a command of the other kind, in the same or another group */
    uint32_t close[2];                                /* cycles to the precharge of the bank */
    uint32_t data[2];                                 /* cycles to the end of the data; reads: with dram.latency */
    uint32_t open[2];                                 /* cycles from the activation to the read, to the write */
    uint32_t banks, group_shift;                      /* `banks` banks of a lane; b >> group_shift is bank b's group */
    uint32_t capacity[2];                             /* entries of a channel's queue of reads, of writes */
    uint32_t write_high, write_low; /* waiting writes of a lane at which writes begin, and end, to go before reads */
    uint64_t age_cap;
    uint64_t fixed_latency, fixed_bandwidth;
    uint32_t refresh_interval; /* cycles between two refreshes */
    /*
     * 0: all banks are refreshed together. Other: number of sets, refreshed in turn (a bank, or a bank of each group)
     */
    uint32_t refresh_sets;
    bool fixed, in_order, by_bank, closed_page, refresh, dual;
} gpci_dram_rules;

/* A request: in the queue, or with data in flight. */
typedef struct gpci_burst {
    uint64_t token, row, order, arrival, end; /* order: number of the request in its channel. end: of its data */
    uint32_t next;                            /* next request of its list, or next free entry of the pool */
    uint8_t bank, pseudo;
    bool write, opened; /* opened: a row was activated for the request */
} gpci_burst;

/* A list of requests, by index into the channel's pool; `first` is GPCI_NO_REQUEST: empty. */
typedef struct gpci_bursts {
    uint32_t first, last;
} gpci_bursts;

/*
 * A bank. [2]: for reads and for writes. Requests are in order of arrival: `hits` for requests to the open row,
 * `others` for requests to other rows. A column command is a read or a write. A row command is an activation or a
 * precharge.
 */
typedef struct gpci_bank {
    uint64_t row;                            /* open row, or GPCI_NO_ROW */
    uint64_t activate, precharge, column[2]; /* earliest cycles of the commands */
    gpci_bursts hits[2], others[2];
} gpci_bank;

/* Row command that a bank's oldest request to another row than the open row needs: earliest cycle, and its order. */
typedef struct gpci_row_request {
    uint64_t cycle, order;
} gpci_row_request;

typedef struct gpci_bank_group {
    uint64_t activate, column[2];
} gpci_bank_group;

/* Next command, unless a request that arrives earlier changes the plan. cycle GPCI_NO_TIME: no command. */
typedef struct gpci_plan {
    uint64_t cycle, order; /* order of the command's request */
    uint32_t bank;
    uint8_t command;
} gpci_plan;

typedef struct gpci_lane_counters {
    uint64_t columns[2], row_hits, activates, precharges, refreshes, read_cycles;
    uint64_t queue_cycles; /* sum of the cycles when requests left the queue, minus sum of the cycles of arrival */
    uint64_t fixed_bytes;
#ifdef GPCI_CHECK
    uint64_t opened_again;             /* reads and writes for which a row was opened */
    uint64_t read_cycles_again;        /* sum of the ends of reads, minus sum of the arrivals */
    uint64_t busy_again;               /* cycles of bursts on the data bus */
    uint64_t queue_again, queue_since; /* queue_again: sum of waiting requests over cycles, up to cycle queue_since */
#endif
} gpci_lane_counters;

/* A lane: a pseudo channel, or a channel without pseudo channels. [2]: for reads and for writes. */
typedef struct gpci_lane {
    const gpci_dram_rules *rules;
    struct gpci_channel *channel;
    gpci_bank *banks;
    gpci_row_request *row_requests; /* [banks]; valid for banks in other_banks[mode] */
    gpci_bank_group *groups;
    gpci_plan plan;                                    /* the lane's next command */
    gpci_plan opens, closes, columns;                  /* next activation, next precharge, next read or write */
    uint64_t now;                                      /* cycle of the last command or arrival */
    uint64_t hit_banks[2], other_banks[2], open_banks; /* bitmaps of banks: `hits`, `others` not empty; a row is open */
    uint64_t activate, column[2];                      /* earliest cycles of the commands, in any bank */
    uint64_t row_bus, column_bus;                      /* first free cycle of the bus for row, for column commands */
    uint64_t window[4];                                /* tFAW: earliest next activation after each of the last four */
    uint32_t window_at;                                /* index of the oldest of the last four activations */
    uint32_t queued[2];                                /* number of requests in the queue */
    uint64_t refresh_due;                              /* cycle from which on the next refresh is due */
    uint64_t refreshing;          /* bitmap of banks with a due refresh: no other command until the refresh */
    uint32_t refresh_set;         /* number of the next set to refresh */
    uint64_t bus_cycle, bus_part; /* fixed model: first free time of the bus, bus_cycle + bus_part / fixed_bandwidth */
    /* fcfs: waiting requests, except the first of each kind. Fixed model: [0] has all waiting requests */
    gpci_bursts queue[2];
    gpci_bursts done[2]; /* requests with data in flight, in order of the end of data */
    gpci_lane_counters counters;
    uint32_t index;
    bool muted;   /* commands are not shown: the lane is a copy (gpci_lane_idle) */
    uint8_t mode; /* 0: reads go, 1: writes go */
    /* only dram_by_bank.c: next_bank, the first bank to look at; served, the number of banks with a chosen request */
    uint8_t next_bank;
    uint32_t served;
    uint64_t serving; /* only dram_by_bank.c: bitmap of banks with a chosen request */
    uint64_t waiting; /* only dram_by_bank.c: bitmap of banks with waiting requests that are not chosen */
} gpci_lane;

typedef struct gpci_channel {
    struct gpc_dram *dram;
    gpci_burst *pool;
    gpci_lane *lanes;
    uint64_t order;            /* number of the next request */
    uint64_t now;              /* cycle up to which the channel was run */
    uint64_t end;              /* earliest end of data in flight; GPCI_NO_TIME: none */
    uint64_t since;            /* cycle of the last reset of the counters */
    uint32_t free, index;      /* free: first free entry of `pool`. index: number of the channel */
    uint32_t queued[2], count; /* queued: requests in the queue. count: these, and requests with data in flight */
} gpci_channel;

struct gpc_dram {
    gpc_context *context;
    gpci_dram_rules rules;
    uint32_t channels;
    gpci_channel *channel;
    gpci_lane *lanes;
    gpci_bank *banks;
    gpci_row_request *row_requests;
    gpci_bank_group *groups;
    gpci_burst *pool;
    uint64_t *next;           /* [channels], last result of gpci_dram_run */
    uint64_t *active;         /* bitmap of channels with a request */
    uint32_t words, capacity; /* words: of `active`. capacity: entries of a channel's pool */
    uint64_t now;             /* present cycle of the public calls (gpc_dram_advance) */
    gpci_dram_trace_fn trace;
    void *trace_data;
    gpc_dram_done_fn on_done;
    void *done_data;
    bool calling; /* on_done is being called */
};

/* Append request `i` to a list; take the first request of a list. */
GPCI_INLINE void gpci_bursts_push(gpci_burst *pool, gpci_bursts *list, uint32_t i) {
    pool[i].next = GPCI_NO_REQUEST;
    if (list->first == GPCI_NO_REQUEST)
        list->first = i;
    else
        pool[list->last].next = i;
    list->last = i;
}

GPCI_INLINE uint32_t gpci_bursts_pop(gpci_burst *pool, gpci_bursts *list) {
    uint32_t i = list->first;
    list->first = pool[i].next;
    return i;
}

#ifdef GPCI_CHECK
/* Add the cycles of all queued requests up to `cycle` to the second count of the checking build. */
GPCI_INLINE void gpci_lane_queue_again(gpci_lane *lane, uint64_t cycle) {
    lane->counters.queue_again += (lane->queued[0] + lane->queued[1]) * (cycle - lane->counters.queue_since);
    lane->counters.queue_since = cycle;
}
#endif

/* A request of a kind (0: read, 1: write) enters a lane's queue at `cycle`, or leaves. */
GPCI_INLINE void gpci_lane_enters(gpci_lane *lane, uint32_t kind, uint64_t cycle) {
    GPCI_AGAIN(gpci_lane_queue_again(lane, cycle));
    lane->queued[kind]++;
    lane->counters.queue_cycles -= cycle;
}

GPCI_INLINE void gpci_lane_leaves(gpci_lane *lane, uint32_t kind, uint64_t cycle) {
    GPCI_AGAIN(gpci_lane_queue_again(lane, cycle));
    lane->queued[kind]--;
    lane->counters.queue_cycles += cycle;
}

/* Report a command to the trace callback, if set. The parameters are fields of gpci_dram_event. */
GPCI_COLD void gpci_lane_tell(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                              uint64_t token, bool closes);
GPCI_INLINE void gpci_lane_show(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                                uint64_t token, bool closes) {
    if (GPCI_UNLIKELY(lane->channel->dram->trace != NULL) && !lane->muted)
        gpci_lane_tell(lane, cycle, command, bank, row, token, closes);
}

/*
 * Move request `i` from the queue to the requests in flight: the read or write was sent at `cycle`, data end at `end`.
 */
void gpci_lane_complete(gpci_lane *lane, uint32_t i, uint64_t cycle, uint64_t end);

/*
 * gpci_dram_done_at: gpci_dram_done, with the cycle of the end of data. gpci_dram_first_end: earliest end of data in
 * flight in a channel, possibly after the cycle of the last run.
 */
bool gpci_dram_done_at(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write, uint64_t *end);
GPCI_INLINE uint64_t gpci_dram_first_end(const gpc_dram *dram, uint32_t channel) {
    return dram->channel[channel].end;
}

/* lane.c, the timing model: add a request; run up to and including `cycle`; issue the planned command. */
void gpci_lane_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_lane_run(gpci_lane *lane, uint64_t cycle);
void gpci_lane_issue(gpci_lane *lane);

/*
 * refresh.c: if the next refresh, or a precharge that the refresh needs first, goes before the plan `*best`, replace
 * the plan. `from`: earliest cycle.
 */
void gpci_lane_plan_refresh(const gpci_lane *lane, uint64_t from, gpci_plan *best);
/*
 * Issue the plan: a refresh, or GPCI_DRAM_REFRESH_DUE, which marks the banks of the next set as waiting for a refresh.
 */
void gpci_lane_refresh(gpci_lane *lane, const gpci_plan *plan);

/* Simulate the refreshes of a lane without requests up to `cycle`. */
void gpci_lane_catch_up(gpci_lane *lane, uint64_t cycle);

/* Compute the counts that gpci_lane_catch_up would add. */
void gpci_lane_idle(const gpci_lane *lane, uint64_t cycle, uint64_t *precharges, uint64_t *refreshes);

/* dram_by_bank.c: the timing model with dram.scheduler = by-bank */
void gpci_by_bank_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_by_bank_run(gpci_lane *lane, uint64_t cycle);

/* dram_fixed.c: the fixed model */
void gpci_fixed_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_fixed_run(gpci_lane *lane, uint64_t cycle);

#endif

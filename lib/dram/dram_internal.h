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
#define GPCI_MOST_BANKS 64u /* largest number of banks of a lane: a bitmap is a word */

/* Piece of an address: `bits` bits of the address, from bit `from` on, go to a field, from bit `to` on. */
typedef struct gpci_dram_piece {
    uint8_t field, from, bits, to;
} gpci_dram_piece;

enum { GPCI_FIELD_ROW, GPCI_FIELD_BANK, GPCI_FIELD_GROUP, GPCI_FIELD_PSEUDO, GPCI_FIELD_COLUMN, GPCI_FIELD_COUNT };

/*
 * Pieces of a channel's address. Column pieces come last, because bank selection does not need them. With
 * address.mapping the pieces are of an address over all channels. If the number of channels is not a power of two, the
 * pieces are of the address divided by the number (`divides`).
 */
typedef struct gpci_dram_mapping {
    gpci_dram_piece pieces[64];
    uint32_t count, columns;
    uint32_t bank_shift; /* position of the group in a bank's number */
    uint32_t hash_mask;  /* row bits, XORed into the bank's number */
    uint32_t rotation;   /* low bits of a bank's number, its group, that move to the top here */
    uint32_t bank_bits;  /* with `rotation` */
    uint32_t from;       /* first bit of the channel number: dramid@ */
    bool divides;
    gpci_divisor channels;
} gpci_dram_mapping;

typedef struct gpci_dram_place {
    uint64_t row;
    uint32_t pseudo, bank;
} gpci_dram_place;

gpc_status gpci_dram_mapping_read(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                  gpci_dram_mapping *mapping);

/* Move the low `rotation` bits of a bank's number to the top. A turn by the remaining bits is the inverse. */
GPCI_INLINE uint32_t gpci_dram_rotated(const gpci_dram_mapping *mapping, uint32_t bank, uint32_t rotation) {
    return bank >> rotation | (bank & ((1u << rotation) - 1)) << (mapping->bank_bits - rotation);
}

/* Number of a bank in the configuration. */
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
    /* [0 read, 1 write] cycles to the next command of the same kind: same group, other group */
    uint32_t same[2], other[2];
    uint32_t turnaround_same[2], turnaround_other[2]; /* cycles to the next command of the other kind */
    uint32_t close[2];                                /* cycles to the precharge */
    uint32_t data[2];                                 /* cycles to the end of the data, dram.latency included */
    uint32_t open[2];                                 /* cycles from the activation to the command */
    uint32_t banks, group_shift;
    uint32_t capacity[2];           /* entries of a channel's queues */
    uint32_t write_high, write_low; /* write thresholds of a pseudo channel */
    uint64_t age_cap;
    uint64_t fixed_latency, fixed_bandwidth;
    uint32_t refresh_interval; /* cycles between two refreshes */
    /* 0: all banks together; otherwise the number of sets in turn: a set has a single bank, or a bank of every group */
    uint32_t refresh_sets;
    bool fixed, in_order, by_bank, closed_page, refresh, dual;
} gpci_dram_rules;

typedef struct gpci_burst {
    uint64_t token, row, order, arrival, end;
    uint32_t next;
    uint8_t bank, pseudo;
    bool write, opened; /* opened: a row was activated for the request */
} gpci_burst;

typedef struct gpci_bursts {
    uint32_t first, last;
} gpci_bursts;

/* Requests of a bank in order of arrival: a list for the open row, a list for other rows. */
typedef struct gpci_bank {
    uint64_t row;
    uint64_t activate, precharge, column[2]; /* earliest cycles of the commands */
    gpci_bursts hits[2], others[2];
} gpci_bank;

/* Row command for a bank's oldest request to a row that is not open: earliest cycle, and order of the request. */
typedef struct gpci_row_request {
    uint64_t cycle, order;
} gpci_row_request;

typedef struct gpci_bank_group {
    uint64_t activate, column[2];
} gpci_bank_group;

/* Next command, unless a request arrives earlier. */
typedef struct gpci_plan {
    uint64_t cycle, order;
    uint32_t bank;
    uint8_t command;
} gpci_plan;

typedef struct gpci_lane_counters {
    uint64_t columns[2], row_hits, activates, precharges, refreshes, read_cycles;
    uint64_t queue_cycles; /* cycles of leaving the queue minus cycles of arrival */
    uint64_t fixed_bytes;
#ifdef GPCI_CHECK
    uint64_t opened_again;             /* columns of rows opened for them */
    uint64_t read_cycles_again;        /* ends of reads minus arrivals */
    uint64_t busy_again;               /* cycles of bursts */
    uint64_t queue_again, queue_since; /* requests times cycles, up to a cycle */
#endif
} gpci_lane_counters;

/* A pseudo channel, or a channel without pseudo channels. */
typedef struct gpci_lane {
    const gpci_dram_rules *rules;
    struct gpci_channel *channel;
    gpci_bank *banks;
    gpci_row_request *row_requests; /* valid in banks with a request of the mode to a row that is not open */
    gpci_bank_group *groups;
    gpci_plan plan;                                    /* earliest of opens, closes and columns */
    gpci_plan opens, closes, columns;                  /* activations; precharges; reads or writes */
    uint64_t now;                                      /* cycle of the last command, arrival or run */
    uint64_t hit_banks[2], other_banks[2], open_banks; /* bitmaps */
    uint64_t activate, column[2];                      /* earliest cycles of the commands */
    uint64_t row_bus, column_bus;                      /* first free cycle */
    uint64_t window[4];                                /* cycles of the last four activations */
    uint32_t window_at;                                /* index of the oldest activation */
    uint32_t queued[2];
    uint64_t refresh_due;
    uint64_t refreshing;          /* banks with a due refresh: they take no other command until the refresh */
    uint32_t refresh_set;         /* the next set to refresh */
    uint64_t bus_cycle, bus_part; /* fixed model: first free cycle of the bus, and parts of a cycle */
    /* fcfs: requests behind the first of their kind; fixed model: [0] all waiting requests */
    gpci_bursts queue[2];
    gpci_bursts done[2]; /* requests with data in flight, in order of the end of data */
    gpci_lane_counters counters;
    uint32_t index;
    bool muted;        /* commands are not shown: the lane is a copy (gpci_lane_idle) */
    uint8_t mode;      /* 0: reads, 1: writes */
    uint8_t next_bank; /* by bank: first bank to look at */
    uint32_t served;   /* by bank: number of banks with a chosen request */
    uint64_t serving;  /* bitmap of banks with a chosen request */
    uint64_t waiting;  /* bitmap of banks with further waiting requests */
} gpci_lane;

typedef struct gpci_channel {
    struct gpc_dram *dram;
    gpci_burst *pool;
    gpci_lane *lanes;
    uint64_t order;
    uint64_t now;   /* time up to which the channel was run */
    uint64_t end;   /* earliest end of data */
    uint64_t since; /* start of the counters */
    uint32_t free, index;
    uint32_t queued[2], count; /* count: including requests in flight */
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
    uint32_t words, capacity; /* capacity: bursts of a channel's pool */
    uint64_t now;             /* time of the public interface */
    gpci_dram_trace_fn trace;
    void *trace_data;
    gpc_dram_done_fn on_done;
    void *done_data;
    bool calling;
};

/* Lists of bursts, by index into a channel's pool. */
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

/* Show a command to the trace callback, if set. */
GPCI_COLD void gpci_lane_tell(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                              uint64_t token, bool closes);
GPCI_INLINE void gpci_lane_show(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                                uint64_t token, bool closes) {
    if (GPCI_UNLIKELY(lane->channel->dram->trace != NULL) && !lane->muted)
        gpci_lane_tell(lane, cycle, command, bank, row, token, closes);
}

/* Remove a request of a lane from the queue; its data end at `end`. */
void gpci_lane_complete(gpci_lane *lane, uint32_t i, uint64_t cycle, uint64_t end);

/*
 * As gpci_dram_done, with the cycle of the end of data. gpci_dram_first_end: earliest end of data of a channel, even
 * beyond the last run.
 */
bool gpci_dram_done_at(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write, uint64_t *end);
GPCI_INLINE uint64_t gpci_dram_first_end(const gpc_dram *dram, uint32_t channel) {
    return dram->channel[channel].end;
}

/* timing model */
void gpci_lane_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_lane_run(gpci_lane *lane, uint64_t cycle);
void gpci_lane_issue(gpci_lane *lane);

/*
 * Replace the plan by a refresh, or by a command that the refresh needs first, if due earlier (refresh.c). Banks of a
 * per-bank refresh take no other command from the due time on.
 */
void gpci_lane_plan_refresh(const gpci_lane *lane, uint64_t from, gpci_plan *best);
/* Issue the plan, a refresh of banks without open rows, or mark a refresh as due. */
void gpci_lane_refresh(gpci_lane *lane, const gpci_plan *plan);

/* Bring the refreshes of a lane without requests up to `cycle`. */
void gpci_lane_catch_up(gpci_lane *lane, uint64_t cycle);

/* Compute the counts that gpci_lane_catch_up would add. */
void gpci_lane_idle(const gpci_lane *lane, uint64_t cycle, uint64_t *precharges, uint64_t *refreshes);

/* timing model, by bank: dram_by_bank.c */
void gpci_by_bank_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_by_bank_run(gpci_lane *lane, uint64_t cycle);

/* fixed model */
void gpci_fixed_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_fixed_run(gpci_lane *lane, uint64_t cycle);

#endif

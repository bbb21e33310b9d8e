/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_DRAM_INTERNAL_H
#define GPC_DRAM_DRAM_INTERNAL_H

#include "base/clock.h"
#include "cache/address_map.h"
#include "dram/dram.h"
#include "dram/timing.h"

#define GPCI_NO_REQUEST UINT32_MAX
#define GPCI_NO_ROW UINT64_MAX
#define GPCI_NO_TIME UINT64_MAX
#define GPCI_ALL_BANKS UINT32_MAX
#define GPCI_MOST_BANKS 64u /* of a lane: a bitmap is a word */

/* One piece of an address: `bits` of it from `from` on, to `to` of a field. */
typedef struct gpci_dram_piece {
    uint8_t field, from, bits, to;
} gpci_dram_piece;

enum { GPCI_FIELD_ROW, GPCI_FIELD_BANK, GPCI_FIELD_GROUP, GPCI_FIELD_PSEUDO, GPCI_FIELD_COLUMN, GPCI_FIELD_COUNT };

/*
 * Pieces of a channel's address; those of the column, which no bank asks for, come last. address.mapping has pieces of
 * an address of all channels, or, where channels are no power of two, of the quotient by their number (`divides`).
 */
typedef struct gpci_dram_mapping {
    gpci_dram_piece pieces[64];
    uint32_t count, columns;
    uint32_t bank_shift; /* of the group in a bank's number */
    uint32_t hash_mask;  /* row bits that are XORed into it */
    uint32_t turn;       /* low bits of a bank's number, its group, that move to the top here */
    uint32_t bank_bits;  /* with `turn` */
    uint32_t from;       /* dramid@ */
    bool divides;
    gpci_divisor channels;
} gpci_dram_mapping;

typedef struct gpci_dram_place {
    uint64_t row;
    uint32_t pseudo, bank;
} gpci_dram_place;

gpc_status gpci_dram_mapping_read(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                  gpci_dram_mapping *mapping);

/* Move the low `turn` bits of a bank's number to the top. A turn by the other bits is the inverse. */
GPCI_INLINE uint32_t gpci_dram_turned(const gpci_dram_mapping *mapping, uint32_t bank, uint32_t turn) {
    return bank >> turn | (bank & ((1u << turn) - 1)) << (mapping->bank_bits - turn);
}

/* Number of a bank in the configuration. */
GPCI_INLINE uint32_t gpci_dram_bank_number(const gpci_dram_mapping *mapping, uint32_t bank) {
    return mapping->turn ? gpci_dram_turned(mapping, bank, mapping->bank_bits - mapping->turn) : bank;
}

GPCI_INLINE uint64_t gpci_dram_piece_of(gpci_dram_piece p, uint64_t address) {
    return (address >> p.from & (((uint64_t)1 << p.bits) - 1)) << p.to;
}

GPCI_INLINE gpci_dram_place gpci_dram_locate(const gpci_dram_mapping *mapping, uint64_t address) {
    uint64_t fields[GPCI_FIELD_COUNT] = {0};
    if (GPCI_UNLIKELY(mapping->divides))
        address = gpci_address_quotient(&mapping->channels, mapping->from, address);
    for (uint32_t i = 0; i < mapping->count; i++)
        fields[mapping->pieces[i].field] |= gpci_dram_piece_of(mapping->pieces[i], address);
    uint32_t bank = (uint32_t)(fields[GPCI_FIELD_GROUP] << mapping->bank_shift | fields[GPCI_FIELD_BANK]);
    bank ^= (uint32_t)fields[GPCI_FIELD_ROW] & mapping->hash_mask;
    if (GPCI_UNLIKELY(mapping->turn))
        bank = gpci_dram_turned(mapping, bank, mapping->turn);
    return (gpci_dram_place){fields[GPCI_FIELD_ROW], (uint32_t)fields[GPCI_FIELD_PSEUDO], bank};
}

/* Bytes into the row. */
GPCI_INLINE uint32_t gpci_dram_column(const gpci_dram_mapping *mapping, uint64_t address) {
    uint64_t column = 0;
    if (mapping->divides)
        address = gpci_address_quotient(&mapping->channels, mapping->from, address);
    for (uint32_t i = mapping->count; i < mapping->count + mapping->columns; i++)
        column |= gpci_dram_piece_of(mapping->pieces[i], address);
    return (uint32_t)column;
}

/* What all channels have in common. */
typedef struct gpci_dram_rules {
    gpci_dram_timing t;
    gpci_dram_mapping mapping;
    uint32_t same[2], other[2];           /* [0 read, 1 write] to the next of its kind: same group, other group */
    uint32_t turn_same[2], turn_other[2]; /* to the next of the other kind */
    uint32_t close[2];                    /* to the precharge */
    uint32_t data[2];                     /* to the end of the data, dram.latency included */
    uint32_t open[2];                     /* from the activation */
    uint32_t banks, group_shift;
    uint32_t capacity[2];           /* of a channel's queues */
    uint32_t write_high, write_low; /* of a pseudo channel */
    uint64_t age_cap;
    uint64_t fixed_latency, fixed_bandwidth;
    uint32_t refresh_interval; /* from one refresh to the next */
    uint32_t refresh_sets;     /* 0: all banks together; so many sets, of one bank or of that of each group, in turn */
    bool fixed, in_order, by_bank, closed_page, refresh, dual;
} gpci_dram_rules;

typedef struct gpci_burst {
    uint64_t token, row, order, arrival, end;
    uint32_t next;
    uint8_t bank, pseudo;
    bool write, opened; /* opened: a row was activated for it */
} gpci_burst;

typedef struct gpci_bursts {
    uint32_t first, last;
} gpci_bursts;

/* Requests of a bank, each list in the order of arrival: those to the open row, and the others. */
typedef struct gpci_bank {
    uint64_t row;
    uint64_t activate, precharge, column[2]; /* not before */
    gpci_bursts hits[2], others[2];
} gpci_bank;

/* The row command that a bank's oldest request to another row than the open one wants: not before, and its order. */
typedef struct gpci_wish {
    uint64_t cycle, order;
} gpci_wish;

typedef struct gpci_bank_group {
    uint64_t activate, column[2];
} gpci_bank_group;

/* The command that goes next unless a request arrives before. */
typedef struct gpci_plan {
    uint64_t cycle, order;
    uint32_t bank;
    uint8_t command;
} gpci_plan;

typedef struct gpci_lane_counters {
    uint64_t columns[2], row_hits, activates, precharges, refreshes, read_cycles;
    uint64_t fixed_bytes;
} gpci_lane_counters;

/* A pseudo channel, or a channel that has no such parts. */
typedef struct gpci_lane {
    const gpci_dram_rules *rules;
    struct gpci_channel *channel;
    gpci_bank *banks;
    gpci_wish *wishes; /* valid in banks with such a request of the mode */
    gpci_bank_group *groups;
    gpci_plan plan;                                    /* the first of: */
    gpci_plan opens, closes, columns;                  /* activations; precharges; reads or writes */
    uint64_t now;                                      /* of the last command, arrival or run */
    uint64_t hit_banks[2], other_banks[2], open_banks; /* bitmaps */
    uint64_t activate, column[2];                      /* not before */
    uint64_t row_bus, column_bus;                      /* free from */
    uint64_t window[4];                                /* the last four activations; */
    uint32_t window_at;                                /* the oldest of them */
    uint32_t queued[2];
    uint64_t refresh_due;
    uint64_t refreshing;          /* banks whose refresh is due: until then they take no other command */
    uint32_t refresh_set;         /* the next */
    uint64_t bus_cycle, bus_part; /* fixed model: bus free from, and parts of a cycle */
    gpci_bursts queue[2];         /* fcfs: those behind the first of their kind; fixed model: [0] all that wait */
    gpci_bursts done[2];          /* data under way, in the order of their end */
    gpci_gauge gauge;
    gpci_lane_counters counters;
    uint32_t index;
    bool muted;       /* nobody is shown its commands: it is a copy (gpci_lane_idle) */
    uint8_t mode;     /* 0: reads, 1: writes */
    uint8_t turn;     /* by bank: the first that is looked at */
    uint32_t served;  /* by bank: that have a request at hand, */
    uint64_t serving; /* as a bitmap, */
    uint64_t waiting; /* and those with others that wait */
} gpci_lane;

typedef struct gpci_channel {
    struct gpc_dram *dram;
    gpci_burst *pool;
    gpci_lane *lanes;
    uint64_t order;
    uint64_t now;   /* last run to */
    uint64_t end;   /* of the data that end first */
    uint64_t since; /* counters are from here on */
    uint32_t free, index;
    uint32_t queued[2], count; /* count: those under way as well */
} gpci_channel;

struct gpc_dram {
    gpc_context *context;
    gpci_dram_rules rules;
    uint32_t channels;
    gpci_channel *channel;
    gpci_lane *lanes;
    gpci_bank *banks;
    gpci_wish *wishes;
    gpci_bank_group *groups;
    gpci_burst *pool;
    uint64_t *next;       /* [channels] what gpci_dram_run said last */
    uint64_t *active;     /* bitmap of channels with a request */
    uint32_t words, room; /* room: of a channel's pool */
    uint64_t now;         /* of the public interface */
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

/* To who is shown commands, if anybody is. */
GPCI_COLD void gpci_lane_tell(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                              uint64_t token, bool closes);
GPCI_INLINE void gpci_lane_show(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row,
                                uint64_t token, bool closes) {
    if (GPCI_UNLIKELY(lane->channel->dram->trace != NULL) && !lane->muted)
        gpci_lane_tell(lane, cycle, command, bank, row, token, closes);
}

/* A request of a lane leaves the queue; its data end at `end`. */
void gpci_lane_complete(gpci_lane *lane, uint32_t i, uint64_t cycle, uint64_t end);

/* gpci_dram_done, with the cycle at which the data ended, and that of the first of a channel, run to or not. */
bool gpci_dram_done_at(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write, uint64_t *end);
GPCI_INLINE uint64_t gpci_dram_first_end(const gpc_dram *dram, uint32_t channel) {
    return dram->channel[channel].end;
}

/* timing model */
void gpci_lane_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_lane_run(gpci_lane *lane, uint64_t cycle);
void gpci_lane_issue(gpci_lane *lane);

/*
 * refresh.c: if a refresh, or what it needs before, goes first, that becomes the plan. Of single banks: they take no
 * other command from the time it is due.
 */
void gpci_lane_plan_refresh(const gpci_lane *lane, uint64_t from, gpci_plan *best);
/* The plan is a refresh, whose banks have no open row, or that one is due. */
void gpci_lane_refresh(gpci_lane *lane, const gpci_plan *plan);

/* Bring the refreshes of a lane without requests up to `cycle`. */
void gpci_lane_catch_up(gpci_lane *lane, uint64_t cycle);

/* What that would add to the counters. */
void gpci_lane_idle(const gpci_lane *lane, uint64_t cycle, uint64_t *precharges, uint64_t *refreshes);

/* timing model, by bank: dram_by_bank.c */
void gpci_by_bank_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_by_bank_run(gpci_lane *lane, uint64_t cycle);

/* fixed model */
void gpci_fixed_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle);
void gpci_fixed_run(gpci_lane *lane, uint64_t cycle);

#endif

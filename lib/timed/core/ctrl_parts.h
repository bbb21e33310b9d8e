/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CTRL_PARTS_H
#define GPC_TIMED_CTRL_PARTS_H

#include "timed/component/component.h"
#include "timed/component/packet.h"

/*
 * Parts of a controller: features that a configuration may have. A part registers itself when the controller is made
 * (gpci_part_add), and the controller calls the parts that are there at named points. A controller without parts tests
 * a mask at a point, and takes the straight path.
 *
 * A part keeps a state of its own, apart from the controller's. GPCI_PARTS lists the parts; their order is the order of
 * calls at a point, which decides between parts that want the same port or place in a cycle.
 *
 * Example, an L1 with a TLB and a prefetcher: the TLB is called before the tags, the prefetcher after a lookup, for a
 * fill, for an eviction, and after the tags.
 */

/* X(name, class) */
#define GPCI_PARTS(X)         \
    X(DRAIN, drain)           \
    X(COMBINE, combine)       \
    X(CONSTANTS, constants)   \
    X(L15, l15_reader)        \
    X(TLB, l1_tlb)            \
    X(REORDER, reorder)       \
    X(COLLECTOR, collector)   \
    X(LSUS, lsus)             \
    X(COALESCER, lrc)         \
    X(GL1, gl1_way)           \
    X(DATA_BANKS, data_banks) \
    X(ROP, rop)               \
    X(COPIES, copy_engine)    \
    X(PREFETCH, prefetch)     \
    X(FENCES, fences)         \
    X(ATOMICS, atomic_unit)   \
    X(WRITTEN, written)       \
    X(CHANGES, changes)       \
    X(CODE, code)             \
    X(PORTS, ports)

typedef enum gpci_part_kind {
#define X(name, class) GPCI_PART_##name,
    GPCI_PARTS(X)
#undef X
        GPCI_PART_COUNT
} gpci_part_kind;

/* Points at which a controller calls its parts. */
typedef enum gpci_point {
    GPCI_AT_ARRIVE,      /* L1: before data from below are taken */
    GPCI_AT_BEFORE_TAGS, /* after data from below were taken */
    GPCI_AT_AFTER_TAGS,  /* packets have had their turn at the tags */
    GPCI_AT_GATHER,      /* L1: combined requests leave, or wait for further requests (combine.h) */
    GPCI_AT_BELOW,       /* L1: before the miss queue */
    GPCI_AT_END,         /* L1: after the miss queue, for the next wake-up */
    GPCI_AT_REPLY,       /* slice: after the replies of the data port were sent */
    GPCI_AT_ENTER,       /* slice: before packets of the network enter */
    /* points with own functions in gpci_part_class: */
    GPCI_AT_LOOKED,
    GPCI_AT_FILL,
    GPCI_AT_EVICT,
    GPCI_AT_LEAVE,
    GPCI_AT_HOLD,
    GPCI_AT_CHANGE,
    GPCI_AT_LOOK,
    GPCI_AT_PASSED,
    GPCI_AT_ANSWER,
    GPCI_POINT_COUNT
} gpci_point;
#define GPCI_STEP_POINTS GPCI_AT_LOOKED

struct gpci_ctrl;
struct gpci_tag_access;

/* Levels of controllers with a part. */
#define GPCI_OF_L1S (1u << 1)
#define GPCI_OF_SLICES (1u << 2)

/* A part's class; functions may be NULL. */
typedef struct gpci_part_class {
    uint32_t levels; /* GPCI_OF_ bits */
    bool in_step;    /* the part keeps the L1 in step with the clock (run_ahead.h) */
    /* Register the part if configured. GPC_ERROR_MEMORY, or another error; after a failure, `destroy` is called. */
    gpc_status (*make)(struct gpci_timed *t, struct gpci_ctrl *ctrl, gpc_error *error);
    void (*destroy)(struct gpci_timed *t, struct gpci_ctrl *ctrl);
    void (*step[GPCI_STEP_POINTS])(struct gpci_timed *t, struct gpci_ctrl *ctrl);
    /* A load has been looked up; `found`: all segments are in the cache or in flight. */
    void (*looked)(struct gpci_timed *t, struct gpci_ctrl *ctrl, const gpci_packet *p,
                   const struct gpci_tag_access *access, bool found);
    /* In place of gpci_ctrl_fill. */
    void (*fill)(struct gpci_timed *t, struct gpci_ctrl *ctrl, uint32_t fetch);
    void (*evicted)(struct gpci_ctrl *ctrl, const gpc_eviction *eviction);
    /* A packet of the miss queue leaves; true: the part has taken the packet. */
    bool (*leaves)(struct gpci_timed *t, struct gpci_ctrl *ctrl, uint32_t packet);
    /* True if a packet before a lookup must wait; the slice is woken at the end of the wait, access->until. */
    bool (*holds_up)(struct gpci_timed *t, struct gpci_ctrl *ctrl, const gpci_packet *p,
                     struct gpci_tag_access *access);
    /* A write or atomic changes a line of the slice, its home. */
    void (*changes)(struct gpci_timed *t, struct gpci_ctrl *ctrl, uint64_t inner);
    /* A packet is looked up in its home slice. */
    void (*looks)(struct gpci_timed *t, struct gpci_ctrl *ctrl, const gpci_packet *p);
    /* A write has passed the tags, and is not served yet. */
    void (*passed)(struct gpci_timed *t, struct gpci_ctrl *ctrl, const gpci_packet *p);
    /* The first reply in a queue of a slice is due; true: the part has taken the reply. */
    bool (*answers)(struct gpci_timed *t, struct gpci_ctrl *ctrl, gpci_queue *replies);
    /* True if there is room again after a refusal (gpci_part_refuses). */
    bool (*has_room)(const struct gpci_ctrl *ctrl);
    /* As gpci_component_class, for the part of a controller. */
    void (*count)(const struct gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats);
#ifdef GPCI_CHECK
    void (*count_again)(const struct gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats); /* second counts (check.h) */
#endif
    void (*reset)(struct gpci_ctrl *ctrl, uint64_t now);
    void (*state)(struct gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data);
    void (*hold)(const struct gpci_timed *t, const struct gpci_ctrl *ctrl, gpci_holders *to);
} gpci_part_class;

/* Field of a part's class for second counts, in the checking build. */
#ifdef GPCI_CHECK
#define GPCI_COUNTS_AGAIN(function) .count_again = (function),
#else
#define GPCI_COUNTS_AGAIN(function)
#endif

/* Parts of a controller. A part that rests has no work, and is not called. */
typedef struct gpci_parts {
    void *self[GPCI_PART_COUNT]; /* or NULL */
    const gpci_part_class *class[GPCI_PART_COUNT];
    uint32_t at[GPCI_POINT_COUNT]; /* bit per part to call */
    /* state */
    uint32_t active;  /* bit per part that does not rest */
    uint32_t refused; /* bit per part that has refused a request of the SM */
} gpci_parts;

#define X(name, class) extern const gpci_part_class gpci_##class##_part;
GPCI_PARTS(X)
#undef X

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_HOLDERS_H
#define GPC_TIMED_HOLDERS_H

#include "base/text.h"

/*
 * Register of holders: every place where packets, accesses or steps can stand, and the mover of every place. A holder
 * is a queue, a list, a flag or a count of an object. Every class declares the holders of an object in a function
 * (gpci_component_class.hold). Questions about work under way read the register: gpc_hierarchy_is_idle,
 * gpc_hierarchy_drain, the L1 of an SM between two kernels, the text of an error, the checks of the checking build.
 *
 * A non-empty holder names a mover:
 *
 *   a component     has a wake-up on the wheel
 *   an object       is full, or outstanding, and wakes the waiting component when room comes free or a reply comes
 *   the host        refused a transfer, has not answered a read, or has granted no credit for a reply
 *   no mover        the holder is declared held up without a lack: a defect
 *
 * Example: 16 packets in the miss queue of L1 3. While the request network takes no packet of L1 3, the mover is the
 * network; else the mover is L1 3, and L1 3 needs a wake-up. A write-back in the queue and no wake-up are a defect at
 * the end of the cycle.
 */

struct gpci_group;
struct gpci_timed;

#define GPCI_ANY_OBJECT UINT32_MAX
#define GPCI_ALL_GROUPS UINT32_MAX

typedef struct gpci_mover {
    /* movers that are components: number of the first, and how many (or 0); one component with a wake-up is enough */
    uint32_t component, components;
    uint32_t groups; /* mover that is an object: bit per gpci_group_kind; 0: no object */
    uint32_t object; /* number of the object in the group; or GPCI_ANY_OBJECT */
    bool host;
} gpci_mover;

/* Visit of the holders of an object. */
typedef struct gpci_holders gpci_holders;
typedef void (*gpci_holder_fn)(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover);
struct gpci_holders {
    const struct gpci_group *group; /* group of the object */
    uint32_t object;
    gpci_holder_fn visit; /* NULL: the caller only reads `any` */
    void *user_data;
    gpci_text *report; /* text to which the class adds details; or NULL */
    bool any;          /* a holder is not empty */
};

/* Declare a holder of `count` items, named by `what` ("packets before the tags"). With 0 items, `mover` is ignored. */
GPCI_INLINE void gpci_held(gpci_holders *holders, const char *what, uint64_t count, gpci_mover mover) {
    if (GPCI_LIKELY(!count))
        return;
    holders->any = true;
    if (holders->visit)
        holders->visit(holders, what, count, &mover);
}

/* If `waits`, declare an event for which an SM or a host waits. The wait is no work: the object counts as idle. */
GPCI_INLINE void gpci_awaited(gpci_holders *holders, const char *what, bool waits, gpci_mover mover) {
    if (waits && holders->visit)
        holders->visit(holders, what, 1, &mover);
}

/* Movers: a component, several components, an object. */
GPCI_INLINE gpci_mover gpci_by_clock(uint32_t component) {
    return (gpci_mover){.component = component, .components = 1};
}
GPCI_INLINE gpci_mover gpci_by_clocks(uint32_t first, uint32_t count) {
    return (gpci_mover){.component = first, .components = count};
}
GPCI_INLINE gpci_mover gpci_by_object(uint32_t kind, uint32_t object) {
    return (gpci_mover){.groups = (uint32_t)1 << kind, .object = object};
}
/* Mover of a holder that waits for a reply: any object may send the reply. */
GPCI_INLINE gpci_mover gpci_by_any(void) {
    return (gpci_mover){.groups = GPCI_ALL_GROUPS, .object = GPCI_ANY_OBJECT};
}
GPCI_INLINE gpci_mover gpci_by_host(void) {
    return (gpci_mover){.host = true};
}
GPCI_INLINE gpci_mover gpci_by_nobody(void) {
    return (gpci_mover){.host = false};
}

/* holders.c */
/* True if the holders of an object are empty. */
bool gpci_holds_nothing(const struct gpci_group *group, uint32_t object);
/* True if the holders of a hierarchy are empty. Without `memory`, memory channels do not count. */
bool gpci_groups_idle(const struct gpci_timed *timed, bool memory);
/* True if the host is a mover: of reads, of refused transfers, of replies without a credit. */
bool gpci_groups_wait_for_host(const struct gpci_timed *timed);
/* Write the non-empty holders and their movers into `report`. Holders without a mover come first. */
void gpci_groups_report(const struct gpci_timed *timed, gpci_text *report);
/*
 * Assert in the checking build, between cycles, that no holder stands still. If `all` (the wheel is empty): from every
 * holder, a chain of movers leads to the host. If not `all` (after a cycle), check a few objects, and other objects
 * after the next cycle: a mover that is a component has a wake-up, and a mover that is an object is not empty.
 */
void gpci_holders_check(struct gpci_timed *timed, bool all);

#endif

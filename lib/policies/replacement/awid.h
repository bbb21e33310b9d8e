/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_AWID_H
#define GPC_POLICIES_REPLACEMENT_AWID_H

#include "base/base.h"

/*
 * Active warp ids of an SM (seeds/004 section 5.2.2). A warp that starts is given
 * the next value of an 8-bit wrap-around counter, Youngest-AWID; a line keeps the
 * id of the warp that fetched it. Oldest-AWID is the id of the oldest warp that is
 * active, which is neither ended nor at a barrier. The ids from Oldest to Youngest,
 * going up and over 255 to 0, are the window: a line whose id is outside was fetched
 * by an inactive warp.
 *
 * Example, Oldest 254, Youngest 1: active are 254, 255, 0 and 1, of relative ages 0,
 * 1, 2 and 3; 253 is of age 255 and 2 is of age 4, both beyond the window's span of 3.
 *
 * The document's tests have a slip of sign and one of modulus: since Youngest counts
 * up, "Youngest <= id <= Oldest" never holds for two ids or more, and its relative
 * age, (id - Oldest) % 255, gives two of the 256 ids the same age. Meant is
 *   relative age = (id - Oldest) mod 256, active if that is <= (Youngest - Oldest) mod 256,
 * which where nothing has wrapped is Oldest <= id <= Youngest, and where Youngest has
 * is the document's own "id <= Youngest or id >= Oldest".
 *
 * What the document leaves open:
 * - A warp at a barrier is inactive, and its id stays in its status field. With its
 *   next access it is active again, of the age it had: Oldest goes back to it if it
 *   is outside the window. GTO, too, knows it by its old age.
 * - Ids run out where the oldest warp outlives 255 younger ones. Youngest does not
 *   overtake Oldest: it stands, and warps that start share it.
 * - A line may outlive its id. When the window has gone round to it, it passes for
 *   a line of the id's new warp.
 * - A host that tells nothing of its warps: all are active, and the id is the request's
 *   warp_age (at most 255). The counter starts at 128, far from such ids, should it
 *   tell something later.
 * - A warp that was not seen to start, as the policy took over a live cache, starts
 *   with its first access. What an ended warp has still under way keeps its id.
 */
#define GPCI_AWID_SLOTS 1024u /* warp slots; higher ones are folded onto these */
#define GPCI_AWID_INACTIVE 256u
#define GPCI_AWID_BITS 16u /* the registers; the id in a warp's status field is the scheduler's */

/* What a policy reads that keeps these ids: GPC_READS_ bits. */
#define GPCI_AWID_READS (GPC_READS_WARP | GPC_READS_WARP_AGE | GPC_READS_WARP_EVENTS)

typedef struct gpci_awid {
    uint8_t oldest, youngest;
    bool told;                    /* a warp has started, ended or met a barrier */
    int16_t span;                 /* Youngest - Oldest, 0 to 255; -1 = no warp is active */
    uint16_t total;               /* active warps */
    uint16_t active[256];         /* of each id */
    uint8_t ids[GPCI_AWID_SLOTS]; /* the warp status fields */
    uint8_t state[GPCI_AWID_SLOTS];
} gpci_awid;

enum { GPCI_WARP_UNKNOWN = 0, GPCI_WARP_ACTIVE, GPCI_WARP_WAITING, GPCI_WARP_ENDED };

void gpci_awid_init(gpci_awid *t);
void gpci_awid_event(gpci_awid *t, const gpc_warp_event *event);

/* The warp makes an access: it is active, whatever it was. */
void gpci_awid_wake(gpci_awid *t, uint32_t slot);

GPCI_INLINE void gpci_awid_use(gpci_awid *t, const gpc_request *request) {
    uint32_t slot = request->warp % GPCI_AWID_SLOTS;
    if (GPCI_UNLIKELY(t->told && t->state[slot] != GPCI_WARP_ACTIVE))
        gpci_awid_wake(t, slot);
}

/* The id that travels with a request. */
GPCI_INLINE uint8_t gpci_awid_of(const gpci_awid *t, const gpc_request *request) {
    if (GPCI_LIKELY(t->told))
        return t->ids[request->warp % GPCI_AWID_SLOTS];
    return (uint8_t)(request->warp_age < 255 ? request->warp_age : 255);
}

/* The relative age of an id's warp: 0 = the oldest; GPCI_AWID_INACTIVE, older than none, outside the window. */
GPCI_INLINE uint32_t gpci_awid_age(const gpci_awid *t, uint8_t id) {
    uint8_t age = (uint8_t)(id - t->oldest);
    return age > t->span ? GPCI_AWID_INACTIVE : age;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_AWID_H
#define GPC_POLICIES_REPLACEMENT_AWID_H

#include "base/base.h"

/*
 * Active warp ids of an SM (seeds/004 section 5.2.2). A starting warp gets the next value of Youngest-AWID, an 8-bit
 * counter that wraps around. A line keeps the id of the warp that fetched the line. A warp is active unless it has
 * ended or waits at a barrier. Oldest-AWID is the id of the oldest active warp. The ids from Oldest to Youngest,
 * counting up and from 255 on to 0, are the window. A line with an id outside the window was fetched by an inactive
 * warp.
 *
 * Example, Oldest 254, Youngest 1: active are 254, 255, 0 and 1, of relative ages 0, 1, 2 and 3. Id 253 has age 255 and
 * id 2 has age 4: both are beyond the window's span of 3.
 *
 * The document's tests have two errors: a wrong order and a wrong modulus. Since Youngest counts up, "Youngest <= id <=
 * Oldest" never holds for two ids or more. The document's relative age, (id - Oldest) % 255, gives two of the 256 ids
 * the same age. The meaning is
 *   relative age = (id - Oldest) mod 256, active if relative age <= (Youngest - Oldest) mod 256.
 * Without a wrap the test is Oldest <= id <= Youngest. After Youngest has wrapped, the test is the document's own "id
 * <= Youngest or id >= Oldest".
 *
 * The document leaves open:
 * - A warp at a barrier is inactive, and its id stays in its status field. With its next access the warp is active
 *   again, with its old age: if the id is outside the window, Oldest goes back to the id. The scheduler GTO also keeps
 *   the old age.
 * - Ids run out if the oldest warp outlives 255 younger warps. Youngest does not overtake Oldest: Youngest stops, and
 *   starting warps share the id.
 * - A line may stay longer than its id's warp. After the window has gone round to the id, the line counts as a line of
 *   the id's new warp.
 * - If a host reports no warp events, all warps are active, and the id is the request's warp_age (at most 255). The
 *   counter starts at 128, far from such ids, in case the host reports events later.
 * - If the policy was installed while warps ran, the policy did not see the starts of the warps. A warp then starts
 *   with its first access. In-flight requests of an ended warp keep the warp's id.
 */
#define GPCI_AWID_SLOTS 1024u /* warp slots; a higher slot shares the entry of slot % 1024 */
#define GPCI_AWID_INACTIVE 256u
#define GPCI_AWID_BITS 16u /* cost: Oldest-AWID and Youngest-AWID; the scheduler owns the id in a warp's status field */

/* GPC_READS_ bits of a policy with active warp ids. */
#define GPCI_AWID_READS (GPC_READS_WARP | GPC_READS_WARP_AGE | GPC_READS_WARP_EVENTS)

typedef struct gpci_awid {
    uint8_t oldest, youngest;
    bool told;                    /* the host has reported a start, an end or a barrier of a warp */
    int16_t span;                 /* Youngest - Oldest, 0 to 255; -1 = no warp is active */
    uint16_t total;               /* number of active warps */
    uint16_t active[256];         /* [id]: number of active warps with the id */
    uint8_t ids[GPCI_AWID_SLOTS]; /* [slot]: id in the warp's status field */
    uint8_t state[GPCI_AWID_SLOTS];
} gpci_awid;

enum { GPCI_WARP_UNKNOWN = 0, GPCI_WARP_ACTIVE, GPCI_WARP_WAITING, GPCI_WARP_ENDED };

void gpci_awid_init(gpci_awid *awid);
void gpci_awid_event(gpci_awid *awid, const gpc_warp_event *event);

/*
 * Make the warp of `slot` active, because the warp makes an access. A warp without a seen start starts; a warp that
 * waits at a barrier goes on; an ended warp stays ended.
 */
void gpci_awid_wake(gpci_awid *awid, uint32_t slot);

GPCI_INLINE void gpci_awid_use(gpci_awid *awid, const gpc_request *request) {
    uint32_t slot = request->warp % GPCI_AWID_SLOTS;
    if (GPCI_UNLIKELY(awid->told && awid->state[slot] != GPCI_WARP_ACTIVE))
        gpci_awid_wake(awid, slot);
}

/* Id for a request: the id of the request's warp. */
GPCI_INLINE uint8_t gpci_awid_of(const gpci_awid *awid, const gpc_request *request) {
    if (GPCI_LIKELY(awid->told))
        return awid->ids[request->warp % GPCI_AWID_SLOTS];
    return (uint8_t)(request->warp_age < 255 ? request->warp_age : 255);
}

/* Relative age of an id's warp: 0 = oldest; outside the window GPCI_AWID_INACTIVE, larger than any age. */
GPCI_INLINE uint32_t gpci_awid_age(const gpci_awid *awid, uint8_t id) {
    uint8_t age = (uint8_t)(id - awid->oldest);
    return age > awid->span ? GPCI_AWID_INACTIVE : age;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to a hierarchy: shape, places of addresses, room for the next request. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "gtx480", "mode = timed\nsm.count = 2\n");

    gpc_shape shape = GPC_SHAPE_INIT;
    check(gpc_hierarchy_get_shape(hierarchy, &shape, &error), &error);
    printf("%" PRIu32 " SMs with %" PRIu64 " KiB of L1, %" PRIu32 " slices, %" PRIu32 " channels, on %" PRIu32
           " thread\n",
           shape.sms, shape.l1_bytes >> 10, shape.slices, shape.channels, gpc_hierarchy_threads(hierarchy));
    gpc_location place = GPC_LOCATION_INIT;
    check(gpc_hierarchy_locate(hierarchy, 0, 0x12345678, &place, &error), &error);
    printf("0x12345678: slice %" PRIu32 ", set %" PRIu32 ", channel %" PRIu32 "\n", place.slice, place.set,
           place.channel);

    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 256;
    expect(gpc_hierarchy_occupancy(hierarchy, &launch) == 6, "six blocks of 256 threads fit an SM");
    printf("thread 0, byte 8 of its local memory: %#" PRIx64 "\n", gpc_hierarchy_local_address(hierarchy, 0, 0, 0, 8));

    /* A line in L2 before the run: the first load is a hit there. */
    check(gpc_hierarchy_preload(hierarchy, 2, 0, 0x1000, 128, &error), &error);
    uint64_t addresses[32];
    const gpc_warp_access access = load_of(addresses, 0x1000);
    gpc_busy busy;
    expect(gpc_hierarchy_is_idle(hierarchy) && gpc_hierarchy_can_accept(hierarchy, 0, &busy), "the SM accepts a load");
    expect(gpc_hierarchy_can_accept_miss(hierarchy, 0, &busy), "the port accepts a miss of a host's L1");
    check(gpc_hierarchy_try_issue(hierarchy, &access, 1, &busy, &error), &error);
    expect(gpc_hierarchy_in_flight(hierarchy) == 1, "the load is in flight");
    while (gpc_hierarchy_in_flight(hierarchy) > 0)
        check(gpc_hierarchy_advance(hierarchy, gpc_hierarchy_next_event(hierarchy) - gpc_hierarchy_now(hierarchy),
                                    &error),
              &error);
    printf("the load took %" PRIu64 " cycles\n", gpc_hierarchy_now(hierarchy));

    const uint32_t id = GPC_ID_l2_read_sector_hits;
    uint64_t hits;
    check(gpc_hierarchy_read(hierarchy, GPC_OBJECT_WHOLE, 0, &id, 1, &hits, 1, &error), &error);
    expect(hits == 4, "the preloaded sectors hit");
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}

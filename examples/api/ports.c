/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy engine writes 64 KiB into L2 through a port. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "kepler", "mode = timed\nports = 1\n");
    expect(gpc_hierarchy_ports(hierarchy) == 1, "the configuration has a port");

    gpc_port_request copy = GPC_PORT_REQUEST_INIT;
    copy.address = 0x100000;
    copy.bytes = 64 << 10;
    copy.kind = GPC_STORE;
    check(gpc_hierarchy_try_port(hierarchy, &copy, 1, &error), &error);
    check(gpc_hierarchy_drain(hierarchy, &error), &error);

    gpc_port_stats stats = GPC_PORT_STATS_INIT;
    check(gpc_hierarchy_port_stats(hierarchy, 0, &stats, &error), &error);
    printf("%" PRIu64 " lines, %" PRIu64 " cycles, link busy in %" PRIu64 "\n", stats.write_lines, stats.request_cycles,
           stats.busy_cycles);
    expect(stats.completed == 1 && stats.write_sectors == (64 << 10) / 32, "all sectors were written");
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}

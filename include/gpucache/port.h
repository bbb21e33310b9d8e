/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PORT_H
#define GPUCACHE_PORT_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Ports: reads and writes that reach L2 from a source other than an SM: a copy engine, a link to another GPU, a CPU.
 * The key `ports` sets their number. Ports need a clock and plain caches.
 *
 * A port takes requests of every length, up to `port.queue` requests at once, and cuts the oldest request into lines.
 * The address hash gives the home slice of a line. The line arrives at the slice at the earliest `port.latency` core
 * cycles later. Lines of ports and packets of the request network enter the pipeline before the slice's tags in turn:
 * if both wait, neither enters twice in a row. From the pipeline on, a line is handled as a request of an SM: hit or
 * miss, fill of L2, wait for MSHRs, dirty lines, drop of copies in the other partition. The reply is back
 * `port.latency` cycles after the reply has left the slice.
 *
 * The link of a direction moves `port.width` bytes a core cycle, and at least 1 cycle per line: written data to L2,
 * read data from L2. At most `port.lines` lines are in flight. L1s are not notified: an L1 keeps its copy of a written
 * line, as with stores of other SMs.
 *
 * Transfers of ports are counted in the counters of L2 and DRAM, without a stream. gpc_hierarchy_port_stats has the
 * statistics of a single port.
 */
typedef struct gpc_port_request {
    size_t struct_size;
    uint64_t address; /* bytes, not aligned */
    uint64_t bytes;   /* at least 1 */
    uint32_t port;    /* below `ports` */
    uint8_t kind;     /* gpc_kind: LOAD or STORE */
    uint8_t process;  /* process of `address` (types.h) */
    uint8_t reserved[2];
} gpc_port_request;

#define GPC_PORT_REQUEST_INIT                      \
    {                                              \
        sizeof(gpc_port_request), 0, 0, 0, 0, 0, { \
            0                                      \
        }                                          \
    }

/*
 * Offer a request at the present cycle. The request completes with its last line: gpc_hierarchy_callbacks.on_complete
 * is called with gpc_completion.port = 1 + port, and with sm and warp UINT32_MAX. gpc_hierarchy_in_flight counts the
 * request.
 *   token  comes back with the completion
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY (the port has `port.queue` requests);
 * GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field, also for an unknown port; GPC_ERROR_STATE (from within a
 * callback). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_port(gpc_hierarchy *hierarchy, const gpc_port_request *request, uint64_t token,
                                          gpc_error *error);

/* Statistics of a port, since creation or gpc_hierarchy_reset_stats. */
typedef struct gpc_port_stats {
    size_t struct_size;
    uint64_t requests, completed;         /* accepted requests; completed requests */
    uint64_t request_cycles;              /* core cycles of completed requests, from acceptance to completion */
    uint64_t read_lines, write_lines;     /* lines sent */
    uint64_t read_sectors, write_sectors; /* sectors of 32 bytes, touched by the lines sent */
    uint64_t l2_read_hits;                /* lines read that needed no memory */
    uint64_t busy_cycles;                 /* core cycles in which the link to L2 moved something */
    /* core cycles in which the link to L2 had to wait, because `port.lines` lines were in flight */
    uint64_t limit_cycles;
} gpc_port_stats;

#define GPC_PORT_STATS_INIT \
    { sizeof(gpc_port_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Number of ports; 0 for NULL. Since: 0.2. */
GPC_API uint32_t gpc_hierarchy_ports(const gpc_hierarchy *hierarchy);

/*
 * Get the statistics of a port.
 *   out  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown port); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *hierarchy, uint32_t port, gpc_port_stats *out);

GPC_END_DECLS

#endif

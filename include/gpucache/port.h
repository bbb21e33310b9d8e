/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PORT_H
#define GPUCACHE_PORT_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Ports: reads and writes that reach L2 from elsewhere than SMs: a copy engine, a link to another GPU, a CPU. There are
 * as many as the key `ports` says, with a clock and plain caches. A port takes requests of any length, `port.queue` at
 * once, and cuts the oldest into lines. A line goes to its home slice by the hash of its address, at the earliest
 * `port.latency` core cycles later, and enters the pipeline before the slice's tags beside what the request network
 * brings, of which neither comes twice before the other; from there on it is as a request of an SM: it hits or misses,
 * fills L2, waits for MSHRs, makes lines dirty, and drops copies in the other partition. Its reply is back
 * `port.latency` cycles after it has left the slice. The link of each direction moves `port.width` bytes a core cycle:
 * to L2 what is written, from L2 what is read, at least a cycle each; `port.lines` lines are under way at once. L1s are
 * not told: what they hold of a line that is written stays, as with other SMs' stores.
 *
 * What ports do is in the counters of L2 and DRAM, without a stream; gpc_hierarchy_port_stats has each port's own.
 */
typedef struct gpc_port_request {
    size_t struct_size;
    uint64_t address; /* bytes, not aligned */
    uint64_t bytes;   /* at least 1 */
    uint32_t port;    /* below `ports` */
    uint8_t kind;     /* gpc_kind: LOAD or STORE */
    uint8_t process;  /* of `address` (types.h) */
    uint8_t reserved[2];
} gpc_port_request;

#define GPC_PORT_REQUEST_INIT                      \
    {                                              \
        sizeof(gpc_port_request), 0, 0, 0, 0, 0, { \
            0                                      \
        }                                          \
    }

/*
 * Offer a request at the present cycle. It completes with its last line: gpc_hierarchy_callbacks.on_complete, with
 * gpc_completion.port = 1 + its port, and sm and warp UINT32_MAX. gpc_hierarchy_in_flight counts it.
 *   token  comes back with the completion
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY (the port has `port.queue`); GPC_ERROR_ABI;
 * GPC_ERROR_ARGUMENT, `error` naming the field, also where there is no such port. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_port(gpc_hierarchy *hierarchy, const gpc_port_request *request, uint64_t token,
                                          gpc_error *error);

/* What a port has done, since creation or gpc_hierarchy_reset_stats. */
typedef struct gpc_port_stats {
    size_t struct_size;
    uint64_t requests, completed;         /* accepted; those that are done */
    uint64_t request_cycles;              /* of these, from acceptance to completion */
    uint64_t read_lines, write_lines;     /* lines that were sent */
    uint64_t read_sectors, write_sectors; /* of 32 bytes, touched by them */
    uint64_t l2_read_hits;                /* lines read that needed no memory */
    uint64_t busy_cycles;                 /* core cycles in which its link to L2 moved something */
    uint64_t limit_cycles;                /* in which it could not, for `port.lines` were under way */
} gpc_port_stats;

#define GPC_PORT_STATS_INIT \
    { sizeof(gpc_port_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* How many there are; 0 for NULL. Since: 0.2. */
GPC_API uint32_t gpc_hierarchy_ports(const gpc_hierarchy *hierarchy);

/*
 * Its statistics.
 *   out  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (no such port); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *hierarchy, uint32_t port, gpc_port_stats *out);

GPC_END_DECLS

#endif

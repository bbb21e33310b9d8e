/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/driver.h"
#include "timed/watch.h"

/* The timed hierarchy as a driver (level/driver.h). */

static void destroy(gpc_hierarchy *h) {
    gpci_timed_destroy(h->timed);
}

/* Accesses take time: gpc_hierarchy_try_issue. */
static gpc_status access(gpc_hierarchy *h, const gpc_warp_access *w, gpc_warp_result *result) {
    (void)h;
    (void)w;
    (void)result;
    return GPC_ERROR_STATE;
}

static bool idle(const gpc_hierarchy *h) {
    return gpci_timed_quiet(h->timed);
}

static void relink(gpc_hierarchy *h) {
    gpci_timed_relink(h->timed);
}

static void watch(gpc_hierarchy *h, gpci_trace *trace) {
    gpci_timed_watch(h->timed, trace);
}

static void add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats) {
    gpci_timed_add_sm(h->timed, sm, stats);
}

static void add_rest(const gpc_hierarchy *h, gpc_stats *stats) {
    gpci_timed_add_rest(h->timed, stats);
}

static void reset_stats(gpc_hierarchy *h) {
    gpci_timed_reset_stats(h->timed);
}

const gpci_driver gpci_timed_driver = {.create = gpci_timed_create,
                                       .destroy = destroy,
                                       .access = access,
                                       .idle = idle,
                                       .relink = relink,
                                       .watch = watch,
                                       .add_sm = add_sm,
                                       .add_rest = add_rest,
                                       .reset_stats = reset_stats};

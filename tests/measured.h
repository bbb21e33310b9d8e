/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_MEASURED_H
#define TESTS_MEASURED_H

#include <gpucache/stats.h>

/*
 * Statistics with 0 for what is not measured, for tests that compare with a model, or with another mode, of which it
 * cannot happen where it is not measured. That it is absent, and never 0, is what tests/stats and tests/hierarchy are for.
 */
static inline gpc_stats measured(gpc_stats stats) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) \
    stats.field = stats.field == GPC_ABSENT ? 0 : stats.field;
    GPC_COUNTERS(X)
#undef X
    return stats;
}

#endif

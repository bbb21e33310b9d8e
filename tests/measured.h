/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_MEASURED_H
#define TESTS_MEASURED_H

#include <gpucache/stats.h>

/*
 * Statistics with 0 for unmeasured values, for tests that compare with a model, or with another mode that measures
 * fewer values. tests/stats and tests/hierarchy test that unmeasured values are absent, never 0.
 */
static inline gpc_stats measured(gpc_stats stats) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) \
    stats.field = stats.field == GPC_ABSENT ? 0 : stats.field;
    GPC_COUNTERS(X)
#undef X
    return stats;
}

#endif

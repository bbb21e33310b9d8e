/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILER_PROFILER_H
#define GPC_PROFILER_PROFILER_H

#include "level/observer.h"
#include "profile/profile.h"
#include "replay/replay.h"

/* What runs a trace, or is fed by a host, while a profile counts. */
typedef struct gpci_profiler {
    gpci_live live; /* the profile's */
    gpc_replay *replay;
    gpc_hierarchy *hierarchy; /* the replay's */
    gpci_observer observer;
} gpci_profiler;

/* observe.c: the functions of the profiler's observer, which count into the profile. */
void gpci_profile_observer(gpc_profile *profile);

#endif

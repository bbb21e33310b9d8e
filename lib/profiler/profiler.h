/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILER_PROFILER_H
#define GPC_PROFILER_PROFILER_H

#include "level/rules/observer.h"
#include "profile/profile.h"
#include "replay/core/replay.h"
#include "trace/files/output.h"

/* Runs a trace, or takes accesses from a host; the observer counts the accesses into the profile. */
typedef struct gpci_profiler {
    gpci_live live; /* part of the profile */
    gpc_replay *replay;
    gpc_hierarchy *hierarchy; /* of `replay` */
    gpci_observer observer;
} gpci_profiler;

/* Set the functions of the profiler's observer (observe.c), which count into the profile. */
void gpci_profile_observer(gpc_profile *profile);

/* Write the JSON object of a settled profile. */
gpc_status gpci_profile_write_json(gpci_output *output, gpc_profile *profile, bool lines, gpc_error *error);

#endif

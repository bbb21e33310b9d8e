/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/shards_internal.h"
#include "timed/core/stage_times.h"

#include <stdio.h>

/* Find the sides of a hierarchy that threads may share. */

void gpci_shards_check(const gpci_timed *timed, bool *above, bool *below, char text[GPCI_THREADS_TEXT]) {
    *text = '\0';
    *above = *below = false;
    if (timed->hierarchy->coherent) {
        snprintf(text, GPCI_THREADS_TEXT, "a tree of coherent modules is run by one thread");
        return;
    }
    if (timed->hierarchy->with_data) {
        snprintf(text, GPCI_THREADS_TEXT, "accesses carry values (coherence.data)");
        return;
    }
    if (timed->stage_times) {
        snprintf(text, GPCI_THREADS_TEXT, "packets are followed through their stages (stats.stages)");
        return;
    }
    if (gpci_number(timed->hierarchy, GPCI_KEY_PORTS)) {
        snprintf(text, GPCI_THREADS_TEXT, "ports reach all slices");
        return;
    }
    *below = gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L2_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_MEMORY_CACHE_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L2_BYPASS, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L2_PREFETCHER, text);
    if (*below && timed->hierarchy->inclusive) {
        snprintf(text, GPCI_THREADS_TEXT, "l2.inclusion: a slice takes lines from all L1s");
        *below = false;
    }
    *above = gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L1_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L1_BYPASS, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L1_PREFETCHER, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_CONST_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_L15_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_GL1_REPLACEMENT, text) &&
             gpci_threads_check_key(timed->hierarchy, GPCI_KEY_SCHEDULER, text);
}

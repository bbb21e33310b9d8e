/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_THREADS_CHECK_H
#define GPC_LEVEL_THREADS_CHECK_H

#include "level/rules/hierarchy.h"

/*
 * Policies that several threads may run at once: built-in policies with state per cache or per SM. Policies with shared
 * state need a single thread, unless the shared state changes only on a sample (votes, PCAL): samples are given while
 * no other thread runs. A host's own functions are called on the host's thread.
 */
#define GPCI_THREADS_TEXT 200u

/* True if threads may run the policies named by a key. Otherwise `text` receives the reason. */
bool gpci_threads_check_key(const gpc_hierarchy *hierarchy, gpci_key key, char text[GPCI_THREADS_TEXT]);

#endif

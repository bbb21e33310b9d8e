/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_THREADS_CHECK_H
#define GPC_LEVEL_THREADS_CHECK_H

#include "level/rules/hierarchy.h"

/*
 * Check if several threads of the CPU may run policies at once. Allowed: built-in policies with state per cache or per
 * SM; built-in policies with shared state that changes only at a sample (votes, PCAL), because samples are given while
 * no other thread runs. Not allowed: other policies with shared state; policies registered by the host, which are
 * called only on the host's thread.
 */
#define GPCI_THREADS_TEXT 200u

/* True if threads may run the policies named by a key. Otherwise `text` receives the reason. */
bool gpci_threads_check_key(const gpc_hierarchy *hierarchy, gpci_key key, char text[GPCI_THREADS_TEXT]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_THREADS_CHECK_H
#define GPC_LEVEL_THREADS_CHECK_H

#include "level/hierarchy.h"

/*
 * Which policies threads may run at once: built-in ones, which keep what they know by cache or by SM. Those that share
 * it are run by one thread, but for those that change what they share only when they get a sample (votes, PCAL), for
 * samples are given while no other thread runs. A host's own functions are called by the host's thread.
 */
#define GPCI_THREADS_TEXT 200u

/* May threads run the policies that a key names? If not, `text` says why. */
bool gpci_threads_check_key(const gpc_hierarchy *h, gpci_key key, char text[GPCI_THREADS_TEXT]);

#endif

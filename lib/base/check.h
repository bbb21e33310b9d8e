/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_CHECK_H
#define GPC_BASE_CHECK_H

#include "base/base.h"

#include <string.h>

/*
 * Invariants of the library, asserted only in a checking build (meson's -Dc_args=-DGPCI_CHECK). The tests' build with
 * sanitizers is a checking build. A failed invariant is a defect of the library, never of an input. The checking build
 * prints the invariant and ends the process. In other builds GPCI_CHECKING is the constant 0, and the compiler removes
 * the assertions.
 */
#ifdef GPCI_CHECK
#define GPCI_CHECKING 1
#else
#define GPCI_CHECKING 0
#endif

/* Print file, line and text, and end the process. Called only in the checking build. */
_Noreturn void gpci_check_failed(const char *file, int line, const char *format, ...) GPCI_PRINTF(3, 4);

/*
 * Assert a condition; the text is for a violation. Example: GPCI_ENSURE(used <= room, "%u packets of %u", used, room)
 */
#define GPCI_ENSURE(condition, ...) \
    ((!GPCI_CHECKING || (condition)) ? (void)0 : gpci_check_failed(__FILE__, __LINE__, __VA_ARGS__))

/*
 * Fill memory that is free or fresh with a pattern, in the checking build only. If code uses undefined bytes, the
 * results of the checking build then differ from the results of other builds.
 */
#define GPCI_POISON(memory, size) (GPCI_CHECKING ? (void)memset((memory), 0xa5, (size)) : (void)0)

/*
 * Count a second time, in the checking build only: the ledger (stats/ledger.h) compares a counter with its second
 * count. The fields of second counts exist only in the checking build. Example: GPCI_AGAIN(queue->sent_again++);
 */
#ifdef GPCI_CHECK
#define GPCI_AGAIN(count) ((void)(count))
#else
#define GPCI_AGAIN(count) ((void)0)
#endif

#endif

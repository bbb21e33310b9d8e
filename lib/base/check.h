/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_CHECK_H
#define GPC_BASE_CHECK_H

#include "base/base.h"

#include <string.h>

/*
 * Invariants of the library, asserted only in a checking build (meson's -Dc_args=-DGPCI_CHECK), as the tests' build
 * with sanitizers is. A failed invariant is a defect of the library, never of an input. The checking build prints the
 * invariant and ends the process. In other builds GPCI_CHECKING is the constant 0, and the compiler removes the
 * assertions.
 */
#ifdef GPCI_CHECK
#define GPCI_CHECKING 1
#else
#define GPCI_CHECKING 0
#endif

/* Print file, line and text, and end the process. Called only in the checking build. */
_Noreturn void gpci_check_failed(const char *file, int line, const char *format, ...) GPCI_PRINTF(3, 4);

/* Assert a condition; the text describes the violation. GPCI_ENSURE(used <= room, "%u packets of %u", used, room) */
#define GPCI_ENSURE(condition, ...) \
    ((!GPCI_CHECKING || (condition)) ? (void)0 : gpci_check_failed(__FILE__, __LINE__, __VA_ARGS__))

/*
 * Fill memory that is free or fresh, in the checking build only: results then differ from those of other builds where
 * undefined bytes are used.
 */
#define GPCI_POISON(memory, size) (GPCI_CHECKING ? (void)memset((memory), 0xa5, (size)) : (void)0)

/*
 * Count again, in the checking build only. The ledger compares a counter with the second count of the counter
 * (stats/ledger.h). The fields of second counts exist only in the checking build. GPCI_AGAIN(queue->sent_again++);
 */
#ifdef GPCI_CHECK
#define GPCI_AGAIN(count) ((void)(count))
#else
#define GPCI_AGAIN(count) ((void)0)
#endif

#endif

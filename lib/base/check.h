/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_CHECK_H
#define GPC_BASE_CHECK_H

#include "base/base.h"

/*
 * Invariants of the library, asserted in the checking build alone (meson's -Dcheck=true). A failed invariant is a
 * defect of the library, never of an input: the checking build prints the invariant and ends the process. The sanitized
 * tests are a checking build. Elsewhere nothing is left of an assertion, for GPCI_CHECKING is a constant.
 */
#ifdef GPCI_CHECK
#define GPCI_CHECKING 1
#else
#define GPCI_CHECKING 0
#endif

/* Prints file, line and text, and ends the process. Of the checking build alone. */
_Noreturn void gpci_check_failed(const char *file, int line, const char *format, ...) GPCI_PRINTF(3, 4);

/* The condition holds; the text says what does not. GPCI_ENSURE(used <= room, "%u packets of %u", used, room) */
#define GPCI_ENSURE(condition, ...) \
    ((!GPCI_CHECKING || (condition)) ? (void)0 : gpci_check_failed(__FILE__, __LINE__, __VA_ARGS__))

#endif

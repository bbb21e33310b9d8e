/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_COVERAGE_H
#define TESTS_COHERENCE_COVERAGE_H

#include "coherence/random.h"

/* coverage_list.c: reason that a cell, or an origin, is never reached; NULL: must be reached. */
const char *coverage_reason(const char *protocol, uint32_t place, uint32_t state, uint32_t event);
const char *coverage_origin_reason(const char *protocol, uint32_t origin);

#endif

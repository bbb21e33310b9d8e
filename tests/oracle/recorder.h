/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_RECORDER_H
#define TESTS_ORACLE_RECORDER_H

#include "oracle/reference.h"

/* The cache's side of the events: a policy, two predictors and two callbacks that log all calls. */

/*
 * Register the policy `recorder`, choosing by hash_choice (`recorder(declines)`: sometimes with GPC_WAY_BYPASS), and
 * the predictors `dice` and `dice-before`.
 */
void recorder_register(gpc_context *context, event_log *log);

/* callback_data: the log */
void record_fill(void *log, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                 const gpc_request *request);
void record_evict(void *log, const gpc_eviction *eviction, const gpc_request *request);

#endif

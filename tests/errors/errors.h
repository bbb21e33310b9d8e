/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ERRORS_H
#define TESTS_ERRORS_H

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/*
 * The error rule: each function that returns a gpc_status takes a gpc_error * last. A failure writes its status and a
 * sentence; a success writes nothing; NULL changes no status.
 *
 * Rows of this suite, read by tests/api/test_errors.py:
 *   FAILS(ARGUMENT, "cache is NULL", gpc_cache_flush, NULL, NULL);    status, part of the sentence, function, arguments
 *   WORKS(gpc_cache_flush, cache, NULL);                              function, arguments
 * A row makes the call twice, first with an error, then with NULL; the first call of WORKS must not disturb the second.
 */
#define FAILS(status_, part, function, ...)                                                              \
    do {                                                                                                 \
        gpc_error error_ = error_unwritten();                                                            \
        const gpc_status with_ = function(__VA_ARGS__, &error_);                                         \
        expect_error(#function, with_, function(__VA_ARGS__, NULL), GPC_ERROR_##status_, part, &error_); \
    } while (0)

#define WORKS(function, ...)                                                     \
    do {                                                                         \
        gpc_error error_ = error_unwritten();                                    \
        const gpc_status with_ = function(__VA_ARGS__, &error_);                 \
        expect_no_error(#function, with_, function(__VA_ARGS__, NULL), &error_); \
    } while (0)

/* Rows of a read by id, of a counter with one value; `...` stands before the ids. A histogram has 33 values. */
#define READS(function, id, ...)                                                                          \
    do {                                                                                                  \
        const uint32_t ids_[2] = {id, GPC_ID_l1_transactions_per_load};                                   \
        uint64_t read_[2] = {7, 7};                                                                       \
        FAILS(ARGUMENT, #function ": ids is NULL", function, __VA_ARGS__, NULL, 1, read_, 1);             \
        FAILS(ARGUMENT, #function ": values is NULL", function, __VA_ARGS__, ids_, 1, NULL, 1);           \
        FAILS(RANGE, "l1.transactions_per_load has values[1]", function, __VA_ARGS__, ids_, 2, read_, 2); \
        FAILS(RANGE, #function ": value_count is 0", function, __VA_ARGS__, ids_, 1, read_, 0);           \
        cr_expect(read_[0] == 7 && read_[1] == 7);                                                        \
        WORKS(function, __VA_ARGS__, ids_, 1, read_, 1);                                                  \
        cr_expect(read_[0] != 7 && read_[1] == 7);                                                        \
        READS_UNKNOWN(function, __VA_ARGS__);                                                             \
    } while (0)

/* Rows of a read by an id just beyond the last: unknown, and so absent. */
#define READS_UNKNOWN(function, ...)                            \
    do {                                                        \
        const uint32_t beyond_ = counter_id_beyond();           \
        uint64_t absent_[2] = {7, 7};                           \
        WORKS(function, __VA_ARGS__, &beyond_, 1, absent_, 1);  \
        cr_expect(absent_[0] == GPC_ABSENT && absent_[1] == 7); \
    } while (0)

/* One more than the largest id of a counter. */
uint32_t counter_id_beyond(void);
/* An error with a mark in place of a sentence. */
gpc_error error_unwritten(void);
/* Statuses of the calls with and without an error. */
void expect_error(const char *function, gpc_status with, gpc_status without, gpc_status expected, const char *part,
                  const gpc_error *error);
void expect_no_error(const char *function, gpc_status with, gpc_status without, const gpc_error *error);

/* Objects to call, all on the preset h100-like `tiny` configuration below. */
gpc_context *made_context(void);
/* A configuration of `text` over two SMs and two slices. */
gpc_config *made_config(gpc_context *context, const char *text);

#endif

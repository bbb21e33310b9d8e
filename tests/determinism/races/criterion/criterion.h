/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_RACES_CRITERION_H
#define TESTS_RACES_CRITERION_H

/*
 * The part of Criterion used by tests of threads: ThreadSanitizer does not run with Criterion's processes. Tests are
 * functions, called by races.sh.
 */

#include <stdio.h>
#include <stdlib.h>

#define Test(suite, name)             \
    void test_##suite##_##name(void); \
    void test_##suite##_##name(void)

#define CR_FAILED(...) (fprintf(stderr, "%s:%d: failed\n", __FILE__, __LINE__), exit(1))
#define cr_assert(condition, ...) ((condition) ? (void)0 : CR_FAILED())
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b))
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b))
#define cr_expect(condition, ...) cr_assert(condition)
#define cr_expect_eq(a, b, ...) cr_assert((a) == (b))
#define cr_expect_gt(a, b, ...) cr_assert((a) > (b))

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The tests of threads, one after the other, for ThreadSanitizer (races.sh). */

void test_workers_every_round_has_all_shares(void);
void test_workers_whoever_is_late(void);
void test_threads_any_number_gives_the_same(void);
void test_threads_delays_change_nothing(void);

int main(void) {
    test_workers_every_round_has_all_shares();
    test_workers_whoever_is_late();
    test_threads_any_number_gives_the_same();
    test_threads_delays_change_nothing();
    return 0;
}

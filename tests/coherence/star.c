/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/small.h"
#include "coherence/transaction.h"

/*
 * The star network, every figure from section 4 of the specification (1 + 3 * ceil(bytes / bandwidth)) and from laying
 * out by hand what three stages of one message at a time do: m0 to m3 above m4, links of 64 bytes a cycle.
 */

typedef struct star {
    small *small;
    gpc_coherence *tree;
} star;

static star star_open(void) {
    star s = {.small = small_open_bare(5)};
    s.small->modules[4].memory = true;
    for (uint32_t i = 0; i < 4; i++)
        small_link(s.small, i, 4);
    s.tree = small_tree(s.small);
    gpci_tree_star_begin(s.tree);
    return s;
}

static void star_close(star *s) {
    small_close(s->small);
}

static uint64_t sent(const star *s, uint32_t from, uint32_t to, uint32_t bytes, uint64_t cycle) {
    return gpci_tree_star_send(s->tree, 0, from, to, bytes, cycle);
}

static gpci_tree_probe_reply answer(uint32_t module, uint32_t bytes, uint64_t leaves) {
    return (gpci_tree_probe_reply){.module = module, .bytes = bytes, .ready = {.cycle = leaves}};
}

Test(star, idle) {
    static const struct {
        uint32_t bytes;
        uint64_t cycles;
    } given[] = {{1, 4}, {8, 4}, {64, 4}, {65, 7}, {72, 7}, {128, 7}, {129, 10}, {264, 16}};
    star s = star_open();
    for (uint32_t i = 0; i < sizeof given / sizeof *given; i++) {
        gpci_tree_star_begin(s.tree);
        cr_expect_eq(sent(&s, 0, 4, given[i].bytes, 100), 100 + given[i].cycles, "%u bytes", given[i].bytes);
    }
    star_close(&s);
}

Test(star, requests_leave_one_per_cycle) {
    star s = star_open();
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(sent(&s, 4, i, 8, 10), 14 + i);
    star_close(&s);
}

/* A link of two cycles: 11 to 13, 13 to 15. */
Test(star, long_messages_queue_at_the_link) {
    star s = star_open();
    cr_expect_eq(sent(&s, 4, 0, 72, 10), 17);
    cr_expect_eq(sent(&s, 4, 1, 72, 10), 19);
    cr_expect_eq(sent(&s, 4, 2, 8, 10), 18); /* the link at 15, the switch at 16, the link at 17 */
    star_close(&s);
}

Test(star, a_transaction_begins_on_an_idle_network) {
    star s = star_open();
    cr_expect_eq(sent(&s, 4, 0, 72, 10), 17);
    gpci_tree_star_begin(s.tree);
    cr_expect_eq(sent(&s, 4, 0, 72, 10), 17);
    star_close(&s);
}

/*
 * A message asked for later but sent earlier does not wait for messages sent later: 51 to 53 are taken, 21 to 23 free.
 */
Test(star, earlier_messages_pass_in_gaps) {
    star s = star_open();
    cr_expect_eq(sent(&s, 0, 4, 72, 50), 57);
    cr_expect_eq(sent(&s, 1, 4, 72, 20), 27);
    cr_expect_eq(sent(&s, 2, 4, 72, 20), 29); /* the switch is taken from 23 to 25 */
    cr_expect_eq(sent(&s, 3, 4, 8, 50), 54);  /* at the switch in 52, before the first one */
    cr_expect_eq(sent(&s, 3, 4, 72, 52), 59); /* link of m3 from 53, the switch from 55, the link to m4 from 57 to 59 */
    star_close(&s);
}

/* The switch takes 13 to 15 and 15 to 17. */
Test(star, answers_converge) {
    star s = star_open();
    gpci_tree_probe_reply replies[] = {answer(0, 72, 10), answer(1, 72, 10)};
    s.tree->stars[0].through[4].last = 3;
    gpci_tree_star_gather(s.tree, 0, 4, replies, 2);
    cr_expect_eq(replies[0].arrives, 17);
    cr_expect_eq(replies[1].arrives, 19);
    star_close(&s);
}

/* Next after the last port, 0: port 1 before 0. */
Test(star, the_switch_takes_turns) {
    star s = star_open();
    gpci_tree_probe_reply replies[] = {answer(0, 72, 10), answer(1, 72, 10)};
    sent(&s, 0, 4, 8, 0);
    gpci_tree_star_gather(s.tree, 0, 4, replies, 2);
    cr_expect_eq(replies[0].arrives, 19);
    cr_expect_eq(replies[1].arrives, 17);
    star_close(&s);
}

/*
 * Recorded (seq.g7_large.ld_st_nc.0, access 72): 1 has asked; 0 and 3 answer with data, which leave in 2254 and 2255
 * and come in 2262 and 2264. 0 is at the switch in 2257, when 3, whose turn it is after 1, is still on its way.
 */
Test(star, who_is_on_the_way_has_its_turn) {
    star s = star_open();
    gpci_tree_probe_reply replies[] = {answer(0, 72, 2254), answer(3, 72, 2255)};
    sent(&s, 1, 4, 8, 2240);
    gpci_tree_star_gather(s.tree, 0, 4, replies, 2);
    cr_expect_eq(replies[0].arrives, 2262);
    cr_expect_eq(replies[1].arrives, 2264);
    star_close(&s);
}

/* Recorded, too (access 57): 2 has asked; 3 begins to cross its link only in 1936, when 0 is at the switch. */
Test(star, who_begins_now_has_not) {
    star s = star_open();
    gpci_tree_probe_reply replies[] = {answer(0, 72, 1933), answer(1, 8, 1934), answer(3, 72, 1935)};
    sent(&s, 2, 4, 8, 1920);
    gpci_tree_star_gather(s.tree, 0, 4, replies, 3);
    cr_expect_eq(replies[0].arrives, 1940);
    cr_expect_eq(replies[1].arrives, 1941);
    cr_expect_eq(replies[2].arrives, 1943);
    star_close(&s);
}

/* One sender's messages stay in order, whoever else has its turn: 0 sends two, the first of two cycles. */
Test(star, one_senders_answers_stay_in_order) {
    star s = star_open();
    gpci_tree_probe_reply replies[] = {answer(0, 72, 10), answer(0, 8, 10), answer(2, 8, 10)};
    s.tree->stars[0].through[4].last = 2;
    gpci_tree_star_gather(s.tree, 0, 4, replies, 3);
    cr_expect_eq(replies[2].arrives, 15); /* at the switch in 12; 0 had its turn, but is not there: in 13 it is 1's */
    cr_expect_eq(replies[0].arrives, 18);
    cr_expect_eq(replies[1].arrives, 19);
    star_close(&s);
}

/* More messages than a link remembers spans of: never two at a time. */
Test(star, many_messages) {
    star s = star_open();
    for (uint32_t i = 0; i < 3 * GPCI_TREE_LINK_SPANS; i++)
        cr_expect_eq(sent(&s, 0, 4, 8, 10), 14 + i);
    for (uint32_t i = 0; i < 3 * GPCI_TREE_LINK_SPANS; i++)
        cr_expect_eq(sent(&s, 0, 4, 8, 100 + 10 * i), 104 + 10 * i);
    for (uint32_t i = 0; i < 3 * GPCI_TREE_LINK_SPANS; i++)
        cr_expect_eq(sent(&s, 0, 4, 8, 100 + 10 * (3 * GPCI_TREE_LINK_SPANS - 1)),
                     105 + 10 * (3 * GPCI_TREE_LINK_SPANS - 1) + i);
    star_close(&s);
}

/* Gaps before and between what is taken: the last ones, that are remembered. */
Test(star, gaps_are_remembered) {
    star s = star_open();
    for (uint32_t i = 0; i < GPCI_TREE_LINK_SPANS; i++)
        cr_expect_eq(sent(&s, 0, 4, 8, 100 + 10 * i), 104 + 10 * i);
    cr_expect_eq(sent(&s, 0, 4, 8, 90), 94);
    cr_expect_eq(sent(&s, 0, 4, 8, 93), 105); /* 90 to 100 has become one span: from 91 to 102 at the first link */
    cr_expect_eq(sent(&s, 0, 4, 8, 112), 116);
    star_close(&s);
}

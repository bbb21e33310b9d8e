/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"
#include "coherence/small.h"

/*
 * The star network of lone accesses, every figure from section 4 of the specification (1 + 3 * ceil(bytes / bandwidth))
 * and from laying out by hand what three stages of one message at a time do: m0 to m3 above m4, links of 64 bytes a
 * cycle.
 */

typedef struct star {
    small *small;
    gpc_coherence *tree;
    gpci_engine *e;
    uint32_t root; /* parent of all messages' tasks */
} star;

/* A message, with the cycle of the sending and the place in the list of steps. */
typedef struct sending {
    uint32_t from, to, bytes;
    uint64_t cycle;
    uint32_t task, place;
} sending;

#define NOT_SENT UINT32_MAX

static star star_open(void) {
    star s = {.small = small_open_bare(5)};
    s.small->modules[4].memory = true;
    for (uint32_t i = 0; i < 4; i++)
        small_link(s.small, i, 4);
    s.tree = small_tree(s.small);
    cr_assert_eq(gpc_coherence_flush(s.tree, GPC_NO_MODULE, 0, NULL, NULL), GPC_OK); /* makes the network */
    s.e = s.tree->lone;
    cr_assert_eq(gpci_engine_reserve(s.e, 0), GPC_OK);
    const gpc_coherence_request request = {.module = 0, .kind = GPC_COHERENCE_ACQUIRE};
    s.root = gpci_tree_inflight_at(s.e, gpci_inflight_begin(s.e, &request, NULL, GPCI_STEP_mark_joined))->task;
    gpci_task_at(s.e, s.root)->pending = UINT32_MAX;
    return s;
}

static void star_close(star *s) {
    small_close(s->small);
}

/* A task that does nothing when its message comes, or is to be sent again. */
static uint32_t idle_task(const star *s) {
    uint32_t task;
    gpci_task_begin(s->e, s->root, GPCI_STEP_mark_joined, 0, 4, 0, &task)->pending = UINT32_MAX;
    return task;
}

static void attempt(const star *s, sending *m) {
    const gpci_message letter = {.task = m->task,
                                 .receiver = m->task,
                                 .low = 4,
                                 .from = m->from,
                                 .to = m->to,
                                 .bytes = m->bytes,
                                 .kind = GPC_MESSAGE_DATA,
                                 .arrives = GPCI_STEP_mark_joined,
                                 .again = GPCI_STEP_mark_joined};
    const uint32_t place = s->tree->message_count;
    if (gpci_send(s->e, &letter))
        m->place = place;
}

/* Send them, in their order where several are due, and let all come. */
static void send_all(const star *s, sending *messages, uint32_t count) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t last = 0;
    s->tree->message_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        messages[i].task = idle_task(s);
        messages[i].place = NOT_SENT;
        last = messages[i].cycle > last ? messages[i].cycle : last;
    }
    for (uint64_t cycle = s->e->now; cycle < last + 100; cycle++) {
        cr_assert_eq(gpci_steps_until(s->e, cycle, &error), GPC_OK, "%s", error.message);
        s->e->now = cycle;
        gpci_step_in(s->e, s->root, GPCI_STEP_mark_joined, 2); /* due before any next step of a message */
        for (uint32_t i = 0; i < count; i++)
            if (messages[i].place == NOT_SENT && messages[i].cycle <= cycle)
                attempt(s, &messages[i]);
    }
}

/* When messages[i] has come. */
static uint64_t came(const star *s, const sending *message) {
    cr_assert_neq(message->place, NOT_SENT);
    return s->tree->messages[message->place].received;
}

#define EXPECT(s, messages, ...)                                                                      \
    do {                                                                                              \
        static const uint64_t cycles[] = {__VA_ARGS__};                                               \
        const uint32_t count = sizeof cycles / sizeof *cycles;                                        \
        cr_assert_eq(count, sizeof(messages) / sizeof *(messages));                                   \
        send_all(s, messages, count);                                                                 \
        for (uint32_t i = 0; i < count; i++)                                                          \
            cr_expect_eq(came(s, &(messages)[i]), cycles[i], "message %u: %llu, not %llu", i,         \
                         (unsigned long long)came(s, &(messages)[i]), (unsigned long long)cycles[i]); \
    } while (0)

Test(star, idle) {
    static const struct {
        uint32_t bytes;
        uint64_t cycles;
    } given[] = {{1, 4}, {8, 4}, {64, 4}, {65, 7}, {72, 7}, {128, 7}, {129, 10}, {264, 16}};
    star s = star_open();
    for (uint32_t i = 0; i < sizeof given / sizeof *given; i++) {
        const uint64_t begin = 1000 * (i + 1);
        sending messages[] = {{0, 4, given[i].bytes, begin, 0, 0}};
        send_all(&s, messages, 1);
        cr_expect_eq(came(&s, messages), begin + given[i].cycles, "%u bytes", given[i].bytes);
    }
    star_close(&s);
}

Test(star, requests_leave_one_per_cycle) {
    star s = star_open();
    sending messages[] = {{4, 0, 8, 10, 0, 0}, {4, 1, 8, 10, 0, 0}, {4, 2, 8, 10, 0, 0}, {4, 3, 8, 10, 0, 0}};
    EXPECT(&s, messages, 14, 15, 16, 17);
    star_close(&s);
}

/*
 * A link of two cycles: 11 to 13, 13 to 15. The third message is on it in 15, and at the switch in 16, where the second
 * is being read up to 17.
 */
Test(star, long_messages_queue_at_the_link) {
    star s = star_open();
    sending messages[] = {{4, 0, 72, 10, 0, 0}, {4, 1, 72, 10, 0, 0}, {4, 2, 8, 10, 0, 0}};
    EXPECT(&s, messages, 17, 19, 19);
    star_close(&s);
}

/* The switch takes 13 to 15 and 15 to 17. Next after the last port, 0: port 1 before 0. */
Test(star, the_switch_takes_turns) {
    star s = star_open();
    sending first[] = {{3, 4, 8, 10, 0, 0}, {0, 4, 72, 20, 0, 0}, {1, 4, 72, 20, 0, 0}};
    EXPECT(&s, first, 14, 27, 29);
    sending then[] = {{0, 4, 8, 200, 0, 0}, {0, 4, 72, 210, 0, 0}, {1, 4, 72, 210, 0, 0}};
    EXPECT(&s, then, 204, 219, 217);
    star_close(&s);
}

/*
 * Recorded (seq.g7_large.ld_st_nc.0, access 72): 1 has asked; 0 and 3 answer with data, which leave in 2254 and 2255
 * and come in 2262 and 2264. 0 is at the switch in 2257, when 3, whose turn it is after 1, is still on its way.
 */
Test(star, who_is_on_the_way_has_its_turn) {
    star s = star_open();
    sending messages[] = {{1, 4, 8, 2240, 0, 0}, {0, 4, 72, 2254, 0, 0}, {3, 4, 72, 2255, 0, 0}};
    EXPECT(&s, messages, 2244, 2262, 2264);
    star_close(&s);
}

/* Recorded, too (access 57): 2 has asked; 3 begins to cross its link only in 1936, when 0 is at the switch. */
Test(star, who_begins_now_has_not) {
    star s = star_open();
    sending messages[] = {{2, 4, 8, 1920, 0, 0}, {0, 4, 72, 1933, 0, 0}, {1, 4, 8, 1934, 0, 0}, {3, 4, 72, 1935, 0, 0}};
    EXPECT(&s, messages, 1924, 1940, 1941, 1943);
    star_close(&s);
}

/*
 * One sender's messages stay in order, whoever else has its turn: 0 sends two, the first of two cycles. 2 is at the
 * switch in 12; 0 had its turn, but is not there: in 13 it is 2's.
 */
Test(star, one_senders_answers_stay_in_order) {
    star s = star_open();
    sending messages[] = {{2, 4, 8, 0, 0, 0}, {0, 4, 72, 10, 0, 0}, {0, 4, 8, 11, 0, 0}, {2, 4, 8, 10, 0, 0}};
    EXPECT(&s, messages, 4, 18, 19, 15);
    star_close(&s);
}

/* One after another, never two at a time. */
Test(star, many_messages) {
    enum { MANY = 18 };
    star s = star_open();
    sending messages[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        messages[i] = (sending){0, 4, 8, 10, 0, 0};
    send_all(&s, messages, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        cr_expect_eq(came(&s, &messages[i]), 14 + i);
    star_close(&s);
}

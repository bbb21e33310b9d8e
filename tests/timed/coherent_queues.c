/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include "coherence/engine/engine.h"
#include "timed/core/coherent.h"

#include <criterion/criterion.h>

/* Queues of a tree's stages hold as many messages as in the keys; a full queue makes senders wait, without loss. */

static void check_queue(const gpci_queue *queue, const char *name, uint64_t cycle) {
    cr_assert_leq(queue->count, queue->capacity, "%s has %u of %u messages in cycle %u", name, queue->count,
                  queue->capacity, (unsigned)cycle);
}

static void check_queues(const rig *r) {
    const gpci_timed *t = r->hierarchy->timed;
    const gpci_coherent *c = r->hierarchy->coherent;
    for (uint32_t i = 0; i < r->hierarchy->slices; i++) {
        check_queue(&t->l2[i].in, "in", rig_now(r));
        check_queue(&t->l2[i].served, "served", rig_now(r));
        check_queue(&t->l2[i].link, "link", rig_now(r));
    }
    for (uint32_t i = 0; i < c->clusters; i++) {
        check_queue(&t->clusters[i].in, "in of a cluster", rig_now(r));
        check_queue(&t->clusters[i].served, "served of a cluster", rig_now(r));
        check_queue(&t->clusters[i].out, "out of a cluster", rig_now(r));
    }
    for (uint32_t i = 0; i < r->hierarchy->sms; i++)
        check_queue(&t->l1[i].out, "out of an L1", rig_now(r));
}

/* Loads and stores of all SMs to the same lines: probes, answers, write-backs. Returns the number of cycles. */
static uint64_t burst(const char *protocol, const char *settings) {
    rig r;
    uint64_t random = 3;
    coherent_open(&r, protocol, settings);
    for (uint32_t i = 0; i < 400; i++) {
        const uint8_t kind = rig_below(&random, 2) ? GPC_STORE : GPC_LOAD;
        while (rig_try(&r, LINE(kind, 128u * rig_below(&random, 96), .sm = i % 6), NULL) == GPC_BUSY) {
            rig_step(&r);
            check_queues(&r);
        }
    }
    while (gpc_hierarchy_in_flight(r.hierarchy)) {
        rig_step(&r);
        check_queues(&r);
    }
    const uint64_t cycles = rig_now(&r);
    coherent_close(&r);
    return cycles;
}

#define MANY "sm.count = 6\nl1.size = 2KiB\nl2.size = 8KiB\nl2.slices = 2\ndram.channels = 2\nl1.queue = 8\n"
#define NARROW                                                                                                        \
    "l2.queue = 1\nl2.reply_queue = 0\nl2.miss_queue = 1\nl1.miss_queue = 1\nl2.latency = 1\nnetwork.input_buffer = " \
    "1\n"                                                                                                             \
    "network.output_buffer = 1\nnetwork.reply_width = 16\nmemory.link_buffer = 1\n"
#define WIDE "l2.latency = 1\nnetwork.reply_width = 16\n"

Test(timed_coherent_queues, hold_what_keys_say) {
    static const char *const protocols[] = {"mesi", "moesi", "nmoesi", "vi", "slc-glc"};
    static const char *const shapes[][2] = {
        {MANY WIDE, MANY NARROW},
        {MANY WIDE "memory.link_width = 16\n", MANY NARROW "memory.link_width = 16\n"},
        {MANY WIDE "cluster.sms = 2\n", MANY NARROW "cluster.sms = 2\n"},
        {MANY WIDE "l2.enabled = false\n", MANY NARROW "l2.enabled = false\n"},
    };
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const uint64_t wide = burst(protocols[p], shapes[s][0]), narrow = burst(protocols[p], shapes[s][1]);
            cr_expect_gt(narrow, wide, "%s, shape %u: %u cycles, and %u", protocols[p], s, (unsigned)narrow,
                         (unsigned)wide);
        }
}

/* All sectors of a line in flight share an MSHR entry of L1; another line waits for the entry. */
Test(timed_coherent_queues, an_entry_is_a_lines) {
    static const char *const protocols[] = {"mesi", "nmoesi", "vi"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++) {
        uint64_t line[2], two[2];
        for (unsigned many = 0; many < 2; many++) {
            rig r;
            const char *settings = many ? "l1.sectors = 4\nl2.sectors = 4\nl1.mshr_entries = 8\n"
                                        : "l1.sectors = 4\nl2.sectors = 4\nl1.mshr_entries = 1\n";
            coherent_open(&r, protocols[p], settings);
            line[many] = rig_latency(&r, LINE(GPC_LOAD, 0));
            two[many] = rig_latency(&r, WORDS(GPC_LOAD, 1024, 2, 128));
            cr_expect_eq(r.hierarchy->timed->l1[0].mshr.used[0], 0);
            rig_close(&r);
        }
        cr_expect_eq(line[0], line[1], "%s: %u cycles, and %u", protocols[p], (unsigned)line[0], (unsigned)line[1]);
        cr_expect_gt(two[0], two[1], "%s: %u cycles, and %u", protocols[p], (unsigned)two[0], (unsigned)two[1]);
    }
}

/* A sender that waits for a place has a full queue, or is about to take a place. */
static void check_senders(const gpc_hierarchy *h) {
    for (uint32_t module = 0; module < h->coherent->modules; module++) {
        const gpci_engine_unit *unit = &gpci_engine_of(h->timed)->units[module];
        for (uint32_t up = 0; up < 2; up++)
            cr_assert(unit->senders[up].head == GPCI_NO_ITEM || unit->freed[up] ||
                          gpci_message_queue_full(h->timed, module, up),
                      "module %u, up %u: room that nobody takes in cycle %u", module, up,
                      (unsigned)gpc_hierarchy_now(h));
    }
}

static void issue_line(gpc_hierarchy *h, uint32_t sm, uint64_t line) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = line * 128 + lane * 4;
    access.sm = sm, access.mask = UINT32_MAX, access.width = 4, access.addresses = addresses;
    gpc_status status;
    while ((status = gpc_hierarchy_try_issue(h, &access, 0, NULL, NULL)) == GPC_BUSY) {
        cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
        check_senders(h);
    }
    cr_assert_eq(status, GPC_OK);
}

/*
 * Probes for sectors of a line share a packet, and a place of the slice's reply queue. A kernel's begin recalls all lines
 * of the slices at once. A probe that joins a packet leaves the freed place to the next sender.
 */
Test(timed_coherent_queues, a_place_left_over_is_taken) {
    static const char text[] = "mode = timed\ncoherence = mosi\nsm.count = 4\nl2.slices = 2\nl2.size = 16KiB\n"
                               "l1.fetch_sectors = 2\nl1.sectors = 4\n";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_hierarchy *h = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, text, "settings", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    for (uint64_t line = 0; line < 256; line++)
        for (uint32_t sm = 0; sm < 1 + line % 4; sm++)
            issue_line(h, (uint32_t)(line + sm) % 4, line / 2);
    cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, &error), GPC_OK, "%s", error.message);
    while (!gpc_hierarchy_is_idle(h)) {
        cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
        check_senders(h);
    }
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

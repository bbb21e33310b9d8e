/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"
#include "timed/core/timed.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* State named by components, copied out and back in: everything repeats. */

static rig r, before;

typedef struct bytes {
    char *data;
    size_t size, at;
    bool same; /* while comparing */
} bytes;

static void copy_out(void *user_data, void *memory, size_t size) {
    bytes *b = user_data;
    b->data = realloc(b->data, b->size + size + 1);
    cr_assert_not_null(b->data);
    if (size)
        memcpy(b->data + b->size, memory, size);
    b->size += size;
}

static void copy_in(void *user_data, void *memory, size_t size) {
    bytes *b = user_data;
    cr_assert_leq(b->at + size, b->size);
    if (size)
        memcpy(memory, b->data + b->at, size);
    b->at += size;
}

static void compare(void *user_data, void *memory, size_t size) {
    bytes *b = user_data;
    b->same = b->same && b->at + size <= b->size && (!size || !memcmp(memory, b->data + b->at, size));
    b->at += size;
}

static bool is_same(bytes *b) {
    b->at = 0;
    b->same = true;
    gpci_timed_state(r.hierarchy->timed, compare, b);
    return b->same && b->at == b->size;
}

static void restore(bytes *b) {
    b->at = 0;
    gpci_timed_state(r.hierarchy->timed, copy_in, b);
    cr_expect_eq(b->at, b->size);
}

/* Random loads and stores of lines; returns the position in the stream. */
static uint64_t traffic(uint64_t state, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint8_t kind = rig_below(&state, 3) ? GPC_LOAD : GPC_STORE;
        rig_push(&r, LINE(kind, (uint64_t)rig_below(&state, 512) * 128, .sm = rig_below(&state, 2)));
        rig_steps(&r, rig_below(&state, 3));
    }
    return state;
}

/*
 * Without caches the state decides everything. The second time the hierarchy has grown: more packets and accesses were
 * under way than in the copy.
 */
static void check_again(const char *settings, bool dram) {
    bytes b = {NULL, 0, 0, false};
    if (dram)
        rig_open_dram(&r, settings);
    else
        rig_open(&r, settings, 90);
    uint64_t state = traffic(5, 60), trail = 0, end = 0, reads = 0;
    gpci_timed_state(r.hierarchy->timed, copy_out, &b);
    before = r;
    for (unsigned time = 0; time < 2; time++) {
        cr_expect(is_same(&b), "%s", settings);
        traffic(state, 300);
        cr_expect(!is_same(&b), "%s", settings);
        rig_finish(&r);
        measured_stats s = rig_stats(&r);
        if (time) {
            cr_expect_eq(r.trail, trail, "%s", settings);
            cr_expect_eq(rig_now(&r), end, "%s", settings);
            cr_expect_eq(s.dram_reads, reads, "%s", settings);
            break;
        }
        trail = r.trail;
        end = rig_now(&r);
        reads = s.dram_reads;
        restore(&b);
        r = before;
    }
    rig_close(&r);
    free(b.data);
}

Test(timed_snapshot, happens_again) {
    static const char *const settings[] = {
        "sm.count = 2\nl1.enabled = false\nl2.enabled = false\nl2.slices = 2\ndram.channels = 2\n",
        "sm.count = 2\nl1.enabled = false\nl2.enabled = false\nl2.slices = 2\nmemory.link_width = 32B\n"
        "memory.link_buffer = 2\n",
        "sm.count = 2\nl1.enabled = false\nl2.enabled = false\nl2.slices = 2\nnetwork.queues = virtual\n"
        "network.input_buffer = 2\nnetwork.width = 8B\nclock.network = 700\nclock.dram = 1300\n",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        check_again(settings[i], true);
        check_again(settings[i], false);
    }
    check_again("sm.count = 2\nl1.enabled = false\nl2.enabled = false\nl2.slices = 2\nthreads = 2\n", true);
}

/* Contents of caches are excluded: with caches, all named state is restored. */
static void check_restored(const char *settings, const char *protocol) {
    bytes b = {NULL, 0, 0, false};
    if (protocol)
        coherent_open(&r, protocol, settings);
    else
        rig_open_dram(&r, settings);
    uint64_t state = traffic(5, 60);
    gpci_timed_state(r.hierarchy->timed, copy_out, &b);
    uint64_t now = rig_now(&r);
    traffic(state, 300);
    cr_expect(!is_same(&b), "%s", settings);
    restore(&b);
    cr_expect(is_same(&b), "%s", settings);
    cr_expect_eq(rig_now(&r), now, "%s", settings);
    rig_abandon(&r);
    free(b.data);
}

Test(timed_snapshot, restored) {
    check_restored("sm.count = 2\nl2.slices = 4\nl2.partitions = 2\n", NULL);
    check_restored("sm.count = 2\nlrc.sms = 2\nl1.reorder = warp\n", NULL);
    check_restored("sm.count = 2\nl2.slices = 4\nl2.partitions = 2\nthreads = 2\n", NULL);
    check_restored("sm.count = 2\nl2.slices = 2\n", "nmoesi");
    check_restored("sm.count = 2\ncluster.sms = 1\nmemory.link_width = 32B\n", "nmoesi");
}

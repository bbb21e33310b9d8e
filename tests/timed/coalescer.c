/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/coalescer.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Reads of neighbouring SMs that merge on the way to L2, and replies. */

typedef struct lrc_rig {
    gpc_context *context;
    gpci_pool pool;
    gpci_lrc *lrc;
    uint32_t handed[2048], count;
} lrc_rig;

/* Six SMs, four to an LRC: SMs 0 to 3, and 4 and 5. */
static const uint32_t groups[4096] = {[4] = 1, [5] = 1};
#define SIX_SMS .sms = 6, .groups = 2, .group_of = groups
#define ANY .merges = GPCI_UNLIMITED, .window = GPCI_UNLIMITED

static void open_rig_with(lrc_rig *r, gpci_lrc_options options) {
    *r = (lrc_rig){0};
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
    gpci_pool_init(&r->pool, r->context);
    cr_assert_eq(gpci_pool_reserve(&r->pool, 4096), GPC_OK);
    cr_assert_eq(gpci_lrc_create(r->context, &options, &r->pool, NULL, &r->lrc), GPC_OK);
}

static void open_rig(lrc_rig *r, uint32_t entries) {
    open_rig_with(r, (gpci_lrc_options){SIX_SMS, ANY, .entries = entries});
}

static void close_rig(lrc_rig *r) {
    cr_expect_eq(gpci_lrc_count(r->lrc), 0);
    gpci_lrc_destroy(r->lrc);
    gpci_lrc_destroy(NULL);
    gpci_pool_destroy(&r->pool);
    gpc_context_destroy(r->context);
}

static uint32_t make(lrc_rig *r, uint32_t sm, uint64_t address, uint8_t sectors) {
    uint32_t index = gpci_pool_take(&r->pool);
    *gpci_packet_at(&r->pool, index) =
        (gpci_packet){.address = address, .type = GPCI_READ, .request = {.sm = sm}, .segments = sectors};
    return index;
}

static bool merges(lrc_rig *r, uint32_t sm, uint64_t address, uint8_t sectors) {
    return gpci_lrc_read(r->lrc, make(r, sm, address, sectors), 0);
}

static void hand(void *user_data, uint32_t packet) {
    lrc_rig *r = user_data;
    r->pool.links[packet].next = GPCI_NO_PACKET; /* as a queue would */
    r->handed[r->count++] = packet;
}

static uint32_t reply(lrc_rig *r, uint32_t packet) {
    r->count = 0;
    uint32_t handed = gpci_lrc_reply(r->lrc, packet, hand, r);
    cr_expect_eq(handed, r->count);
    return handed;
}

Test(coalescer, one_goes_on_and_all_have_the_reply) {
    lrc_rig r;
    open_rig(&r, 8);
    uint32_t a = make(&r, 0, 0x1000, 15), b = make(&r, 3, 0x1000, 15), c = make(&r, 1, 0x1000, 15);
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    cr_expect(gpci_lrc_read(r.lrc, b, 0));
    cr_expect(gpci_lrc_read(r.lrc, c, 0));
    cr_expect_eq(gpci_lrc_count(r.lrc), 2);
    cr_assert_eq(reply(&r, a), 2);
    cr_expect_eq(r.handed[0], b);
    cr_expect_eq(r.handed[1], c);
    cr_expect_eq(gpci_lrc_count(r.lrc), 0);
    cr_expect_not(merges(&r, 1, 0x1000, 15), "it is no longer in flight");
    gpci_lrc_stats stats = gpci_lrc_get_stats(r.lrc);
    cr_expect_eq(stats.reads, 4);
    cr_expect_eq(stats.merged, 2);
    cr_expect_eq(stats.full, 0);
    gpci_lrc_reset_stats(r.lrc);
    cr_expect_eq(gpci_lrc_get_stats(r.lrc).reads, 0);
    close_rig(&r);
}

Test(coalescer, other_neighbours_lines_and_sectors_do_not_merge) {
    lrc_rig r;
    open_rig(&r, 8);
    uint32_t a = make(&r, 0, 0x1000, 3);
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    cr_expect_not(merges(&r, 4, 0x1000, 3), "another LRC");
    cr_expect_not(merges(&r, 0, 0x1080, 3), "another line");
    cr_expect_not(merges(&r, 1, 0x1000, 4), "another sector");
    cr_expect_not(merges(&r, 1, 0x1000, 6), "one sector too many");
    cr_expect(merges(&r, 1, 0x1000, 1), "part of the first");
    cr_expect(merges(&r, 2, 0x1000, 4), "part of a later one");
    cr_expect(merges(&r, 5, 0x1000, 1), "the other LRC's own");
    cr_expect_eq(gpci_lrc_count(r.lrc), 3);
    cr_expect_eq(reply(&r, a), 1);
    cr_expect_eq(gpci_lrc_count(r.lrc), 2);
    gpci_lrc_destroy(r.lrc); /* with packets inside */
    gpci_pool_destroy(&r.pool);
    gpc_context_destroy(r.context);
}

Test(coalescer, beyond_its_entries_nothing_merges) {
    lrc_rig r;
    open_rig(&r, 1);
    uint32_t a = make(&r, 0, 0x1000, 15), b = make(&r, 0, 0x2000, 15);
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    cr_expect_not(gpci_lrc_read(r.lrc, b, 0));
    cr_expect_not(merges(&r, 1, 0x2000, 15), "nobody follows the one in flight");
    cr_expect_eq(gpci_lrc_get_stats(r.lrc).full, 2);
    cr_expect_not(merges(&r, 4, 0x2000, 15));
    cr_expect(merges(&r, 5, 0x2000, 15), "the other LRC has its own entry");
    cr_expect_eq(reply(&r, b), 0);
    cr_expect_eq(reply(&r, a), 0);
    cr_expect_not(merges(&r, 0, 0x3000, 15));
    cr_expect(merges(&r, 1, 0x3000, 15), "the entry is free again");
    cr_expect_eq(gpci_lrc_count(r.lrc), 2);
    gpci_lrc_destroy(r.lrc);
    gpci_pool_destroy(&r.pool);
    gpc_context_destroy(r.context);
}

Test(coalescer, without_entries_all_go_on) {
    lrc_rig r;
    open_rig(&r, 0);
    cr_expect_not(merges(&r, 0, 0x1000, 15));
    cr_expect_not(merges(&r, 0, 0x1000, 15));
    cr_expect_eq(gpci_lrc_get_stats(r.lrc).full, 2);
    close_rig(&r);
}

/* Random reads and replies compared with a linearly searched list. */
Test(coalescer, random_streams_against_a_list) {
    enum { MOST = 2000 };
    static struct {
        uint64_t address;
        uint32_t packet, sm;
        uint8_t sectors;
        bool done, entry; /* the reply has arrived; the LRC follows it */
    } all[MOST];
    lrc_rig r;
    uint64_t state = 5;
    uint32_t count = 0, live[2] = {0}, merged = 0;
    open_rig(&r, 5);
    while (count < MOST) {
        uint32_t sm = gpci_random_below(&state, 6), group = sm / 4;
        uint64_t address = gpci_random_below(&state, 8) * 128;
        uint8_t sectors = (uint8_t)(1 + gpci_random_below(&state, 15));
        uint32_t packet = make(&r, sm, address, sectors);
        bool any = false;
        for (uint32_t i = 0; i < count; i++)
            any |= all[i].entry && !all[i].done && all[i].sm / 4 == group && all[i].address == address &&
                   !(sectors & ~all[i].sectors);
        cr_assert_eq(gpci_lrc_read(r.lrc, packet, 0), any);
        all[count].packet = packet;
        all[count].sm = sm;
        all[count].address = address;
        all[count].sectors = sectors;
        all[count].entry = !any && live[group] < 5;
        live[group] += all[count++].entry;
        merged += any;
        uint32_t i = gpci_random_below(&state, count); /* one reply, if in flight */
        if (all[i].entry && !all[i].done) {
            uint32_t n = reply(&r, all[i].packet);
            all[i].done = true;
            live[all[i].sm / 4]--;
            merged -= n;
            for (uint32_t h = 0; h < n; h++) {
                const gpci_packet *waiter = gpci_packet_at(&r.pool, r.handed[h]);
                cr_assert_eq(waiter->address, all[i].address);
                cr_assert_eq(waiter->request.sm / 4, all[i].sm / 4);
                cr_assert_eq(waiter->segments & ~all[i].sectors, 0);
            }
        }
        cr_assert_eq(gpci_lrc_count(r.lrc), merged);
    }
    for (uint32_t i = 0; i < count; i++)
        if (all[i].entry && !all[i].done)
            merged -= reply(&r, all[i].packet);
    cr_expect_eq(merged, 0, "all have their reply");
    close_rig(&r);
}

/* Four reads have one reply, the fifth is sent, and three more wait for the fifth. */
Test(coalescer, so_many_have_one_reply) {
    lrc_rig r;
    open_rig_with(&r, (gpci_lrc_options){SIX_SMS, .entries = 8, .merges = 4, .window = GPCI_UNLIMITED});
    uint32_t a = make(&r, 0, 0x1000, 1), b;
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    for (unsigned i = 1; i < 4; i++)
        cr_expect(merges(&r, i, 0x1000, 1));
    b = make(&r, 0, 0x1000, 1);
    cr_expect_not(gpci_lrc_read(r.lrc, b, 0));
    for (unsigned i = 1; i < 4; i++)
        cr_expect(merges(&r, i, 0x1000, 1));
    cr_expect_eq(reply(&r, b), 3);
    cr_expect_eq(reply(&r, a), 3);
    close_rig(&r);
}

Test(coalescer, equal_sectors_alone) {
    lrc_rig r;
    open_rig_with(&r, (gpci_lrc_options){SIX_SMS, ANY, .entries = 8, .equal = true});
    uint32_t a = make(&r, 0, 0x1000, 15);
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    cr_expect_not(merges(&r, 1, 0x1000, 1), "part of the first");
    cr_expect(merges(&r, 1, 0x1000, 15));
    cr_expect_eq(reply(&r, a), 1);
    cr_expect_eq(gpci_lrc_count(r.lrc), 0);
    gpci_lrc_destroy(r.lrc); /* the other read is still in flight */
    gpci_pool_destroy(&r.pool);
    gpc_context_destroy(r.context);
}

/* The first of three lines is no longer remembered; the reply still reaches the waiters. */
Test(coalescer, the_last_few_are_remembered) {
    lrc_rig r;
    open_rig_with(&r, (gpci_lrc_options){SIX_SMS, .entries = 8, .merges = GPCI_UNLIMITED, .window = 2});
    uint32_t a = make(&r, 0, 0x1000, 1), b = make(&r, 0, 0x2000, 1), c = make(&r, 0, 0x3000, 1);
    cr_expect_not(gpci_lrc_read(r.lrc, a, 0));
    cr_expect(merges(&r, 1, 0x1000, 1));
    cr_expect_not(gpci_lrc_read(r.lrc, b, 0));
    cr_expect(merges(&r, 2, 0x1000, 1), "one of the last two");
    cr_expect_not(gpci_lrc_read(r.lrc, c, 0));
    cr_expect(merges(&r, 1, 0x2000, 1), "those that merge do not count");
    cr_expect_not(merges(&r, 3, 0x1000, 1));
    cr_expect_eq(reply(&r, a), 2);
    cr_expect_eq(reply(&r, b), 1);
    cr_expect_eq(gpci_lrc_count(r.lrc), 0);
    gpci_lrc_destroy(r.lrc);
    gpci_pool_destroy(&r.pool);
    gpc_context_destroy(r.context);
}

Test(coalescer, too_many_entries) {
    gpc_context *context;
    gpc_error error;
    gpci_lrc *lrc;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_lrc_options options = {.sms = 4096, .groups = 4096, .group_of = groups, .entries = 1 << 20};
    cr_expect_eq(gpci_lrc_create(context, &options, NULL, &error, &lrc), GPC_ERROR_RANGE);
    cr_expect_null(lrc);
    gpc_context_destroy(context);
}

/* A host with a number of blocks of memory left. */
static void *allocate(void *user_data, size_t bytes) {
    return (*(int *)user_data)-- > 0 ? malloc(bytes) : NULL;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    return (*(int *)user_data)-- > 0 ? realloc(memory, bytes) : NULL;
}

static void release(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

Test(coalescer, out_of_memory) {
    int left = 1000, failures = 0;
    gpc_context *context;
    gpc_error error;
    gpci_lrc *lrc;
    gpci_lrc_options options = {SIX_SMS, ANY, .entries = 8};
    gpc_context_options hooks = GPC_CONTEXT_OPTIONS_INIT;
    hooks.allocate = allocate;
    hooks.resize = resize;
    hooks.release = release;
    hooks.allocator_data = &left;
    cr_assert_eq(gpc_context_create(&hooks, &context, NULL), GPC_OK);
    for (gpc_status status = GPC_ERROR_MEMORY; status != GPC_OK && failures < 100; failures += status != GPC_OK) {
        left = failures;
        status = gpci_lrc_create(context, &options, NULL, &error, &lrc);
        cr_assert(status == GPC_OK ? lrc != NULL : status == GPC_ERROR_MEMORY && lrc == NULL);
    }
    cr_expect(failures >= 2 && failures < 100);
    gpci_lrc_destroy(lrc);
    gpc_context_destroy(context);
}

/* A read that must see new data does not join a read sent before the data; later reads may join either. */
Test(coalescer, not_with_older_ones) {
    lrc_rig r;
    open_rig(&r, 8);
    uint32_t old = make(&r, 0, 128, 0xf), young = make(&r, 1, 128, 0xf);
    gpci_packet_at(&r.pool, old)->born = 50;
    gpci_packet_at(&r.pool, young)->born = 70;
    cr_expect_not(gpci_lrc_read(r.lrc, old, 0));
    cr_expect_not(gpci_lrc_read(r.lrc, young, 51));
    uint32_t late = make(&r, 2, 128, 0x1), any = make(&r, 3, 128, 0x2);
    cr_expect(gpci_lrc_read(r.lrc, late, 70), "born then, not before");
    cr_expect(gpci_lrc_read(r.lrc, any, 50));
    cr_expect_not(gpci_lrc_read(r.lrc, make(&r, 3, 128, 0x1), UINT64_MAX));
    cr_expect_leq(reply(&r, old), 1);
    cr_expect_geq(reply(&r, young), 1);
    close_rig(&r);
}

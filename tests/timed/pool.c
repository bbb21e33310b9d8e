/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/component/packet.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The packets' memory, and their queues. */

/* A host counting blocks, with `left` further blocks. A block begins with its size; new bytes are not zero. */
enum { HEAD = 16, DIRT = 0xa5 };

typedef struct heap {
    int left, blocks;
} heap;

static void *resize(void *user_data, void *memory, size_t bytes) {
    heap *h = user_data;
    size_t before = 0;
    if (h->left-- <= 0)
        return NULL;
    h->blocks += !memory;
    if (memory)
        memcpy(&before, (char *)memory - HEAD, sizeof before);
    char *block = realloc(memory ? (char *)memory - HEAD : NULL, bytes + HEAD);
    cr_assert_not_null(block);
    if (bytes > before)
        memset(block + HEAD + before, DIRT, bytes - before);
    memcpy(block, &bytes, sizeof bytes);
    return block + HEAD;
}

static void *allocate(void *user_data, size_t bytes) {
    return resize(user_data, NULL, bytes);
}

static void release(void *user_data, void *memory) {
    heap *h = user_data;
    h->blocks -= memory != NULL;
    free(memory ? (char *)memory - HEAD : NULL);
}

static gpc_context *open_context(heap *h) {
    gpc_context_options hooks = GPC_CONTEXT_OPTIONS_INIT;
    gpc_context *context;
    *h = (heap){.left = 100000};
    hooks.allocate = allocate;
    hooks.resize = resize;
    hooks.release = release;
    hooks.allocator_data = h;
    cr_assert_eq(gpc_context_create(&hooks, &context, NULL), GPC_OK);
    return context;
}

Test(pool, no_packet_is_taken_twice_and_none_moves) {
    enum { COUNT = 5 * GPCI_POOL_CHUNK + 1 };
    static gpci_packet *places[COUNT];
    heap h;
    gpci_pool pool;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_eq(gpci_pool_reserve(&pool, 1), GPC_OK);
        uint32_t packet = gpci_pool_take(&pool);
        cr_assert_lt(packet, COUNT);
        cr_assert_null(places[packet]);
        places[packet] = gpci_packet_at(&pool, packet);
        places[packet]->address = packet;
    }
    cr_expect_eq(pool.live, COUNT);
    cr_expect_eq(pool.chunk_count, 6);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_eq(gpci_packet_at(&pool, i), places[i]);
        cr_assert_eq(places[i]->address, i);
    }
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_expect_eq(h.blocks, 0);
}

/* Snapshots contain all labels below the fresh number, also of packets that never had a label. */
Test(pool, new_labels_are_clear) {
    static const gpci_packet_label clear;
    heap h;
    gpci_pool pool;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_keep_labels(&pool, true), GPC_OK);
    for (uint32_t chunks = 1; chunks < 40; chunks++) {
        cr_assert_eq(gpci_pool_reserve(&pool, chunks * GPCI_POOL_CHUNK), GPC_OK);
        for (size_t i = 0; i < 1 + (size_t)pool.chunk_capacity * GPCI_POOL_CHUNK; i++)
            cr_assert(!memcmp(&pool.labels[i], &clear, sizeof clear), "label %zu", i);
    }
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_expect_eq(h.blocks, 0);
}

Test(pool, what_is_given_is_taken_next) {
    heap h;
    gpci_pool pool;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_reserve(&pool, 3), GPC_OK);
    uint32_t a = gpci_pool_take(&pool), b = gpci_pool_take(&pool), c = gpci_pool_take(&pool);
    gpci_pool_give(&pool, a);
    gpci_pool_give(&pool, c);
    cr_expect_eq(pool.live, 1);
    cr_expect_eq(gpci_pool_take(&pool), c);
    cr_expect_eq(gpci_pool_take(&pool), a);
    uint32_t d = gpci_pool_take(&pool);
    cr_expect(d != a && d != b && d != c);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
}

Test(pool, reserve_counts_what_is_free) {
    heap h;
    gpci_pool pool;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_reserve(&pool, GPCI_POOL_CHUNK), GPC_OK);
    cr_expect_eq(pool.chunk_count, 1);
    for (uint32_t i = 0; i < GPCI_POOL_CHUNK; i++)
        gpci_pool_take(&pool);
    gpci_pool_give(&pool, 7);
    cr_assert_eq(gpci_pool_reserve(&pool, 1), GPC_OK);
    cr_expect_eq(pool.chunk_count, 1, "the one given back");
    cr_assert_eq(gpci_pool_reserve(&pool, 2), GPC_OK);
    cr_expect_eq(pool.chunk_count, 2);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
}

Test(pool, out_of_memory_leaves_it_as_it_was) {
    heap h;
    gpci_pool pool;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_reserve(&pool, 1), GPC_OK);
    uint32_t packet = gpci_pool_take(&pool);
    gpci_packet_at(&pool, packet)->address = 42;
    int failures = 0; /* 40 chunks: the tables of chunks grow meanwhile */
    for (h.left = 0; gpci_pool_reserve(&pool, 40 * GPCI_POOL_CHUNK) != GPC_OK; h.left = 1 + failures % 2) {
        cr_assert_lt(++failures, 100);
        cr_assert_eq(pool.live, 1);
        cr_assert_eq(gpci_packet_at(&pool, packet)->address, 42);
    }
    cr_expect_geq(failures, 20, "two blocks more each time at most");
    h.left = 0;
    for (uint32_t i = 0; i < 40 * GPCI_POOL_CHUNK; i++)
        gpci_packet_at(&pool, gpci_pool_take(&pool))->address = i;
    cr_expect_eq(gpci_packet_at(&pool, packet)->address, 42);
    gpci_pool_destroy(&pool);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_expect_eq(h.blocks, 0);
}

/* Waiters: all distinct, whatever else grows meanwhile, with numbers unlike other packets'. */
Test(pool, waiters_have_a_cache_line_each) {
    enum { COUNT = 3 * GPCI_POOL_WAITERS + 5 };
    static uint32_t taken[COUNT];
    heap h;
    gpc_context *context = open_context(&h);
    gpci_pool pool;
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_take_target(&pool), GPCI_NO_PACKET);
    for (uint32_t i = 0; i < COUNT; i++) {
        gpci_pool_expect_waiters(&pool);
        cr_assert_eq(gpci_pool_reserve(&pool, 1), GPC_OK);
        taken[i] = gpci_pool_take_target(&pool);
        cr_assert_neq(taken[i], GPCI_NO_PACKET);
        cr_assert_lt((int32_t)taken[i], 0);
        memset(gpci_packet_at(&pool, gpci_pool_take(&pool)), 0xff, sizeof(gpci_packet));
        memset(gpci_packet_at(&pool, taken[i]), 0, offsetof(gpci_packet, request));
        gpci_packet_at(&pool, taken[i])->address = i;
    }
    cr_assert_eq(pool.live, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_eq(gpci_packet_at(&pool, taken[i])->address, i);
        cr_assert_eq(gpci_packet_at(&pool, taken[i])->line.inflight, 0);
        cr_assert_eq((uintptr_t)gpci_packet_at(&pool, taken[i]) % 64, 0);
        *gpci_next_of(&pool, taken[i]) = i + 1;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        cr_assert_eq(*gpci_next_of(&pool, taken[i]), i + 1);
    gpci_pool_give(&pool, taken[7]);
    gpci_pool_give(&pool, taken[COUNT - 1]);
    cr_assert_eq(gpci_pool_take_target(&pool), taken[COUNT - 1]);
    cr_assert_eq(gpci_pool_take_target(&pool), taken[7]);
    cr_assert_eq(pool.live, COUNT);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_assert_eq(h.blocks, 0);
}

/* A tree's messages: all distinct, a cache line each, and with separate links, whatever else grows meanwhile. */
Test(pool, messages_have_a_cache_line_and_a_link) {
    enum { COUNT = 2 * GPCI_POOL_MESSAGES + 5 };
    static uint32_t taken[COUNT];
    heap h;
    gpc_context *context = open_context(&h);
    gpci_pool pool;
    gpci_pool_init(&pool, context);
    gpci_pool_expect_messages(&pool);
    for (uint32_t i = 0; i < COUNT; i++) {
        gpci_pool_expect_waiters(&pool);
        cr_assert_eq(gpci_pool_reserve(&pool, 1), GPC_OK);
        cr_assert_eq(gpci_pool_reserve_messages(&pool, 1), GPC_OK);
        const uint32_t whole = gpci_pool_take(&pool), waiter = gpci_pool_take_target(&pool);
        taken[i] = gpci_pool_take_message(&pool);
        cr_assert(gpci_pool_is_packet(&pool, whole));
        cr_assert_not(gpci_pool_is_packet(&pool, taken[i]));
        cr_assert_eq(gpci_pool_place(&pool, whole), i);
        memset(gpci_packet_at(&pool, whole), 0xff, sizeof(gpci_packet));
        memset(gpci_packet_at(&pool, waiter), 0xff, offsetof(gpci_packet, request));
        pool.links[whole].next = 7;
        /* Fresh memory has equal bytes in every run, for snapshots; no code may rely on the bytes. */
        cr_assert_eq(gpci_packet_at(&pool, taken[i])->path.next_of_bundle, GPCI_CHECKING ? 0xa5a5a5a5 : 0);
        gpci_packet_at(&pool, taken[i])->address = i;
        gpci_packet_at(&pool, taken[i])->born = i;
        pool.links[taken[i]].next = i;
    }
    cr_assert_eq(gpci_pool_live(&pool), 2 * COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const gpci_packet *p = gpci_packet_at(&pool, taken[i]);
        cr_assert_eq(p->address, i);
        cr_assert_eq(p->born, i);
        cr_assert_eq((uintptr_t)p % 64, 0);
        cr_assert_eq(pool.links[taken[i]].next, i);
    }
    gpci_pool_give_message(&pool, taken[7]);
    gpci_pool_give_message(&pool, taken[COUNT - 1]);
    cr_assert_eq(gpci_pool_take_message(&pool), taken[COUNT - 1]);
    cr_assert_eq(gpci_pool_take_message(&pool), taken[7]);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_assert_eq(h.blocks, 0);
}

/* Without memory no more waiters appear, and existing waiters stay. */
Test(pool, waiters_do_without_memory) {
    heap h;
    gpc_context *context = open_context(&h);
    gpci_pool pool;
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_grow_waiters(&pool, 1), GPC_OK);
    const uint32_t first = gpci_pool_take_target(&pool);
    gpci_packet_at(&pool, first)->address = 99;
    for (int left = 0; left < 2; left++) {
        h.left = left;
        cr_assert_eq(gpci_pool_grow_waiters(&pool, GPCI_POOL_WAITERS + 1), GPC_ERROR_MEMORY);
        cr_assert_eq(gpci_packet_at(&pool, first)->address, 99);
    }
    h.left = 2;
    cr_assert_eq(gpci_pool_grow_waiters(&pool, GPCI_POOL_WAITERS + 1), GPC_OK);
    cr_assert_eq(gpci_packet_at(&pool, first)->address, 99);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
    cr_assert_eq(h.blocks, 0);
}

/* Labels stand beside packets, in any number; a copy of a packet shares the label until given a separate label. */
static void check_labels(gpci_pool *pool, heap *h) {
    cr_assert_eq(gpci_pool_reserve(pool, 2 * GPCI_POOL_CHUNK), GPC_OK);
    uint32_t packets[2 * GPCI_POOL_CHUNK];
    for (uint32_t i = 0; i < 2 * GPCI_POOL_CHUNK; i++) {
        packets[i] = gpci_pool_take(pool);
        gpci_packet_at(pool, packets[i])->label = 77; /* label of an earlier trace */
    }
    h->left = 0;
    cr_assert_eq(gpci_pool_keep_labels(pool, true), GPC_ERROR_MEMORY);
    cr_assert_null(pool->labels);
    h->left = 100000;
    cr_assert_eq(gpci_pool_keep_labels(pool, true), GPC_OK);
    for (uint32_t i = 0; i < 2 * GPCI_POOL_CHUNK; i++)
        cr_assert_eq(gpci_label_of(pool, gpci_packet_at(pool, packets[i]))->id, 0);
    for (uint32_t i = 0; i < 2 * GPCI_POOL_CHUNK; i += 2)
        *gpci_label_take(pool, packets[i]) = (gpci_packet_label){.id = i + 1, .clock = i};
    gpci_packet_at(pool, packets[1])->label = gpci_packet_at(pool, packets[2])->label;
    cr_assert_eq(gpci_pool_reserve(pool, 40 * GPCI_POOL_CHUNK), GPC_OK);
    cr_assert_eq(gpci_pool_keep_labels(pool, true), GPC_OK, "they stay");
    cr_assert_eq(gpci_label_of(pool, gpci_packet_at(pool, packets[1]))->id, 3);
    for (uint32_t i = 0; i < 2 * GPCI_POOL_CHUNK; i += 2) {
        cr_assert_eq(gpci_label_of(pool, gpci_packet_at(pool, packets[i]))->id, i + 1);
        cr_assert_eq(gpci_label_of(pool, gpci_packet_at(pool, packets[i]))->clock, i);
    }
    for (uint32_t i = 0; i < 40 * GPCI_POOL_CHUNK; i++)
        cr_assert_eq(gpci_label_take(pool, gpci_pool_take(pool))->id, 0);
    cr_assert_eq(gpci_pool_keep_labels(pool, false), GPC_OK);
    cr_assert_null(pool->labels);
}

Test(pool, labels_are_beside_packets) {
    for (int messages = 0; messages < 2; messages++) {
        heap h;
        gpc_context *context = open_context(&h);
        gpci_pool pool;
        gpci_pool_init(&pool, context);
        if (messages)
            gpci_pool_expect_messages(&pool);
        check_labels(&pool, &h);
        cr_assert_eq(gpci_pool_keep_labels(&pool, true), GPC_OK);
        gpci_pool_destroy(&pool);
        gpc_context_destroy(context);
        cr_assert_eq(h.blocks, 0);
    }
}

Test(pool, queue_is_first_in_first_out_with_its_occupancy) {
    heap h;
    gpci_pool pool;
    gpci_queue queue;
    gpc_context *context = open_context(&h);
    gpci_pool_init(&pool, context);
    cr_assert_eq(gpci_pool_reserve(&pool, 3), GPC_OK);
    uint32_t a = gpci_pool_take(&pool), b = gpci_pool_take(&pool), c = gpci_pool_take(&pool);
    gpci_queue_init(&queue, 2);
    gpci_queue_push(&queue, &pool, 10, b);
    cr_expect_not(gpci_queue_full(&queue));
    gpci_queue_push(&queue, &pool, 12, a);
    cr_expect(gpci_queue_full(&queue));
    cr_expect_eq(gpci_queue_pop(&queue, &pool, 15), b);
    cr_expect_not(gpci_queue_full(&queue));
    gpci_queue_push(&queue, &pool, 15, c);
    cr_expect_eq(gpci_queue_pop(&queue, &pool, 20), a);
    cr_expect_eq(gpci_queue_pop(&queue, &pool, 21), c);
    cr_expect_eq(queue.count, 0);
    /* one for 2 cycles, two for 3, two for 5, one for 1 */
    cr_expect_eq(gpci_gauge_sum(&queue.gauge, 100), 2 + 6 + 10 + 1);
    gpci_queue_push(&queue, &pool, 100, b); /* empty and used again */
    cr_expect_eq(gpci_queue_pop(&queue, &pool, 100), b);
    gpci_pool_destroy(&pool);
    gpc_context_destroy(context);
}

Test(pool, room_of_a_queue) {
    gpci_queue queue;
    gpci_queue_init(&queue, 0);
    cr_expect_eq(queue.capacity, 1, "a latch");
    gpci_queue_init(&queue, 7);
    cr_expect_eq(queue.capacity, 7);
    gpci_queue_init(&queue, GPCI_UNLIMITED);
    cr_expect_eq(queue.capacity, GPCI_UNLIMITED);
    gpci_queue_init(&queue, UINT64_MAX);
    cr_expect_eq(queue.capacity, GPCI_UNLIMITED);
}

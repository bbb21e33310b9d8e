/* SPDX-License-Identifier: BSD-2-Clause */
/* Visible state of a tree. */
#include "coherence/module/tree.h"
#include "coherence/small.h"
#include "measured.h"

#include <string.h>

Test(coherence_view, blocks) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    gpci_module *l2 = &c->modules[2];
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    gpci_module_write(l2, 3 * 4 + 2, 0x3980, GPC_LINE_M);
    gpci_module_touch(l2, 3 * 4 + 2);
    gpci_module_data_of(l2, 14)[5] = 77;
    gpci_module_dirty_of(l2, 14)[0] = 0x20;
    cr_assert_eq(gpc_coherence_get_block(c, 2, 3, 2, &block, NULL), GPC_OK);
    cr_expect(block.tag == 0x3980 && block.state == GPC_LINE_M && block.recency == 0);
    cr_expect(block.sub_blocks == 2 && block.sub_block_bytes == 64);
    cr_expect(block.bytes[5] == 77 && block.bytes[6] == 0 && block.dirty[0] == 0x20);
    cr_assert_eq(gpc_coherence_get_block(c, 2, 3, 3, &block, NULL), GPC_OK);
    cr_expect(block.tag == 0 && block.state == GPC_LINE_I && block.recency == 3, "last in order, though way 2 moved");
    cr_assert_eq(gpc_coherence_get_block(c, 0, 0, 0, &block, NULL), GPC_OK);
    cr_expect(block.sub_blocks == 0 && block.bytes, "nobody is above a first-level module");
    cr_assert_eq(gpc_coherence_get_block(c, 3, 0, 0, &block, NULL), GPC_OK);
    cr_expect(!block.bytes && !block.dirty, "memory's directory holds no data");
    cr_expect_eq(gpc_coherence_get_block(c, 4, 0, 0, &block, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_block(c, 2, 8, 0, &block, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_block(c, 2, 0, 4, &block, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_block(NULL, 2, 0, 0, &block, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_get_block(c, 2, 0, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    block.struct_size = 0;
    cr_expect_eq(gpc_coherence_get_block(c, 2, 0, 0, &block, NULL), GPC_ERROR_ABI);
    small_close(s);
}

Test(coherence_view, blocks_without_data) {
    small *s = small_open();
    s->options.data = false;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    cr_assert_eq(gpc_coherence_get_block(small_tree(s), 0, 0, 0, &block, NULL), GPC_OK);
    cr_expect(!block.bytes && !block.dirty);
    small_close(s);
}

/* A module with blocks of 4 bytes has a mask of one byte each, with four bits used. */
Test(coherence_view, small_blocks) {
    small *s = small_open_bare(2);
    small_link(s, 0, 1);
    s->modules[0].block_bytes = s->modules[1].block_bytes = 4;
    s->modules[0].sets = 2;
    s->modules[1].memory = true;
    s->modules[1].ways = 2;
    gpc_coherence *c = small_tree(s);
    const uint8_t bytes[4] = {1, 2, 3, 4};
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_block block[2] = {GPC_COHERENCE_BLOCK_INIT, GPC_COHERENCE_BLOCK_INIT};
    request.kind = GPC_COHERENCE_N_STORE;
    request.bytes = bytes;
    for (uint32_t i = 0; i < 2; i++) {
        request.address = i ? 5 : 0;
        request.size = i ? 2 : 4;
        cr_assert_eq(gpc_coherence_access(c, &request, NULL, &s->error), GPC_OK, "%s", s->error.message);
    }
    for (uint32_t i = 0; i < 2; i++)
        cr_assert_eq(gpc_coherence_get_block(c, 0, i, 0, &block[i], NULL), GPC_OK);
    const uint8_t second[4] = {0, 1, 2, 0};
    cr_expect(!memcmp(block[0].bytes, bytes, 4) && block[0].dirty[0] == 0x0f);
    cr_expect(!memcmp(block[1].bytes, second, 4) && block[1].dirty[0] == 0x06);
    small_close(s);
}

Test(coherence_view, directories) {
    small *s = small_open_bare(72);
    for (uint32_t i = 0; i < 70; i++)
        small_link(s, i, 70);
    small_link(s, 70, 71);
    s->modules[71].memory = true;
    gpc_coherence *c = small_tree(s);
    gpci_module *l2 = &c->modules[70];
    uint32_t owner = 0, sharers[3] = {9, 9, 9};
    size_t count = 9;
    cr_assert_eq(gpc_coherence_get_directory(c, 70, 0, 0, 0, &owner, NULL, 0, &count, NULL), GPC_OK);
    cr_expect(owner == GPC_NO_MODULE && count == 0);
    gpci_module_set_owner(l2, 0, 0, 66);
    static const uint32_t slots[] = {0, 63, 66};
    for (uint32_t i = 0; i < 3; i++)
        gpci_sharers_add(l2, 0, 0, slots[i]);
    cr_assert_eq(gpc_coherence_get_directory(c, 70, 0, 0, 0, &owner, sharers, 2, &count, NULL), GPC_OK);
    cr_expect(owner == 66 && count == 3 && sharers[0] == 0 && sharers[1] == 63 && sharers[2] == 9);
    cr_assert_eq(gpc_coherence_get_directory(c, 70, 0, 0, 0, &owner, sharers, 3, &count, NULL), GPC_OK);
    cr_expect_eq(sharers[2], 66);
    cr_expect_eq(gpc_coherence_get_directory(c, 70, 0, 0, 1, &owner, NULL, 0, &count, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_directory(c, 0, 0, 0, 0, &owner, NULL, 0, &count, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_directory(c, 70, 1, 0, 0, &owner, NULL, 0, &count, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_directory(c, 70, 0, 0, 0, NULL, NULL, 0, &count, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_get_directory(c, 70, 0, 0, 0, &owner, NULL, 1, &count, NULL), GPC_ERROR_ARGUMENT);
    small_close(s);
}

Test(coherence_view, finding) {
    small *s = small_open();
    s->modules[1].served = GPC_SERVES_RANGE;
    s->modules[1].last = 0xffff;
    s->modules[2].any_victim = true;
    gpc_coherence *c = small_tree(s);
    uint32_t set = 99, way = 99;
    cr_expect_eq(gpc_coherence_find(c, 2, 0x39ff, &set, &way, NULL), GPC_END);
    cr_expect(set == 3 && way == 3, "0x3980 / 128 = 115, mod 8 = 3; the last of the order");
    gpci_module_write(&c->modules[2], 3 * 4 + 2, 0x3980, GPC_LINE_S);
    cr_expect_eq(gpc_coherence_find(c, 2, 0x39ff, &set, &way, NULL), GPC_OK);
    cr_expect(set == 3 && way == 2);
    cr_expect_eq(gpc_coherence_find(c, 0, 0x40, &set, &way, NULL), GPC_END);
    cr_expect(set == 1 && way == 0, "the lowest invalid way");
    cr_expect_eq(gpc_coherence_find(c, 1, 0x10000, &set, &way, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_find(c, 4, 0, &set, &way, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_find(c, 0, 0, NULL, &way, NULL), GPC_ERROR_ARGUMENT);
    small_close(s);
}

Test(coherence_view, modules) {
    small *s = small_open();
    const gpc_coherence *c = small_tree(s);
    memset(s->lows, 0xff, sizeof s->lows);
    s->modules[2].name = "gone";
    cr_expect_eq(gpc_coherence_module_index(c, "l2"), 2);
    cr_expect_eq(gpc_coherence_module_index(c, "l3"), GPC_NO_MODULE);
    cr_expect_eq(gpc_coherence_module_index(c, NULL), GPC_NO_MODULE);
    gpc_coherence_module m = GPC_COHERENCE_MODULE_INIT;
    cr_assert_eq(gpc_coherence_get_module(c, 2, &m, NULL), GPC_OK);
    cr_expect_str_eq(m.name, "l2");
    cr_expect_str_eq(m.replacement, "lru", "the default, filled in");
    cr_expect(m.low_count == 1 && m.low[0] == 3 && m.sets == 8 && m.ways == 4 && m.block_bytes == 128);
    cr_expect(m.low_network == 1 && m.high_network == 0);
    cr_expect_eq(gpc_coherence_get_module(c, 4, &m, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_module(c, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    small_close(s);
}

Test(coherence_view, statistics) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    for (uint32_t i = 0; i < 3; i++) {
        gpci_coherence_stats *stats = &c->modules[i].stats;
        uint64_t *first = &stats->accesses;
        for (size_t k = 0; first + k <= &stats->directory_evictions; k++)
            first[k] = (i + 1) * (k + 1);
        stats->transitions[GPC_LINE_M][GPC_LINE_I] = 10 + i;
        stats->origins[GPC_LINE_M][GPC_LINE_I] = 1u << i;
    }
    measured_module one = {0}, sum = {0};
    cr_assert_eq(measure_module(c, 1, &one), GPC_OK);
    cr_assert_eq(measure_module(c, GPC_NO_MODULE, &sum), GPC_OK);
    size_t k = 0;
#define X(id, field, name, ...)                 \
    k++;                                        \
    cr_expect_eq(one.field, 2 * k, "%s", name); \
    cr_expect_eq(sum.field, (1 + 2 + 3) * k, "%s", name);
    GPC_COHERENCE_COUNTERS(X)
#undef X
    cr_expect(one.transitions[GPC_LINE_M][GPC_LINE_I] == 11 && sum.transitions[GPC_LINE_M][GPC_LINE_I] == 33);
    cr_expect(one.origins[GPC_LINE_M][GPC_LINE_I] == 2 && sum.origins[GPC_LINE_M][GPC_LINE_I] == 7);
    cr_expect_eq(measure_module(c, 4, &one), GPC_ERROR_RANGE);
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t id = GPC_ID_MODULE_loads;
    uint64_t value = 7;
    cr_expect_eq(gpc_coherence_read(c, 4, &id, 1, &value, 1, &error), GPC_ERROR_RANGE);
    cr_expect_str_eq(error.message, "gpc_coherence_read: module is 4, and the tree has 4 modules");
    cr_expect_eq(gpc_coherence_read(c, 0, &id, 1, NULL, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_read(NULL, 0, &id, 1, &value, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(value, 7);
    gpc_coherence_reset_stats(c);
    cr_assert_eq(measure_module(c, GPC_NO_MODULE, &sum), GPC_OK);
    const measured_module none = {0};
    cr_expect_arr_eq(&sum, &none, sizeof sum);
    gpc_coherence_reset_stats(NULL);
    small_close(s);
}

static void count_transition(void *user_data, const gpc_coherence_transition *transition) {
    cr_expect_lt(transition->to, GPC_LINE_COUNT);
    ++*(uint32_t *)user_data;
}

static void count_message(void *user_data, const gpc_coherence_message *message) {
    cr_expect_lt(message->kind, GPC_MESSAGE_KIND_COUNT);
    *(uint32_t *)user_data += 1000;
}

/* A callback sees every item of the result, once. */
Test(coherence_view, callbacks) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    uint32_t seen = 0;
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.user_data = &seen;
    callbacks.on_transition = count_transition;
    callbacks.on_message = count_message;
    cr_assert_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_OK);
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    cr_assert_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_OK);
    cr_expect(result.message_count > 0 && result.transition_count > 0);
    cr_expect_eq(seen, result.transition_count + 1000 * result.message_count);
    cr_assert_eq(gpc_coherence_set_callbacks(c, NULL, NULL), GPC_OK);
    request.module = 1;
    seen = 0;
    cr_assert_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_OK);
    cr_expect_eq(seen, 0);
    callbacks.struct_size = offsetof(gpc_coherence_callbacks, on_complete); /* version 0.1's */
    cr_expect_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_OK);
    callbacks.struct_size--;
    cr_expect_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_ERROR_ABI);
    cr_expect_eq(gpc_coherence_set_callbacks(NULL, NULL, NULL), GPC_ERROR_ARGUMENT);
    small_close(s);
}

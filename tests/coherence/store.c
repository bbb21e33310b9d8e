/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory's bytes, and trees saved and restored. */
#include "coherence/small.h"

#include <stdlib.h>
#include <string.h>

Test(coherence_store, bytes_over_blocks) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    uint8_t written[1000], read[1200], expected[1200] = {0};
    for (size_t i = 0; i < sizeof written; i++)
        written[i] = expected[100 + i] = (uint8_t)(i * 7 + 1);
    memset(read, 0xaa, sizeof read);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x12300 - 100, read, sizeof read, NULL), GPC_OK);
    cr_expect(!read[0] && !memcmp(read, read + 1, sizeof read - 1), "memory that was never written holds zeroes");
    /* from 0x12300 on: within a block of 256, over three borders */
    cr_assert_eq(gpc_coherence_write_memory(c, 0x12300, written, sizeof written, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x12300 - 100, read, sizeof read, NULL), GPC_OK);
    cr_expect_arr_eq(read, expected, sizeof read);
    for (size_t i = 0; i < 1000; i += 99) {
        const uint8_t *at = gpci_tree_memory_at(c, 0x12300 + i);
        cr_expect(at && *at == expected[100 + i]);
    }
    cr_expect_null(gpci_tree_memory_at(c, 0x13000));
    small_close(s);
}

Test(coherence_store, many_blocks) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t address = gpci_mix(i) & ~(uint64_t)7;
        cr_assert_eq(gpc_coherence_write_memory(c, address, (const uint8_t *)&i, sizeof i, NULL), GPC_OK);
    }
    for (uint64_t i = 0, read = 0; i < 3000; i++) {
        cr_assert_eq(gpc_coherence_read_memory(c, gpci_mix(i) & ~(uint64_t)7, (uint8_t *)&read, sizeof read, NULL),
                     GPC_OK);
        cr_assert_eq(read, i);
    }
    small_close(s);
}

Test(coherence_store, refuses) {
    small *s = small_open();
    uint8_t bytes[16] = {0};
    gpc_coherence *c = small_tree(s);
    cr_expect_eq(gpc_coherence_read_memory(NULL, 0, bytes, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_read_memory(c, 0, NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_write_memory(c, UINT64_MAX - 3, bytes, 5, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_write_memory(c, UINT64_MAX - 3, bytes, 4, NULL), GPC_OK);
    cr_expect_eq(gpc_coherence_write_memory(c, 0, NULL, 0, NULL), GPC_OK);
    gpc_coherence_destroy(c);
    s->options.data = false;
    c = small_tree(s);
    cr_expect_eq(gpc_coherence_read_memory(c, 0, bytes, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_coherence_write_memory(c, 0, bytes, 1, NULL), GPC_ERROR_STATE);
    small_close(s);
}

static void access(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, uint8_t value) {
    uint8_t bytes[8];
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_error error = GPC_ERROR_INIT;
    memset(bytes, value, sizeof bytes);
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.size = sizeof bytes;
    request.bytes = bytes;
    cr_assert_eq(gpc_coherence_access(c, &request, NULL, &error), GPC_OK, "%s", error.message);
}

static void random_accesses(gpc_coherence *c, uint64_t *random, int count) {
    while (count--)
        access(c, gpci_random_below(random, 2), gpci_random_below(random, 3), gpci_random_below(random, 512) * 8u,
               (uint8_t)gpci_random(random));
}

typedef struct saved {
    size_t bytes;
    void *state;
} saved;

static saved save(const gpc_coherence *c) {
    saved s = {gpci_coherence_saved_bytes(c), NULL};
    /* exactly as large as stated, so that a sanitizer sees an excess byte */
    s.state = malloc(s.bytes);
    gpci_coherence_save(c, s.state);
    return s;
}

static bool same(saved a, saved b) {
    bool equal = a.bytes == b.bytes && !memcmp(a.state, b.state, a.bytes);
    free(a.state);
    free(b.state);
    return equal;
}

static void go_back(const char *replacement, bool full_map) {
    small *s = small_open();
    s->modules[0].replacement = s->modules[1].replacement = s->modules[2].replacement = replacement;
    if (full_map)
        s->modules[3].sets = 1, s->modules[3].ways = 0;
    gpc_coherence *c = small_tree(s);
    uint64_t random = 11;
    random_accesses(c, &random, 300);
    const saved before = save(c);
    const uint64_t resumed = random;
    random_accesses(c, &random, 100);
    const saved after = save(c);
    cr_expect(before.bytes != after.bytes || memcmp(before.state, after.state, before.bytes));
    /* back, and again the same way */
    gpci_coherence_load(c, before.state);
    cr_expect(same(before, save(c)), "what was loaded is what was saved");
    random = resumed;
    random_accesses(c, &random, 100);
    cr_expect(same(after, save(c)), "from there, all is as it was");
    small_close(s);
}

Test(coherence_store, go_back) {
    go_back("lru", false);
    go_back("fifo", false);
    go_back("lru", true);
}

/* Statistics are not part of the state; memory and maps are. */
Test(coherence_store, what_is_saved) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    const uint8_t one = 1, zero = 0;
    uint8_t read = 0;
    cr_assert_eq(gpc_coherence_write_memory(c, 0x700, &one, 1, NULL), GPC_OK);
    const saved before = save(c);
    c->modules[0].stats.loads = 5;
    cr_assert_eq(gpc_coherence_write_memory(c, 0x700, &zero, 1, NULL), GPC_OK);
    gpci_coherence_load(c, before.state);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x700, &read, 1, NULL), GPC_OK);
    cr_expect(read == 1 && c->modules[0].stats.loads == 5);
    /* a block that memory meets only later is gone again */
    cr_assert_eq(gpc_coherence_write_memory(c, 0x9000, &one, 1, NULL), GPC_OK);
    gpci_coherence_load(c, before.state);
    cr_expect_null(gpci_tree_memory_at(c, 0x9000));
    cr_expect(same(before, save(c)));
    small_close(s);
}

/* The order of memory's blocks, and bytes of invalid blocks, leave no trace. */
Test(coherence_store, equal_states_save_equal_bytes) {
    saved states[2];
    for (int turn = 0; turn < 2; turn++) {
        small *s = small_open();
        s->modules[3].sets = 1, s->modules[3].ways = 0;
        gpc_coherence *c = small_tree(s);
        for (uint64_t i = 0; i < 40; i++) {
            const uint64_t address = (turn ? 39 - i : i) * 0x1100;
            cr_assert_eq(gpci_tree_memory_reserve(c, address), GPC_OK);
            gpci_module *mm = &c->modules[3];
            cr_assert_eq(gpci_module_reserve(s->context, mm, 1), GPC_OK);
            const uint64_t tag = gpci_module_tag_of(mm, address);
            gpci_module_write(mm, gpci_module_victim(mm, tag, gpci_module_row(mm, tag)), tag, GPC_LINE_E);
        }
        memset(c->modules[2].data, turn, 128 * 32);
        memset(c->modules[2].dirty, turn, 16 * 32);
        states[turn] = save(c);
        small_close(s);
    }
    cr_expect(same(states[0], states[1]));
}

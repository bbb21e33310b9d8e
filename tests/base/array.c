/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"

#include "base/buffer.h"
#include "base/rig.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <string.h>

/* Doubled from 512 bytes or 4 items on, by half from 1 MiB on, at least to the needed size. */
Test(array, larger) {
    cr_expect_eq(gpci_array_larger(0, 0, 1, 8), 64);
    cr_expect_eq(gpci_array_larger(64, 64, 1, 8), 128);
    cr_expect_eq(gpci_array_larger(64, 64, 100, 8), 164);
    cr_expect_eq(gpci_array_larger(131071, 131071, 1, 8), 262142);
    cr_expect_eq(gpci_array_larger(131072, 131072, 1, 8), 196608);
    cr_expect_eq(gpci_array_larger(0, 0, 1, 1 << 20), 4);
    cr_expect_eq(gpci_array_larger(100, 100, 1, 1 << 20), 150);
}

/* Half of the largest size is the limit. Products and sums beyond the limit are refused, not wrapped. */
Test(array, larger_than_memory) {
    const size_t most = SIZE_MAX / 2 / 24;
    cr_expect_eq(gpci_array_larger(0, 0, most, 24), most);
    cr_expect_eq(gpci_array_larger(0, 0, most + 1, 24), 0);
    cr_expect_eq(gpci_array_larger(0, 1, most, 24), 0);
    cr_expect_eq(gpci_array_larger(0, 1, SIZE_MAX, 1), 0);
    cr_expect_eq(gpci_array_larger(most - 1, most - 1, 1, 24), most);
    cr_expect_eq(gpci_array_larger(most, most, 1, 24), 0);
}

typedef struct item {
    uint64_t number;
    char name[16];
} item;

static item item_of(size_t i) {
    return (item){.number = i * i, .name = {(char)('a' + i % 26)}};
}

static void expect_items(const item *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        item expected = item_of(i);
        cr_assert(items[i].number == expected.number && items[i].name[0] == expected.name[0], "item %zu", i);
    }
}

/* Every allocation fails in turn: content and capacity are kept, and the next item has room again. */
Test(array, keeps_items) {
    rig r;
    rig_open(&r);
    item *items = NULL;
    size_t capacity = 0, count = 0, failures = 0;
    while (count < 20000) {
        r.heap.calls = 0;
        r.heap.fail_at = 1;
        size_t before = capacity;
        if (!GPCI_ARRAY_RESERVE(r.context, items, capacity, count, 1)) {
            failures++;
            cr_assert_eq(capacity, before);
            expect_items(items, count);
            r.heap.fail_at = 0;
            cr_assert(GPCI_ARRAY_RESERVE(r.context, items, capacity, count, 1));
            cr_assert_gt(capacity, count);
        }
        items[count] = item_of(count);
        count++;
    }
    expect_items(items, count);
    cr_expect_gt(failures, 5);
    cr_expect_lt(failures, 20, "%zu allocations", failures);
    r.heap.fail_at = 0;
    r.heap.calls = 0;
    cr_expect_not(GPCI_ARRAY_RESERVE(r.context, items, capacity, count, SIZE_MAX));
    cr_expect_not(GPCI_ARRAY_RESERVE(r.context, items, capacity, count, SIZE_MAX / 4));
    cr_expect_eq(r.heap.calls, 0, "nothing is asked for that cannot be");
    expect_items(items, count);
    gpci_free(r.context, items);
    rig_close(&r);
}

/* From a few bytes to many pages; every size again with an allocator of the host's, for all memory. */
Test(array, enlarged) {
    static const size_t sizes[] = {100,
                                   GPCI_ARRAY_PAGES - 1,
                                   GPCI_ARRAY_PAGES,
                                   GPCI_ARRAY_PAGES + 1,
                                   3 * GPCI_ARRAY_PAGES + 77,
                                   40 * GPCI_ARRAY_PAGES};
    rig r;
    rig_open(&r);
    gpc_context *own = NULL;
    cr_assert_eq(gpc_context_create(NULL, &own, &r.error), GPC_OK);
    gpc_context *const contexts[] = {own, r.context};
    for (size_t c = 0; c < 2; c++) {
        unsigned char *bytes = NULL;
        size_t had = 0;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; had = sizes[i++]) {
            unsigned char *larger = gpci_array_enlarge(contexts[c], bytes, had, sizes[i]);
            cr_assert_not_null(larger);
            bytes = larger;
            for (size_t k = 0; k < had; k++)
                cr_assert_eq(bytes[k], (unsigned char)(k * 7), "byte %zu of %zu", k, sizes[i]);
            for (size_t k = had; k < sizes[i]; k++)
                bytes[k] = (unsigned char)(k * 7);
        }
        r.heap.calls = 0;
        r.heap.fail_at = 1;
        if (c || !EFFORT_SANITIZED) /* with an allocator that ends the process at once */
            cr_expect_null(gpci_array_enlarge(contexts[c], bytes, had, c ? 2 * had : SIZE_MAX / 2));
        r.heap.fail_at = 0;
        cr_expect_eq(bytes[had - 1], (unsigned char)((had - 1) * 7), "what there was stays");
        gpci_array_free(contexts[c], bytes, had);
        gpci_array_free(contexts[c], NULL, 0);
    }
    gpc_context_destroy(own);
    rig_close(&r);
}

Test(array, room_for_many) {
    rig r;
    rig_open(&r);
    uint32_t *items = NULL;
    size_t capacity = 0;
    cr_assert(GPCI_ARRAY_RESERVE(r.context, items, capacity, 0, 0));
    cr_expect_null(items);
    cr_assert(GPCI_ARRAY_RESERVE(r.context, items, capacity, 0, 1000));
    cr_expect_eq(capacity, 1000);
    uint32_t *before = items;
    cr_assert(GPCI_ARRAY_RESERVE(r.context, items, capacity, 400, 600));
    cr_expect_eq(items, before);
    cr_assert(GPCI_ARRAY_RESERVE(r.context, items, capacity, 400, 601));
    cr_expect_eq(capacity, 2000);
    gpci_free(r.context, items);
    rig_close(&r);
}

/* A failed buffer takes no more bytes, until cleared. */
Test(array, bytes) {
    rig r;
    rig_open(&r);
    gpci_buffer bytes = {.context = r.context};
    for (unsigned i = 0; i < 3000; i++)
        gpci_buffer_varint(&bytes, i);
    cr_assert_not(bytes.failed);
    cr_expect_eq(bytes.length, 128 + 2 * (3000 - 128));
    gpci_cursor cursor = {bytes.data, bytes.data + bytes.length, false};
    for (unsigned i = 0; i < 3000; i++)
        cr_assert_eq(gpci_cursor_varint(&cursor), i);
    size_t length = bytes.length;
    cr_expect_not(gpci_buffer_reserve(&bytes, SIZE_MAX - 1));
    gpci_buffer_varint(&bytes, 1);
    cr_expect(bytes.failed && bytes.length == length);
    gpci_buffer_clear(&bytes);
    cr_expect(!bytes.failed && gpci_buffer_reserve(&bytes, 1));
    gpci_buffer_clear(&bytes);
    rig_close(&r);
}

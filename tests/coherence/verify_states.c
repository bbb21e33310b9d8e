/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify_states.h"

#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* States stored by the explorer: output equals input, and used-up states take no room. */

enum { STATES = 40, BYTES = 700 };

/* Long runs of the first image's contents and of other contents, longer than the largest count. */
static void fill(char *image, unsigned state) {
    memset(image, 7, BYTES);
    for (unsigned at = 0; state && at < BYTES; at++)
        if (at / (8 * state) % 2)
            image[at] = (char)(at + state);
}

Test(verify_states, images) {
    gpc_context *context;
    gpci_states states;
    char image[BYTES], found[BYTES];
    size_t taken = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_states_open(&states, context);
    for (unsigned n = 0; n < STATES; n++) {
        const gpci_verify_hash hash = {n, ~(uint64_t)n};
        cr_expect_eq(gpci_states_find(&states, &hash), GPCI_VERIFY_NO_STATE);
        const size_t before = states.bytes;
        fill(image, n);
        cr_assert_eq(gpci_states_add(&states, &hash, image, BYTES - n, n / 2, (uint16_t)n), GPC_OK);
        cr_expect_eq(gpci_states_find(&states, &hash), n);
        taken += n ? states.bytes - before : 0; /* the first also makes the tables */
    }
    for (unsigned n = 0; n < STATES; n++) {
        fill(image, n);
        cr_assert_eq(gpci_states_size(&states, n), BYTES - n);
        gpci_states_thaw(&states, n, found);
        cr_expect(!memcmp(found, image, BYTES - n), "state %u", n);
    }
    const size_t full = states.bytes;
    for (unsigned n = STATES; n-- > 1;)
        gpci_states_spend(&states, n);
    cr_expect_eq(full - states.bytes, taken);
    gpci_states_close(&states);
    gpc_context_destroy(context);
}

/* A heap that knows the bytes in use. A block begins with the size of the block. */
enum { HEAD = 16 };

static void *resize(void *user_data, void *memory, size_t bytes) {
    size_t *live = user_data, before = 0;
    char *block = memory ? (char *)memory - HEAD : NULL;
    if (block)
        memcpy(&before, block, sizeof before);
    block = realloc(block, bytes + HEAD);
    cr_assert_not_null(block);
    memcpy(block, &bytes, sizeof bytes);
    *live += bytes - before;
    return block + HEAD;
}

static void *allocate(void *user_data, size_t bytes) {
    return resize(user_data, NULL, bytes);
}

static void release(void *user_data, void *memory) {
    size_t *live = user_data, bytes = 0;
    if (!memory)
        return;
    memcpy(&bytes, (char *)memory - HEAD, sizeof bytes);
    *live -= bytes;
    free((char *)memory - HEAD);
}

/* The bytes in use are the heap's, beside the first image: of tables that have grown, and of images. */
Test(verify_states, bytes_in_use) {
    size_t live = 0;
    gpc_context *context;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpci_states states;
    options.allocate = allocate, options.resize = resize, options.release = release, options.allocator_data = &live;
    cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
    gpci_states_open(&states, context);
    const size_t before = live;
    for (unsigned n = 0; n < 3000; n++) {
        const gpci_verify_hash hash = {n, ~(uint64_t)n};
        char image[16] = {0};
        memcpy(image, &n, sizeof n);
        cr_assert_eq(gpci_states_add(&states, &hash, image, sizeof image, 0, 0), GPC_OK);
        cr_assert_eq(states.bytes + sizeof image, live - before, "%u states", n + 1);
    }
    gpci_states_close(&states);
    cr_expect_eq(live, before);
    gpc_context_destroy(context);
}

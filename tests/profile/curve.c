/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/rig.h"

#include "base/base.h"

#include <criterion/criterion.h>

/* The miss-ratio curve compared with fully associative LRU caches of the same sizes, with equal line transactions. */

static const uint32_t sizes[] = {1, 2, 3, 5, 8, 13, 32, 100, 256, 600, 1024};
#define SIZES (sizeof sizes / sizeof *sizes)
enum { SMS = 3, STEPS = 6000 };

typedef struct caches {
    gpc_cache *of[SMS][SIZES];
    uint64_t hits[SMS][SIZES], accesses[SMS];
} caches;

static void open_caches(caches *c, gpc_context *context, gpc_write_policy write, gpc_write_allocate allocate) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = 1;
    options.write_policy = write;
    options.write_allocate = allocate;
    *c = (caches){.accesses = {0}};
    for (unsigned sm = 0; sm < SMS; sm++)
        for (unsigned i = 0; i < SIZES; i++) {
            options.ways = sizes[i];
            cr_assert_eq(gpc_cache_create(context, &options, &c->of[sm][i], NULL), GPC_OK);
        }
}

static void access_caches(caches *c, unsigned sm, uint64_t address, uint8_t kind) {
    gpc_request request = {.address = address, .size = 4, .kind = kind};
    c->accesses[sm] += kind == GPC_LOAD;
    for (unsigned i = 0; i < SIZES; i++) {
        gpc_access_result result;
        cr_assert_eq(gpc_cache_access(c->of[sm][i], &request, &result, NULL), GPC_OK);
        c->hits[sm][i] += kind == GPC_LOAD && result.outcome == GPC_HIT;
    }
}

static void compare(const rig *r, const caches *c, uint32_t sm) {
    gpc_profile_point points[SIZES];
    for (unsigned i = 0; i < SIZES; i++)
        points[i] = (gpc_profile_point){.bytes = sizes[i] * 128 + i};
    cr_assert_eq(gpc_profile_curve(r->profile, sm, points, SIZES, NULL), GPC_OK);
    for (unsigned i = 0; i < SIZES; i++) {
        uint64_t accesses = 0, hits = 0;
        for (unsigned s = 0; s < SMS; s++)
            if (sm == s || sm == GPC_PROFILE_ALL_SMS) {
                accesses += c->accesses[s];
                hits += c->hits[s][i];
            }
        cr_expect_eq(points[i].accesses, accesses);
        cr_expect_eq(points[i].hits, hits, "SM %u, %u lines: %zu, not %zu hits", sm, sizes[i], (size_t)points[i].hits,
                     (size_t)hits);
    }
}

/* Loads of one to 32 lines, mixed with some other kinds. */
static void run(const char *const *settings, gpc_write_policy write, gpc_write_allocate allocate, unsigned others) {
    rig r;
    static caches c;
    uint64_t random = 3;
    rig_open(&r, settings);
    open_caches(&c, r.context, write, allocate);
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t sm = gpci_random_below(&random, SMS), count = 1 + gpci_random_below(&random, 32);
        uint32_t span = gpci_random_below(&random, 4) ? 60 : 900;
        uint8_t kind = gpci_random_below(&random, 100) >= others ? GPC_LOAD
                       : gpci_random_below(&random, 3)           ? GPC_STORE
                                                                 : GPC_ATOMIC;
        uint64_t start = gpci_random_below(&random, span), addresses[32];
        for (unsigned i = 0; i < count; i++) {
            addresses[i] = (start + i * 7) * 128;
            access_caches(&c, sm, addresses[i], kind);
        }
        rig_access(&r,
                   (gpc_warp_access){
                       .sm = sm, .mask = UINT64_MAX >> (64 - count), .addresses = addresses, .width = 4, .kind = kind});
    }
    for (unsigned sm = 0; sm < SMS; sm++)
        compare(&r, &c, sm);
    compare(&r, &c, GPC_PROFILE_ALL_SMS);
    for (unsigned sm = 0; sm < SMS; sm++)
        for (unsigned i = 0; i < SIZES; i++)
            gpc_cache_destroy(c.of[sm][i]);
    rig_close(&r);
}

Test(curve, loads_as_in_lru_caches) {
    static const char *const settings[] = {"sm.count=3", NULL};
    run(settings, GPC_WRITE_BACK, GPC_WRITE_FETCH, 0);
}

/* The curve depends on the stream, not on the modelled cache. */
Test(curve, does_not_depend_on_the_modelled_cache) {
    static const char *const settings[] = {"sm.count=3", "l1.size=8KiB", "l1.ways=64", "l1.replacement=random", NULL};
    run(settings, GPC_WRITE_BACK, GPC_WRITE_FETCH, 0);
}

/* Stores and atomics that drop lines leave free ways behind. */
Test(curve, stores_that_evict) {
    static const char *const settings[] = {"sm.count=3", NULL};
    run(settings, GPC_WRITE_EVICT, GPC_WRITE_NO_ALLOCATE, 20);
}

Test(curve, stores_that_allocate) {
    static const char *const settings[] = {"sm.count=3", "l1.write_policy=back", "l1.write_allocate=fetch", NULL};
    run(settings, GPC_WRITE_BACK, GPC_WRITE_FETCH, 20);
}

Test(curve, arguments) {
    rig r;
    rig_open(&r, NULL);
    gpc_profile_point point = {.bytes = 127};
    rig_load(&r, 0, 0x10, 0);
    rig_load(&r, 0, 0x10, 0);
    cr_assert_eq(gpc_profile_curve(r.profile, 0, &point, 1, NULL), GPC_OK);
    cr_expect_eq(point.accesses, 2);
    cr_expect_eq(point.hits, 0, "less than a line");
    cr_expect_eq(gpc_profile_curve(r.profile, 1, &point, 1, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_profile_curve(NULL, 0, &point, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_curve(r.profile, 0, NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_curve(r.profile, 0, NULL, 0, NULL), GPC_OK);
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/ledger_check.h"

#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Clauses of the ledger with events: a test counts the events of random runs, and compares counters with the events. */

#define OUTCOMES 40
typedef struct sums {
    uint64_t count, bytes, values, cycles;
} sums;

/* Sums by what, component, kind and outcome. */
typedef struct followed {
    sums of[GPC_WHAT_COUNT][GPC_COMPONENT_COUNT][GPC_KIND_COUNT + 1][OUTCOMES];
    unsigned used; /* sums used by a clause, above 0 */
} followed;

static bool on_event(void *data, const gpc_event *e) {
    followed *f = data;
    sums *s = &f->of[e->what][e->component][e->kind][e->outcome < OUTCOMES ? e->outcome : OUTCOMES - 1];
    s->count++;
    s->bytes += e->bytes;
    s->values += e->value;
    s->cycles += e->cycle;
    return true;
}

/* Kinds and outcomes named after the component; without names: all. */
typedef struct words {
    int what, component;
    uint32_t kinds;
    const char *outcome;
    char text[64];
} words;

static bool parse(words *w, const char *text, uint32_t length) {
    static const char *const kinds[] = {"load", "store", "atomic", "reduction", "prefetch"};
    static const uint8_t numbers[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
    char *rest = w->text, *word;
    cr_assert_lt(length, sizeof w->text);
    snprintf(w->text, sizeof w->text, "%.*s", (int)length, text);
    w->what = w->component = -1;
    w->kinds = 0;
    w->outcome = NULL;
    for (unsigned n = 0; (word = strtok_r(rest, " ", &rest)) != NULL; n++) {
        bool known = false;
        for (unsigned i = 0; n == 0 && i < GPC_WHAT_COUNT; i++)
            if (!strcmp(word, gpc_what_name(i)))
                w->what = (int)i, known = true;
        for (unsigned i = 0; n == 1 && i < GPC_COMPONENT_COUNT; i++)
            if (!strcmp(word, gpc_component_name(i)))
                w->component = (int)i, known = true;
        for (unsigned i = 0; n > 1 && i < sizeof kinds / sizeof *kinds; i++)
            if (!strcmp(word, kinds[i]))
                w->kinds |= 1u << numbers[i], known = true;
        if (n > 1 && !known)
            w->outcome = word;
        else if (!known)
            return false; /* counters of the host's calls */
    }
    return w->component >= 0;
}

static bool has_outcome(const words *w, unsigned outcome) {
    const gpc_event event = {.what = (uint8_t)w->what, .component = (uint8_t)w->component, .outcome = (uint8_t)outcome};
    return !w->outcome || !strcmp(w->outcome, gpc_event_outcome(&event));
}

static bool sum_up(void *data, gpc_object kind, uint32_t index, gpci_ledger_sum sum, const char *text, uint32_t length,
                   uint64_t *out) {
    followed *f = data;
    words w;
    sums all = {0};
    (void)index;
    if (kind != GPC_OBJECT_WHOLE || !parse(&w, text, length))
        return false;
    for (unsigned k = 0; k <= GPC_KIND_COUNT; k++)
        for (unsigned o = 0; o < OUTCOMES; o++) {
            const sums *s = &f->of[w.what][w.component][k][o];
            if (!s->count || (w.kinds && !(w.kinds >> k & 1)) || !has_outcome(&w, o))
                continue;
            all.count += s->count;
            all.bytes += s->bytes;
            all.values += s->values;
            all.cycles += s->cycles;
        }
    *out = sum == GPCI_LEDGER_COUNT     ? all.count
           : sum == GPCI_LEDGER_BYTES   ? all.bytes
           : sum == GPCI_LEDGER_SECTORS ? all.bytes / 32
           : sum == GPCI_LEDGER_VALUES  ? all.values
                                        : all.cycles;
    f->used += all.count > 0;
    return true;
}

static uint32_t below(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % limit;
}

/* A small machine: a word of every list. */
static void draw(uint64_t *state, char *text, size_t size) {
    static const char *const lists[][5] = {
        {"mode = timed\n", "mode = timed\n", "mode = timed\n", "mode = functional\n", "mode = timed\n"},
        {"", "l1.allocate = on-fill\n", "l1.write_policy = back\n", "l1.bypass = always-bypass\n",
         "l1.bypass = mrpb\n"},
        {"", "l1.mshr_entries = 2\n", "l1.mshr_merges = 1\n", "l1.miss_queue = 1\n", "l1.mshr_entries = 1\n"},
        {"", "l2.mshr_entries = 2\n", "l2.mshr_merges = 1\n", "l2.miss_queue = 1\n", "l2.partitions = 2\n"},
        {"", "l1.prefetcher = stride\n", "l2.write_allocate = lazy\n", "kernels.flush = all\n", "streams = 3\n"},
        {"", "coherence = viper\n", "coherence = msi\n", "", "network.input_buffer = 1\n"},
        {"", "", "stats.stages = true\n", "kernels.flush = l1\n", "l2.write_to_read = 50\n"},
        {"", "l2.prefetcher = next-line\n", "l1.mshr_free = drained\n", "l1.combine_lines = 2\n",
         "l1.reorder = warp\n"},
        {"", "tlb.page = 4KiB\ntlb.l1_entries = 2\n", "const.size = 512B\n", "l1.tag_ports = 2\nl1.banks = 2\n",
         "l2.atomic_cycles = 3\n"},
    };
    static const char *const shape = "sm.count = 2\nl1.size = 2048\nl1.ways = 4\nl1.sectors = 4\nl2.size = 8192\n"
                                     "l2.slices = 2\nl2.ways = 4\nl2.sectors = 4\n";
    snprintf(text, size, "%s", shape);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s", lists[i][below(state, 5)]);
    }
}

static void offer(gpc_hierarchy *h, const gpc_warp_access *w, bool timed) {
    while (timed && gpc_hierarchy_try_issue(h, w, 0, NULL, NULL) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
    if (!timed)
        cr_assert_eq(gpc_hierarchy_access(h, w, NULL, NULL), GPC_OK);
}

/* A bulk copy. L2's data go to one SM, or to both. */
static void copy(gpc_hierarchy *h, uint64_t *state, bool timed) {
    static const uint32_t both[] = {0, 1};
    const uint64_t address = below(state, 64) * 128;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.sm = below(state, 2);
    w.copy = GPC_COPY_BULK;
    w.kind = below(state, 3) ? GPC_LOAD : GPC_STORE;
    w.mask = 1;
    w.width = 16u << below(state, 6);
    w.addresses = &address;
    if (w.kind == GPC_LOAD && below(state, 2)) {
        w.multicast_count = 1 + below(state, 2);
        w.multicast = both + (w.multicast_count == 1 ? below(state, 2) : 0);
    }
    offer(h, &w, timed);
}

static void fence(gpc_hierarchy *h, uint64_t *state, bool timed) {
    gpc_fence f = GPC_FENCE_INIT;
    f.sm = below(state, 2);
    f.scope = (uint8_t)below(state, GPC_SCOPE_COUNT);
    f.order = GPC_ORDER_ACQ_REL;
    while (timed && gpc_hierarchy_try_fence(h, &f, 0, NULL, NULL) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
    if (!timed)
        cr_assert_eq(gpc_hierarchy_fence(h, &f, NULL), GPC_OK);
}

static void issue(gpc_hierarchy *h, uint64_t *state, bool timed, bool copies) {
    uint64_t addresses[32];
    for (uint32_t n = 0; n < 300; n++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        const uint32_t stride = 4u << below(state, 5), base = below(state, 64) * 128;
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = base + lane * stride;
        w.sm = below(state, 2);
        w.kind = (uint8_t)(below(state, 2) ? GPC_LOAD : below(state, GPC_KIND_COUNT));
        w.mask = UINT32_MAX;
        w.width = 4;
        w.addresses = addresses;
        w.space = h->constants && !below(state, 16) ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL;
        w.kind = w.space == GPC_SPACE_CONSTANT ? GPC_LOAD : w.kind;
        offer(h, &w, timed);
        if (copies && n % 16 == 5)
            copy(h, state, timed);
        if (n % 32 == 7)
            fence(h, state, timed);
    }
}

static gpc_status get(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values) {
    return gpci_object_values_get(data, kind, index, values);
}

/* Returns how many sums of events were above 0. */
static unsigned run(uint64_t seed) {
    static followed f;
    char settings[1024], text[2000] = "";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t state = seed;
    memset(&f, 0, sizeof f);
    draw(&state, settings, sizeof settings);
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "test", &error), GPC_OK, "%s", error.message);
    if (gpc_hierarchy_create(context, config, &h, &error) == GPC_OK) {
        gpc_event_options o = GPC_EVENT_OPTIONS_INIT;
        o.on_event = on_event;
        o.user_data = &f;
        cr_assert_eq(gpc_hierarchy_set_trace(h, &o, &error), GPC_OK);
        /* events of a copy are of a load or a store, which the counters of L1 do not know */
        const bool copies = !h->coherent && seed % 4 == 0;
        issue(h, &state, h->timed != NULL, copies);
        if (h->timed)
            cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
        const gpci_ledger_owner owner = {
            .hierarchy = h, .data = h, .get = get, .events = copies ? NULL : sum_up, .followed = &f};
        cr_expect(gpci_ledger_right(&owner, text, sizeof text), "seed %llu\n%s\n%s", (unsigned long long)seed, settings,
                  text);
        gpc_hierarchy_destroy(h);
    }
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return f.used;
}

Test(ledger_events, random_machines) {
    unsigned used = 0;
    for (uint64_t seed = 1; seed <= 120; seed++)
        used += run(seed);
    cr_expect_gt(used, 500, "%u", used);
}

/* Bounds hold where one kind of instruction is all there is, of `lanes` lines each. */
static void run_kind(const char *settings, uint8_t kind, uint32_t warps, uint32_t lanes) {
    char text[2000] = "";
    uint64_t addresses[32];
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "test", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    for (uint32_t warp = 0; warp < warps; warp++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        for (uint32_t lane = 0; lane < lanes; lane++)
            addresses[lane] = ((uint64_t)warp * 32 + lane) * 128;
        w.warp = w.warp_age = warp, w.kind = kind, w.mask = (1ull << lanes) - 1, w.width = 4, w.addresses = addresses;
        offer(h, &w, true);
    }
    cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
    const gpci_ledger_owner owner = {.hierarchy = h, .data = h, .get = get};
    cr_expect(gpci_ledger_right(&owner, text, sizeof text), "kind %d\n%s\n%s", kind, settings, text);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(ledger_events, one_kind) {
    for (uint8_t kind = 0; kind < GPC_KIND_COUNT; kind++) {
        run_kind(
            "mode = timed\nsm.count = 1\nl1.queue = unlimited\nl1.reorder = warp\nl1.reorder_drain = round-robin\n",
            kind, 8, 32);
        run_kind("mode = timed\nsm.count = 1\nl2.atomic_cycles = 10000\n", kind, 1, 1);
    }
}

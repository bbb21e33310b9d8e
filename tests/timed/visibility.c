/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "suited.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Visibility of a store to later loads, by protocol, reader and event between the two. Every cell of the table is
 * measured: a writer stores a word, the event happens, a reader loads the word. The reader has met the line before in
 * several ways, at every distance of a row of small ones, so that copies are old, on their way, or modified. A cell is
 *
 *   guaranteed  promised by the protocol, and no load was stale
 *   observed    not promised, and no load was stale in these runs
 *   stale       not promised, and stale loads were seen
 *
 * The table stands in lib/coherence/README.md, and a test compares it with the measurement.
 */

enum { DISTANCES = 160, LINE_BYTES = 128, SMS = 8 };

/* The event between a store and a later load. */
typedef enum column {
    DONE,
    STRONG,
    DONE_CV,
    WT,
    WT_CV,
    ATOMIC,
    FENCE_GPU,
    FENCE_SYS,
    KERNEL,
    KERNEL_KEPT,
    COLUMNS
} column;

static const char *const column_names[COLUMNS] = {"done",
                                                  "done, `relaxed.gpu` load",
                                                  "done, `.cv` load",
                                                  "`.wt` done",
                                                  "`.wt` done, `.cv` load",
                                                  "atomic done",
                                                  "fences, GPU",
                                                  "fences, system",
                                                  "kernel, `kernels.flush = l1`",
                                                  "kernel, `kernels.flush = none`"};

/* The reader's history with the line before the counting load. */
typedef enum meeting { STRANGER, LOADED_BEFORE, LOADS_FIRST, LOADS_SECOND, STORED_BESIDE, MEETINGS } meeting;

typedef struct reader {
    const char *name, *settings;
    uint32_t sm;
} reader;

static const char clusters[] = "cluster.sms = 2\n", gpus[] = "gpu.count = 2\n",
                  homes[] = "gpu.count = 2\ngpu.home = l2\npage.placement = round-robin\n",
                  halves[] = "l2.partitions = 2\n";

/* SM 0 writes. SMs 0 and 1 are a cluster; 4 to 7 are the other GPU's. */
static const reader readers[] = {
    {"the SM of the store", "", 0},
    {"another SM", "", 1},
    {"an SM of the cluster", clusters, 1},
    {"an SM of another cluster", clusters, 2},
    {"an SM of the other partition", halves, 7},
    {"an SM of the GPU, of two", gpus, 1},
    {"an SM of the other GPU", gpus, 4},
    {"an SM of the other GPU, `gpu.home = l2`", homes, 4},
};
#define READERS (sizeof readers / sizeof *readers)

static const char *const protocols[] = {
    "none",  "viper",  "vi",       "slc-glc",         "hmg", "msi", "mesi", "mosi", "moesi",
    "mesif", "nmoesi", "nmoesi-d", "nmoesi-multi2sim"};
#define PROTOCOLS (sizeof protocols / sizeof *protocols)

typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t lines, token;
    bool done[64];
} world;

static void on_complete(void *user_data, const gpc_completion *c) {
    ((world *)user_data)->done[c->token % 64] = true;
}

/* False: the protocol has no such machine. */
static bool open(world *w, const char *protocol, const char *settings, bool kept, const char *mode) {
    static const char through[] = "l1.write_policy = through\nl1.write_policy_local = through\n"
                                  "l1.write_allocate = none\nl1.write_allocate_local = none\n";
    static const char back[] = "l1.write_policy = back\nl1.write_policy_local = back\n"
                               "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\n"
                               "l2.inclusion = inclusive\n";
    const bool plain = !strcmp(protocol, "none") || !strcmp(protocol, "viper");
    char text[2048];
    gpc_error error = GPC_ERROR_INIT;
    *w = (world){0};
    snprintf(text, sizeof text,
             "mode = %s\nsm.count = %d\nl1.sectors = 1\nl2.sectors = 1\nl2.slices = 2\ndram.channels = 2\ndram.model = "
             "fixed\n"
             "dram.fixed_latency = 20\nl2.interleave_bytes = 128\nl1.size = 2KiB\nl2.size = 32KiB\nl1.bypass = hint\n"
             "%scoherence = %s\ncoherence.data = true\nkernels.flush = %s\n%s",
             mode, SMS, plain ? through : back, protocol, kept ? "none" : "l1", settings);
    cr_assert_eq(gpc_context_create(NULL, &error, &w->context), GPC_OK);
    cr_assert_eq(gpc_config_create(w->context, &error, &w->config), GPC_OK);
    cr_assert_eq(gpc_config_load_text(w->config, rig_base, "base", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(w->config, text, "settings", &error), GPC_OK, "%s", error.message);
    suit(w->context, w->config);
    if (strstr(settings, "cluster")) /* suited machines of plain caches have none */
        cr_assert_eq(gpc_config_load_text(w->config, settings, "settings", &error), GPC_OK, "%s", error.message);
    const gpc_status status = gpc_hierarchy_create(w->context, w->config, &error, &w->h);
    if (status < 0) {
        gpc_config_destroy(w->config);
        gpc_context_destroy(w->context);
        return false;
    }
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = w;
    callbacks.on_complete = on_complete;
    if (!strcmp(mode, "timed"))
        cr_assert_eq(gpc_hierarchy_set_callbacks(w->h, &callbacks), GPC_OK);
    return true;
}

static void close(world *w) {
    gpc_hierarchy_destroy(w->h);
    gpc_config_destroy(w->config);
    gpc_context_destroy(w->context);
}

static void step(world *w) {
    cr_assert_eq(gpc_hierarchy_advance(w->h, 1), GPC_OK);
}

static void wait(world *w, uint64_t token) {
    for (uint32_t n = 0; !w->done[token % 64]; n++) {
        cr_assert_lt(n, 100000u, "an access never completes");
        step(w);
    }
}

static uint64_t issue(world *w, const gpc_warp_access *access) {
    const uint64_t token = ++w->token;
    gpc_status status;
    w->done[token % 64] = false;
    while ((status = gpc_hierarchy_try_issue(w->h, access, token, NULL)) == GPC_BUSY)
        step(w);
    cr_assert_eq(status, GPC_OK, "%s", gpc_status_string(status));
    return token;
}

static uint64_t load(world *w, uint32_t sm, uint64_t address, column c, uint32_t *found) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = GPC_LOAD;
    a.sm = sm;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.hint = c == DONE_CV || c == WT_CV ? GPC_HINT_CV : GPC_HINT_NONE;
    a.order = c == STRONG ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = c == STRONG ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    a.out = (uint8_t *)found;
    return issue(w, &a);
}

static uint64_t store_value(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic, const uint32_t *value) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = atomic ? GPC_ATOMIC : GPC_STORE;
    a.atomic = atomic ? GPC_OP_EXCHANGE : GPC_OP_NONE;
    a.order = atomic ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = atomic ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    a.sm = sm;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.hint = hint;
    a.bytes = (const uint8_t *)value;
    return issue(w, &a);
}

static uint64_t store(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic) {
    static const uint32_t one = 1;
    return store_value(w, sm, address, hint, atomic, &one);
}

static void fence(world *w, uint32_t sm, gpc_order order, gpc_scope scope) {
    gpc_fence f = GPC_FENCE_INIT;
    const uint64_t token = ++w->token;
    gpc_status status;
    f.sm = sm;
    f.order = (uint8_t)order;
    f.scope = (uint8_t)scope;
    w->done[token % 64] = false;
    while ((status = gpc_hierarchy_try_fence(w->h, &f, token, NULL)) == GPC_BUSY)
        step(w);
    cr_assert_eq(status, GPC_OK);
    wait(w, token);
}

/*
 * The reader's loads and stores before the counting load, at a number of cycles from the store; the store is then done.
 */
static void meet(world *w, const reader *r, meeting how, column c, uint64_t address, uint32_t distance) {
    const uint8_t hint = c == WT || c == WT_CV ? GPC_HINT_WT : GPC_HINT_NONE;
    uint32_t ignored;
    uint64_t first = 0, second;
    if (how == LOADED_BEFORE)
        wait(w, load(w, r->sm, address, DONE, &ignored));
    else if (how == STORED_BESIDE)
        wait(w, store(w, r->sm, address + 64, GPC_HINT_NONE, false));
    else if (how == LOADS_FIRST)
        first = load(w, r->sm, address, DONE, &ignored);
    for (uint32_t n = 0; how == LOADS_FIRST && n < distance; n++)
        step(w);
    second = store(w, 0, address, hint, c == ATOMIC);
    for (uint32_t n = 0; how == LOADS_SECOND && n < distance; n++)
        step(w);
    if (how == LOADS_SECOND)
        first = load(w, r->sm, address, DONE, &ignored);
    wait(w, second);
    if (first && c >= FENCE_GPU) /* an earlier load, older than an acquire may be */
        wait(w, first);
}

/* True if the reader's load finds the store. */
static bool finds(world *w, const reader *r, meeting how, column c, uint32_t distance) {
    const uint64_t address = 0x100000 + w->lines++ * LINE_BYTES;
    const gpc_scope scope = c == FENCE_SYS ? GPC_SCOPE_SYS : GPC_SCOPE_GPU;
    uint32_t found = 0;
    meet(w, r, how, c, address, distance);
    if (c == FENCE_GPU || c == FENCE_SYS) {
        fence(w, 0, GPC_ORDER_RELEASE, scope);
        fence(w, r->sm, GPC_ORDER_ACQUIRE, scope);
    }
    if (c >= KERNEL) {
        cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_begin_kernel(w->h, NULL, NULL), GPC_OK);
    }
    wait(w, load(w, r->sm, address, c, &found));
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    return found == 1;
}

/* Number of stale loads of a cell; -1: no such machine. */
static int stale(const char *protocol, const reader *r, column c) {
    static world w;
    int count = 0;
    if (!open(&w, protocol, r->settings, c == KERNEL_KEPT, "timed"))
        return -1;
    for (meeting how = STRANGER; how < MEETINGS; how++) {
        const uint32_t distances = how == LOADS_FIRST || how == LOADS_SECOND ? DISTANCES : 4;
        for (uint32_t d = 0; d < distances; d++)
            count += !finds(&w, r, how, c, d);
    }
    close(&w);
    return count;
}

static bool is_one_of(const char *protocol, const char *names) {
    const char *at = strstr(names, protocol);
    const size_t length = strlen(protocol);
    while (at && ((at != names && at[-1] != ' ') || (at[length] && at[length] != ' ')))
        at = strstr(at + 1, protocol);
    return at != NULL;
}

/* The protocol's promise: from the protocol's source, and include/gpucache/hierarchy.h (gpc_fence, gpc_warp_access). */
static bool is_promised(const char *protocol, const reader *r, column c) {
    const bool other_gpu = strstr(r->settings, gpus) && r->sm >= SMS / 2;
    if (is_one_of(protocol, "msi mesi mosi moesi mesif")) /* a single writer, and no copy that is old */
        return true;
    if (r->sm == 0 || c == KERNEL)
        return true;
    if (is_one_of(protocol, "nmoesi nmoesi-d nmoesi-multi2sim")) /* an atomic is a coherent store */
        return c == ATOMIC;
    if (is_one_of(protocol, "none viper") && (c == STRONG || c == DONE_CV || c == WT_CV))
        return true;
    if (is_one_of(protocol, "none"))
        return false;
    if (c == WT_CV)
        return is_one_of(protocol, "slc-glc");
    return c == FENCE_SYS || c == KERNEL_KEPT || (c == FENCE_GPU && !other_gpu);
}

static const char no_machine[] = "", guaranteed[] = "guaranteed", observed[] = "observed", stale_seen[] = "stale";

/* [protocol][reader][column] a cell's word. */
typedef const char *matrix[READERS][COLUMNS];
static matrix measured[PROTOCOLS];

static void measure(const char *protocol, matrix cells) {
    for (unsigned r = 0; r < READERS; r++)
        for (column c = 0; c < COLUMNS; c++) {
            const int count = stale(protocol, &readers[r], c);
            const bool promised = is_promised(protocol, &readers[r], c);
            cr_expect(count <= 0 || !promised, "%s: %s, %s: %d loads are stale", protocol, readers[r].name,
                      column_names[c], count);
            cells[r][c] = count < 0 ? no_machine : count ? stale_seen : promised ? guaranteed : observed;
        }
}

typedef struct text {
    char bytes[16384];
    size_t length;
} text;

static void put(text *t, const char *words) {
    const size_t length = strlen(words);
    cr_assert_lt(t->length + length, sizeof t->bytes);
    memcpy(t->bytes + t->length, words, length + 1);
    t->length += length;
}

/* Rows of a protocol's readers; one row for readers with equal cells. */
static void put_rows(text *t, const char *names, matrix cells) {
    bool told[READERS] = {false};
    for (unsigned r = 0; r < READERS; r++) {
        if (told[r] || cells[r][0] == no_machine)
            continue;
        put(t, "| ");
        put(t, names);
        put(t, " | ");
        for (unsigned other = r; other < READERS; other++) {
            if (told[other] || memcmp(cells[r], cells[other], sizeof cells[r]) != 0)
                continue;
            put(t, other == r ? "" : "; ");
            put(t, readers[other].name);
            told[other] = true;
        }
        for (column c = 0; c < COLUMNS; c++) {
            put(t, " | ");
            put(t, cells[r][c]);
        }
        put(t, " |\n");
    }
}

/* Protocols with equal cells share a row of names. */
static void put_table(text *t) {
    bool told[PROTOCOLS] = {false};
    put(t, "| protocol | reader");
    for (column c = 0; c < COLUMNS; c++) {
        put(t, " | ");
        put(t, column_names[c]);
    }
    put(t, " |\n|---|---");
    for (column c = 0; c < COLUMNS; c++)
        put(t, "|---");
    put(t, "|\n");
    for (unsigned p = 0; p < PROTOCOLS; p++) {
        char names[200] = "";
        for (unsigned other = p; other < PROTOCOLS && !told[p]; other++) {
            if (memcmp(measured[p], measured[other], sizeof measured[p]) != 0)
                continue;
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", other == p ? "" : ", ",
                     protocols[other]);
            told[other] = other != p || told[other];
        }
        if (*names)
            put_rows(t, names, measured[p]);
    }
}

/* The README's table equals the measurement; otherwise the measurement is printed. */
static void compare(const text *table) {
    static const char path[] = "lib/coherence/README.md";
    static char readme[1 << 18];
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "tests run in the root: %s", path);
    readme[fread(readme, 1, sizeof readme - 1, file)] = 0;
    fclose(file);
    cr_expect(strstr(readme, table->bytes), "%s has another table than this, which is measured:\n%s", path,
              table->bytes);
}

Test(timed_visibility, is_as_the_readme_says) {
    static text table;
    if (EFFORT_SANITIZED)
        cr_skip_test("cells are counts of many runs, which the plain build makes");
    for (unsigned p = 0; p < PROTOCOLS; p++)
        measure(protocols[p], measured[p]);
    put_table(&table);
    compare(&table);
}

/* Without a clock: at a kernel's begin. */
Test(timed_visibility, kernels_without_a_clock) {
    for (unsigned p = 2; p < PROTOCOLS; p++)
        for (unsigned r = 0; r < READERS; r++) {
            static world w;
            const uint64_t address = 0x100000;
            uint32_t one = 1, found = 0, old;
            if (!open(&w, protocols[p], readers[r].settings, false, "functional"))
                continue;
            gpc_warp_access a = GPC_WARP_ACCESS_INIT;
            a.mask = 1;
            a.addresses = &address;
            a.width = 4;
            a.kind = GPC_LOAD;
            a.sm = readers[r].sm;
            a.out = (uint8_t *)&old;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL), GPC_OK);
            a.kind = GPC_STORE;
            a.sm = 0;
            a.out = NULL;
            a.bytes = (const uint8_t *)&one;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_begin_kernel(w.h, NULL, NULL), GPC_OK);
            a.kind = GPC_LOAD;
            a.sm = readers[r].sm;
            a.bytes = NULL;
            a.out = (uint8_t *)&found;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL), GPC_OK);
            cr_expect_eq(found, 1, "%s: %s", protocols[p], readers[r].name);
            close(&w);
        }
}

/* A store waiting to be combined leaves before a load of the line. */
Test(timed_visibility, a_store_that_waits_is_not_passed) {
    static const char *const settings[] = {
        "l1.combine_lines = 8\nl1.combine_cycles = 32\n",
        "l1.combine_lines = 8\nl1.combine_cycles = 32\nl1.combine_stores = buffer\n",
        "l1.combine_lines = 8\nl1.combine_cycles = 32\nl1.combine_stores = buffer\nsm.schedulers = 4\n",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static world w;
        uint32_t found[2] = {0};
        cr_assert(open(&w, "none", settings[i], false, "timed"));
        (void)store(&w, 0, 0x1000, GPC_HINT_NONE, false);
        (void)store(&w, 0, 0x1080, GPC_HINT_NONE, false);
        (void)load(&w, 0, 0x1000, DONE, &found[0]);
        (void)load(&w, 0, 0x1080, DONE, &found[1]);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        cr_expect(found[0] == 1 && found[1] == 1, "%s: %u and %u", settings[i], found[0], found[1]);
        close(&w);
    }
}

/* A load held up at the line's MSHR entry, and then hitting, has the entry's data. */
Test(timed_visibility, a_load_that_is_held_up_hits) {
    static world w;
    uint32_t found[3] = {0};
    cr_assert(open(&w, "none", "l1.mshr_merges = 1\n", false, "timed"));
    wait(&w, store(&w, 1, 0x1000, GPC_HINT_NONE, false));
    for (unsigned i = 0; i < 3; i++)
        (void)load(&w, 0, 0x1000, DONE, &found[i]);
    cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    cr_expect(found[0] == 1 && found[1] == 1 && found[2] == 1, "%u, %u, %u", found[0], found[1], found[2]);
    close(&w);
}

/* Without L1, too, an acquire keeps the SM from copies then on the way to the partition. */
Test(timed_visibility, an_acquire_without_l1) {
    static world w;
    cr_assert(open(&w, "viper", "l2.partitions = 2\nl1.enabled = false\nl2.link_latency = 40\n", false, "timed"));
    for (uint32_t distance = 0; distance < 240; distance++) {
        const uint64_t address = 0x1000 + 0x400 * distance;
        uint32_t ignored, found = 0;
        const uint64_t first = load(&w, 7, address, DONE, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            step(&w);
        const uint64_t second = store(&w, 0, address, GPC_HINT_NONE, false);
        wait(&w, first), wait(&w, second);
        fence(&w, 7, GPC_ORDER_ACQUIRE, GPC_SCOPE_GPU);
        wait(&w, load(&w, 7, address, DONE, &found));
        cr_expect_eq(found, 1, "%u cycles apart", (unsigned)distance);
    }
    close(&w);
}

/* Accesses of a word by one SM, none of which is waited for: each load has what is before it, and nothing behind it. */
Test(timed_visibility, of_an_sm_to_itself) {
    static const char *const settings[] = {"",
                                           "lrc.sms = 2\n",
                                           "l2.partitions = 2\n",
                                           "l2.partitions = 2\nl1.spaces = local\n",
                                           "l1.enabled = false\n",
                                           "l1.collectors = 2\nl1.queue = 5\n",
                                           "l1.combine_lines = 8\nl1.combine_cycles = 32\n"};
    for (unsigned i = 0; i < 2 * sizeof settings / sizeof *settings; i++) {
        static world w;
        unsigned wrong = 0;
        cr_assert(open(&w, i % 2 ? "viper" : "none", settings[i / 2], false, "timed"));
        for (uint32_t n = 0; n < 96; n++) {
            const uint64_t address = 0x1000 + 0x1080 * n;
            uint32_t ignored, found[3] = {2, 2, 2};
            if (n % 3 == 0)
                wait(&w, load(&w, 7, address, DONE, &ignored));
            if (n % 3 == 1)
                (void)load(&w, 6, address, DONE, &ignored);
            (void)load(&w, 7, address, n % 2 ? DONE_CV : DONE, &found[0]);
            (void)store(&w, 7, address, GPC_HINT_NONE, n / 3 % 2);
            (void)load(&w, 7, address, DONE, &found[1]);
            (void)load(&w, 7, address, STRONG, &found[2]);
            cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
            wrong += found[0] != 0 || found[1] != 1 || found[2] != 1;
        }
        cr_expect_eq(wrong, 0, "%s: %u of 96 lines", settings[i / 2], wrong);
        close(&w);
    }
}

/*
 * Two SMs of a coalescer read a line that crosses a slow link. Another SM's store, or the reader's own atomic, may be
 * performed meanwhile. A load that must find the value of its moment waits for neither read.
 */
static uint32_t old_reads_joined(const char *protocol, const char *settings, column c) {
    static world w;
    uint32_t count = 0;
    cr_assert(open(&w, protocol, settings, false, "timed"));
    for (uint32_t distance = 0; distance < 300; distance++) {
        const uint64_t address = 0x1000 + 0x1000 * distance;
        uint32_t ignored, found = 0;
        (void)load(&w, 6, address, DONE, &ignored);
        if (distance % 2)
            (void)load(&w, 7, address, DONE, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            step(&w);
        if (c == ATOMIC)
            (void)store(&w, 7, address, GPC_HINT_NONE, true);
        else
            wait(&w, store(&w, 0, address, GPC_HINT_NONE, false));
        wait(&w, load(&w, 7, address, c, &found));
        count += found != 1;
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    }
    close(&w);
    return count;
}

Test(timed_visibility, loads_that_join_no_older_read) {
    static const char *const plain[] = {"none", "viper"}, *const settings[] = {
                                                              "l2.partitions = 2\nl2.link_latency = 60\n",
                                                              "l2.partitions = 2\nl2.link_latency = 60\nlrc.sms = 2\n"};
    static const column columns[] = {STRONG, DONE_CV, ATOMIC};
    for (unsigned i = 0; i < 12; i++)
        cr_expect_eq(old_reads_joined(plain[i / 6], settings[i % 2], columns[i / 2 % 3]), 0, "%s, %s, %s", plain[i / 6],
                     settings[i % 2], column_names[columns[i / 2 % 3]]);
}

/* A load that another SM's read answers, which left before its own SM's store was performed, has the store's bytes. */
Test(timed_visibility, a_store_and_the_read_of_another_sm) {
    static world w;
    cr_assert(open(&w, "none", "lrc.sms = 2\nnetwork.width = 4B\n", false, "timed"));
    for (uint32_t distance = 0; distance < 100; distance++) {
        const uint64_t address = 0x1000 + 0x1000 * distance;
        uint32_t ignored, found = 0;
        for (uint32_t n = 1; n < 8; n++) /* the store waits behind these */
            (void)store(&w, 1, address + 0x100 * n, GPC_HINT_NONE, false);
        (void)store(&w, 1, address, GPC_HINT_NONE, false);
        for (uint32_t n = 0; n < distance; n++)
            step(&w);
        (void)load(&w, 0, address, DONE, &ignored);
        wait(&w, load(&w, 1, address, DONE, &found));
        cr_expect_eq(found, 1, "%u cycles apart", (unsigned)distance);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    }
    close(&w);
}

/* A store past the caches does not overtake an older store that waits for a way in L2. */
Test(timed_visibility, stores_past_caches_keep_order) {
    static const uint32_t first = 1, second = 2;
    static world w;
    cr_assert(open(&w, "slc-glc", "l2.slices = 1\nl2.size = 4KiB\nl2.ways = 1\n", false, "timed"));
    for (uint32_t distance = 0; distance < 120; distance++) {
        const uint64_t address = 0x100000 + 0x80 * (distance % 32);
        uint32_t ignored, found = 0;
        (void)load(&w, 7, address + 0x10000, DONE, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            step(&w);
        (void)store_value(&w, 0, address, GPC_HINT_NONE, true, &first);
        (void)store_value(&w, 0, address, GPC_HINT_WT, false, &second);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        fence(&w, 1, GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS);
        wait(&w, load(&w, 1, address, DONE, &found));
        cr_expect_eq(found, 2, "%u cycles apart: %u", (unsigned)distance, found);
    }
    close(&w);
}

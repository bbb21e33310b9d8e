/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "timed/world.h"

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

enum { DISTANCES = 160, MESSAGE_DISTANCES = 24 };

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
    MESSAGE_GPU,
    MESSAGE_SYS,
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
                                                  "message, GPU",
                                                  "message, system",
                                                  "kernel, `kernels.flush = l1`",
                                                  "kernel, `kernels.flush = none`"};

/* The reader's history with the line before the counting load. */
typedef enum meeting { STRANGER, LOADED_BEFORE, LOADS_FIRST, LOADS_SECOND, STORED_BESIDE, MEETINGS } meeting;

typedef struct reader {
    const char *name, *settings;
    uint32_t sm;
} reader;

#define TWO_GPUS "gpu.count = 2\nsm.count = 4\nl2.slices = 3\nl2.size = 384KiB\ndram.channels = 3\n"
static const char clusters[] = "cluster.sms = 2\n", gpus[] = TWO_GPUS,
                  homes[] = TWO_GPUS "gpu.home = l2\npage.placement = round-robin\n", halves[] = "l2.partitions = 2\n";

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

static load_manner manner_of(column c) {
    return c == STRONG ? LOAD_GPU : c == DONE_CV || c == WT_CV ? LOAD_CV : LOAD_WEAK;
}

/*
 * The reader's loads and stores before the counting load, at a number of cycles from the store; the store is then done.
 */
static void meet(world *w, const reader *r, meeting how, column c, uint64_t address, uint32_t distance) {
    const uint8_t hint = c == WT || c == WT_CV ? GPC_HINT_WT : GPC_HINT_NONE;
    uint32_t ignored;
    uint64_t first = 0, second;
    if (how == LOADED_BEFORE)
        world_wait(w, world_load(w, r->sm, address, LOAD_WEAK, &ignored));
    else if (how == STORED_BESIDE)
        world_wait(w, world_store(w, r->sm, address + 64, GPC_HINT_NONE, false));
    else if (how == LOADS_FIRST)
        first = world_load(w, r->sm, address, LOAD_WEAK, &ignored);
    for (uint32_t n = 0; how == LOADS_FIRST && n < distance; n++)
        world_step(w);
    second = world_store(w, 0, address, hint, c == ATOMIC);
    for (uint32_t n = 0; how == LOADS_SECOND && n < distance; n++)
        world_step(w);
    if (how == LOADS_SECOND)
        first = world_load(w, r->sm, address, LOAD_WEAK, &ignored);
    world_wait(w, second);
    if (first && c >= FENCE_GPU) /* an earlier load, older than an acquire may be */
        world_wait(w, first);
}

/* True if the reader's load finds the store. */
static bool finds(world *w, const reader *r, meeting how, column c, uint32_t distance) {
    const uint64_t address = 0x100000 + w->lines++ * WORLD_LINE;
    const gpc_scope scope = c == FENCE_SYS ? GPC_SCOPE_SYS : GPC_SCOPE_GPU;
    uint32_t found = 0;
    meet(w, r, how, c, address, distance);
    if (c == FENCE_GPU || c == FENCE_SYS) {
        world_fence(w, 0, GPC_ORDER_RELEASE, scope);
        world_fence(w, r->sm, GPC_ORDER_ACQUIRE, scope);
    }
    if (c >= KERNEL) {
        cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_begin_kernel(w->h, NULL, NULL), GPC_OK);
    }
    world_wait(w, world_load(w, r->sm, address, manner_of(c), &found));
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    return found == 1;
}

/* A strong store of the flag, with a scope. */
static uint64_t raise_flag(world *w, uint64_t flag, gpc_scope scope) {
    static const uint32_t one = 1;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = GPC_STORE;
    a.order = GPC_ORDER_RELAXED;
    a.scope = (uint8_t)scope;
    a.mask = 1;
    a.addresses = &flag;
    a.width = 4;
    a.bytes = (const uint8_t *)&one;
    return world_issue(w, &a);
}

/* A writer with a message under way: the flag follows the writer's fence. */
typedef struct writer {
    uint64_t fence, flag; /* tokens; 0: not issued */
    uint64_t address;     /* of the flag */
    gpc_scope scope;
} writer;

/* Waits for a reader's operation. The writer goes on meanwhile. */
static void wait_beside(world *w, writer *from, uint64_t operation) {
    for (uint32_t n = 0; !w->done[operation % WORLD_TOKENS]; n++) {
        cr_assert_lt(n, 100000u, "an operation never completes");
        world_step(w);
        if (!from->flag && w->done[from->fence % WORLD_TOKENS])
            from->flag = raise_flag(w, from->address, from->scope);
    }
}

/*
 * Loads the flag and acquires, until the flag is seen: at most twice more after the flag's store has completed, and once
 * after all messages have arrived.
 */
static bool sees_flag(world *w, uint32_t sm, writer *from) {
    const load_manner how = from->scope == GPC_SCOPE_SYS ? LOAD_SYS : LOAD_GPU;
    uint32_t raised = 0;
    for (unsigned late = 0; !raised && late < 3; late += from->flag && w->done[from->flag % WORLD_TOKENS]) {
        if (late == 2)
            cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
        wait_beside(w, from, world_load(w, sm, from->address, how, &raised));
        wait_beside(w, from, world_begin_fence(w, sm, GPC_ORDER_ACQUIRE, from->scope));
    }
    return raised;
}

/*
 * A message: SM 0 stores the word, and behind a release stores a flag. The reader sees the flag, acquires, and loads
 * the word. True if the reader sees the flag and finds the store.
 */
static bool hears(world *w, const reader *r, meeting how, column c, uint32_t distance) {
    const uint64_t address = 0x100000 + w->lines++ * WORLD_LINE;
    writer from = {.address = 0x100000 + w->lines++ * WORLD_LINE,
                   .scope = c == MESSAGE_SYS ? GPC_SCOPE_SYS : GPC_SCOPE_GPU};
    uint32_t found = 0, ignored;
    if (how != STRANGER)
        world_wait(w, world_load(w, r->sm, address, LOAD_WEAK, &ignored));
    if (how == LOADED_BEFORE)
        world_wait(w, world_load(w, r->sm, from.address, LOAD_WEAK, &ignored));
    if (how == LOADS_FIRST)
        (void)world_load(w, r->sm, address, LOAD_WEAK, &ignored);
    for (uint32_t n = 0; n < distance; n++)
        world_step(w);
    (void)world_store(w, 0, address, GPC_HINT_NONE, false);
    from.fence = world_begin_fence(w, 0, GPC_ORDER_RELEASE, from.scope);
    const bool seen = sees_flag(w, r->sm, &from);
    world_wait(w, world_load(w, r->sm, address, LOAD_WEAK, &found));
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    return seen && found == 1;
}

static bool is_message(column c) {
    return c == MESSAGE_GPU || c == MESSAGE_SYS;
}

/* Number of stale loads of a cell; -1: no such machine. */
static int stale(const char *protocol, const reader *r, column c) {
    static world w;
    int count = 0;
    if (!world_open(&w, protocol, r->settings, c == KERNEL_KEPT, "timed"))
        return -1;
    for (meeting how = STRANGER; how < MEETINGS; how++) {
        const uint32_t distances = is_message(c)                               ? MESSAGE_DISTANCES
                                   : how == LOADS_FIRST || how == LOADS_SECOND ? DISTANCES
                                                                               : 4;
        for (uint32_t d = 0; d < distances; d++)
            count += !(is_message(c) ? hears : finds)(&w, r, how, c, d);
    }
    world_close(&w);
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
    const bool other_gpu = strstr(r->settings, gpus) && r->sm >= WORLD_SMS / 2;
    if (is_one_of(protocol, "nmoesi-multi2sim")) /* refused accesses lose bytes, as in the program */
        return false;
    if (is_one_of(protocol, "msi mesi mosi moesi mesif")) /* a single writer, and no copy that is old */
        return true;
    if (r->sm == 0 || c == KERNEL)
        return true;
    if (is_one_of(protocol, "nmoesi nmoesi-d")) /* an atomic is a coherent store */
        return c == ATOMIC;
    if (is_one_of(protocol, "none viper") && (c == STRONG || c == DONE_CV || c == WT_CV))
        return true;
    if (is_one_of(protocol, "none"))
        return false;
    if (c == WT_CV)
        return is_one_of(protocol, "slc-glc");
    if (is_message(c) && is_one_of(protocol, "slc-glc")) /* a strong store stays in L1, unlike one of .wt */
        return false;
    return c == FENCE_SYS || c == MESSAGE_SYS || c == KERNEL_KEPT ||
           ((c == FENCE_GPU || c == MESSAGE_GPU) && !other_gpu);
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
            if (!world_open(&w, protocols[p], readers[r].settings, false, "functional"))
                continue;
            gpc_warp_access a = GPC_WARP_ACCESS_INIT;
            a.mask = 1;
            a.addresses = &address;
            a.width = 4;
            a.kind = GPC_LOAD;
            a.sm = readers[r].sm;
            a.out = (uint8_t *)&old;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL, NULL), GPC_OK);
            a.kind = GPC_STORE;
            a.sm = 0;
            a.out = NULL;
            a.bytes = (const uint8_t *)&one;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_begin_kernel(w.h, NULL, NULL), GPC_OK);
            a.kind = GPC_LOAD;
            a.sm = readers[r].sm;
            a.bytes = NULL;
            a.out = (uint8_t *)&found;
            cr_assert_eq(gpc_hierarchy_access(w.h, &a, NULL, NULL), GPC_OK);
            cr_expect_eq(found, 1, "%s: %s", protocols[p], readers[r].name);
            world_close(&w);
        }
}

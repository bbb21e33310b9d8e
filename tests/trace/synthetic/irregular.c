/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels over random data: accesses per thread, counted from the kernel's definition. */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Loads, stores and atomics per element of an array. */
typedef struct tally {
    size_t array;
    unsigned width;
    uint64_t loads, stores, atomics;
    unsigned *loaded, *stored, *changed;
} tally;

static tally make_tally(const arrays_rig *t, size_t array, unsigned width) {
    size_t elements = t->arrays[array].bytes / width;
    tally sum = {.array = array, .width = width};
    sum.loaded = calloc(elements, sizeof(unsigned));
    sum.stored = calloc(elements, sizeof(unsigned));
    sum.changed = calloc(elements, sizeof(unsigned));
    cr_assert(sum.loaded && sum.stored && sum.changed);
    return sum;
}

static void free_tally(tally *sum) {
    free(sum->loaded);
    free(sum->stored);
    free(sum->changed);
}

static void add(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    (void)thread;
    tally *sum = data;
    if (array != sum->array)
        return;
    uint64_t element = offset / sum->width;
    bool load = i->kind == GPC_LOAD, store = i->kind == GPC_STORE;
    *(load ? &sum->loads : store ? &sum->stores : &sum->atomics) += 1;
    (load ? sum->loaded : store ? sum->stored : sum->changed)[element]++;
}

/* Instructions are 16 bytes apart, as in a real program. */
Test(synthetic_irregular, places_of_instructions) {
    gpc_context *context;
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    uint64_t last = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(context, "synthetic:sssp:4KiB", &trace, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_block(trace, &block, NULL), GPC_OK);
    for (uint64_t n = 0; n < block->warps[0].count; n++) {
        const uint64_t pc = block->warps[0].instructions[n].pc;
        cr_assert_eq(pc % 16, 0, "%#lx", (unsigned long)pc);
        last = pc > last ? pc : last;
    }
    cr_expect_gt(last, 16);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}

/*
 * Rodinia's bfs. Expected numbers are from a C++ program: the program draws the graph as graphgen.cpp, with rand() and
 * libstdc++'s classes, searches the graph, and counts 32-byte sectors of each warp's accesses by the kernels' source.
 */
static tally all_levels(size_t array, unsigned width) {
    arrays_rig t;
    arrays_open(&t, "rodinia-bfs:98304");
    tally sum = make_tally(&t, array, width);
    while (arrays_next(&t, add, &sum))
        ;
    rig_close(&t.rig);
    return sum;
}

/* Each edge is loaded once, at the level of its node. Each node but the first is marked once as visited. */
Test(synthetic_irregular, levels) {
    enum { EDGES = 1, LEVELS, MARKS, NODES = 4096, MET = 2 * NODES };
    tally edges = all_levels(EDGES, 4), levels = all_levels(LEVELS, 4), marks = all_levels(MARKS, 1);
    for (unsigned node = 0; node < NODES; node++) {
        cr_assert_eq(marks.stored[MET + node], node > 0);
        cr_assert_eq(marks.stored[node], node ? 2 : 1, "set for its level, and cleared there");
    }
    cr_expect_eq(edges.loads, 24692);
    for (unsigned edge = 0; edge < 24692; edge++)
        cr_assert_eq(edges.loaded[edge], 1);
    cr_expect_eq(levels.loads, levels.stores);
    cr_expect_eq(levels.atomics + edges.stores, 0);
    free_tally(&marks);
    free_tally(&levels);
    free_tally(&edges);
}

static void count_marks(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    enum { MARKS = 3, MET = 2 * 4096, OVER = 3 * 4096 };
    (void)thread;
    *(unsigned *)data += array == MARKS && i->kind == GPC_STORE && offset >= MET && offset < OVER;
}

/* Each Kernel2 marks the nodes of one more level as visited; the last finds none. */
Test(synthetic_irregular, level_sizes) {
    static const unsigned sizes[] = {8, 51, 267, 1146, 2138, 483, 2, 0};
    arrays_rig t;
    unsigned launches = 0, marked = 0;
    arrays_open(&t, "rodinia-bfs:98304");
    for (; arrays_next(&t, count_marks, &marked); launches++, marked = 0) {
        cr_assert_eq((strstr(t.rig.kernel.name, "Kernel2") != NULL), launches % 2, "%s", t.rig.kernel.name);
        cr_expect_eq(marked, launches % 2 ? sizes[launches / 2] : 0, "launch %u: %u", launches, marked);
    }
    cr_expect_eq(launches, 16, "%u launches", launches);
    rig_close(&t.rig);
}

/* Launches, and sectors of all accesses, without reloads, with reloads behind stores, and with reloads for each edge. */
Test(synthetic_irregular, searched_graphs) {
    static const struct {
        const char *source;
        unsigned launches;
        uint64_t sectors;
    } cases[] = {{"rodinia-bfs:98304:reloads=0", 16, 77383}, {"rodinia-bfs:98304:reloads=1", 16, 90929},
                 {"rodinia-bfs:98304", 16, 109181},          {"rodinia-bfs:65520:reloads=0", 16, 51100},
                 {"rodinia-bfs:1572864:seed=4", 18, 0},      {"rodinia-bfs:1572864:seed=6", 20, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rig r;
        unsigned launches = 0;
        uint64_t sectors = 0;
        rig_open(&r, cases[c].source);
        for (; rig_kernel(&r); launches++) {
            const traffic all = cases[c].sectors ? rig_traffic(&r) : (traffic){0};
            sectors += all.load_sectors + all.store_sectors;
        }
        cr_expect_eq(launches, cases[c].launches, "%s: %u launches", cases[c].source, launches);
        cr_expect_eq(sectors, cases[c].sectors, "%s: %lu sectors", cases[c].source, (unsigned long)sectors);
        rig_close(&r);
    }
}

/* Accesses of a query: nodes in the order of the first thread's loads of keys, and the record. */
typedef struct search {
    uint64_t nodes[8], record, found;
    unsigned levels;
} search;

typedef struct searches {
    search of[40];
} searches;

static void follow(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    enum { NODE = 2068, KEYS = 4 + 257 * 4, QUERY_ARRAY = 40 * 8 };
    search *s = &((searches *)data)->of[thread / 256];
    if (array == 0 && thread % 256 == 0 && i->kind == GPC_LOAD && offset % NODE == KEYS)
        s->nodes[s->levels++ % 8] = offset / NODE;
    if (array == 1) {
        cr_assert_eq(s->record, 0, "one record");
        s->record = offset / 4 + 1;
    }
    if (array == 2 && i->kind == GPC_STORE && offset / QUERY_ARRAY >= 6)
        s->found++;
}

/*
 * 40,000 records in nodes of 128: 313 leaves below three nodes and the root. A query goes from the root through the
 * right node to the record's leaf.
 */
Test(synthetic_irregular, btree) {
    enum { ROOT, MIDDLE, LEAVES = 4, QUERIES = 40 };
    static searches found;
    arrays_rig t;
    arrays_open(&t, "rodinia-btree:160000:queries=40,ranges=20");
    arrays_run(&t, follow, &found);
    cr_expect_eq(t.arrays[0].bytes, 2068 * (1 + 3 + 313));
    for (unsigned query = 0; query < QUERIES; query++) {
        const search *s = &found.of[query];
        const uint64_t record = s->record - 1, nodes[] = {ROOT, MIDDLE + record / 128 / 128, LEAVES + record / 128};
        cr_assert_eq(s->levels, 3);
        cr_assert_eq(s->found, 1);
        for (unsigned level = 0; level < 3; level++)
            cr_assert_eq(s->nodes[level], nodes[level], "query %u, level %u", query, level);
    }
    memset(&found, 0, sizeof found);
    arrays_run(&t, follow, &found);
    rig_close(&t.rig);
    for (unsigned query = 0; query < 20; query++) {
        cr_assert_eq(found.of[query].levels, 2 * 3);
        cr_assert_eq(found.of[query].found, 2, "where it starts, and how long it is");
    }
}

/* Loads of variables by a cell's thread: first the cell's, then the neighbours', array after array. */
typedef struct flows {
    unsigned own[1000], around[1000];
    uint64_t others, stores;
} flows;

static void check_flow(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    flows *f = data;
    cr_assert_lt(thread, 1000);
    if (array == 3) {
        cr_assert_eq(offset % 4000, 4 * thread);
        f->stores += i->kind == GPC_STORE;
    } else if (array) {
        cr_assert_eq(offset % 4000, 4 * thread);
        f->others++;
    } else if (f->own[thread] < 5) {
        cr_assert_eq(offset, 4000 * f->own[thread]++ + 4 * thread);
    } else {
        uint64_t away = (offset % 4000 / 4 + 1000 - thread) % 1000;
        cr_assert_eq(offset / 4000, f->around[thread]++ % 5);
        cr_assert(away && (away <= 16 || away >= 984), "cell %lu looks at one %lu away", (unsigned long)thread,
                  (unsigned long)away);
    }
}

/* 1,000 cells: 4 neighbours and 12 numbers of normals each, 98 of 100 neighbours exist. */
Test(synthetic_irregular, cfd) {
    static flows f;
    arrays_rig t;
    arrays_open(&t, "rodinia-cfd:20000:near=16,launch=2");
    arrays_run(&t, check_flow, &f);
    rig_close(&t.rig);
    unsigned around = 0;
    for (unsigned cell = 0; cell < 1000; cell++) {
        cr_assert_eq(f.own[cell], 5);
        around += f.around[cell] / 5;
    }
    cr_assert_eq(f.others, 16000);
    cr_assert_eq(f.stores, 5000);
    cr_assert(around > 3880 && around < 3960, "%u of 4000 neighbours", around); /* four deviations are 35 */
}

/* Arrays of Mars' Mapper, in the order of their allocation; without a keyword, OUT_ and those behind are one less. */
enum {
    MARS_KEYS,
    MARS_VALUES,
    MARS_OFFSETS,
    MARS_TEXT,
    MARS_KEYWORD,
    MARS_OUT_KEYS = 10,
    MARS_OUT_VALUES,
    MARS_OUT_SIZES
};

/* Next expected offsets of a thread's loads of a row. */
typedef struct scores {
    unsigned first[496], second[496], steps[496], fields[496];
    uint64_t copied[2];
} scores;

static void check_score(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    scores *s = data;
    cr_assert_lt(thread, 496);
    if (array == MARS_VALUES)
        cr_assert_eq(offset, 16 * thread + 4 * s->fields[thread]++);
    if (array == MARS_TEXT) {
        unsigned step = s->steps[thread]++, row = step % 2 ? s->second[thread] : s->first[thread];
        cr_assert_eq(i->width, 16);
        cr_assert_eq(offset, row * 256 + step / 2 * 16);
    }
    if (array == MARS_OUT_KEYS - 1 || array == MARS_OUT_VALUES - 1) {
        unsigned bytes = array == MARS_OUT_KEYS - 1 ? 4 : 8;
        cr_assert_eq(offset / bytes, thread);
        s->copied[array - (MARS_OUT_KEYS - 1)]++;
    }
}

/* 32 documents of 64 features make 496 pairs of two rows of 16 vectors. A result is a float and two numbers. */
Test(synthetic_irregular, similarity_score) {
    static scores s;
    unsigned pair = 0;
    for (unsigned first = 0; first < 32; first++)
        for (unsigned second = first + 1; second < 32; second++, pair++) {
            s.first[pair] = first;
            s.second[pair] = second;
        }
    arrays_rig t;
    arrays_open(&t, "similarity-score:8KiB:features=64");
    arrays_run(&t, check_score, &s);
    for (pair = 0; pair < 496; pair++) {
        cr_assert_eq(s.steps[pair], 32);
        cr_assert_eq(s.fields[pair], 3);
    }
    cr_assert_eq(s.copied[0], 4 * 496);
    cr_assert_eq(s.copied[1], 8 * 496);
    rig_close(&t.rig);
}

enum { COMD_LISTS, COMD_TABLE, COMD_POSITIONS, COMD_FORCES };

/*
 * On a cube of 3 x 3 x 3 cells, all cells are neighbours: every one of the 432 atoms meets all atoms once, and loads
 * the own coordinates once before. The three coordinates are arrays of 27 cells by 64 places, one behind another.
 */
static void check_cells(const char *source, uint64_t atoms, uint64_t places, uint64_t seen) {
    arrays_rig t;
    arrays_open(&t, source);
    tally sum = make_tally(&t, COMD_POSITIONS, 8);
    arrays_run(&t, add, &sum);
    uint64_t used[3] = {0};
    for (unsigned axis = 0; axis < 3; axis++)
        for (uint64_t place = 0; place < places; place++) {
            unsigned times = sum.loaded[axis * places + place];
            cr_assert(!times || times == seen + 1, "place %lu is read %u times", (unsigned long)place, times);
            used[axis] += times > 0;
            cr_assert_eq(!times, !sum.loaded[place], "coordinates of different atoms");
        }
    cr_assert_eq(used[0], atoms);
    cr_assert_eq(sum.stores, 0);
    free_tally(&sum);
    rig_close(&t.rig);
}

Test(synthetic_irregular, comd) {
    check_cells("comd:13824", 432, 27 * 64, 432);
    check_cells("comd:13824:spread=0", 432, 27 * 64, 432);
    check_cells("comd:13824:spread=15,seed=7", 432, 27 * 64, 432);
    /* With 4 x 4 x 4 cells an atom is in the neighbourhoods of 27 cells, with 10 atoms each. */
    check_cells("comd:32KiB:atoms=10,spread=0", 640, 64 * 64, 270);
}

/* A force of three components and an energy per atom. */
Test(synthetic_irregular, comd_forces) {
    arrays_rig t;
    arrays_open(&t, "comd:13824");
    tally sum = make_tally(&t, COMD_FORCES, 8);
    arrays_run(&t, add, &sum);
    cr_assert_eq(sum.stores, 4 * 432);
    for (unsigned k = 0; k < 4 * 432; k++)
        cr_assert_eq(sum.stored[k], 1);
    free_tally(&sum);
    rig_close(&t.rig);
}

static tally of_array(const char *source, size_t array, unsigned width) {
    arrays_rig t;
    arrays_open(&t, source);
    tally sum = make_tally(&t, array, width);
    arrays_run(&t, add, &sum);
    rig_close(&t.rig);
    return sum;
}

/* Bytes of the text read at least once, from the first on; must be contiguous. */
static uint64_t stretch(const tally *sum, uint64_t bytes) {
    uint64_t read = 0;
    for (; read < bytes && sum->loaded[read]; read++)
        ;
    for (uint64_t b = read; b < bytes; b++)
        cr_assert(!sum->loaded[b], "bytes are left out");
    return read;
}

/* Loads by StringMatch's map, run in C on the text: of each byte, and of the keyword. */
typedef struct matches {
    unsigned *loaded, keyword[4], found;
} matches;

static void map_record(matches *m, const char *text, size_t offset, size_t size) {
    size_t read = 0, at = offset;
    for (;;) {
        size_t start = at, letter = 0;
        for (; m->loaded[at]++, text[at] != '\n'; at++, read++)
            ;
        at++;
        if (read >= size)
            return;
        if (at - start != 4)
            continue;
        for (;; letter++) {
            m->loaded[start + letter]++;
            m->keyword[letter]++;
            if (text[start + letter] != "org"[letter] || !"org"[letter])
                break;
        }
        m->found += text[start + letter] == '\n';
    }
}

/* The sample's words, record by record: each ends with the line behind 1,024 bytes. */
Test(synthetic_irregular, string_match) {
    static const char words[] =
        "www\nsecure\norg\nhongkong\ntech\ntechnology\nscience\ncomputer\nschool\ndepartent\n"
        "ort\norg\ndepartent\nsite\nicdcs\nhello\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
        "nine\nten\neleven\ntwlve\n";
    static char text[2 * 192 * 1024];
    matches m = {.loaded = calloc(sizeof text, sizeof(unsigned))};
    cr_assert(m.loaded);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = words[i % (sizeof words - 1)];
    size_t records = 0, offset = 0;
    for (; offset < 192 * 1024; records++) {
        size_t end = offset + 1024;
        while (text[end] != '\n')
            end++;
        map_record(&m, text, offset, end + 1 - offset);
        offset = end + 1;
    }
    tally sum = of_array("string-match:192KiB", MARS_TEXT, 1);
    for (size_t i = 0; i < offset + 300; i++)
        cr_assert_eq(sum.loaded[i], m.loaded[i], "byte %zu: %u, %u", i, sum.loaded[i], m.loaded[i]);
    cr_assert_eq(sum.stores, 0);
    tally key = of_array("string-match:192KiB", MARS_KEYWORD, 1);
    for (unsigned letter = 0; letter < 4; letter++)
        cr_assert_eq(key.loaded[letter], m.keyword[letter]);
    tally results = of_array("string-match:192KiB", MARS_OUT_SIZES, 16);
    cr_assert_eq(results.stores, records + m.found); /* an entry at the kernel's begin, and one a result */
    free(m.loaded);
    free_tally(&sum);
    free_tally(&key);
    free_tally(&results);
}

/*
 * 64 KiB of pages: every byte is read, by the scan or by a skip. A link's end is marked, and a result has 16 bytes of
 * key and 4 of value. The mean distance from link to link is 508 bytes; a record loses about half of a distance.
 */
Test(synthetic_irregular, inverted_index) {
    tally sum = of_array("inverted-index:64KiB", MARS_TEXT, 1);
    tally values = of_array("inverted-index:64KiB", MARS_OUT_VALUES - 1, 1);
    tally keys = of_array("inverted-index:64KiB", MARS_OUT_KEYS - 1, 1);
    cr_assert_geq(stretch(&sum, 64 * 1024), 64 * 1024 - 1100);
    cr_assert_eq(values.stores, 4 * sum.stores);
    cr_assert_eq(keys.stores, 16 * sum.stores);
    cr_assert(sum.stores > 62 && sum.stores < 124, "%lu links of 62 records", (unsigned long)sum.stores);
    /* A link's bytes are read twice, and once for the hash; its first byte is also the scan's. */
    for (uint64_t b = 40; b < 60 * 1024; b++)
        if (sum.stored[b])
            cr_assert(sum.loaded[b - 1] == 2 && sum.loaded[b - 16] >= 2, "%lu", (unsigned long)b);
    free_tally(&sum);
    free_tally(&values);
    free_tally(&keys);
}

/*
 * 192 KiB of words: a word's end is marked, and a word of six letters or more is emitted with its end; a letter ends a
 * word 22 times of 100. Behind the mark are .82 bytes more.
 */
Test(synthetic_irregular, word_count) {
    tally sum = of_array("word-count:192KiB", MARS_TEXT, 1), keys = of_array("word-count:192KiB", MARS_OUT_KEYS - 1, 1);
    tally values = of_array("word-count:192KiB", MARS_OUT_VALUES - 1, 1);
    double words = (double)sum.stores, bytes = 1 / .22 + 1 + .45 / .55, emitted = (double)values.stores / 4;
    cr_assert_float_eq(words, 192 * 1024 / bytes, 0.02 * words);
    double longer = .78 * .78 * .78 * .78 * .78;
    cr_assert_float_eq(emitted, words * longer, 0.03 * emitted);
    /* Six letters, those behind, and the end. */
    cr_assert_float_eq((double)keys.stores, emitted * (6 + .78 / .22 + 1), 0.02 * (double)keys.stores);
    free_tally(&sum);
    free_tally(&keys);
    free_tally(&values);
}

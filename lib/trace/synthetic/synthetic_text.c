/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_mars.h"

#include <string.h>

/*
 * Three sample applications of Mars (synthetic_mars.h), from their map.cu. main.cu cuts a text into records, after
 * the end of the line or word behind 1,024 bytes (StringMatch, InvertedIndex) or 2,048 bytes (WordCount). A thread
 * scans a record byte by byte: the lanes of a warp read 32 separate lines, and access each of these lines once for
 * each byte.
 *
 * StringMatch counts letters, without the ends of lines, up to the number of bytes of the record: a thread also reads
 * about a fifth of the next record. Words are the lines. A word of the keyword's length is compared with the keyword.
 * WordCount marks each word's end in the text, and emits words of more than five letters. InvertedIndex searches the
 * link behind `<a href="`, marks the link's end, computes a hash of the link, and emits.
 *
 * The text of StringMatch repeats the 28 words of Mars' sample, which run.sh searches for "org". The other texts are
 * random, with means of Mars' samples (BIN_TMPL): links have 16 to 47 bytes (sample 5 to 79, mean 32) and are 508
 * bytes apart; words have 4.45 letters, and .82 more bytes between words than the marked byte.
 */

#define LINK_LEAST 16u
#define LINK_SPREAD 32u
#define HREF 3u    /* position of the comparison in `<a href="` */
#define OPENING 9u /* length of `<a href="` */
#define GAP_LEAST 8u

/* R5 keyword's size, R6 size, R7 place in the text, R8 keyword, R10 letters, R11 start of the word. */
static const char match_code[] = GPCI_MARS_MAPPER
    "R6 LDG.E R5; R10 LDG.E R5; R8 LDG.E.64 R4; R7 IADD3 R8 R6; R6 MOV R10; R8 LDG.E.64 R4; R5 LDG.E R5;"
    "R10 MOV R255; word: R11 MOV R7; letter: R15 LDG.E.U8 R7; P0 ISETP.NE.AND R15; R7 IADD3 R7; R10 IADD3 R10;"
    "@P0 BRA letter; P1 ISETP.GE.AND R10 R6; @P1 EXIT; R12 IADD3 R7 R11; P2 ISETP.NE.AND R12 R5; @P2 BRA next;"
    "R13 MOV R8; same: R15 LDG.E.U8 R11; R16 LDG.E.U8 R13; P3 ISETP.EQ.AND R15 R16; R11 IADD3 R11;"
    "R13 IADD3 R13; @P3 BRA same; P3 ISETP.NE.AND R15; @P3 BRA next; R14 IMAD R0; STS R14 R7; STS R14 "
    "R12; " GPCI_MARS_EMIT(GPCI_MARS_SHARED(4, "R16"), GPCI_MARS_SHARED(4, "R17")) "next: BRA word; EXIT";

/* R6 size, R7 place in the text, R9 bytes, R11 start of the word. */
static const char words_code[] = GPCI_MARS_MAPPER
    "R8 LDG.E.64 R4; R6 LDG.E R5; R7 IADD3 R8 R6; R6 LDG.E R5; R9 MOV R255;"
    "word: R11 MOV R7; letter: R15 LDG.E.U8 R7; P0 ISETP.GE.AND R15; P0 ISETP.LE.AND R15 P0; R7 IADD3 R7; R9 IADD3 R9;"
    "@P0 BRA letter; STG.E.U8 R7 R255; R12 IADD3 R7 R11; R14 IMAD R0; STS R14 R12; P2 ISETP.LE.AND R12; @P2 BRA blank;"
    "R10 MOV R11; " GPCI_MARS_EMIT(
        "copy: R15 LDG.E.U8 R10; STG.E.U8 R16 R15; R10 IADD3 R10; P3 ISETP.NE.AND R10 R7; @P3 BRA copy;",
        GPCI_MARS_SHARED(4, "R17")) "blank: R15 LDG.E.U8 R7; P0 ISETP.LT.AND R15; P0 ISETP.GT.OR R15 P0; R7 IADD3 R7 "
                                    "P0; R9 IADD3 R9; @P0 BRA blank;"
                                    "P1 ISETP.GE.AND R9 R6; @P1 EXIT; BRA word; EXIT";

/* R6 size, R7 the record's text, R8 bytes read, R9 state, R10 place in the link. */
static const char index_code[] = GPCI_MARS_MAPPER
    "R6 LDG.E R5; R8 LDG.E.64 R4; R7 IADD3 R8 R6; R6 LDG.E R5; R8 MOV R255; R9 MOV R255;"
    "byte: R15 LDG.E.U8 R7; P0 ISETP.EQ.AND R9; P1 ISETP.EQ.AND R15 P0; R9 SEL R9 P1; P1 ISETP.NE.AND R9; @P1 BRA link;"
    "5*{R16 LDG.E.U8 R7; P2 ISETP.NE.AND R16}; R9 SEL R9 P2; R7 IADD3 R7 P2; R8 SEL R8 P2; link: P3 ISETP.NE.AND R9;"
    "@P3 BRA next; R10 MOV R7; end: R15 LDG.E.U8 R10; P0 ISETP.NE.AND R15; R10 IADD3 R10; @P0 BRA end;"
    "STG.E.U8 R10 R255; R12 IADD3 R10 R7; STG.E R4 R8; R8 IADD3 R8 R12; R13 MOV R12; R11 MOV R7;"
    "hash: R15 LDG.E.U8 R11; R16 SHF.L R13; R17 SHF.R R13; R13 LOP3.LUT R16 R17 R15; R11 IADD3 R11;"
    "P0 ISETP.LT.AND R11 R10; @P0 BRA hash; STG.E R4 R13; " GPCI_MARS_EMIT(
        GPCI_MARS_GLOBAL(16, "R4", "R16"),
        GPCI_MARS_GLOBAL(4, "R5", "R17")) "R7 MOV R10; R9 MOV R255;"
                                          "next: R7 IADD3 R7; R8 IADD3 R8; P0 ISETP.LT.AND R8 R6; @P0 BRA byte; EXIT";

static uint64_t random_below(const gpci_launch *launch, uint64_t salt, uint64_t index, uint64_t bound) {
    return (gpci_mix(launch->seed + index * 4 + salt) >> 32) * bound >> 32;
}

/*
 * StringMatch: the sample's words in their order, as letters, and equal first letters of "org". 143 letters and 28 ends
 * of lines make a cycle.
 */
static const struct {
    uint8_t letters, alike;
} sample[] = {{3, 0}, {6, 0}, {3, 3}, {8, 0}, {4, 0}, {10, 0}, {7, 0}, {8, 0}, {6, 0}, {9, 0},
              {3, 2}, {3, 3}, {9, 0}, {4, 0}, {5, 0}, {5, 0},  {3, 1}, {3, 0}, {5, 0}, {4, 0},
              {4, 0}, {3, 0}, {5, 0}, {5, 0}, {4, 0}, {3, 0},  {6, 0}, {5, 0}};

#define KEY_LETTERS 3u
#define CYCLE 171u

/* Find the word of each place in the cycle. */
static void place_words(gpci_mars *m) {
    for (unsigned word = 0, place = 0; place < CYCLE; word++)
        for (unsigned left = sample[word].letters + 1u; left--; place++) {
            m->word[place] = (uint8_t)word;
            m->left[place] = (uint8_t)left;
        }
}

/* Letters from a place of the text to the end of the word. */
static uint64_t letters_left(const gpci_launch *launch, uint64_t place) {
    return gpci_mars_of(launch)->left[place % CYCLE];
}

/* First letters of "org" with which the word at a place begins. */
static unsigned alike_letters(const gpci_launch *launch, uint64_t place) {
    return sample[gpci_mars_of(launch)->word[place % CYCLE]].alike;
}

static bool is_match(const gpci_launch *launch, uint64_t place) {
    return letters_left(launch, place) == KEY_LETTERS && alike_letters(launch, place) == KEY_LETTERS;
}

/* Results of a record: of all words but the last. */
static uint32_t count_matches(const gpci_launch *launch, uint64_t start, uint64_t size) {
    uint32_t found = 0;
    for (uint64_t letters = 0;; start += letters_left(launch, start) + 1) {
        letters += letters_left(launch, start);
        if (letters >= size)
            return found;
        found += is_match(launch, start);
    }
}

static void compare_word(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s) {
    uint64_t all = walk->mask, again, matches = 0, letter = 0, to[GPCI_SYNTHETIC_LANES] = {0};
    do {
        gpci_access_at(walk, gpci_mars_of(launch)->text + letter, s->start);
        gpci_access(walk, gpci_mars_of(launch)->keyword + letter, 0);
        again = 0;
        GPCI_FOR_LANES(lane, walk->mask)
        again |= (uint64_t)(alike_letters(launch, s->start[lane]) > letter) << lane;
        letter++;
    } while (gpci_loop(walk, again));
    walk->mask = all;
    GPCI_FOR_LANES(lane, all)
    matches |= (uint64_t)is_match(launch, s->start[lane]) << lane;
    if (gpci_if(walk, matches)) {
        gpci_access(walk, gpci_mars_scratch(walk), GPCI_MARS_SLOT);
        gpci_access(walk, gpci_mars_scratch(walk) + GPCI_ELEMENT, GPCI_MARS_SLOT);
        gpci_mars_emit(walk, launch, s, to);
        gpci_mars_copy(walk, gpci_mars_scratch(walk), GPCI_ELEMENT, gpci_mars_of(launch)->interKeys, s->key_bytes);
        gpci_mars_copy(walk, gpci_mars_scratch(walk) + GPCI_ELEMENT, GPCI_ELEMENT, gpci_mars_of(launch)->interVals, to);
        gpci_mars_emitted(walk, launch, s, NULL);
    }
    gpci_end_if(walk);
}

static void walk_match(gpci_walk *walk, const gpci_launch *launch) {
    gpci_mars_scan s = {0};
    if (!gpci_mars_enter(walk, launch, &s))
        return;
    gpci_mars_value(walk, launch, &s, 4);
    gpci_mars_value(walk, launch, &s, 8);
    gpci_mars_key(walk, launch, &s, 0);
    gpci_mars_key(walk, launch, &s, 8);
    gpci_mars_value(walk, launch, &s, 0);
    for (;;) {
        uint64_t again, more = 0, alike = 0;
        GPCI_FOR_LANES(lane, walk->mask)
        s.start[lane] = s.at[lane];
        do {
            gpci_access_at(walk, gpci_mars_of(launch)->text, s.at);
            again = 0;
            GPCI_FOR_LANES(lane, walk->mask) {
                bool letter = letters_left(launch, s.at[lane]++) > 0;
                s.read[lane] += letter;
                again |= (uint64_t)letter << lane;
            }
        } while (gpci_loop(walk, again));
        walk->mask = walk->all;
        GPCI_FOR_LANES(lane, walk->mask) {
            more |= (uint64_t)(s.read[lane] < s.size[lane]) << lane;
            alike |= (uint64_t)(s.at[lane] - s.start[lane] == KEY_LETTERS + 1) << lane;
        }
        if (!gpci_guard(walk, more))
            return;
        if (gpci_if(walk, alike & more))
            compare_word(walk, launch, &s);
        walk->mask = walk->all;
        if (!gpci_branch(walk, true))
            return;
    }
}

/* WordCount: in 100 letters, ends of words; and in 100 bytes between words, further ones. */
#define WORD_ENDS 22u
#define BLANKS 45u
#define LONG_WORD 6u /* letters of a word that is emitted, at least */

static bool ends_word(const gpci_launch *launch, uint64_t place) {
    return random_below(launch, 1, place, 100) < WORD_ENDS;
}

static bool is_blank(const gpci_launch *launch, uint64_t place) {
    return random_below(launch, 2, place, 100) < BLANKS;
}

/* Results of a record, and bytes of their keys. */
static uint32_t count_words(const gpci_launch *launch, uint64_t start, uint64_t size, uint32_t *keys) {
    uint32_t found = 0;
    for (uint64_t at = start, word = start; at - start < size; word = at) {
        while (!ends_word(launch, at++))
            ;
        at++;
        if (at - word > LONG_WORD) {
            found++;
            *keys += (uint32_t)(at - word);
        }
        for (; at - start < size && is_blank(launch, at); at++)
            ;
    }
    return found;
}

static void emit_words(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s) {
    uint64_t from[GPCI_SYNTHETIC_LANES], to[GPCI_SYNTHETIC_LANES], values[GPCI_SYNTHETIC_LANES] = {0}, again;
    uint64_t bytes[GPCI_SYNTHETIC_LANES] = {0}, all = walk->mask;
    gpci_mars_emit(walk, launch, s, values);
    GPCI_FOR_LANES(lane, all) {
        from[lane] = s->start[lane];
        to[lane] = s->key_bytes[lane];
        bytes[lane] = s->at[lane] - s->start[lane];
    }
    do {
        gpci_access_at(walk, gpci_mars_of(launch)->text, from);
        gpci_access_at(walk, gpci_mars_of(launch)->interKeys, to);
        again = 0;
        GPCI_FOR_LANES(lane, walk->mask) {
            again |= (uint64_t)(++from[lane] < s->at[lane]) << lane;
            to[lane]++;
        }
    } while (gpci_loop(walk, again));
    walk->mask = all;
    gpci_mars_copy(walk, gpci_mars_scratch(walk), GPCI_ELEMENT, gpci_mars_of(launch)->interVals, values);
    gpci_mars_emitted(walk, launch, s, bytes);
}

/* Read to the byte behind each lane's word, and mark that byte. */
static void mark_word(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s) {
    uint64_t again, all = walk->mask, ended = 0;
    GPCI_FOR_LANES(lane, all)
    s->start[lane] = s->at[lane];
    do {
        gpci_access_at(walk, gpci_mars_of(launch)->text, s->at);
        again = walk->mask & ~ended;
        GPCI_FOR_LANES(lane, again) {
            ended |= (uint64_t)ends_word(launch, s->at[lane]) << lane;
            s->at[lane]++;
        }
    } while (gpci_loop(walk, again));
    walk->mask = all;
    gpci_access_at(walk, gpci_mars_of(launch)->text, s->at);
    GPCI_FOR_LANES(lane, all)
    s->at[lane]++;
}

static void walk_words(gpci_walk *walk, const gpci_launch *launch) {
    gpci_mars_scan s = {0};
    uint64_t begun[GPCI_SYNTHETIC_LANES];
    if (!gpci_mars_enter(walk, launch, &s))
        return;
    memcpy(begun, s.at, sizeof begun);
    gpci_mars_key(walk, launch, &s, 0);
    gpci_mars_value(walk, launch, &s, 0);
    gpci_mars_value(walk, launch, &s, 4);
    for (;;) {
        uint64_t again, more = 0, emitted = 0, all;
        mark_word(walk, launch, &s);
        gpci_access(walk, gpci_mars_scratch(walk), GPCI_MARS_SLOT);
        GPCI_FOR_LANES(lane, walk->mask)
        emitted |= (uint64_t)(s.at[lane] - s.start[lane] > LONG_WORD) << lane;
        if (gpci_if(walk, emitted))
            emit_words(walk, launch, &s);
        gpci_end_if(walk);
        all = walk->mask;
        do {
            gpci_access_at(walk, gpci_mars_of(launch)->text, s.at);
            again = 0;
            GPCI_FOR_LANES(lane, walk->mask) {
                bool blank = s.at[lane] - begun[lane] < s.size[lane] && is_blank(launch, s.at[lane]);
                s.at[lane] += blank;
                again |= (uint64_t)blank << lane;
            }
        } while (gpci_loop(walk, again));
        walk->mask = all;
        GPCI_FOR_LANES(lane, all)
        more |= (uint64_t)(s.at[lane] - begun[lane] < s.size[lane]) << lane;
        if (!gpci_guard(walk, more) || !gpci_branch(walk, true))
            return;
    }
}

/* InvertedIndex: next link of a lane at or behind `from`; NOWHERE: the record has no room for a link. */
#define NOWHERE (UINT64_MAX / 2)

static uint64_t next_link(const gpci_launch *launch, uint64_t from, uint64_t end) {
    uint64_t link = from + GAP_LEAST + random_below(launch, 1, from, 2 * launch->window - GAP_LEAST + 1);
    return link + OPENING + LINK_LEAST + LINK_SPREAD <= end ? link : NOWHERE;
}

static uint64_t link_bytes(const gpci_launch *launch, uint64_t link) {
    return LINK_LEAST + random_below(launch, 2, link, LINK_SPREAD);
}

static uint32_t count_links(const gpci_launch *launch, uint64_t start, uint64_t size) {
    uint32_t found = 0;
    uint64_t link = next_link(launch, start, start + size);
    for (; link != NOWHERE; found++) {
        link += OPENING;
        link = next_link(launch, link + link_bytes(launch, link) + 1, start + size);
    }
    return found;
}

/* Read the lanes' links; with `quote`, up to the quote behind. */
static void read_links(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, unsigned quote) {
    uint64_t at[GPCI_SYNTHETIC_LANES], left[GPCI_SYNTHETIC_LANES], again, all = walk->mask;
    GPCI_FOR_LANES(lane, all) {
        at[lane] = s->at[lane];
        left[lane] = link_bytes(launch, at[lane]) + quote;
    }
    do {
        gpci_access_at(walk, gpci_mars_of(launch)->text, at);
        again = 0;
        GPCI_FOR_LANES(lane, walk->mask) {
            at[lane]++;
            again |= (uint64_t)(--left[lane] > 0) << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = all;
}

/* Handle the link at each lane's place, and find the next link. */
static void emit_links(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s) {
    const gpci_mars *m = gpci_mars_of(launch);
    uint64_t quote[GPCI_SYNTHETIC_LANES] = {0}, values[GPCI_SYNTHETIC_LANES] = {0};
    read_links(walk, launch, s, 1);
    GPCI_FOR_LANES(lane, walk->mask)
    quote[lane] = s->at[lane] + link_bytes(launch, s->at[lane]);
    gpci_access_at(walk, m->text, quote);
    gpci_mars_key(walk, launch, s, 8);
    read_links(walk, launch, s, 0);
    gpci_mars_key(walk, launch, s, 12);
    gpci_mars_emit(walk, launch, s, values);
    for (unsigned byte = 0; byte < m->key_result; byte++) {
        gpci_mars_key(walk, launch, s, byte);
        gpci_access_at(walk, m->interKeys + byte, s->key_bytes);
    }
    for (unsigned byte = 0; byte < m->value_result; byte++) {
        gpci_mars_value(walk, launch, s, 8 + byte);
        gpci_access_at(walk, m->interVals + byte, values);
    }
    gpci_mars_emitted(walk, launch, s, NULL);
    GPCI_FOR_LANES(lane, walk->mask) {
        s->at[lane] = quote[lane];
        s->start[lane] = next_link(launch, quote[lane] + 1, s->read[lane]);
    }
}

/* `start` of a lane is the place of the next link here, and `read` the end of the record. */
static void walk_index(gpci_walk *walk, const gpci_launch *launch) {
    gpci_mars_scan s = {0};
    uint64_t again;
    if (!gpci_mars_enter(walk, launch, &s))
        return;
    gpci_mars_value(walk, launch, &s, 0);
    gpci_mars_key(walk, launch, &s, 0);
    gpci_mars_value(walk, launch, &s, 4);
    GPCI_FOR_LANES(lane, walk->mask) {
        s.read[lane] = s.at[lane] + s.size[lane];
        s.start[lane] = next_link(launch, s.at[lane], s.read[lane]);
    }
    do {
        uint64_t here = 0, links = 0, all;
        gpci_access_at(walk, gpci_mars_of(launch)->text, s.at);
        GPCI_FOR_LANES(lane, walk->mask) {
            here |= (uint64_t)(s.at[lane] == s.start[lane] + HREF) << lane;
            links |= (uint64_t)(s.at[lane] == s.start[lane] + OPENING) << lane;
        }
        if (gpci_if(walk, here)) {
            for (uint64_t k = 0; k < 5; k++)
                gpci_access_at(walk, gpci_mars_of(launch)->text + k, s.at);
            GPCI_FOR_LANES(lane, here)
            s.at[lane] += HREF;
        }
        gpci_end_if(walk);
        all = walk->mask;
        if (gpci_if(walk, links)) {
            uint32_t rejoin = walk->rejoin;
            emit_links(walk, launch, &s);
            walk->rejoin = rejoin;
        }
        walk->outer = all;
        gpci_end_if(walk);
        again = 0;
        GPCI_FOR_LANES(lane, walk->mask)
        again |= (uint64_t)(++s.at[lane] < s.read[lane]) << lane;
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_finish(walk);
}

/* A record of a text ends 1 to this number of bytes behind its least size. */
#define REST_OF_LINE 51u
#define REST_OF_WORD 5u

static const gpci_mars_map match = {match_code, walk_match, 16, 16, 4, 4};
static const gpci_mars_map words = {words_code, walk_words, 8, 16, 0, 4};
static const gpci_mars_map links = {index_code, walk_index, 16, 12, 16, 4};

/* Bytes of a record that begins at `start`: `record` and the rest of the line or word. */
static uint64_t record_bytes(const gpci_launch *launch, const gpci_mars_map *of, uint64_t start) {
    uint64_t record = launch->columns;
    if (of == &match)
        return record + letters_left(launch, start + record) + 1;
    return record + random_below(launch, 0, start, of == &links ? REST_OF_LINE : REST_OF_WORD) + 1;
}

/* Cut the text into records, and count their results. The last record ends with the text, or behind. */
static void cut_text(gpci_launch *launch, const gpci_mars_map *of, gpci_mars *m, uint64_t size) {
    uint64_t end = 0;
    for (launch->n = 0; end < size; launch->n++) {
        uint64_t start = end, bytes = record_bytes(launch, of, start),
                 scanned = bytes < launch->steps ? bytes : launch->steps;
        uint32_t results, keys = 0;
        end += bytes;
        results = of == &match   ? count_matches(launch, start, scanned)
                  : of == &links ? count_links(launch, start, scanned)
                                 : count_words(launch, start, scanned, &keys);
        m->start[launch->n + 1] = (uint32_t)end;
        m->first[launch->n + 1] = m->first[launch->n] + results;
        m->keys[launch->n + 1] = m->keys[launch->n] + (of->key_result ? results * of->key_result : keys);
    }
}

/* Parameters: record, scanned; with `random` the seed, last. */
static gpc_status plan_text(gpci_problem *problem, const gpci_mars_map *of, double gap, double seed) {
    gpci_launch launch = {.columns = (uint64_t)problem->values[0], .steps = (uint64_t)problem->values[1]};
    launch.steps = launch.steps ? launch.steps : UINT64_MAX;
    launch.window = (uint64_t)gap;
    launch.seed = gpci_mix((uint64_t)seed);
    gpci_mars *m = gpci_mars_numbers(problem, &launch, problem->size / launch.columns + 1);
    if (!m)
        return GPC_ERROR_MEMORY;
    place_words(m);
    cut_text(&launch, of, m, problem->size);
    /* Scans read beyond the last record. */
    return gpci_mars_plan(problem, &launch, of, m, 2 * m->start[launch.n], of == &match ? KEY_LETTERS + 1 : 0);
}

static gpc_status plan_match(gpci_problem *problem) {
    return plan_text(problem, &match, 0, 0);
}

static gpc_status plan_index(gpci_problem *problem) {
    return plan_text(problem, &links, problem->values[2], problem->values[3]);
}

static gpc_status plan_words(gpci_problem *problem) {
    return plan_text(problem, &words, 0, problem->values[2]);
}

static const gpc_parameter match_parameters[] = {
    {"record", 1024, 64, 65536, true, "bytes that a thread scans, and the rest of a line"},
    {"scanned", 0, 0, 65536, true, "bytes of a record that are scanned; 0: all"},
};

const gpci_synthetic gpci_synthetic_string_match = {
    .name = "string-match",
    .summary = "\"org\" looked for in the lines of a text, a record for each thread; SIZE of the text (record=1024, "
               "scanned=0)",
    .least = 64,
    .parameters = match_parameters,
    .parameter_count = 2,
    .plan = plan_match,
};

static const gpc_parameter index_parameters[] = {
    {"record", 1024, 64, 65536, true, "bytes that a thread scans, and the rest of a line"},
    {"scanned", 0, 0, 65536, true, "bytes of a record that are scanned; 0: all"},
    {"gap", 466, 8, 65536, true, "bytes between links, on average"},
    {"seed", 1, 0, 1e15, true, "of the text"},
};

const gpci_synthetic gpci_synthetic_inverted_index = {
    .name = "inverted-index",
    .summary = "links looked for in the text of pages, a record for each thread; SIZE of the text (record=1024, "
               "scanned=0, gap=466, seed=1)",
    .least = 64,
    .parameters = index_parameters,
    .parameter_count = 4,
    .plan = plan_index,
};

static const gpc_parameter words_parameters[] = {
    {"record", 2048, 64, 65536, true, "bytes that a thread scans, and the rest of a word"},
    {"scanned", 0, 0, 65536, true, "bytes of a record that are scanned; 0: all"},
    {"seed", 1, 0, 1e15, true, "of the text"},
};

const gpci_synthetic gpci_synthetic_word_count = {
    .name = "word-count",
    .summary = "the words of a text, a record for each thread, marked and emitted; SIZE of the text (record=2048, "
               "scanned=0, seed=1)",
    .least = 64,
    .parameters = words_parameters,
    .parameter_count = 3,
    .plan = plan_words,
};

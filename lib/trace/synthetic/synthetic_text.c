/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Three of Mars' map functions (He et al., PACT 2008), in blocks of 256 threads, Mars' default. A thread scans a piece
 * of a text byte by byte: the lanes of a warp read separate pieces, and access each of their lines once for each byte.
 * Pieces have different lengths; lanes with an ended piece wait.
 *
 * StringMatch: a piece is a line of words. The end of each word is marked in the text, and words of the keyword's
 * length are compared with the keyword. WordCount: a piece is a line of words. Each word's end is marked, and its place
 * and length go to the output. InvertedIndex: a piece is a part of a page. After `<a href="` the end of the link is
 * searched and marked, and the link's place and the file go to the output.
 *
 * Texts are random: piece i begins at i times the mean length plus a random number up to half of the mean. A byte of a
 * line ends a word one time in six; the last byte always. One of four words of the keyword's length is the keyword.
 * Between links are 8 to twice `gap` bytes; a link has 16 to 47. Mars counts a line's bytes without the blanks, and
 * reads beyond its end; here a line ends at its end.
 */

#define RECORD 8u /* bytes of a piece's record (offset and length), and of a result */
#define LINK_LEAST 16u
#define LINK_SPREAD 32u
#define HREF 3u    /* position of the comparison in `<a href="` */
#define OPENING 9u /* length of `<a href="` */
#define GAP_LEAST 8u
#define NOWHERE (UINT64_MAX / 2)

/* R4 and R5 offset and length of the piece, R6 address of the present byte. */
#define PIECE                                                                                                       \
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.AND R0 UR5; @P0 EXIT; UR4 ULDC.64;" \
    "R2 LDC.64; R2 IMAD.WIDE R0 R2; R4 LDG.E.64 R2 UR4; R6 LDC.64; R6 IADD3 R4 R6; R7 IADD3.X R7;"

/* R8 start of the word, R10 bytes read, R18 place of the result. */
static const char match_code[] = PIECE
    "R10 MOV R255; R13 LDC; R18 LDC.64; R18 IMAD.WIDE R0 R18; word: R8 MOV R6; R9 MOV R7;"
    "letter: R11 LDG.E.U8 R6 UR4; P0 ISETP.NE.AND R11; P0 ISETP.NE.AND R11 P0; P0 ISETP.NE.AND R11 P0;"
    "P0 ISETP.NE.AND R11 R255 P0; R6 IADD3 R6; R7 IADD3.X R7; R10 IADD3 R10; @P0 BRA letter;"
    "STG.E.U8 R6 UR4 R255; P1 ISETP.GE.AND R10 R5; @P1 EXIT; R12 IADD3 R6 R8; P2 ISETP.NE.AND R12 R13; @P2 BRA next;"
    "R16 LDC.64; compare: R14 LDG.E.U8 R8 UR4; R15 LDG.E.U8 R16 UR4; P3 ISETP.EQ.AND R14 R15;"
    "P3 ISETP.NE.AND R15 R255 P3; R8 IADD3 R8; R9 IADD3.X R9; R16 IADD3 R16; R17 IADD3.X R17; @P3 BRA compare;"
    "P3 ISETP.NE.AND R14 R15; @P3 BRA next; STG.E R18 UR4 R10; STG.E R18 UR4 R12; R18 IADD3 R18; R19 IADD3.X R19;"
    "next: BRA word; EXIT";

/* R8 bytes read, R9 state, R18 place of the result. */
static const char index_code[] = PIECE
    "R8 MOV R255; R9 MOV R255; R18 LDC.64; R18 IMAD.WIDE R0 R18; R13 LDC; R16 LDC.64;"
    "byte: R10 LDG.E.U8 R6 UR4; P0 ISETP.EQ.AND R9; P1 ISETP.EQ.AND R10 P0; R9 SEL R9 P1; P1 ISETP.NE.AND R9;"
    "P1 ISETP.NE.OR R10 P1; @P1 BRA link; 5*{R11 LDG.E.U8 R6 UR4; P2 ISETP.NE.AND R11}; R9 SEL R9 P2; R6 IADD3 R6 P2;"
    "R7 IADD3.X R7; R8 SEL R8 P2; link: P3 ISETP.NE.AND R9; @P3 BRA next; R14 MOV R6; R15 MOV R7;"
    "end: R12 LDG.E.U8 R14 UR4; P4 ISETP.NE.AND R12; R14 IADD3 R14; R15 IADD3.X R15; @P4 BRA end;"
    "STG.E.U8 R14 UR4 R255; R12 IADD3 R4 R8; STG.E R18 UR4 R12; STG.E R18 UR4 R13; R18 IADD3 R18; R19 IADD3.X R19;"
    "R6 MOV R14; R7 MOV R15; R8 IADD3 R8 R14; R9 MOV R255;"
    "next: R6 IADD3 R6; R7 IADD3.X R7; R8 IADD3 R8; P0 ISETP.LT.AND R8 R5; @P0 BRA byte; EXIT";

/* Registers of match_code. Bytes between words are skipped, and each word is a result. */
static const char words_code[] =
    PIECE "R10 MOV R255; R18 LDC.64; R18 IMAD.WIDE R0 R18;"
          "word: R11 LDG.E.U8 R6 UR4; P0 ISETP.LT.AND R11; P0 ISETP.GT.OR R11 P0; R6 IADD3 R6 P0; R7 IADD3.X R7;"
          "R10 IADD3 R10; @P0 BRA word; R8 MOV R6;"
          "letter: R11 LDG.E.U8 R6 UR4; P0 ISETP.GE.AND R11; P0 ISETP.LE.AND R11 P0; R6 IADD3 R6; R7 IADD3.X R7;"
          "R10 IADD3 R10; @P0 BRA letter; STG.E.U8 R6 UR4 R255; STG.E R18 UR4 R8; STG.E R18 UR4 R10; R18 IADD3 R18;"
          "R19 IADD3.X R19; P1 ISETP.GE.AND R10 R5; @P1 EXIT; BRA word; EXIT";

/*
 * Launch fields. n: pieces. columns: mean bytes of a piece. rows: most results of a piece. steps: key or gap in bytes.
 */
enum { RECORDS, TEXT, KEY, RESULTS };

/* State of each lane: present byte, end of the piece, start of the word or of the next link. */
typedef struct piece {
    uint64_t at[GPCI_SYNTHETIC_LANES], end[GPCI_SYNTHETIC_LANES], start[GPCI_SYNTHETIC_LANES];
    uint64_t result[GPCI_SYNTHETIC_LANES]; /* offset of the next result */
} piece;

static uint64_t random_below(const gpci_launch *launch, uint64_t salt, uint64_t index, uint64_t bound) {
    return (gpci_mix(launch->seed + index * 4 + salt) >> 32) * bound >> 32;
}

static uint64_t piece_start(const gpci_launch *launch, uint64_t index) {
    return index * launch->columns + random_below(launch, 0, index, launch->columns / 2 + 1);
}

/* Begin the piece of each thread, and load the piece's record. False: the warp has no piece. */
static bool begin_pieces(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return false;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        source->at[lane] = source->start[lane] = piece_start(launch, thread + lane);
        source->end[lane] = piece_start(launch, thread + lane + 1);
        source->result[lane] = (thread + lane) * launch->rows * RECORD;
    }
    gpci_access(walk, launch->operand[RECORDS].base + thread * RECORD, RECORD);
    return true;
}

static uint64_t next_lane(uint64_t *lanes) {
    uint64_t lane = gpci_lowest(*lanes);
    *lanes &= *lanes - 1;
    return lane;
}

/* Scan to the byte behind each lane's word, and mark the word's end by a store. */
static void scan_word(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    uint64_t again, last[GPCI_SYNTHETIC_LANES], lanes = walk->mask;
    while (lanes) {
        uint64_t lane = next_lane(&lanes);
        source->start[lane] = source->at[lane];
    }
    do {
        gpci_access_at(walk, launch->operand[TEXT].base, source->at);
        again = 0;
        for (lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes), at = last[lane] = source->at[lane]++;
            again |= (uint64_t)(at + 1 < source->end[lane] && random_below(launch, 1, at, 6)) << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_access_at(walk, launch->operand[TEXT].base, last);
}

static void put_result(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    gpci_access_at(walk, launch->operand[RESULTS].base, source->result);
    gpci_access_at(walk, launch->operand[RESULTS].base + GPCI_ELEMENT, source->result);
    for (uint64_t lanes = walk->mask; lanes;)
        source->result[next_lane(&lanes)] += RECORD;
}

/* Compare each lane's word with the keyword, up to the first difference. The keyword ends with a zero. */
static void compare_word(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    uint64_t at[GPCI_SYNTHETIC_LANES], same = 0, again;
    for (uint64_t lanes = walk->mask; lanes;) {
        uint64_t lane = next_lane(&lanes);
        at[lane] = source->start[lane];
        same |= (uint64_t)!random_below(launch, 2, at[lane], 4) << lane;
    }
    uint64_t all = walk->mask;
    for (uint64_t k = 0;; k++) {
        gpci_access_at(walk, launch->operand[TEXT].base, at);
        gpci_access(walk, launch->operand[KEY].base + k, 0);
        for (uint64_t lanes = walk->mask; lanes;)
            at[next_lane(&lanes)]++;
        again = k < launch->steps ? walk->mask & same : 0;
        if (!gpci_loop(walk, again))
            break;
    }
    walk->mask = all;
    if (gpci_if(walk, all & same))
        put_result(walk, launch, source);
    gpci_end_if(walk);
}

static void walk_match(gpci_walk *walk, const gpci_launch *launch) {
    piece source;
    if (!begin_pieces(walk, launch, &source))
        return;
    for (;;) {
        scan_word(walk, launch, &source);
        uint64_t more = 0, alike = 0;
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes);
            more |= (uint64_t)(source.at[lane] < source.end[lane]) << lane;
            alike |= (uint64_t)(source.at[lane] - source.start[lane] == launch->steps + 1) << lane;
        }
        if (!gpci_guard(walk, more))
            return;
        if (gpci_if(walk, alike & more))
            compare_word(walk, launch, &source);
        walk->mask = walk->all;
        if (!gpci_branch(walk, true))
            return;
    }
}

/* Next link of a lane at or behind `from`; NOWHERE: no room for a link. */
static uint64_t next_link(const gpci_launch *launch, uint64_t from, uint64_t end) {
    uint64_t link = from + GAP_LEAST + random_below(launch, 1, from, 2 * launch->steps - GAP_LEAST + 1);
    return link + OPENING + LINK_LEAST + LINK_SPREAD <= end ? link : NOWHERE;
}

/* Scan each lane's link from its first byte to the quote behind, mark the end, and store a result. */
static void scan_links(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    uint64_t at[GPCI_SYNTHETIC_LANES], left[GPCI_SYNTHETIC_LANES], again, all = walk->mask;
    for (uint64_t lanes = all; lanes;) {
        uint64_t lane = next_lane(&lanes);
        at[lane] = source->at[lane];
        left[lane] = LINK_LEAST + random_below(launch, 2, at[lane], LINK_SPREAD);
    }
    do {
        gpci_access_at(walk, launch->operand[TEXT].base, at);
        again = 0;
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes);
            again |= (uint64_t)(left[lane] > 0) << lane;
            at[lane] += left[lane] > 0;
            left[lane] -= left[lane] > 0;
        }
    } while (gpci_loop(walk, again));
    walk->mask = all;
    gpci_access_at(walk, launch->operand[TEXT].base, at);
    put_result(walk, launch, source);
    for (uint64_t lanes = all; lanes;) {
        uint64_t lane = next_lane(&lanes);
        source->at[lane] = at[lane];
        source->start[lane] = next_link(launch, at[lane] + 1, source->end[lane]);
    }
}

static void walk_index(gpci_walk *walk, const gpci_launch *launch) {
    piece source;
    uint64_t again;
    if (!begin_pieces(walk, launch, &source))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        source.start[lane] = next_link(launch, source.at[lane], source.end[lane]);
    do {
        uint64_t here = 0, links = 0;
        gpci_access_at(walk, launch->operand[TEXT].base, source.at);
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes);
            here |= (uint64_t)(source.at[lane] == source.start[lane] + HREF) << lane;
            links |= (uint64_t)(source.at[lane] == source.start[lane] + OPENING) << lane;
        }
        if (gpci_if(walk, here)) {
            for (uint64_t k = 0; k < 5; k++)
                gpci_access_at(walk, launch->operand[TEXT].base + k, source.at);
            for (uint64_t lanes = here; lanes;)
                source.at[next_lane(&lanes)] += HREF;
        }
        gpci_end_if(walk);
        uint64_t all = walk->mask;
        if (gpci_if(walk, links)) {
            uint32_t rejoin = walk->rejoin;
            scan_links(walk, launch, &source);
            walk->rejoin = rejoin;
        }
        walk->outer = all;
        gpci_end_if(walk);
        again = 0;
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes);
            again |= (uint64_t)(++source.at[lane] < source.end[lane]) << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_finish(walk);
}

/* Add a launch. `least`: fewest bytes of a piece for a result. `steps`: bytes of the key, or between links; or 0. */
static gpc_status plan_text(gpci_problem *problem, gpci_launch *launch, uint64_t least, double steps, double seed) {
    launch->columns = (uint64_t)problem->values[0];
    launch->steps = (uint64_t)steps;
    launch->seed = gpci_mix((uint64_t)seed);
    launch->n = problem->size / launch->columns;
    if (!launch->n)
        return gpci_problem_fail(problem, "%llu bytes are less than a piece of %llu", (unsigned long long)problem->size,
                                 (unsigned long long)launch->columns);
    uint64_t most = launch->columns + launch->columns / 2;
    launch->rows = most / least + 1;
    launch->grid[0] = gpci_ceiling(launch->n, GPCI_THREADS);
    launch->block[0] = GPCI_THREADS;
    launch->operand[RECORDS].base = gpci_problem_array(problem, launch->n * RECORD);
    launch->operand[TEXT].base = gpci_problem_array(problem, launch->n * launch->columns + launch->columns / 2);
    if (launch->steps)
        launch->operand[KEY].base = gpci_problem_array(problem, launch->steps + 1);
    launch->operand[RESULTS].base = gpci_problem_array(problem, launch->n * launch->rows * RECORD);
    return gpci_problem_launch(problem, launch);
}

/*
 * Skip to a word's first letter. A byte between words is followed by one more in half of the cases, but not at the end.
 */
static void skip_blanks(gpci_walk *walk, const gpci_launch *launch, piece *source) {
    uint64_t again, all = walk->mask;
    do {
        gpci_access_at(walk, launch->operand[TEXT].base, source->at);
        again = 0;
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes), at = source->at[lane];
            bool blank = at + 1 < source->end[lane] && random_below(launch, 2, at, 2);
            source->at[lane] += blank;
            again |= (uint64_t)blank << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = all;
}

static void walk_words(gpci_walk *walk, const gpci_launch *launch) {
    piece source;
    if (!begin_pieces(walk, launch, &source))
        return;
    for (;;) {
        skip_blanks(walk, launch, &source);
        scan_word(walk, launch, &source);
        put_result(walk, launch, &source);
        uint64_t more = 0;
        for (uint64_t lanes = walk->mask; lanes;) {
            uint64_t lane = next_lane(&lanes);
            more |= (uint64_t)(source.at[lane] < source.end[lane]) << lane;
        }
        if (!gpci_guard(walk, more) || !gpci_branch(walk, true))
            return;
    }
}

static gpc_status plan_match(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z12string_matchPcPK4int2PKcP4int2i", .code = match_code, .warp = walk_match};
    return plan_text(problem, &launch, (uint64_t)problem->values[1] + 1, problem->values[1], problem->values[2]);
}

static gpc_status plan_index(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z14inverted_indexPcPK4int2P4int2i", .code = index_code, .warp = walk_index};
    return plan_text(problem, &launch, GAP_LEAST + OPENING + LINK_LEAST, problem->values[1], problem->values[2]);
}

static gpc_status plan_words(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z10word_countPcPK4int2P4int2i", .code = words_code, .warp = walk_words};
    return plan_text(problem, &launch, 1, 0, problem->values[1]);
}

static const gpc_parameter match_parameters[] = {
    {"line", 96, 2, 65536, true, "bytes of a line, on average"},
    {"key", 5, 1, 64, true, "letters of the keyword"},
    {"seed", 1, 0, 1e15, true, "of the text"},
};

const gpci_synthetic gpci_synthetic_string_match = {
    .name = "string-match",
    .summary = "a keyword looked for in the words of a text, a line for each thread; SIZE of the text (line=96, key=5, "
               "seed=1)",
    .least = 2,
    .parameters = match_parameters,
    .parameter_count = 3,
    .plan = plan_match,
};

static const gpc_parameter index_parameters[] = {
    {"part", 256, 2, 65536, true, "bytes that a thread scans, on average"},
    {"gap", 64, 8, 65536, true, "bytes between links, on average"},
    {"seed", 1, 0, 1e15, true, "of the text"},
};

const gpci_synthetic gpci_synthetic_inverted_index = {
    .name = "inverted-index",
    .summary = "links looked for in the text of pages, a part for each thread; SIZE of the text (part=256, gap=64, "
               "seed=1)",
    .least = 2,
    .parameters = index_parameters,
    .parameter_count = 3,
    .plan = plan_index,
};

static const gpc_parameter words_parameters[] = {
    {"line", 96, 2, 65536, true, "bytes of a line, on average"},
    {"seed", 1, 0, 1e15, true, "of the text"},
};

const gpci_synthetic gpci_synthetic_word_count = {
    .name = "word-count",
    .summary = "the words of a text, a line for each thread, marked and put out; SIZE of the text (line=96, seed=1)",
    .least = 2,
    .parameters = words_parameters,
    .parameter_count = 2,
    .plan = plan_words,
};

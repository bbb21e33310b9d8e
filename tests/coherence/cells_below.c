/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Cells absent from Table 2.5: of caches below the first level, and the columns of bits and acquires. A row plays a
 * set-up and one more access, and gives the effects on A in the examined module: state changes with origins, and
 * messages sent, except for probing (stage.h).
 */

typedef struct below_row {
    const char *setup, *play, *transitions, *messages;
} below_row;

static void play_row(const char *protocol, stage_shape shape, uint32_t module, const below_row *row) {
    stage s;
    char found[128];
    stage_open(&s, shape, protocol);
    stage_play(&s, row->setup);
    stage_play(&s, row->play);
    stage_transitions(&s, module, found);
    cr_expect_str_eq(found, row->transitions, "%s, %s, %s: module %u goes '%s', not '%s'", protocol, row->setup,
                     row->play, module, found, row->transitions);
    stage_messages(&s, module, found);
    cr_expect_str_eq(found, row->messages, "%s, %s, %s: module %u sends '%s', not '%s'", protocol, row->setup,
                     row->play, module, found, row->messages);
    stage_close(&s);
}

#define PLAY(protocol, shape, module, ...)                            \
    do {                                                              \
        const below_row rows[] = {__VA_ARGS__};                       \
        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) \
            play_row(protocol, shape, module, &rows[row]);            \
    } while (0)

/* Cache 3 is above memory 5, beside cache 4; caches 0 and 1 are above it, 2 is above 4. */
#define BETWEEN(protocol, ...) PLAY(protocol, STAGE_BRANCHES, 3, __VA_ARGS__)

/* clang-format off */
/* With an exclusive state: equal in MESI, MOESI and NMOESI. */
static void with_e(const char *protocol) {
    BETWEEN(protocol,
            /* I */
            {"", "L0", "I>E@1000", "R5"},                /* Read Above, alone */
            {"L2", "L0", "I>S@1000", "R5"},              /* shared */
            {"", "S0", "I>E@400", "W5"},                 /* Write Above */
            {"L2", "S0", "I>E@400", "W5"},
            /* E */
            {"L0", "L1", "", ""},                        /* Read Above */
            {"L0", "S1", "E>E@400", ""},                 /* Write Above */
            {"S0", "X0", "E>M@40", ""},                  /* Data Above */
            {"L0", "L2", "E>S@4000", "D4"},              /* Read Req.: the owner above is asked, and has no new data */
            {"L0 X0 C0", "L2", "E>S@4000", "D4"},        /* gone in silence, too */
            {"L0", "S2", "E>I@800", "D4"},               /* Write Req. */
            {"S0", "S2", "E>M@10000 M>I@800", "D4"},     /* Invalidate Data on the way */
            {"L0 C1", "D1", "E>I@200", ""},              /* Eviction */
            {"S0 C1", "D1", "E>M@10000 M>I@200", "B5"},
            /* M, with the bytes here */
            {"S0 X0", "L1", "", ""},
            {"S0 X0", "S1", "M>M@400", ""},
            {"S0 X0 S1", "X1", "", ""},
            {"S0 X0", "S2", "M>I@800", "D4"},
            {"S0 X0 S1", "S2", "M>I@800", "D4"},
            {"S0 X0 C1", "D1", "M>I@200", "B5"},
            /* S */
            {"L2 L0", "L1", "", ""},
            {"L2 L0", "S1", "S>E@400", "W5"},
            {"L2 L0", "S2", "S>I@800", ""},
            {"L2 L0 C1", "D1", "S>I@200", ""});
}

/* Without: equal in MSI and MOSI. Every cache with rights is in M. */
static void without_e(const char *protocol) {
    BETWEEN(protocol,
            {"", "L0", "I>S@1000", "R5"},
            {"L2", "L0", "I>S@1000", "R5"},
            {"", "S0", "I>M@400", "W5"},
            {"S0", "X0", "", ""},
            {"S0 X0", "L1", "", ""},
            {"S0 X0", "S1", "M>M@400", ""},
            {"S0", "S2", "M>I@800", "D4"},
            {"S0 X0", "S2", "M>I@800", "D4"},
            {"S0 C1", "D1", "M>I@200", "B5"},
            {"S0 X0 C1", "D1", "M>I@200", "B5"},
            {"L0", "L1", "", ""},
            {"L0", "S1", "S>M@400", "W5"},
            {"L2 L0", "S2", "S>I@800", ""},
            {"L0 C1", "D1", "S>I@200", ""});
}

/* With an owned state: equal in MOSI, MOESI and NMOESI. */
static void with_o(const char *protocol) {
    BETWEEN(protocol,
            {"S0 X0", "L2", "M>O@8000", "D4"},            /* M, Read Req. */
            {"S0 X0 S1", "L2", "M>O@2000", "D4"},         /* the new data are above, too */
            {"S0 X0 L2", "L1", "", ""},                   /* O, Read Above */
            {"S0 X0 L2", "S1", "O>M@400", "W5"},          /* Write Above */
            {"S0 L2", "X0", "", ""},                      /* Data Above, from an O */
            {"S0 X0 L2 C2 D2", "L2", "O>O@8000", "D4"},   /* Read Req. */
            {"S0 L2 C2 D2", "L2", "O>O@2000", "D4"},      /* likewise: Probe Data */
            {"S0 X0 L2", "S2", "O>I@800", "D4"},          /* Write Req. */
            {"S0 L2", "S2", "O>I@800", "D4"},             /* likewise: Invalidate Data */
            {"S0 X0 L2 C1", "D1", "O>I@200", "B5"},       /* Eviction */
            {"L2 L0 C2 D2", "L2", "", ""});               /* S, Read Req.: memory is up to date, no probe */
}

/* Without: equal in MSI and MESI. M goes to S with a write-back, S supplies data. */
static void without_o(const char *protocol) {
    BETWEEN(protocol,
            {"S0 X0", "L2", "M>S@8000", "D4 B5"},
            {"S0 X0 S1", "L2", "M>S@2000", "D4 B5"},
            {"L2 L0 C2 D2", "L2", "S>S@8000", "D4"});
}

Test(coherence_cells, between_in_msi) {
    without_e("msi");
    without_o("msi");
    BETWEEN("msi", {"S0", "L1", "", ""}, {"S0", "L2", "M>S@2000", "D4 B5"});
}

Test(coherence_cells, between_in_mesi) {
    with_e("mesi");
    without_o("mesi");
    BETWEEN("mesi", {"S0", "L1", "E>M@40000", ""}, {"S0", "L2", "E>M@40000 M>S@2000", "D4 B5"});
}

Test(coherence_cells, between_in_mosi) {
    without_e("mosi");
    with_o("mosi");
    BETWEEN("mosi", {"S0", "L1", "", ""}, {"S0", "L2", "M>O@2000", "D4"});
}

static void with_e_and_o(const char *protocol) {
    with_e(protocol);
    with_o(protocol);
    BETWEEN(protocol, {"S0", "L1", "", ""},                   /* the data go to the requester, the duty stays */
            {"S0", "L2", "E>M@40000 M>O@2000", "D4"},         /* Probe Data */
            {"S0 L1", "L2", "E>M@40000 M>O@2000", "D4"});     /* an O in place of the E */
}

Test(coherence_cells, between_in_moesi) {
    with_e_and_o("moesi");
}

Test(coherence_cells, between_in_nmoesi) {
    with_e_and_o("nmoesi");
    BETWEEN("nmoesi",
            /* N-Data Above and Invalidate Data of N, in every state */
            {"N0", "X0", "E>M@80", ""},
            {"N0", "S2", "E>M@10000 M>I@800", "D4"},
            {"N0", "L2", "E>S@8000", "D4"},             /* N is no owner: not asked */
            {"L0 N0", "L2", "E>S@4000", "D4"},          /* formerly E, and still taken for an owner: asked in vain */
            {"S0 X0 N1", "X1", "", ""},
            {"S0 L2 N1", "X1", "", ""},
            {"L2 L0 N0", "X0", "S>N@100", ""},
            {"L2 L0 N0", "S2", "S>N@20000 N>I@800", "D4"},
            {"L2 L0 N0 C1", "D1", "S>N@20000 N>I@200", "b5"},
            /* N */
            {"L2 L0 N0 X0", "L1", "", ""},
            {"L2 L0 N0 X0", "S1", "N>M@400", "W5"},
            {"L2 L0 N0 X0 N1", "X1", "N>N@100", ""},
            {"L2 L0 N0 X0 C2 D2", "L2", "", ""},
            {"L2 L0 N0 X0", "S2", "N>I@800", "D4"},
            {"L2 L0 N0 X0 N1", "S2", "N>I@800", "D4"},
            {"L2 L0 N0 X0 C1", "D1", "N>I@200", "b5"});
}

/*
 * N data come in beside an owner, whose copy may have older bytes: the owner gives up the copy, at this level and a
 * level below.
 */
Test(coherence_cells, n_data_beside_an_owner) {
    PLAY("nmoesi", STAGE_FLAT, 0, {"S0 L1 N1", "X1", "O>I@800", "D3"});
    BETWEEN("nmoesi", {"S0 L2 N2 X2 C2", "D2", "O>I@800", "D5"});
}

/* The specification's section 3; data go to the low module, to be sent on. */
Test(coherence_cells, between_in_multi2sim) {
    BETWEEN("nmoesi-multi2sim",
            {"", "L0", "I>E@1000", "R5"},
            {"L2", "L0", "I>S@1000", "R5"},
            {"", "S0", "I>E@400", "W5"},
            {"L0", "L1", "", ""},
            {"L0", "S1", "E>E@400", ""},
            {"S0", "X0", "E>M@40", ""},
            {"N0", "X0", "E>M@80", ""},
            {"S0", "L1", "", ""},                       /* D3: E, although M above has given up the data */
            {"L0", "L2", "E>S@4000", ""},
            {"S0", "L2", "E>S@2000", "D5"},
            {"L0", "S2", "E>I@800", ""},
            {"S0", "S2", "E>M@10000 M>I@800", ""},      /* D4: answers as the former E */
            {"L0 L1 N0 N1", "S2", "E>M@10000 M>M@10000 M>I@800", ""}, /* Table 4.4's M -> M */
            {"L0 C1", "D1", "E>I@200", "n5"},
            {"S0 C1", "D1", "E>M@10000 M>I@200", "B5"},
            {"S0 X0", "L1", "", ""},
            {"S0 X0", "S1", "M>E@400", ""},
            {"S0 X0", "L2", "M>S@8000", "D5"},
            {"S0 X0 L1", "L2", "M>S@4000", ""},         /* D5: the owner above is clean, the answer is bare */
            {"S0 X0", "S2", "M>I@800", "D5"},
            {"S0 X0 C1", "D1", "M>I@200", "B5"},
            {"L2 L0", "L1", "", ""},
            {"L2 L0", "S1", "S>E@400", "W5"},
            {"L2 L0", "S2", "S>I@800", ""},
            {"L2 L0 N0", "X0", "S>N@100", ""},
            {"L2 L0 N0", "S2", "S>N@20000 N>I@800", ""},
            {"L2 L0 C1", "D1", "S>I@200", "n5"},
            {"L2 L0 N0 X0", "L1", "", ""},
            {"L2 L0 N0 X0", "S1", "N>E@400", "W5"},
            {"L2 L0 N0 X0 N1", "X1", "N>N@100", ""},
            {"L2 L0 N0 X0", "S2", "N>I@800", "D5"},
            {"L2 L0 N0 X0 C1", "D1", "N>I@200", "b5"});
}

/* Memory's directory: I -> E when asked, M after modified data; no messages. */
Test(coherence_cells, memory) {
    const char *const tracked[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "nmoesi-multi2sim"};
    for (size_t i = 0; i < sizeof tracked / sizeof *tracked; i++) {
        bool multi2sim = strstr(tracked[i], "multi2sim") != NULL; /* E, from any state */
        PLAY(tracked[i], STAGE_FLAT, 3,
             {"", "L0", "I>E@10", ""},
             {"", "S0", "I>E@10 E>E@400", ""},
             {"L0", "L1", "", ""},
             {"S0", "X0", "E>M@40", ""},
             {"S0", "S1", multi2sim ? "E>M@10000 M>E@400" : "E>E@400", ""},
             {"S0 X0", "L1", "", ""},
             {"S0 X0", "S1", multi2sim ? "M>E@400" : "M>M@400", ""},
             {"S0 X0 S1", "X1", multi2sim ? "E>M@40" : "", ""});
    }
    PLAY("nmoesi", STAGE_FLAT, 3, {"N0", "X0", "E>M@80", ""}, {"N0 X0 N0", "X0", "", ""});
    PLAY("nmoesi-multi2sim", STAGE_FLAT, 3, {"N0", "X0", "E>M@80", ""}, {"S0", "L1", "", ""});
    PLAY("msi", STAGE_FLAT, 3, {"S0", "L1", "E>M@40000", ""});
}

/* Untracked protocols: caches 0, 1, 2 over 3 over memory 4. */
Test(coherence_cells, vi_first_and_shared) {
    PLAY("vi", STAGE_SHARED, 1, {"L1", "Q1", "S>I@100000", ""}, {"", "Q1", "", ""});
    PLAY("vi", STAGE_SHARED, 3,
         {"", "L0", "I>E@1000", "R4"},
         {"", "S0", "I>M@80000", "R4"},
         {"", "N0", "I>M@80000", "R4"},
         {"L0", "L1", "", ""},
         {"L0", "S1", "E>M@80000", ""},
         {"L0", "N0", "E>M@80000", ""},
         {"L0 C1", "D1", "E>I@200", ""},
         {"L0", "Q3", "", ""},
         {"S0", "L1", "", ""},
         {"S0", "S1", "M>M@80000", ""},
         {"S0 C1", "D1", "M>I@200", "B4"});
}

/* A cache of part of the processors writes through like the first level. */
Test(coherence_cells, vi_between) {
    BETWEEN("vi",
            {"", "L0", "I>S@1000", "R5"},
            {"", "S0", "", "t5"},
            {"", "N0", "", "t5"},
            {"L0", "L1", "", ""},
            {"L0", "N0", "S>S@80000", "t5"},
            {"L0", "Q3", "S>I@100000", ""},
            {"L0 C1", "D1", "S>I@200", ""});
}

Test(coherence_cells, none_below) {
    PLAY("none", STAGE_SHARED, 3,
         {"", "L0", "I>S@1000", "R4"},
         {"L0", "L1", "", ""},
         {"S0", "X0", "S>N@100", ""},
         {"S0 X0 S1", "X1", "N>N@100", ""},
         {"S0 C1 D1", "X0", "I>N@100", "R4"},           /* no module keeps it if a copy is above */
         {"L0 C1", "D1", "S>I@200", ""},
         {"S0 X0 C1", "D1", "N>I@200", "b4"},
         {"S0", "Q3", "", ""});
}

/* The bits: first at L1, then at L2. */
Test(coherence_cells, slc_glc) {
    PLAY("slc-glc", STAGE_SHARED, 1,
         {"", "gL1", "", "R3"},                         /* GLC: L1 is bypassed */
         {"L1", "gL1", "S>I@200000", "R3"},
         {"N1", "gL1", "N>I@200000", "b3 R3"},
         {"N1", "sL1", "N>I@200000", "b3 R3"},
         {"", "sN1", "", "t3"},
         {"L1", "sN1", "S>I@200000", "t3"},
         {"N1", "sN1", "N>I@200000", "b3 t3"},
         {"", "gN1", "I>S@4", "R3 t3"},                 /* GLC: written here, and through */
         {"L1", "gN1", "S>S@4", "t3"},
         {"N1", "gN1", "N>N@4 N>S@80000", "t3"},        /* nothing modified is left */
         {"N1", "Q1", "N>I@100000", "b3"},
         {"L1", "Q1", "S>I@100000", ""},
         {"N1", "S1", "N>I@200000", "b3 t3"});          /* an atomic is L2's */
    PLAY("slc-glc", STAGE_SHARED, 3,
         {"", "gL1", "I>E@1000", "R4"},                 /* GLC: L2 is searched */
         {"L0", "gL1", "", ""},
         {"", "sL1", "", "R4"},                         /* SLC: bypassed */
         {"L0", "sL1", "E>I@200000", "R4"},
         {"L0 gN0", "sL1", "M>I@200000", "B4 R4"},
         {"L0 gN0", "sN1", "M>I@200000", "B4 t4"},
         {"L0", "gN0", "E>M@80000", ""},
         {"L0", "S1", "E>M@80000", ""},
         {"", "S1", "I>M@80000", "R4"},
         {"L0 gN0 C1", "D1", "M>I@200", "B4"},
         {"N0", "X0", "E>M@80", ""});
}
/* clang-format on */

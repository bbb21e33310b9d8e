/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_heartwall.h"

#include <string.h>

const heart_step gpci_heart_select_area = ONE(FRAME, AROUND, AREA);
const heart_step gpci_heart_lower = ONE(PADDED, LOWER, SELECTED), gpci_heart_upper = ONE(PADDED, UPPER, SUBTRACTED);
const heart_step gpci_heart_subtract = TWO(SELECTED, SUBTRACTED, SUBTRACTED);
const heart_step gpci_heart_right = ONE(SUBTRACTED, RIGHT, SUBTRACTED_SELECTED);
const heart_step gpci_heart_lefts[BOXES] = {ONE(SUBTRACTED, SAME, SUMS), ONE(SUBTRACTED, SAME, SQUARE_SUMS)};
const heart_step gpci_heart_boxes[BOXES] = {TWO(SUBTRACTED_SELECTED, SUMS, SUMS),
                                            TWO(SUBTRACTED_SELECTED, SQUARE_SUMS, SQUARE_SUMS)};
const heart_step gpci_heart_square_area = ONE(AREA, SAME, SQUARES),
                 gpci_heart_square = ONE(TEMPLATES, SAME, TEMPLATE_SQUARES);
const heart_step gpci_heart_deviations = TWO(SUMS, SQUARE_SUMS, SQUARE_SUMS);
const heart_step gpci_heart_scale = {1, {{SQUARE_SUMS, SAME}, {0, SAME}}, DEVIATION, SQUARE_SUMS};
const heart_step gpci_heart_centre = {2, {{CONVOLVED, SAME}, {SUMS, SAME}}, TOTAL, CONVOLVED};
const heart_step gpci_heart_divide = TWO(CONVOLVED, SQUARE_SUMS, SQUARE_SUMS);

/*
 * Listing made of loops over elements: R0 thread, R4 element, R5 and R7 its addresses. Labels have the name of their
 * loop: a letter that replaces each '?'.
 */
static void add_code(heart *h, char name, const char *text) {
    for (; *text && h->used + 1 < HEART_CODE; text++)
        h->code[h->used++] = *text == '?' ? name : *text;
    h->code[h->used] = '\0';
}

#define LOOP_BEGINS "R4 MOV R0; P0 ISETP.GE.AND R4; @P0 BRA ?end; ?: "
#define LOOP_ENDS "R4 IADD3 R4; P0 ISETP.LT.AND R4; @P0 BRA ?; ?end: BAR.SYNC.DEFER_BLOCKING;"
#define LINE_BEGINS LOOP_BEGINS "R5 LEA R4; R9 MOV; R10 MOV; ?in: R6 LDG.E R5;"
#define LINE_ENDS "R5 IADD3 R5; R10 IADD3 R10; P1 ISETP.LT.AND R10; @P1 BRA ?in;"
#define CUMULATIVE LINE_BEGINS "R9 FADD R9 R6; STG.E R5 R9;" LINE_ENDS LOOP_ENDS
#define SUMMED LINE_BEGINS "R9 FADD R9 R6;" LINE_ENDS "STS R4 R9;" LOOP_ENDS
#define CONVOLUTION(factors)                                                                                       \
    LOOP_BEGINS "R9 MOV; R10 MOV; ?row: R11 MOV; ?in: " factors "R11 IADD3 R11; P1 ISETP.LE.AND R11; @P1 BRA ?in;" \
                "R10 IADD3 R10; P2 ISETP.LE.AND R10; @P2 BRA ?row;"

static void add_step(heart *h, char name, const heart_step *s) {
    add_code(h, name, LOOP_BEGINS "R5 LEA R4; R6 LDG.E R5;");
    if (s->count > 1)
        add_code(h, name, "R8 LDG.E R5; R6 FADD R6 R8;");
    if (s->uses)
        add_code(h, name, "R9 LDS R1; R6 FMUL R6 R9;");
    add_code(h, name, "R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
}

/* Sums of boxes of the template's size, over the area or over its squares: nine loops. */
static void add_boxes(heart *h, const char *names, unsigned of) {
    add_code(h, names[0],
             LOOP_BEGINS "P1 ISETP.GE.AND R4; @P1 BRA ?none; R5 LEA R4; R6 LDG.E R5; R7 LEA R4; STG.E R7 R6;"
                         "?none: R7 LEA R4; @P1 STG.E R7 R255;" LOOP_ENDS);
    add_code(h, names[1], CUMULATIVE);
    add_step(h, names[2], &gpci_heart_lower);
    add_step(h, names[3], &gpci_heart_upper);
    add_step(h, names[4], &gpci_heart_subtract);
    add_code(h, names[5], CUMULATIVE);
    add_step(h, names[6], &gpci_heart_right);
    add_step(h, names[7], &gpci_heart_lefts[of]);
    add_step(h, names[8], &gpci_heart_boxes[of]);
}

/* Mean and deviation of the template: sums by one thread for each column or row, then by the first two threads. */
static void add_template(heart *h) {
    add_step(h, 'w', &gpci_heart_square);
    add_code(h, 'x', SUMMED);
    add_code(h, 'y', SUMMED);
    for (const char *name = "AB"; *name; name++)
        add_code(h, *name,
                 "P1 ISETP.NE.AND R0; @P1 BRA ?end; R9 MOV; R10 MOV; ?in: R6 LDS R10; R9 FADD R9 R6; R10 IADD3 R10;"
                 "P2 ISETP.LT.AND R10; @P2 BRA ?in; STS R1 R9; ?end: R4 MOV;");
    add_code(h, 'z',
             "BAR.SYNC.DEFER_BLOCKING; P1 ISETP.NE.AND R0; @P1 BRA ?end; R6 LDS R1; R8 LDS R1; R6 FFMA R6 R6 R8;"
             "R6 MUFU.SQRT R6; STS R1 R6; ?end: BAR.SYNC.DEFER_BLOCKING;");
}

/* Largest value of each column, then of all columns; its place is the point's new place. */
static void add_largest(heart *h) {
    add_code(h, 'M',
             LINE_BEGINS "P3 FSETP.GT.AND R6 R9; R9 SEL R6 R9 P3; R12 SEL R10 P3;" LINE_ENDS
                         "STS R4 R12; STS R4 R9;" LOOP_ENDS);
    add_code(h, 'N',
             "P1 ISETP.NE.AND R0; @P1 BRA ?end; R9 MOV; R10 MOV; ?in: R6 LDS R10; R8 LDS R10;"
             "P3 FSETP.GT.AND R6 R9; R9 SEL R6 P3; R12 SEL R8 P3; R10 IADD3 R10; P2 ISETP.LT.AND R10; @P2 BRA ?in;"
             "R5 MOV; R6 LDG.E R5; R6 IADD3 R6 R12; STG.E R5 R6; R6 LDG.E R5; R6 IADD3 R6 R9; STG.E R5 R6;"
             "?end: BAR.SYNC.DEFER_BLOCKING;");
}

void gpci_heart_listing(heart *h) {
    add_code(h, 'a',
             "R1 MOV; R0 S2R; R2 S2R; R3 MOV; P4 ISETP.NE.AND R3; @P4 BRA process; P1 ISETP.NE.AND R0;"
             "@P1 BRA placed; R5 MOV; R6 LDG.E R5; STG.E R5 R6; R6 LDG.E R5; STG.E R5 R6; placed: R4 MOV;" LOOP_BEGINS
             "R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8; R6 LDG.E R5; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS
             "process: P4 ISETP.EQ.AND R3; @P4 BRA update; R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8;");
    add_step(h, 'b', &gpci_heart_select_area);
    add_code(h, 'c', LOOP_BEGINS "R5 LEA R4; R6 LDG.E R5; STS R4 R6;" LOOP_ENDS);
    add_code(h, 'd', CONVOLUTION("R6 LDS R11; R8 LDG.E R11; R9 FFMA R6 R8 R9;") "R7 LEA R4; STG.E R7 R9;" LOOP_ENDS);
    add_boxes(h, "efghijklm", OF_AREA);
    add_step(h, 'n', &gpci_heart_square_area);
    add_boxes(h, "opqrstuvC", OF_SQUARES);
    add_step(h, 'D', &gpci_heart_deviations);
    add_template(h);
    add_step(h, 'E', &gpci_heart_scale);
    add_step(h, 'F', &gpci_heart_centre);
    add_step(h, 'G', &gpci_heart_divide);
    add_code(h, 'H',
             "R6 LDG.E R1; R8 LDG.E R1; R13 IADD3 R6 R8; R6 LDG.E R1; R8 LDG.E R1; R13 IMAD R6 R8 R13;" LOOP_BEGINS
             "P1 ISETP.EQ.AND R4 R13; R6 SEL P1; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
    add_code(
        h, 'I',
        CONVOLUTION(
            "R6 LDG.E R11; R9 FADD R6 R9;") "R5 LEA R4; R6 LDG.E R5; R6 FMUL R6 R9; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
    add_largest(h);
    add_code(h, 'J',
             "update: P4 ISETP.NE.AND R3; @P4 BRA over; R6 LDG.E R1; R8 LDG.E R1; STG.E R1 R6; STG.E R1 R8;" LOOP_BEGINS
             "R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8; R6 LDG.E R5; R8 LDG.E R5; R6 FFMA R6 R8;"
             "R7 LEA R4; STG.E R7 R6;" LOOP_ENDS "over: EXIT");
}

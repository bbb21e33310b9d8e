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
 * Append code to the listing, which is made of loops over elements: R0 thread, R4 element, R5 and R7 addresses. A
 * loop's name is a letter. In the text, the letter replaces each '?': the labels of two loops differ.
 */
static void add_code(heart *tracker, char name, const char *text) {
    for (; *text && tracker->used + 1 < HEART_CODE; text++)
        tracker->code[tracker->used++] = *text == '?' ? name : *text;
    tracker->code[tracker->used] = '\0';
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

static void add_step(heart *tracker, char name, const heart_step *step) {
    add_code(tracker, name, LOOP_BEGINS "R5 LEA R4; R6 LDG.E R5;");
    if (step->count > 1)
        add_code(tracker, name, "R8 LDG.E R5; R6 FADD R6 R8;");
    if (step->uses)
        add_code(tracker, name, "R9 LDS R1; R6 FMUL R6 R9;");
    add_code(tracker, name, "R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
}

/* Add nine loops that sum up boxes of the template's size, over the area or over its squares. */
static void add_boxes(heart *tracker, const char *names, unsigned of) {
    add_code(tracker, names[0],
             LOOP_BEGINS "P1 ISETP.GE.AND R4; @P1 BRA ?none; R5 LEA R4; R6 LDG.E R5; R7 LEA R4; STG.E R7 R6;"
                         "?none: R7 LEA R4; @P1 STG.E R7 R255;" LOOP_ENDS);
    add_code(tracker, names[1], CUMULATIVE);
    add_step(tracker, names[2], &gpci_heart_lower);
    add_step(tracker, names[3], &gpci_heart_upper);
    add_step(tracker, names[4], &gpci_heart_subtract);
    add_code(tracker, names[5], CUMULATIVE);
    add_step(tracker, names[6], &gpci_heart_right);
    add_step(tracker, names[7], &gpci_heart_lefts[of]);
    add_step(tracker, names[8], &gpci_heart_boxes[of]);
}

/* Add the template's mean and deviation: a thread sums up each column and row, then two threads add up the sums. */
static void add_template(heart *tracker) {
    add_step(tracker, 'w', &gpci_heart_square);
    add_code(tracker, 'x', SUMMED);
    add_code(tracker, 'y', SUMMED);
    for (const char *name = "AB"; *name; name++)
        add_code(tracker, *name,
                 "P1 ISETP.NE.AND R0; @P1 BRA ?end; R9 MOV; R10 MOV; ?in: R6 LDS R10; R9 FADD R9 R6; R10 IADD3 R10;"
                 "P2 ISETP.LT.AND R10; @P2 BRA ?in; STS R1 R9; ?end: R4 MOV;");
    add_code(tracker, 'z',
             "BAR.SYNC.DEFER_BLOCKING; P1 ISETP.NE.AND R0; @P1 BRA ?end; R6 LDS R1; R8 LDS R1; R6 FFMA R6 R6 R8;"
             "R6 MUFU.SQRT R6; STS R1 R6; ?end: BAR.SYNC.DEFER_BLOCKING;");
}

/* Add the search for the largest value of each column, then of all columns; it is at the point's new place. */
static void add_largest(heart *tracker) {
    add_code(tracker, 'M',
             LINE_BEGINS "P3 FSETP.GT.AND R6 R9; R9 SEL R6 R9 P3; R12 SEL R10 P3;" LINE_ENDS
                         "STS R4 R12; STS R4 R9;" LOOP_ENDS);
    add_code(tracker, 'N',
             "P1 ISETP.NE.AND R0; @P1 BRA ?end; R9 MOV; R10 MOV; ?in: R6 LDS R10; R8 LDS R10;"
             "P3 FSETP.GT.AND R6 R9; R9 SEL R6 P3; R12 SEL R8 P3; R10 IADD3 R10; P2 ISETP.LT.AND R10; @P2 BRA ?in;"
             "R5 MOV; R6 LDG.E R5; R6 IADD3 R6 R12; STG.E R5 R6; R6 LDG.E R5; R6 IADD3 R6 R9; STG.E R5 R6;"
             "?end: BAR.SYNC.DEFER_BLOCKING;");
}

void gpci_heart_listing(heart *tracker) {
    add_code(tracker, 'a',
             "R1 MOV; R0 S2R; R2 S2R; R3 MOV; P4 ISETP.NE.AND R3; @P4 BRA process; P1 ISETP.NE.AND R0;"
             "@P1 BRA placed; R5 MOV; R6 LDG.E R5; STG.E R5 R6; R6 LDG.E R5; STG.E R5 R6; placed: R4 MOV;" LOOP_BEGINS
             "R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8; R6 LDG.E R5; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS
             "process: P4 ISETP.EQ.AND R3; @P4 BRA update; R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8;");
    add_step(tracker, 'b', &gpci_heart_select_area);
    add_code(tracker, 'c', LOOP_BEGINS "R5 LEA R4; R6 LDG.E R5; STS R4 R6;" LOOP_ENDS);
    add_code(tracker, 'd',
             CONVOLUTION("R6 LDS R11; R8 LDG.E R11; R9 FFMA R6 R8 R9;") "R7 LEA R4; STG.E R7 R9;" LOOP_ENDS);
    add_boxes(tracker, "efghijklm", OF_AREA);
    add_step(tracker, 'n', &gpci_heart_square_area);
    add_boxes(tracker, "opqrstuvC", OF_SQUARES);
    add_step(tracker, 'D', &gpci_heart_deviations);
    add_template(tracker);
    add_step(tracker, 'E', &gpci_heart_scale);
    add_step(tracker, 'F', &gpci_heart_centre);
    add_step(tracker, 'G', &gpci_heart_divide);
    add_code(tracker, 'H',
             "R6 LDG.E R1; R8 LDG.E R1; R13 IADD3 R6 R8; R6 LDG.E R1; R8 LDG.E R1; R13 IMAD R6 R8 R13;" LOOP_BEGINS
             "P1 ISETP.EQ.AND R4 R13; R6 SEL P1; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
    add_code(
        tracker, 'I',
        CONVOLUTION(
            "R6 LDG.E R11; R9 FADD R6 R9;") "R5 LEA R4; R6 LDG.E R5; R6 FMUL R6 R9; R7 LEA R4; STG.E R7 R6;" LOOP_ENDS);
    add_largest(tracker);
    add_code(tracker, 'J',
             "update: P4 ISETP.NE.AND R3; @P4 BRA over; R6 LDG.E R1; R8 LDG.E R1; STG.E R1 R6; STG.E R1 R8;" LOOP_BEGINS
             "R6 LDG.E R1; R8 LDG.E R1; R5 IMAD R6 R8; R6 LDG.E R5; R8 LDG.E R5; R6 FFMA R6 R8;"
             "R7 LEA R4; STG.E R7 R6;" LOOP_ENDS "over: EXIT");
}

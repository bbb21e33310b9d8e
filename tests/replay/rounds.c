/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

/* Rounds: every SM has a turn per round, and no SM is always first. */

#define SMS 4u
#define LOADS 240u

/* As many blocks of a warp as SMs, with LOADS loads per block. */
static rig *run_loads(void) {
    static char lines[LOADS * 64 + 64];
    size_t length = 0;
    for (unsigned n = 0; n < LOADS; n++)
        length += (size_t)snprintf(lines + length, sizeof lines - length, LOAD("%04x", "0x1000"), n * 16);
    snprintf(lines + length, sizeof lines - length, EXIT("%04x"), LOADS * 16);
    rig *r = rig_open();
    set(r, "sm.count", "4");
    put_kernel(r, "k.traceg", SMS, 1, "", lines);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(how_many(r, SEEN_ACCESS), SMS * LOADS);
    return r;
}

Test(rounds, every_sm_has_a_turn) {
    rig *r = run_loads();
    for (unsigned round = 0; round < LOADS; round++) {
        unsigned sms = 0;
        for (unsigned n = 0; n < SMS; n++) {
            const seen *s = nth(r, SEEN_ACCESS, round * SMS + n);
            cr_assert_eq(s->pc, round * 16, "round %u: pc %llx", round, (unsigned long long)s->pc);
            sms |= 1u << s->sm;
        }
        cr_assert_eq(sms, (1u << SMS) - 1, "round %u", round);
    }
    rig_close(r);
}

/* Two SMs are first in half of the rounds each: 240 throws of a coin, with mean 120 and standard deviation 7.7. */
Test(rounds, no_sm_is_ahead) {
    rig *r = run_loads();
    unsigned first[SMS][SMS] = {{0}};
    for (unsigned round = 0; round < LOADS; round++)
        for (unsigned a = 0; a < SMS; a++)
            for (unsigned b = a + 1; b < SMS; b++)
                first[nth(r, SEEN_ACCESS, round * SMS + a)->sm][nth(r, SEEN_ACCESS, round * SMS + b)->sm]++;
    for (unsigned a = 0; a < SMS; a++)
        for (unsigned b = 0; b < SMS; b++)
            if (a != b)
                cr_expect_float_eq(first[a][b], LOADS / 2.0, 4 * sqrt(LOADS) / 2, "SM %u before %u: %u times", a, b,
                                   first[a][b]);
    rig_close(r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <math.h>

/* seeds/001 Table 1: streamcluster's classes, as printed. Classes 14 to 32 are 0. */
static const struct {
    double reuse, utilisation, product;
} table[] = {
    {9.08, 0.62, 6.28},  {0.12, 0.56, 0.63}, {0.22, 0.51, 0.62},  {0.24, 0.66, 0.82},  {0.78, 0.35, 0.61},
    {0.73, 0.29, 0.50},  {0.10, 0.79, 0.87}, {9.54, 0.96, 10.16}, {20.00, 0.25, 5.25}, {1.29, 0.26, 0.60},
    {20.00, 0.25, 5.25}, {0, 0.61, 0.61},    {0, 0.58, 0.58},
};
#define ROWS (sizeof table / sizeof *table)

static unsigned above(double threshold) {
    unsigned classes = 0;
    for (unsigned i = 0; i < ROWS; i++)
        classes |= (unsigned)(gpc_profile_score(table[i].utilisation, table[i].reuse) > threshold) << (i + 1);
    return classes;
}

#define CLASS(n) (1u << (n))

/* Eq. (1): the classes 1, 8, 9 and 11 pass. */
Test(table1, equation_1) {
    unsigned cached = 0;
    for (unsigned i = 0; i < ROWS; i++)
        cached |= (unsigned)!(gpc_profile_score(table[i].utilisation, table[i].reuse) < 1) << (i + 1);
    cr_expect_eq(cached, CLASS(1) | CLASS(8) | CLASS(9) | CLASS(11));
    cr_expect_eq(gpc_profile_score(0, 0), 0);
}

/*
 * Every product is possible for numbers rounded to these R and U. From the printed R and U rows 1, 5 and 8 differ:
 * 6.25, 0.62 and 10.12.
 */
Test(table1, products_follow) {
    for (unsigned i = 0; i < ROWS; i++) {
        double reuse = table[i].reuse, use = table[i].utilisation, product = table[i].product;
        double least = (1 + fmax(reuse - 0.005, 0)) * (use - 0.005), most = (1 + reuse + 0.005) * (use + 0.005);
        cr_expect(product + 0.005 > least && product - 0.005 < most, "row %u: %g to %g", i + 1, least, most);
        double computed = round(gpc_profile_score(use, reuse) * 100) / 100;
        bool differs = i + 1 == 1 || i + 1 == 5 || i + 1 == 8;
        cr_expect_eq(fabs(computed - product) > 1e-9, differs, "row %u: %g, not %g", i + 1, computed, product);
    }
}

/*
 * "the value larger than 0.62 (1, 2, 3, 4, 7, 8, 9 and 11)". Row 3, printed 0.62, is larger only before rounding
 * (0.6222). So is row 5 from R and U (0.6230), printed as 0.61 and not listed.
 */
Test(table1, threshold) {
    unsigned text = CLASS(1) | CLASS(2) | CLASS(3) | CLASS(4) | CLASS(7) | CLASS(8) | CLASS(9) | CLASS(11);
    cr_expect_eq(above(0.62) & ~CLASS(5), text);
    cr_expect_eq(above(0.62), text | CLASS(5));
    unsigned printed = 0;
    for (unsigned i = 0; i < ROWS; i++)
        printed |= (unsigned)(table[i].product > 0.62) << (i + 1);
    cr_expect_eq(printed, text & ~CLASS(3));
    cr_expect_eq(above(0.624), text & ~CLASS(3), "between row 5's 0.6230 and row 2's 0.6272");
}

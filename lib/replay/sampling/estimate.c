/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sampling/sampling.h"

#include <math.h>
#include <string.h>

/*
 * Estimates and their confidence intervals. Let n measured units have sizes x and values y. The rate is R = sum y / sum
 * x, and s^2 = sum (y - R x)^2 / (n - 1). Unmeasured units with total size X count as m = X / mean x units. The
 * variance of the estimate R X is the sum of two parts: the error of R, m^2 s^2 / n, and the variation of the
 * unmeasured units, m s^2 (Cochran, Sampling Techniques, chapter 6, for units drawn from an infinite population).
 *
 * Example: three launches with 100, 104 and 102 cycles were measured, and 7 launches were not. All sizes are 1. R = 102
 * and s^2 = 4. The estimate for the 7 launches is 714 cycles, +- t sqrt(49 * 4 / 3 + 7 * 4); t is a quantile of
 * Student's t distribution.
 */

/* Numerator and denominator of each ratio, as indices of words in gpc_stats. */
static const struct {
    uint16_t numerator, denominator;
} ratios[] = {
#define X(id, name, numerator, denominator, ...) \
    {offsetof(gpc_stats, numerator) / sizeof(uint64_t), offsetof(gpc_stats, denominator) / sizeof(uint64_t)},
    GPC_RATIOS(X)
#undef X
};

static uint64_t word(const gpc_stats *stats, size_t w) {
    uint64_t value;
    memcpy(&value, (const char *)stats + w * sizeof value, sizeof value);
    return value;
}

void gpci_units_add(gpci_units *units, const gpc_stats *stats, double size) {
    units->count++;
    units->size += size;
    units->squares += size * size;
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        double y = (double)word(stats, w);
        units->sums[w] += y;
        units->squared[w] += y * y;
        units->sized[w] += y * size;
    }
    for (size_t k = 0; k < GPCI_RATIO_COUNT; k++)
        units->pairs[k] += (double)word(stats, ratios[k].numerator) * (double)word(stats, ratios[k].denominator);
}

void gpci_estimates_count(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpc_stats *stats) {
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        double y = (double)word(stats, w);
        estimates->values[w] = kinds[w] != GPCI_WORD_MAX  ? estimates->values[w] + y
                               : y > estimates->values[w] ? y
                                                          : estimates->values[w];
    }
}

void gpci_estimates_predict(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpci_units *u, double rest,
                            const double *trace) {
    bool alone = u->count < 2; /* a single measured unit: the variation is unknown */
    double freedom = alone ? 1 : u->count - 1, units = rest / (u->size / u->count);
    double spread = (units * units / u->count + units) / freedom;
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        double rate = u->sums[w] / u->size;
        if (kinds[w] == GPCI_WORD_MAX) {
            double mean = u->sums[w] / u->count;
            estimates->values[w] = mean > estimates->values[w] ? mean : estimates->values[w];
        } else if (kinds[w] == GPCI_WORD_TRACE && trace) {
            estimates->values[w] += trace[w];
        } else {
            double residual = u->squared[w] - 2 * rate * u->sized[w] + rate * rate * u->squares;
            double variance = residual > 0 ? residual * spread : 0;
            if (alone)
                variance = rate * rest * rate * rest;
            estimates->values[w] += rate * rest;
            estimates->variances[w] += variance;
            estimates->freedom[w] += variance * variance / freedom;
            estimates->estimated[w] = true;
        }
    }
    for (size_t k = 0; k < GPCI_RATIO_COUNT; k++) {
        size_t a = ratios[k].numerator, b = ratios[k].denominator;
        double ra = u->sums[a] / u->size, rb = u->sums[b] / u->size;
        if (trace && (kinds[a] == GPCI_WORD_TRACE || kinds[b] == GPCI_WORD_TRACE))
            continue; /* the numerator or the denominator is counted, and has no covariance */
        estimates->covariances[k] +=
            (u->pairs[k] - rb * u->sized[a] - ra * u->sized[b] + ra * rb * u->squares) * spread;
    }
}

void gpci_estimates_round(const gpci_estimates *estimates, gpc_stats *stats) {
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        uint64_t value = (uint64_t)(estimates->values[w] + 0.5);
        memcpy((char *)stats + w * sizeof value, &value, sizeof value);
    }
}

/* 97.5 % quantile of Student's t distribution, by expansion in degrees of freedom (Abramowitz and Stegun, 26.7.5). */
static double student(double freedom) {
    static const double small[] = {12.7062, 4.3027, 3.1824, 2.7764};
    if (freedom < 5) {
        double at = freedom > 1 ? freedom - 1 : 0;
        size_t low = (size_t)at;
        double next = low + 1 < 4 ? small[low + 1] : 2.5706;
        return small[low] + (next - small[low]) * (at - (double)low);
    }
    double f = 1 / freedom;
    return 1.959964 + f * (2.372271 + f * (2.822486 + f * (2.555850 + f * 1.589536)));
}

static double variance_of(const gpci_estimates *estimates, size_t k, double value, double divisor) {
    size_t a = ratios[k].numerator, b = ratios[k].denominator;
    double variance =
        estimates->variances[a] + value * value * estimates->variances[b] - 2 * value * estimates->covariances[k];
    return variance > 0 ? variance / (divisor * divisor) : 0;
}

void gpci_estimates_give(const gpci_estimates *estimates, const gpci_counter_row *info, gpc_estimate *out) {
    size_t a = info->offset / sizeof(uint64_t), b = info->divisor / sizeof(uint64_t);
    double variance = estimates->variances[a],
           freedom = estimates->freedom[a] > 0 ? variance * variance / estimates->freedom[a] : 0;
    out->value = estimates->values[a];
    out->estimated = estimates->estimated[a];
    if (info->ratio) {
        size_t k = 0;
        while (ratios[k].numerator != a || ratios[k].denominator != b)
            k++;
        double of_divisor =
            estimates->freedom[b] > 0 ? estimates->variances[b] * estimates->variances[b] / estimates->freedom[b] : 0;
        freedom = freedom > 0 && (of_divisor <= 0 || freedom < of_divisor) ? freedom : of_divisor;
        out->value = estimates->values[a] / estimates->values[b];
        out->estimated = estimates->estimated[a] || estimates->estimated[b];
        variance = variance_of(estimates, k, out->value, estimates->values[b]);
    }
    double half = variance > 0 && freedom > 0 ? student(freedom) * sqrt(variance) : 0;
    out->low = out->value - half > 0 ? out->value - half : 0;
    out->high = out->value + half;
}

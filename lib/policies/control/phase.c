/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/phase.h"

#include <math.h>
#include <string.h>

void gpci_phase_init(gpci_phase *phase, const gpci_phase_options *options) {
    *phase = (gpci_phase){.options = *options};
}

void gpci_phase_restart(gpci_phase *phase) {
    phase->known = false;
    phase->lasting = 0;
}

static bool changed(const gpci_phase *phase, const double *measures) {
    const gpci_phase_options *options = &phase->options;
    for (uint32_t i = 0; i < options->measures; i++) {
        double before = fmax(phase->before[i], options->floors[i]), now = fmax(measures[i], options->floors[i]);
        if (fabs(now - before) > options->threshold * before)
            return true;
    }
    return false;
}

bool gpci_phase_observe(gpci_phase *phase, const double *measures) {
    bool differs = phase->known && changed(phase, measures);
    phase->lasting = differs ? phase->lasting + 1 : 0;
    if (differs && phase->lasting < phase->options.periods)
        return false;
    memcpy(phase->before, measures, phase->options.measures * sizeof *measures);
    phase->lasting = 0;
    phase->known = true;
    return differs;
}

uint64_t gpci_phase_bits(const gpci_phase_options *options) {
    return (uint64_t)options->measures * 32 + gpci_ceil_log2((uint64_t)options->periods + 1);
}

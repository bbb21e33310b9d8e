/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/agcb.h"

#include "base/base.h"
#include "policies/predictor/predictors.h"

/*
 * Bypass bits of `agcb` in the lines of L2 (seeds/000 sections 4, 6.2.5 and 6.2.6). A load judged by L1's predictor
 * brings its decision along:
 *
 *   decision  bit     reply     bit after   effect in L1
 *   bypass    0       0         1           the load bypasses
 *   bypass    1       override  0           the line was bypassed before, and is requested again: L1 keeps the line
 *   cache     0       0         0           L1 keeps the line
 *   cache     1       override  0           L1 keeps the line anyway
 *
 * Section 6.2.6 stores the bit of the request; section 4 has an override bit "set back to 0 to indicate reuse". This
 * file follows section 4: otherwise the line just kept would count as bypassed once more.
 *
 * If L2 has the line, the bits are exchanged (6.2.5). A line from memory therefore has no bit before its second
 * request. With on-miss=1 the miss leaves its decision, and the second request finds the decision. A request for other
 * sectors of a line is a request of the line: the bit belongs to the line. With per-sector=1 each sector has a bit, and
 * a request overrides if any of its sectors has a set bit. A bit leaves with its line. Unjudged requests neither read
 * nor change the bit. agcb-below itself never bypasses: all requests of L2 may allocate.
 *
 * Example, one L2 line, L1 bypassing each time: the first load misses here, reply 0, bit 0; the second reply 0, bit 1;
 * the third override, bit 0. With on-miss=1: reply 0, bit 1; override, bit 0.
 */

enum { ON_MISS, PER_SECTOR };

#define FRESH 0x100u /* the line was filled by the load that `respond` answers next */

typedef struct below_state {
    uint16_t *bits; /* [sets x ways]: bypass bits (with per-sector=1 a bit per sector, else bit 0), and FRESH */
    uint32_t ways;
    bool on_miss, per_sector;
} below_state;

static const gpc_parameter parameters[] = {
    {"on-miss", 0, 0, 1, true, "1: the miss that brings the line to L2 stores its decision too (6.2.5: hits only)"},
    {"per-sector", 0, 0, 1, true, "1: a bit per sector instead of one per line (6.2.5: one per line)"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    below_state *state = self;
    state->bits = env->line_state;
    state->ways = env->ways;
    state->on_miss = env->parameters[ON_MISS] > 0;
    state->per_sector = env->parameters[PER_SECTOR] > 0;
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    below_state *state = self;
    bool judged = request->policy.policy_word & GPCI_AGCB_JUDGED;
    state->bits[(size_t)set * state->ways + way] = judged && !state->on_miss ? FRESH : 0;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    const below_state *state = self;
    if (!(request->policy.policy_word & GPCI_AGCB_JUDGED) || way == UINT32_MAX)
        return 0;
    uint16_t *bits = &state->bits[(size_t)set * state->ways + way];
    if (*bits & FRESH) {
        *bits = 0;
        return 0;
    }
    uint16_t mask = state->per_sector && request->sector_mask ? request->sector_mask : 1;
    bool found = *bits & mask;
    bool keep = request->policy.policy_word & GPCI_AGCB_BYPASS && !found;
    *bits = (uint16_t)((*bits & ~mask) | (keep ? mask : 0));
    return found ? GPCI_AGCB_OVERRIDE : 0;
}

/* Cost: a bit per line, or with per-sector=1 a bit per sector. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * env->ways * (env->parameters[PER_SECTOR] > 0 ? env->sectors : 1);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPC_READS_POLICY_WORD | (env->parameters[PER_SECTOR] > 0 ? GPC_READS_BYTES : 0);
}

const gpc_predictor_ops gpci_agcb_below = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "agcb-below",
    .summary = "agcb's bit in each line of L2, which finds out bypasses that were wrong; bypasses nothing itself",
    .source = "seeds/000 sections 4, 6.2.5 and 6.2.6",
    .instance_bytes = sizeof(below_state),
    .line_bytes = sizeof(uint16_t),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .predict = predict,
    .respond = respond,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_BYTES | GPC_READS_POLICY_WORD,
    .reads_with = reads_with,
};

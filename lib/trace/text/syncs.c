/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/operands.h"
#include "trace/text/line.h"
#include "trace/text/opcodes.h"

#include <string.h>

/*
 * Data of an mbarrier from lines of SYNCS. The address gives the barrier. If the tracer wrote register values, the
 * value of the last source gives: arrivals that end a phase, arrivals of the instruction, bytes, and the phase waited
 * for. NVIDIA does not publish the SASS; from the compiler's code for the PTX instructions at GPC_REGISTER_NUMBER:
 *
 *   EXCH.64           the value's bits 1 to 20 are 2^20 minus the arrivals
 *   ARRIVE.TRANS64    .A1T0: arrives once; .ART0: arrives `value` times; .A0TR: expects `value` bytes more; else: both
 *   ARRIVE...RED      the barrier may belong to another block of the cluster
 *   PHASECHK          the value's highest bit is the parity of the phase
 *
 * Other modifiers (OPTOUT, A0T1, A0TX) are not modelled: a barrier changed by them counts as a barrier without data.
 */

#define MOST_ARRIVALS (1u << 20)
/* bits of an address within a block's shared memory; the upper bits are the rank in the cluster */
#define SHARED_BITS 24

void gpci_line_barrier(gpc_instruction *instruction, uint64_t address) {
    const unsigned used = (unsigned)instruction->destinations + instruction->sources;
    if (used >= GPC_MAX_OPERANDS)
        return;
    instruction->registers[used] = (uint16_t)(GPC_REGISTER_BARRIER | (address / 8 & (GPC_REGISTER_BARRIER - 1)));
    instruction->sources++;
}

/* Get the value of the instruction's last source in a lane. False: the value is unknown. */
static bool value_in(const gpci_line_parser *parser, const gpc_instruction *instruction, unsigned lane, uint32_t *out) {
    *out = parser->told_count ? (uint32_t)parser->told[parser->told_count == 1 ? 0 : lane] : 0;
    return parser->told_count && instruction->sources >= 2;
}

/* Add the arrivals and the bytes of an ARRIVE in a lane. False: they are unknown. */
static bool arrival_of(const gpci_line_parser *parser, const gpc_instruction *instruction, const char *text,
                       unsigned lane, uint64_t *arrivals, uint64_t *bytes) {
    uint32_t value;
    const bool known = value_in(parser, instruction, lane, &value);
    if (gpci_opcode_has(text, "OPTOUT") || gpci_opcode_has(text, "TMASK") || gpci_opcode_has(text, "A0T1") ||
        gpci_opcode_has(text, "A0TX"))
        return false;
    if (gpci_opcode_has(text, "A1T0")) {
        ++*arrivals;
        return true;
    }
    if (gpci_opcode_has(text, "ART0")) {
        *arrivals += value;
        return known;
    }
    *arrivals += !gpci_opcode_has(text, "A0TR");
    *bytes += value;
    return known;
}

/* Add the barrier and the arrivals as sources of an ARRIVE. All its lanes arrive at the barrier at `address`. */
static void tell_arrival(const gpci_line_parser *parser, gpc_instruction *instruction, const char *text,
                         uint64_t address) {
    uint64_t arrivals = 0, bytes = 0, rank = 0;
    bool known = true;
    for (uint64_t lanes = instruction->mask; lanes; lanes &= lanes - 1)
        known &= arrival_of(parser, instruction, text, gpci_lowest(lanes), &arrivals, &bytes);
    if (gpci_opcode_has(text, "RED") && parser->clusters) {
        const bool window = parser->windows.shared && address >= parser->windows.shared;
        rank = 1 + ((address - (window ? parser->windows.shared : 0)) >> SHARED_BITS & 0xff);
        rank = rank == 1 + parser->rank ? 0 : rank;
    }
    gpci_line_barrier(instruction, address);
    if (known && arrivals < MOST_ARRIVALS && bytes < MOST_ARRIVALS && gpci_mark_barrier(instruction, (uint32_t)bytes))
        gpci_mark_barrier(instruction, (uint32_t)(rank << 20 | arrivals));
}

/* Add arrivals to an ARRIVE. Lanes that arrive at different barriers become separate instructions. */
static bool tell_arrivals(gpci_line_parser *parser, gpci_block *block, const char *text) {
    gpc_instruction model = block->instructions[block->count - 1];
    uint64_t left = model.mask;
    block->count--;
    for (unsigned taken = 0; left; taken++) {
        const uint64_t address = model.addresses[gpci_popcount(model.mask & ((left & (0 - left)) - 1))];
        gpc_instruction one = model;
        unsigned lane = 0;
        one.mask = 0;
        for (uint64_t lanes = model.mask; lanes; lanes &= lanes - 1, lane++)
            if (model.addresses[lane] == address)
                one.mask |= lanes & (0 - lanes);
        left &= ~one.mask;
        if (taken && !gpci_block_reserve(block, 1, 32))
            return gpci_line_fail(parser, NULL);
        if (taken) {
            uint64_t *addresses = gpci_block_take(block, 32);
            for (unsigned n = 0; n < gpci_popcount(one.mask); n++)
                addresses[n] = address;
            one.addresses = addresses;
        }
        tell_arrival(parser, &one, text, address);
        block->instructions[block->count++] = one;
    }
    return true;
}

bool gpci_line_syncs(gpci_line_parser *parser, gpci_block *block, uint8_t copy) {
    gpc_instruction *last = &block->instructions[block->count - 1];
    const char *text = gpci_opcodes_at(parser->opcodes, last->opcode)->text;
    uint32_t value;
    if (!last->addresses || !last->mask || gpci_barrier_of(last) != UINT32_MAX)
        return true;
    if (copy == GPC_COPY_BARRIER_ARRIVE)
        return tell_arrivals(parser, block, text);
    const bool known = value_in(parser, last, gpci_lowest(last->mask), &value);
    gpci_line_barrier(last, last->addresses[0]);
    if (!known)
        return true;
    if (copy == GPC_COPY_BARRIER_INIT)
        gpci_mark_barrier(last, MOST_ARRIVALS - (value >> 1 & (MOST_ARRIVALS - 1)));
    else
        gpci_mark_barrier(last, value >> 31);
    return true;
}

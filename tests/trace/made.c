/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/made.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPCODES 12u
#define MOST_INSTRUCTIONS 120u

/* Opcodes interned by made_opcodes in this order; from 6 on, memory opcodes. */
static const char *const opcodes[OPCODES] = {"IMAD",  "FFMA",     "BRA",    "BAR.SYNC",    "MUFU.RCP", "EXIT",
                                             "LDG.E", "STG.E.64", "LDS.U8", "ATOMG.E.ADD", "LDL",      "RED.E.ADD.F64"};

gpc_trace *made_opcodes(rig *r) {
    char lines[1024] = "";
    for (unsigned i = 0; i < OPCODES; i++)
        sprintf(lines + strlen(lines), "0000 1 0 %s 0 0\n", opcodes[i]);
    write_block(r, "opcodes.traceg", HEADER, lines, OPCODES);
    gpc_trace *trace = open_trace(r, path_of(r, "opcodes.traceg"));
    next_kernel(r, trace);
    const gpc_block *block = next_block(r, trace);
    for (unsigned i = 0; i < OPCODES; i++)
        cr_assert_eq(block->warps[0].instructions[i].opcode, i);
    gpc_trace_release_block(trace, block);
    return trace;
}

gpc_kernel made_kernel(uint32_t x, uint32_t y, uint32_t z, uint32_t threads, uint32_t lanes) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.name = "made";
    kernel.grid[0] = x;
    kernel.grid[1] = y;
    kernel.grid[2] = z;
    kernel.block[0] = threads;
    kernel.block[1] = kernel.block[2] = 1;
    kernel.warp_lanes = lanes;
    return kernel;
}

/* The constant part of an instruction at a PC: everything but mask and addresses. */
static gpc_instruction static_at(uint64_t pc) {
    uint64_t random = pc * 77;
    gpc_instruction i = {.pc = 0x7000 + pc * 16, .opcode = gpci_random_below(&random, OPCODES)};
    bool memory = i.opcode >= 6;
    i.line = gpci_random_below(&random, 3) ? 0 : gpci_random_below(&random, 5000);
    i.destinations = (uint8_t)gpci_random_below(&random, 3);
    i.sources = (uint8_t)gpci_random_below(&random, GPC_MAX_OPERANDS - 1);
    for (unsigned n = 0; n < (unsigned)i.destinations + i.sources; n++)
        i.registers[n] = (uint16_t)gpci_random_below(&random, 1024);
    i.op_class = memory ? GPC_OP_MEMORY : (uint8_t)gpci_random_below(&random, GPC_OP_MEMORY);
    i.kind = memory ? (uint8_t)gpci_random_below(&random, GPC_KIND_COUNT) : 0;
    i.space = memory ? (uint8_t)gpci_random_below(&random, GPC_SPACE_INSTRUCTION) : GPC_SPACE_NONE;
    i.hint = memory ? (uint8_t)gpci_random_below(&random, GPC_HINT_COUNT) : 0;
    i.priority = memory ? (uint8_t)gpci_random_below(&random, GPC_PRIORITY_COUNT) : 0;
    i.width = memory ? (uint8_t)(1u << gpci_random_below(&random, 5)) : 0;
    return i;
}

static uint64_t mask_of(uint64_t *random, uint32_t lanes) {
    uint64_t full = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    switch (gpci_random_below(random, 8)) {
    case 0:
        return 0;
    case 1:
        return gpci_random(random) & full;
    case 2:
        return UINT64_C(1) << gpci_random_below(random, lanes);
    case 3:
        return full >> gpci_random_below(random, lanes);
    default:
        return full;
    }
}

/* Addresses of `count` lanes: a kind chosen by the PC, sometimes a random kind. */
static void fill(uint64_t *addresses, unsigned count, uint64_t pc, uint64_t place, uint64_t *random) {
    uint64_t kind = gpci_random_below(random, 20) ? pc % 7 : gpci_random_below(random, 7);
    uint64_t base = 0x7f0000000000u + pc * 0x1000000 + place * 128;
    for (unsigned n = 0; n < count; n++)
        switch (kind) {
        case 0: /* one word a lane */
            addresses[n] = base + 4 * n;
            break;
        case 1: /* all equal */
            addresses[n] = base;
            break;
        case 2: /* rows of 16 lanes */
            addresses[n] = base + n / 16 * 4096 + n % 16 * 8;
            break;
        case 3: /* scattered words of 2 MiB */
            addresses[n] = base + 4 * gpci_random_below(random, 1u << 19);
            break;
        case 4: /* arbitrary */
            addresses[n] = gpci_random(random);
            break;
        case 5: /* downwards, past zero */
            addresses[n] = 64 - 16 * (uint64_t)n;
            break;
        default: /* growing steps */
            addresses[n] = base + n * n * 4;
        }
}

made made_block(const gpc_kernel *kernel, uint32_t index, uint64_t seed) {
    uint64_t random = seed + index;
    uint32_t threads = kernel->block[0], lanes = kernel->warp_lanes, warps = (threads + lanes - 1) / lanes;
    made m = {0};
    m.block = (gpc_block){.x = index % kernel->grid[0],
                          .y = index / kernel->grid[0] % kernel->grid[1],
                          .z = index / kernel->grid[0] / kernel->grid[1],
                          .index = index,
                          .warp_count = warps};
    m.warps = calloc(warps, sizeof *m.warps);
    m.instructions = calloc(warps, sizeof *m.instructions);
    m.addresses = calloc(warps, sizeof *m.addresses);
    cr_assert(m.warps && m.instructions && m.addresses);
    for (uint32_t w = 0; w < warps; w++) {
        uint64_t count = 1 + gpci_random_below(&random, MOST_INSTRUCTIONS - 1), pc = 0, used = 0;
        m.instructions[w] = calloc(count, sizeof **m.instructions);
        m.addresses[w] = calloc(count * lanes, sizeof **m.addresses);
        cr_assert(m.instructions[w] && m.addresses[w]);
        uint64_t mask = mask_of(&random, lanes);
        for (uint64_t n = 0; n < count; n++) {
            gpc_instruction *i = &m.instructions[w][n];
            *i = static_at(pc);
            i->mask = mask;
            unsigned active = gpci_popcount(mask);
            if (i->op_class == GPC_OP_MEMORY && active && pc % 5) {
                i->addresses = m.addresses[w] + used;
                fill(m.addresses[w] + used, active, pc, (uint64_t)index * 64 + w + n / 10, &random);
                used += active;
            }
            pc = gpci_random_below(&random, 12) ? pc + 1 : gpci_random_below(&random, 40);
            mask = gpci_random_below(&random, 9) ? mask : mask_of(&random, lanes);
        }
        m.instructions[w][count - 1].op_class = GPC_OP_EXIT;
        m.warps[w] = (gpc_warp){.warp = w, .count = count, .instructions = m.instructions[w]};
        m.block.instruction_count += count;
    }
    m.block.warps = m.warps;
    return m;
}

void made_free(made *m) {
    for (uint32_t w = 0; w < m->block.warp_count; w++) {
        free(m->instructions[w]);
        free(m->addresses[w]);
    }
    free(m->instructions);
    free(m->addresses);
    free(m->warps);
}

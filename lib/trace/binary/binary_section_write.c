/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_encode.h"

#include <string.h>

static void put_launch(const gpc_kernel *kernel, gpci_buffer *out) {
    gpci_buffer_text(out, kernel->name);
    const uint32_t numbers[] = {kernel->id,        kernel->grid[0],        kernel->grid[1],        kernel->grid[2],
                                kernel->block[0],  kernel->block[1],       kernel->block[2],       kernel->shared_bytes,
                                kernel->registers, kernel->binary_version, kernel->tracer_version, kernel->warp_lanes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        gpci_buffer_varint(out, numbers[i]);
    gpci_buffer_varint(out, kernel->stream);
    gpci_buffer_varint(out, kernel->shared_base);
    gpci_buffer_varint(out, kernel->local_base);
}

/* Write the count, the bits of an SM number, and the SM numbers. */
static void put_placement(const gpc_kernel *kernel, gpci_buffer *out) {
    uint32_t any = 0;
    for (uint64_t b = 0; b < kernel->placement_count; b++)
        any |= kernel->placement[b];
    unsigned width = any ? gpci_pack_width(any) : 1;
    gpci_buffer_varint(out, kernel->placement_count);
    if (!kernel->placement_count)
        return;
    gpci_buffer_varint(out, width);
    /* eight numbers fill whole bytes: pieces of eight numbers can be appended */
    for (uint64_t b = 0; b < kernel->placement_count; b += 8) {
        uint64_t sms[8];
        size_t count = 0;
        for (; count < 8 && b + count < kernel->placement_count; count++)
            sms[count] = kernel->placement[b + count];
        gpci_buffer_bits(out, sms, count, width);
    }
}

/* Write value + 1, so that UINT32_MAX (none) becomes 0. */
static void put_optional(gpci_buffer *out, uint32_t value) {
    gpci_buffer_varint(out, value == UINT32_MAX ? 0 : (uint64_t)value + 1);
}

static void put_learned(const gpci_learned *learned, gpci_buffer *out) {
    put_optional(out, learned->from);
    if (learned->from == GPCI_NO_ORDINAL)
        return;
    gpci_buffer_varint(out, learned->base);
    gpci_buffer_varint(out, learned->x);
    gpci_buffer_varint(out, learned->y);
    gpci_buffer_varint(out, learned->warp);
    gpci_buffer_signed(out, learned->warp_step);
    gpci_buffer_signed(out, learned->loop_step);
    put_optional(out, learned->shape);
    const uint32_t from[] = {learned->dx_from, learned->dy_from};
    const uint64_t steps[] = {learned->dx, learned->dy};
    for (int i = 0; i < 2; i++) {
        put_optional(out, from[i]);
        if (from[i] != GPCI_NO_ORDINAL)
            gpci_buffer_signed(out, steps[i]);
    }
}

static uint8_t written_class(const gpci_encoder *encoder, const gpc_instruction *instruction) {
    const bool told = gpci_opcodes_at(encoder->opcodes, instruction->opcode)->op_class == GPC_OP_FP;
    if (!told || (instruction->op_class != GPC_OP_FP && instruction->op_class != GPC_OP_ALU))
        return instruction->op_class;
    return instruction->op_class == GPC_OP_FP ? GPC_OP_ALU : GPCI_BINARY_ALU;
}

static void put_statics(const gpci_encoder *encoder, gpci_buffer *out) {
    uint64_t pc = 0;
    gpci_buffer_varint(out, encoder->statics.count);
    for (uint32_t i = 0; i < encoder->statics.count; i++) {
        gpc_instruction instruction;
        memcpy(&instruction, gpci_block_pool_at(&encoder->statics, i), sizeof instruction);
        bool addressed = instruction.mask;
        gpci_buffer_varint(out, addressed);
        gpci_buffer_signed(out, instruction.pc - pc);
        pc = instruction.pc;
        gpci_buffer_varint(out, instruction.opcode);
        gpci_buffer_varint(out, instruction.line);
        const uint8_t fields[] = {instruction.destinations, instruction.sources, written_class(encoder, &instruction),
                                  instruction.kind,         instruction.space,   instruction.hint,
                                  instruction.priority,     instruction.width};
        gpci_buffer_put(out, fields, sizeof fields);
        for (unsigned r = 0; r < (unsigned)instruction.destinations + instruction.sources; r++)
            gpci_buffer_varint(out, instruction.registers[r]);
        if (addressed)
            put_learned(&encoder->streams[i].learned, out);
    }
}

static void put_shapes(const gpci_block_pool *shapes, gpci_buffer *out) {
    gpci_buffer_varint(out, shapes->count);
    for (uint32_t i = 0; i < shapes->count; i++) {
        size_t words = shapes->entries[i].length / sizeof(uint64_t);
        gpci_buffer_varint(out, words);
        for (size_t w = 0; w < words; w++) {
            uint64_t step;
            memcpy(&step, gpci_block_pool_at(shapes, i) + w * sizeof step, sizeof step);
            gpci_buffer_signed(out, step);
        }
    }
}

static void put_blocks(const gpci_encoder *encoder, gpci_buffer *out) {
    uint64_t next = 0;
    gpci_buffer_varint(out, encoder->block_count);
    for (size_t b = 0; b < encoder->block_count; b++) {
        gpci_buffer_signed(out, encoder->blocks[b].index - next);
        gpci_buffer_varint(out, encoder->blocks[b].length);
        gpci_buffer_varint(out, encoder->blocks[b].instructions);
        next = (uint64_t)encoder->blocks[b].index + 1;
    }
}

gpc_status gpci_encoder_section(const gpci_encoder *encoder, uint32_t version, gpci_buffer *out) {
    put_launch(&encoder->kernel, out);
    put_placement(&encoder->kernel, out);
    gpci_buffer_varint(out, gpci_opcodes_count(encoder->opcodes));
    for (uint32_t i = 0; i < gpci_opcodes_count(encoder->opcodes); i++)
        gpci_buffer_text(out, gpci_opcodes_at(encoder->opcodes, i)->text);
    put_statics(encoder, out);
    gpci_buffer_varint(out, encoder->controls.count);
    for (uint32_t i = 0; i < encoder->controls.count; i++) {
        gpci_buffer_varint(out, encoder->controls.entries[i].length);
        gpci_buffer_put(out, gpci_block_pool_at(&encoder->controls, i), encoder->controls.entries[i].length);
    }
    put_shapes(&encoder->shapes, out);
    put_blocks(encoder, out);
    if (version >= GPCI_BINARY_RECORDED)
        gpci_buffer_put(out, encoder->recording.data, encoder->recording.length);
    for (int i = 0; i < 3 && version >= GPCI_BINARY_CLUSTERS; i++)
        gpci_buffer_varint(out, encoder->kernel.cluster[i]);
    return out->failed ? GPC_ERROR_MEMORY : GPC_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/seen.h"
#include "trace/sources.h"

#include <string.h>

/*
 * Reader of a section. Behind damage, the cursor returns zeros until the end of the part; then the reading fails.
 * `what` names the damaged part.
 */
typedef struct section_reading {
    gpci_decoder *decoder;
    gpci_cursor cursor;
    const char *what;
    bool memory;
} section_reading;

static bool stop(section_reading *section, const char *what) {
    section->what = what;
    return false;
}

static bool out_of_memory(section_reading *section) {
    section->memory = true;
    return false;
}

/*
 * Read the count of the following elements, each of at least `least` bytes in the file. Allocate the array, of elements
 * of `bytes` bytes. NULL: the count is bad, or `memory` is set.
 */
static void *take_array(section_reading *section, uint64_t least, size_t bytes, uint32_t *count) {
    *count = 0;
    uint64_t given = gpci_cursor_below(&section->cursor, (uint64_t)(section->cursor.stop - section->cursor.at) / least);
    if (section->cursor.bad || given >= GPCI_NO_ORDINAL - 1)
        return NULL;
    void *array = gpci_zalloc(section->decoder->context, (size_t)given + 1, bytes);
    if (array)
        *count = (uint32_t)given;
    else
        section->memory = true;
    return array;
}

static char *take_text(section_reading *section) {
    uint64_t length = gpci_cursor_varint(&section->cursor);
    const uint8_t *at = gpci_cursor_take(&section->cursor, length);
    char *text = at ? gpci_alloc(section->decoder->context, (size_t)length + 1) : NULL;
    if (!text) {
        section->memory |= at != NULL;
        return NULL;
    }
    memcpy(text, at, (size_t)length);
    text[length] = 0;
    return text;
}

static bool take_launch(section_reading *section) {
    gpc_kernel *kernel = &section->decoder->kernel;
    if (!(section->decoder->name = take_text(section)))
        return section->memory ? false : stop(section, "a kernel's name");
    uint32_t *const numbers[] = {
        &kernel->id,        &kernel->grid[0],        &kernel->grid[1],        &kernel->grid[2],
        &kernel->block[0],  &kernel->block[1],       &kernel->block[2],       &kernel->shared_bytes,
        &kernel->registers, &kernel->binary_version, &kernel->tracer_version, &kernel->warp_lanes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = (uint32_t)gpci_cursor_below(&section->cursor, UINT32_MAX);
    kernel->stream = gpci_cursor_varint(&section->cursor);
    kernel->shared_base = gpci_cursor_varint(&section->cursor);
    kernel->local_base = gpci_cursor_varint(&section->cursor);
    kernel->name = section->decoder->name;
    if (section->cursor.bad)
        return stop(section, "a kernel's launch");
    const char *wrong = gpci_kernel_check(kernel);
    return !wrong || stop(section, wrong);
}

static bool take_placement(section_reading *section) {
    gpc_kernel *kernel = &section->decoder->kernel;
    uint64_t count = gpci_cursor_below(&section->cursor, kernel->block_count);
    unsigned width = count ? (unsigned)gpci_cursor_below(&section->cursor, 32) : 1;
    const uint8_t *packed = width ? gpci_cursor_take(&section->cursor, gpci_packed_bytes(count, width)) : NULL;
    if (section->cursor.bad || !packed)
        return stop(section, "the placement of thread blocks");
    if (!count)
        return true;
    section->decoder->placement = gpci_zalloc(section->decoder->context, (size_t)count, sizeof(uint32_t));
    if (!section->decoder->placement)
        return out_of_memory(section);
    for (uint64_t b = 0; b < count; b++)
        section->decoder->placement[b] = (uint32_t)gpci_unpack(packed, (size_t)b, width);
    kernel->placement = section->decoder->placement;
    kernel->placement_count = count;
    return true;
}

/* Map the file's opcode numbers to the trace's. */
static uint32_t *take_opcodes(section_reading *section, uint32_t *count) {
    uint32_t *numbers = take_array(section, 1, sizeof *numbers, count);
    for (uint32_t i = 0; numbers && i < *count; i++) {
        uint64_t length = gpci_cursor_varint(&section->cursor);
        const uint8_t *text = gpci_cursor_take(&section->cursor, length);
        if (!text || memchr(text, 0, (size_t)length)) {
            section->cursor.bad = true;
            break;
        }
        numbers[i] = gpci_opcodes_intern(section->decoder->opcodes, (const char *)text, (size_t)length);
        if (numbers[i] == UINT32_MAX) {
            section->memory = true;
            break;
        }
    }
    return numbers;
}

static void take_learned(section_reading *section, gpci_learned *learned) {
    gpci_cursor *cursor = &section->cursor;
    learned->from = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX) - 1;
    if (learned->from == GPCI_NO_ORDINAL)
        return;
    learned->base = gpci_cursor_varint(cursor);
    learned->x = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    learned->y = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    learned->warp = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    learned->warp_step = gpci_cursor_signed(cursor);
    learned->loop_step = gpci_cursor_signed(cursor);
    learned->shape = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX) - 1;
    uint32_t *const from[] = {&learned->dx_from, &learned->dy_from};
    uint64_t *const steps[] = {&learned->dx, &learned->dy};
    for (int i = 0; i < 2; i++) {
        *from[i] = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX) - 1;
        *steps[i] = *from[i] == GPCI_NO_ORDINAL ? 0 : gpci_cursor_signed(cursor);
    }
}

static uint8_t read_class(const section_reading *section, uint32_t opcode, uint8_t written) {
    if (written == GPC_OP_ALU && gpci_opcodes_at(section->decoder->opcodes, opcode)->op_class == GPC_OP_FP)
        return GPC_OP_FP;
    return written == GPCI_BINARY_ALU ? GPC_OP_ALU : written;
}

static bool take_static(section_reading *section, uint32_t number, uint64_t pc, const uint32_t *opcodes,
                        uint32_t opcode_count) {
    gpci_cursor *cursor = &section->cursor;
    gpc_instruction *instruction = &section->decoder->statics[number];
    gpci_learned *learned = &section->decoder->streams[number].learned;
    *learned = (gpci_learned){
        .shape = GPCI_NO_SHAPE, .from = GPCI_NO_ORDINAL, .dx_from = GPCI_NO_ORDINAL, .dy_from = GPCI_NO_ORDINAL};
    bool addressed = gpci_cursor_below(cursor, 1);
    instruction->pc = pc + gpci_cursor_signed(cursor);
    instruction->mask = gpci_full_mask(section->decoder->kernel.warp_lanes);
    uint64_t opcode = gpci_cursor_varint(cursor);
    instruction->line = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    const uint8_t *fields = gpci_cursor_take(cursor, 8);
    if (!fields || opcode >= opcode_count || (unsigned)fields[0] + fields[1] > GPC_MAX_OPERANDS ||
        (fields[2] >= GPC_OP_CLASS_COUNT && fields[2] != GPCI_BINARY_ALU) || fields[3] >= GPC_KIND_COUNT ||
        !gpci_space_is_known(fields[4]) || fields[5] >= GPC_HINT_COUNT || fields[6] >= GPC_PRIORITY_COUNT)
        return false;
    instruction->opcode = opcodes[opcode];
    instruction->destinations = fields[0];
    instruction->sources = fields[1];
    instruction->op_class = read_class(section, instruction->opcode, fields[2]);
    instruction->kind = fields[3];
    instruction->space = fields[4];
    instruction->hint = fields[5];
    instruction->priority = fields[6];
    instruction->width = fields[7];
    for (unsigned i = 0; i < (unsigned)fields[0] + fields[1]; i++)
        instruction->registers[i] = (uint16_t)gpci_cursor_below(cursor, UINT16_MAX);
    if (addressed)
        take_learned(section, learned);
    section->decoder->next_addressed[number] = addressed ? number : UINT32_MAX;
    return !cursor->bad;
}

static bool take_statics(section_reading *section) {
    gpci_decoder *decoder = section->decoder;
    uint32_t opcode_count, count;
    uint32_t *opcodes = take_opcodes(section, &opcode_count);
    bool good = opcodes && !section->cursor.bad && !section->memory;
    if (good && (decoder->statics = take_array(section, 12, sizeof *decoder->statics, &count))) {
        decoder->streams = gpci_zalloc(decoder->context, (size_t)count + 1, sizeof *decoder->streams);
        decoder->next_addressed = gpci_zalloc(decoder->context, (size_t)count + 1, sizeof *decoder->next_addressed);
        decoder->static_count = count;
        section->memory = !decoder->streams || !decoder->next_addressed;
    }
    good = good && !section->memory && decoder->statics;
    for (uint32_t i = 0; good && i < decoder->static_count; i++)
        good = take_static(section, i, i ? decoder->statics[i - 1].pc : 0, opcodes, opcode_count);
    gpci_free(decoder->context, opcodes);
    if (!good)
        return section->memory ? false : stop(section, "opcodes and instructions");
    decoder->next_addressed[decoder->static_count] = decoder->static_count;
    for (uint32_t i = decoder->static_count; i-- > 0;)
        if (decoder->next_addressed[i] != i)
            decoder->next_addressed[i] = decoder->next_addressed[i + 1];
    return true;
}

static bool take_controls(section_reading *section) {
    gpci_decoder *decoder = section->decoder;
    uint32_t count;
    decoder->controls = take_array(section, 1, sizeof *decoder->controls, &count);
    for (uint32_t i = 0; decoder->controls && i < count && !section->cursor.bad; i++) {
        decoder->controls[i].length = gpci_cursor_varint(&section->cursor);
        decoder->controls[i].at = gpci_cursor_take(&section->cursor, decoder->controls[i].length);
    }
    decoder->control_count = count;
    return decoder->controls && !section->cursor.bad ? true
           : section->memory                         ? false
                                                     : stop(section, "the paths of warps");
}

/* Read the number of words of a shape: a stride has 1 word, differences have more. */
static uint64_t shape_words(gpci_cursor *cursor) {
    uint64_t words = gpci_cursor_below(cursor, GPCI_MOST_LANES - 1);
    cursor->bad |= words == 0;
    return words;
}

static void take_shape(section_reading *section, gpci_shape *shape, uint64_t *offsets) {
    uint64_t words = shape_words(&section->cursor);
    if (words == 1) {
        shape->stride = gpci_cursor_signed(&section->cursor);
        return;
    }
    shape->count = (uint32_t)words + 1;
    shape->offsets = offsets;
    for (uint64_t w = 0; w < words; w++)
        offsets[w + 1] = offsets[w] + gpci_cursor_signed(&section->cursor);
}

static bool take_shapes(section_reading *section) {
    gpci_decoder *decoder = section->decoder;
    uint64_t total = 0;
    decoder->shapes = take_array(section, 2, sizeof *decoder->shapes, &decoder->shape_count);
    gpci_cursor ahead = section->cursor;
    for (uint32_t i = 0; i < decoder->shape_count && !ahead.bad; i++) {
        uint64_t words = shape_words(&ahead);
        total += words + 1;
        for (uint64_t w = 0; w < words; w++)
            gpci_cursor_varint(&ahead);
    }
    if (!decoder->shapes || ahead.bad)
        return section->memory ? false : stop(section, "the shapes of addresses");
    decoder->offsets = gpci_zalloc(decoder->context, (size_t)total + 1, sizeof *decoder->offsets);
    if (!decoder->offsets)
        return out_of_memory(section);
    uint64_t used = 0;
    for (uint32_t i = 0; i < decoder->shape_count; i++) {
        take_shape(section, &decoder->shapes[i], decoder->offsets + used);
        used += decoder->shapes[i].count;
    }
    return true;
}

/*
 * Read the index's entry of a block of at most `most` bytes. `next`: likely block index. False: invalid, or no memory.
 */
static bool take_entry(section_reading *section, gpci_seen *seen, uint64_t next, uint64_t most,
                       gpci_block_entry *entry) {
    gpci_cursor *cursor = &section->cursor;
    uint64_t index = next + gpci_cursor_signed(cursor);
    entry->length = gpci_cursor_below(cursor, most);
    entry->instructions = gpci_cursor_below(cursor, GPCI_BLOCK_MOST_INSTRUCTIONS);
    if (cursor->bad || index >= section->decoder->kernel.block_count || entry->length <= GPCI_BINARY_CRC)
        return false;
    entry->index = (uint32_t)index;
    bool fresh;
    if (gpci_seen_add(seen, entry->index, &fresh) < 0)
        return out_of_memory(section);
    return fresh;
}

static bool take_blocks(section_reading *section, uint64_t offset, uint64_t bytes) {
    gpci_decoder *decoder = section->decoder;
    uint32_t count;
    uint64_t next = 0, used = 0;
    gpci_seen seen;
    gpci_seen_init(&seen, decoder->context);
    decoder->blocks = take_array(section, 3, sizeof *decoder->blocks, &count);
    bool good = decoder->blocks != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        good = take_entry(section, &seen, next, bytes - used, &decoder->blocks[i]);
        decoder->blocks[i].offset = offset + used;
        used += decoder->blocks[i].length;
        next = (uint64_t)decoder->blocks[i].index + 1;
    }
    gpci_seen_clear(&seen);
    decoder->block_count = count;
    good = good && used == bytes;
    return good ? true : section->memory ? false : stop(section, "the index of the thread blocks");
}

/* Read a recording, if the version has recordings. */
static bool take_recording(section_reading *section, uint32_t version) {
    gpci_decoder *decoder = section->decoder;
    const bool good =
        version < GPCI_BINARY_RECORDED || gpci_decode_recording(decoder, &section->cursor, decoder->kernel.block_count,
                                                                gpci_kernel_warps(&decoder->kernel), &section->memory);
    if (section->memory)
        return false;
    if (!good)
        return stop(section, "a recording of the kernel");
    return true;
}

/* Read the kernel's clusters, if the version has clusters. The section must end behind the clusters. */
static bool take_clusters(section_reading *section, uint32_t version) {
    gpc_kernel *kernel = &section->decoder->kernel;
    for (int i = 0; i < 3 && version >= GPCI_BINARY_CLUSTERS; i++)
        kernel->cluster[i] = (uint32_t)gpci_cursor_below(&section->cursor, UINT32_MAX);
    if (section->cursor.bad || !gpci_cluster_divides(kernel->grid, kernel->cluster))
        return stop(section, "the dimensions of a kernel's clusters");
    return section->cursor.at == section->cursor.stop || stop(section, "the index of the thread blocks");
}

gpc_status gpci_decoder_start(gpci_decoder *decoder, gpc_context *context, gpci_opcodes *opcodes, uint32_t version,
                              uint8_t *bytes, uint64_t length, uint64_t offset, uint64_t blocks, uint64_t *at,
                              const char **what) {
    *decoder = (gpci_decoder){.context = context, .opcodes = opcodes, .bytes = bytes, .kernel = GPC_KERNEL_INIT};
    section_reading section = {.decoder = decoder, .cursor = {bytes, bytes + length, false}};
    if (take_launch(&section) && take_placement(&section) && take_statics(&section) && take_controls(&section) &&
        take_shapes(&section) && take_blocks(&section, offset, blocks) && take_recording(&section, version) &&
        take_clusters(&section, version))
        return GPC_OK;
    *at = (uint64_t)(section.cursor.at - bytes);
    *what = section.what;
    gpci_decoder_clear(decoder);
    return section.memory ? GPC_ERROR_MEMORY : GPC_ERROR_FORMAT;
}

void gpci_decoder_clear(gpci_decoder *decoder) {
    gpc_context *context = decoder->context;
    if (!context)
        return;
    for (uint32_t i = 0; decoder->streams && i < decoder->static_count; i++)
        gpci_free(context, decoder->streams[i].history);
    void *const parts[] = {decoder->bytes,   decoder->name,           decoder->placement, decoder->statics,
                           decoder->streams, decoder->next_addressed, decoder->controls,  decoder->shapes,
                           decoder->offsets, decoder->blocks,         decoder->turns};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        gpci_free(context, parts[i]);
    *decoder = (gpci_decoder){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/seen.h"
#include "trace/sources.h"

#include <string.h>

/* Reader of a section. Damaged data read as zeros until the end of each part; then the reading fails with `what`. */
typedef struct section_reading {
    gpci_decoder *d;
    gpci_cursor cursor;
    const char *what;
    bool memory;
} section_reading;

static bool stop(section_reading *r, const char *what) {
    r->what = what;
    return false;
}

static bool out_of_memory(section_reading *r) {
    r->memory = true;
    return false;
}

/* Read a count of elements with at least `least` bytes each, and allocate the array. */
static void *take_array(section_reading *r, uint64_t least, size_t bytes, uint32_t *count) {
    *count = 0;
    uint64_t given = gpci_cursor_below(&r->cursor, (uint64_t)(r->cursor.stop - r->cursor.at) / least);
    if (r->cursor.bad || given >= GPCI_NO_ORDINAL - 1)
        return NULL;
    void *array = gpci_zalloc(r->d->context, (size_t)given + 1, bytes);
    if (array)
        *count = (uint32_t)given;
    else
        r->memory = true;
    return array;
}

static char *take_text(section_reading *r) {
    uint64_t length = gpci_cursor_varint(&r->cursor);
    const uint8_t *at = gpci_cursor_take(&r->cursor, length);
    char *text = at ? gpci_alloc(r->d->context, (size_t)length + 1) : NULL;
    if (!text) {
        r->memory |= at != NULL;
        return NULL;
    }
    memcpy(text, at, (size_t)length);
    text[length] = 0;
    return text;
}

static bool take_launch(section_reading *r) {
    gpc_kernel *kernel = &r->d->kernel;
    if (!(r->d->name = take_text(r)))
        return r->memory ? false : stop(r, "a kernel's name");
    uint32_t *const numbers[] = {
        &kernel->id,        &kernel->grid[0],        &kernel->grid[1],        &kernel->grid[2],
        &kernel->block[0],  &kernel->block[1],       &kernel->block[2],       &kernel->shared_bytes,
        &kernel->registers, &kernel->binary_version, &kernel->tracer_version, &kernel->warp_lanes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = (uint32_t)gpci_cursor_below(&r->cursor, UINT32_MAX);
    kernel->stream = gpci_cursor_varint(&r->cursor);
    kernel->shared_base = gpci_cursor_varint(&r->cursor);
    kernel->local_base = gpci_cursor_varint(&r->cursor);
    kernel->name = r->d->name;
    if (r->cursor.bad)
        return stop(r, "a kernel's launch");
    const char *wrong = gpci_kernel_check(kernel);
    return !wrong || stop(r, wrong);
}

static bool take_placement(section_reading *r) {
    gpc_kernel *kernel = &r->d->kernel;
    uint64_t count = gpci_cursor_below(&r->cursor, kernel->block_count);
    unsigned width = count ? (unsigned)gpci_cursor_below(&r->cursor, 32) : 1;
    const uint8_t *packed = width ? gpci_cursor_take(&r->cursor, gpci_packed_bytes(count, width)) : NULL;
    if (r->cursor.bad || !packed)
        return stop(r, "the placement of thread blocks");
    if (!count)
        return true;
    r->d->placement = gpci_zalloc(r->d->context, (size_t)count, sizeof(uint32_t));
    if (!r->d->placement)
        return out_of_memory(r);
    for (uint64_t b = 0; b < count; b++)
        r->d->placement[b] = (uint32_t)gpci_unpack(packed, (size_t)b, width);
    kernel->placement = r->d->placement;
    kernel->placement_count = count;
    return true;
}

/* Map the file's opcode numbers to the trace's. */
static uint32_t *take_opcodes(section_reading *r, uint32_t *count) {
    uint32_t *numbers = take_array(r, 1, sizeof *numbers, count);
    for (uint32_t i = 0; numbers && i < *count; i++) {
        uint64_t length = gpci_cursor_varint(&r->cursor);
        const uint8_t *text = gpci_cursor_take(&r->cursor, length);
        if (!text || memchr(text, 0, (size_t)length)) {
            r->cursor.bad = true;
            break;
        }
        numbers[i] = gpci_opcodes_intern(r->d->opcodes, (const char *)text, (size_t)length);
        if (numbers[i] == UINT32_MAX) {
            r->memory = true;
            break;
        }
    }
    return numbers;
}

static void take_learned(section_reading *r, gpci_learned *l) {
    gpci_cursor *c = &r->cursor;
    l->from = (uint32_t)gpci_cursor_below(c, UINT32_MAX) - 1;
    if (l->from == GPCI_NO_ORDINAL)
        return;
    l->base = gpci_cursor_varint(c);
    l->x = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    l->y = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    l->warp = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    l->warp_step = gpci_cursor_signed(c);
    l->loop_step = gpci_cursor_signed(c);
    l->shape = (uint32_t)gpci_cursor_below(c, UINT32_MAX) - 1;
    uint32_t *const from[] = {&l->dx_from, &l->dy_from};
    uint64_t *const steps[] = {&l->dx, &l->dy};
    for (int i = 0; i < 2; i++) {
        *from[i] = (uint32_t)gpci_cursor_below(c, UINT32_MAX) - 1;
        *steps[i] = *from[i] == GPCI_NO_ORDINAL ? 0 : gpci_cursor_signed(c);
    }
}

static uint8_t read_class(const section_reading *r, uint32_t opcode, uint8_t written) {
    if (written == GPC_OP_ALU && gpci_opcodes_at(r->d->opcodes, opcode)->op_class == GPC_OP_FP)
        return GPC_OP_FP;
    return written == GPCI_BINARY_ALU ? GPC_OP_ALU : written;
}

static bool take_static(section_reading *r, uint32_t number, uint64_t pc, const uint32_t *opcodes,
                        uint32_t opcode_count) {
    gpci_cursor *c = &r->cursor;
    gpc_instruction *instruction = &r->d->statics[number];
    gpci_learned *learned = &r->d->streams[number].learned;
    *learned = (gpci_learned){
        .shape = GPCI_NO_SHAPE, .from = GPCI_NO_ORDINAL, .dx_from = GPCI_NO_ORDINAL, .dy_from = GPCI_NO_ORDINAL};
    bool addressed = gpci_cursor_below(c, 1);
    instruction->pc = pc + gpci_cursor_signed(c);
    instruction->mask = gpci_full_mask(r->d->kernel.warp_lanes);
    uint64_t opcode = gpci_cursor_varint(c);
    instruction->line = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    const uint8_t *fields = gpci_cursor_take(c, 8);
    if (!fields || opcode >= opcode_count || (unsigned)fields[0] + fields[1] > GPC_MAX_OPERANDS ||
        (fields[2] >= GPC_OP_CLASS_COUNT && fields[2] != GPCI_BINARY_ALU) || fields[3] >= GPC_KIND_COUNT ||
        !gpci_space_is_known(fields[4]) || fields[5] >= GPC_HINT_COUNT || fields[6] >= GPC_PRIORITY_COUNT)
        return false;
    instruction->opcode = opcodes[opcode];
    instruction->destinations = fields[0];
    instruction->sources = fields[1];
    instruction->op_class = read_class(r, instruction->opcode, fields[2]);
    instruction->kind = fields[3];
    instruction->space = fields[4];
    instruction->hint = fields[5];
    instruction->priority = fields[6];
    instruction->width = fields[7];
    for (unsigned i = 0; i < (unsigned)fields[0] + fields[1]; i++)
        instruction->registers[i] = (uint16_t)gpci_cursor_below(c, UINT16_MAX);
    if (addressed)
        take_learned(r, learned);
    r->d->next_addressed[number] = addressed ? number : UINT32_MAX;
    return !c->bad;
}

static bool take_statics(section_reading *r) {
    gpci_decoder *d = r->d;
    uint32_t opcode_count, count;
    uint32_t *opcodes = take_opcodes(r, &opcode_count);
    bool good = opcodes && !r->cursor.bad && !r->memory;
    if (good && (d->statics = take_array(r, 12, sizeof *d->statics, &count))) {
        d->streams = gpci_zalloc(d->context, (size_t)count + 1, sizeof *d->streams);
        d->next_addressed = gpci_zalloc(d->context, (size_t)count + 1, sizeof *d->next_addressed);
        d->static_count = count;
        r->memory = !d->streams || !d->next_addressed;
    }
    good = good && !r->memory && d->statics;
    for (uint32_t i = 0; good && i < d->static_count; i++)
        good = take_static(r, i, i ? d->statics[i - 1].pc : 0, opcodes, opcode_count);
    gpci_free(d->context, opcodes);
    if (!good)
        return r->memory ? false : stop(r, "opcodes and instructions");
    d->next_addressed[d->static_count] = d->static_count;
    for (uint32_t i = d->static_count; i-- > 0;)
        if (d->next_addressed[i] != i)
            d->next_addressed[i] = d->next_addressed[i + 1];
    return true;
}

static bool take_controls(section_reading *r) {
    gpci_decoder *d = r->d;
    uint32_t count;
    d->controls = take_array(r, 1, sizeof *d->controls, &count);
    for (uint32_t i = 0; d->controls && i < count && !r->cursor.bad; i++) {
        d->controls[i].length = gpci_cursor_varint(&r->cursor);
        d->controls[i].at = gpci_cursor_take(&r->cursor, d->controls[i].length);
    }
    d->control_count = count;
    return d->controls && !r->cursor.bad ? true : r->memory ? false : stop(r, "the paths of warps");
}

/* Words of a shape: 1 for a stride, more for differences. */
static uint64_t shape_words(gpci_cursor *c) {
    uint64_t words = gpci_cursor_below(c, GPCI_MOST_LANES - 1);
    c->bad |= words == 0;
    return words;
}

static void take_shape(section_reading *r, gpci_shape *shape, uint64_t *offsets) {
    uint64_t words = shape_words(&r->cursor);
    if (words == 1) {
        shape->stride = gpci_cursor_signed(&r->cursor);
        return;
    }
    shape->count = (uint32_t)words + 1;
    shape->offsets = offsets;
    for (uint64_t w = 0; w < words; w++)
        offsets[w + 1] = offsets[w] + gpci_cursor_signed(&r->cursor);
}

static bool take_shapes(section_reading *r) {
    gpci_decoder *d = r->d;
    uint64_t total = 0;
    d->shapes = take_array(r, 2, sizeof *d->shapes, &d->shape_count);
    gpci_cursor ahead = r->cursor;
    for (uint32_t i = 0; i < d->shape_count && !ahead.bad; i++) {
        uint64_t words = shape_words(&ahead);
        total += words + 1;
        for (uint64_t w = 0; w < words; w++)
            gpci_cursor_varint(&ahead);
    }
    if (!d->shapes || ahead.bad)
        return r->memory ? false : stop(r, "the shapes of addresses");
    d->offsets = gpci_zalloc(d->context, (size_t)total + 1, sizeof *d->offsets);
    if (!d->offsets)
        return out_of_memory(r);
    uint64_t used = 0;
    for (uint32_t i = 0; i < d->shape_count; i++) {
        take_shape(r, &d->shapes[i], d->offsets + used);
        used += d->shapes[i].count;
    }
    return true;
}

/* Read an entry of the index; false: invalid. */
static bool take_entry(section_reading *r, gpci_seen *seen, uint64_t next, uint64_t most, gpci_block_entry *entry) {
    gpci_cursor *c = &r->cursor;
    uint64_t index = next + gpci_cursor_signed(c);
    entry->length = gpci_cursor_below(c, most);
    entry->instructions = gpci_cursor_below(c, GPCI_BLOCK_MOST_INSTRUCTIONS);
    if (c->bad || index >= r->d->kernel.block_count || entry->length <= GPCI_BINARY_CRC)
        return false;
    entry->index = (uint32_t)index;
    bool fresh;
    if (gpci_seen_add(seen, entry->index, &fresh) < 0)
        return out_of_memory(r);
    return fresh;
}

static bool take_blocks(section_reading *r, uint64_t offset, uint64_t bytes) {
    gpci_decoder *d = r->d;
    uint32_t count;
    uint64_t next = 0, used = 0;
    gpci_seen seen;
    gpci_seen_init(&seen, d->context);
    d->blocks = take_array(r, 3, sizeof *d->blocks, &count);
    bool good = d->blocks != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        good = take_entry(r, &seen, next, bytes - used, &d->blocks[i]);
        d->blocks[i].offset = offset + used;
        used += d->blocks[i].length;
        next = (uint64_t)d->blocks[i].index + 1;
    }
    gpci_seen_clear(&seen);
    d->block_count = count;
    good = good && used == bytes;
    return good ? true : r->memory ? false : stop(r, "the index of the thread blocks");
}

/* Read a recording, if the version has recordings. */
static bool take_recording(section_reading *r, uint32_t version) {
    gpci_decoder *d = r->d;
    const bool good =
        version < GPCI_BINARY_RECORDED ||
        gpci_decode_recording(d, &r->cursor, d->kernel.block_count, gpci_kernel_warps(&d->kernel), &r->memory);
    if (r->memory)
        return false;
    if (!good)
        return stop(r, "a recording of the kernel");
    return true;
}

/* Read the kernel's clusters, if the version has clusters; the section must end here. */
static bool take_clusters(section_reading *r, uint32_t version) {
    gpc_kernel *kernel = &r->d->kernel;
    for (int i = 0; i < 3 && version >= GPCI_BINARY_CLUSTERS; i++)
        kernel->cluster[i] = (uint32_t)gpci_cursor_below(&r->cursor, UINT32_MAX);
    if (r->cursor.bad || !gpci_cluster_divides(kernel->grid, kernel->cluster))
        return stop(r, "the dimensions of a kernel's clusters");
    return r->cursor.at == r->cursor.stop || stop(r, "the index of the thread blocks");
}

gpc_status gpci_decoder_start(gpci_decoder *d, gpc_context *context, gpci_opcodes *opcodes, uint32_t version,
                              uint8_t *bytes, uint64_t length, uint64_t offset, uint64_t blocks, uint64_t *at,
                              const char **what) {
    *d = (gpci_decoder){.context = context, .opcodes = opcodes, .bytes = bytes, .kernel = GPC_KERNEL_INIT};
    section_reading r = {.d = d, .cursor = {bytes, bytes + length, false}};
    if (take_launch(&r) && take_placement(&r) && take_statics(&r) && take_controls(&r) && take_shapes(&r) &&
        take_blocks(&r, offset, blocks) && take_recording(&r, version) && take_clusters(&r, version))
        return GPC_OK;
    *at = (uint64_t)(r.cursor.at - bytes);
    *what = r.what;
    gpci_decoder_clear(d);
    return r.memory ? GPC_ERROR_MEMORY : GPC_ERROR_FORMAT;
}

void gpci_decoder_clear(gpci_decoder *d) {
    gpc_context *context = d->context;
    if (!context)
        return;
    for (uint32_t i = 0; d->streams && i < d->static_count; i++)
        gpci_free(context, d->streams[i].history);
    void *const parts[] = {d->bytes,    d->name,   d->placement, d->statics, d->streams, d->next_addressed,
                           d->controls, d->shapes, d->offsets,   d->blocks,  d->turns};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        gpci_free(context, parts[i]);
    *d = (gpci_decoder){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include "trace/binary/binary_decode.h"
#include "trace/binary/binary_encode.h"
#include "trace/table/line_table.h"

#include <string.h>

static void expect_same(const gpci_opcodes *opcodes, const gpc_block *a, const gpc_block *b) {
    CHECK(a->index == b->index && a->instruction_count == b->instruction_count && a->warp_count == b->warp_count);
    for (uint32_t w = 0; w < a->warp_count; w++) {
        CHECK(a->warps[w].count == b->warps[w].count);
        for (uint64_t n = 0; n < a->warps[w].count; n++) {
            gpc_instruction one = a->warps[w].instructions[n], two = b->warps[w].instructions[n];
            CHECK(!one.addresses == !two.addresses);
            CHECK(!one.addresses ||
                  !memcmp(one.addresses, two.addresses, gpci_popcount(one.mask) * sizeof *one.addresses));
            CHECK(!strcmp(gpci_opcodes_at(opcodes, one.opcode)->text, gpci_opcodes_at(opcodes, two.opcode)->text));
            one.addresses = two.addresses = NULL;
            one.opcode = two.opcode = 0;
            CHECK(!memcmp(&one, &two, sizeof one));
        }
    }
}

static void decode_again(gpc_context *context, gpci_opcodes *opcodes, const gpci_encoder *encoder,
                         const gpci_buffer *coded, const gpc_block *original) {
    gpci_buffer section = {.context = context};
    gpci_decoder decoder;
    gpci_block *copy = gpci_block_create(context);
    uint64_t at, length = coded->length;
    const char *what;
    CHECK(copy && gpci_encoder_section(encoder, GPCI_BINARY_VERSION, &section) == GPC_OK &&
          gpci_buffer_reserve(&section, GPCI_SLACK));
    gpc_status status = gpci_decoder_start(&decoder, context, opcodes, GPCI_BINARY_VERSION, section.data,
                                           section.length, 0, length + GPCI_BINARY_CRC, &at, &what);
    CHECK(status == GPC_OK);
    /* After the block a file has the CRC, and a reader slack. */
    uint8_t *bytes = calloc(1, length + GPCI_SLACK);
    CHECK(bytes);
    memcpy(bytes, coded->data, length);
    status = gpci_decoder_block(&decoder, 0, bytes, length, copy, &at, &what);
    CHECK(status == GPC_OK);
    expect_same(opcodes, original, gpci_block_view(copy));
    free(bytes);
    gpci_decoder_clear(&decoder); /* frees the section, too */
    gpci_block_destroy(copy);
}

/* Input accepted by the text reader survives the binary format. */
static void round_trip(gpc_context *context, gpci_opcodes *opcodes, const gpc_kernel *kernel, const gpc_block *block) {
    if (block->instruction_count > GPCI_BLOCK_MOST_INSTRUCTIONS)
        return;
    gpci_encoder encoder;
    gpci_buffer coded = {.context = context};
    CHECK(gpci_encoder_start(&encoder, context, kernel) == GPC_OK);
    size_t count = gpci_opcodes_count(opcodes);
    uint32_t *numbers = malloc(count * sizeof *numbers + 1);
    CHECK(numbers);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = gpci_opcodes_at(opcodes, i)->text;
        numbers[i] = gpci_opcodes_intern(encoder.opcodes, text, strlen(text));
    }
    CHECK(gpci_encoder_block(&encoder, block, numbers, 0, &coded) == GPC_OK);
    decode_again(context, opcodes, &encoder, &coded, block);
    free(numbers);
    gpci_buffer_clear(&coded);
    gpci_encoder_clear(&encoder);
}

static void run(const uint8_t *data, size_t size, fuzz_open open) {
    fuzz_memory memory;
    fuzz_file file;
    fuzz_memory_open(&memory);
    fuzz_file_open(&file, data, size);
    fuzz_read(memory.context, open, file.path, round_trip);
    fuzz_file_close(&file);
    fuzz_memory_close(&memory);
}

void fuzz_text(const uint8_t *data, size_t size) {
    run(data, size, gpci_text_open);
}

/* CSV unless recognised otherwise. */
static gpc_status open_table(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                             gpci_source **out) {
    gpci_input *input;
    const char *first;
    size_t length;
    gpc_status status = gpci_input_open(context, path, error, &input);
    if (status < 0)
        return status;
    status = gpci_input_peek(input, &first, &length, error);
    const gpci_line_form *form = status == GPC_OK ? gpci_table_form(first, length) : NULL;
    return gpci_table_open(context, opcodes, form ? form : &gpci_form_csv, input, error, out);
}

void fuzz_table(const uint8_t *data, size_t size) {
    run(data, size, open_table);
}

void fuzz_list(const uint8_t *data, size_t size) {
    run(data, size, gpci_list_open);
}

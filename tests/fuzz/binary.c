/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include "trace/binary/binary_decode.h"

#include <string.h>

/* Correct every checksum found, to let damage reach the bytes behind. */

static void seal(const gpci_crc *crc, uint32_t seed, uint8_t *part, uint64_t length) {
    if (length >= GPCI_BINARY_CRC)
        gpci_store32(part + length - GPCI_BINARY_CRC, gpci_crc_of(crc, seed, part, (size_t)length - GPCI_BINARY_CRC));
}

/* Version in the head of a sealed file. */
static uint32_t version_of(const uint8_t *file) {
    const uint32_t version = gpci_load32(file + 4);
    return version >= GPCI_BINARY_VERSION && version <= GPCI_BINARY_CLUSTERS ? version : GPCI_BINARY_VERSION;
}

static void seal_blocks(const gpci_crc *crc, gpc_context *context, uint8_t *file, uint64_t at, uint64_t blocks,
                        uint64_t section) {
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    uint8_t *copy = gpci_zalloc(context, (size_t)section + GPCI_SLACK, 1);
    gpci_decoder decoder;
    uint64_t where;
    const char *what;
    CHECK(opcodes && copy);
    memcpy(copy, file + at + blocks, (size_t)section);
    uint64_t length = section >= GPCI_BINARY_CRC ? section - GPCI_BINARY_CRC : 0;
    if (gpci_decoder_start(&decoder, context, opcodes, version_of(file), copy, length, at, blocks, &where, &what) ==
        GPC_OK) {
        for (uint64_t b = 0; b < decoder.block_count; b++) {
            uint8_t index[4];
            gpci_store32(index, decoder.blocks[b].index);
            seal(crc, gpci_crc_of(crc, 0, index, 4), file + decoder.blocks[b].offset, decoder.blocks[b].length);
        }
        gpci_decoder_clear(&decoder);
    }
    gpci_opcodes_destroy(opcodes);
}

static void seal_file(gpc_context *context, uint8_t *file, uint64_t size) {
    gpci_crc crc;
    gpci_crc_init(&crc);
    if (size < GPCI_BINARY_HEAD + GPCI_BINARY_TAIL)
        return;
    memcpy(file, GPCI_BINARY_MAGIC, 4);
    gpci_store32(file + 4, version_of(file));
    gpci_store32(file + 8, gpci_crc_of(&crc, 0, file, 8));
    uint8_t *tail = file + size - GPCI_BINARY_TAIL;
    memcpy(tail + 12, GPCI_BINARY_TAIL_MAGIC, 4);
    uint64_t index = gpci_load64(tail), at = GPCI_BINARY_HEAD;
    if (index < at || index > size - GPCI_BINARY_TAIL)
        gpci_store64(tail, index = at + index % (size - GPCI_BINARY_TAIL - at + 1));
    gpci_store32(tail + 8, gpci_crc_of(&crc, 0, tail, 8));
    seal(&crc, 0, file + index, size - GPCI_BINARY_TAIL - index);
    gpci_cursor cursor = {file + index, tail, false};
    for (uint64_t kernels = gpci_cursor_varint(&cursor); kernels && !cursor.bad; kernels--) {
        uint64_t blocks = gpci_cursor_below(&cursor, index - at);
        uint64_t section = gpci_cursor_below(&cursor, index - at - blocks);
        if (cursor.bad)
            return;
        seal(&crc, 0, file + at + blocks, section);
        seal_blocks(&crc, context, file, at, blocks, section);
        at += blocks + section;
    }
}

static void run(gpc_context *context, const uint8_t *data, size_t size) {
    fuzz_file file;
    fuzz_file_open(&file, data, size);
    fuzz_read(context, gpci_binary_open, file.path, NULL);
    fuzz_file_close(&file);
}

void fuzz_binary(const uint8_t *data, size_t size) {
    fuzz_memory memory;
    fuzz_memory_open(&memory);
    run(memory.context, data, size);
    uint8_t *sealed = malloc(size + 1);
    CHECK(sealed);
    memcpy(sealed, data, size);
    seal_file(memory.context, sealed, size);
    run(memory.context, sealed, size);
    free(sealed);
    fuzz_memory_close(&memory);
}

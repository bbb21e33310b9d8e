/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/made.h"

#include "base/base.h"
#include "base/buffer.h"
#include "base/crc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The .gct format: output equals input, and damage is found. */

static gpc_trace_writer *open_writer(rig *r, const char *path) {
    gpc_trace_writer *writer = NULL;
    gpc_status status = gpc_trace_writer_create(r->context, path, GPC_TRACE_BINARY, &writer, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return writer;
}

static void finish_writer(rig *r, gpc_trace_writer *writer) {
    gpc_status status = gpc_trace_writer_finish(writer, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    gpc_trace_writer_destroy(writer);
}

static void write_kernel(rig *r, gpc_trace_writer *writer, const gpc_kernel *kernel) {
    gpc_status status = gpc_trace_writer_kernel(writer, kernel, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
}

static void write_made(rig *r, gpc_trace_writer *writer, const gpc_trace *from, const gpc_kernel *kernel,
                       uint32_t index, uint64_t seed) {
    made m = made_block(kernel, index, seed);
    gpc_status status = gpc_trace_writer_block(writer, from, &m.block, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    made_free(&m);
}

/* Half of the blocks, in a scattered order. */
static uint32_t order(const gpc_kernel *kernel, uint32_t n) {
    return (uint32_t)((n * UINT64_C(7919) + 3) % (kernel->grid[0] * kernel->grid[1] * kernel->grid[2]));
}

static void check_made(uint32_t x, uint32_t y, uint32_t z, uint32_t threads, uint32_t lanes) {
    rig r;
    rig_open(&r);
    gpc_trace *from = made_opcodes(&r);
    const char *path = path_of(&r, "made.gct");
    gpc_trace_writer *writer = open_writer(&r, path);
    gpc_kernel kernel = made_kernel(x, y, z, threads, lanes);
    uint32_t half = (x * y * z + 1) / 2;
    for (uint64_t k = 0; k < 3; k++) {
        write_kernel(&r, writer, &kernel);
        for (uint32_t n = 0; n < half; n++)
            write_made(&r, writer, from, &kernel, order(&kernel, n), k << 40);
    }
    finish_writer(&r, writer);
    gpc_trace *trace = open_trace(&r, path);
    cr_assert_eq(gpc_trace_kernel_count(trace), 3);
    for (uint64_t k = 0; k < 3; k++) {
        cr_assert_eq(next_kernel(&r, trace).index, k);
        for (uint32_t n = 0; n < half; n++) {
            made m = made_block(&kernel, order(&kernel, n), k << 40);
            const gpc_block *block = next_block(&r, trace);
            expect_same_block(from, &m.block, trace, block);
            gpc_trace_release_block(trace, block);
            made_free(&m);
        }
        expect_end(&r, trace);
    }
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    gpc_trace_close(from);
    rig_close(&r);
}

Test(binary, made_blocks_of_32_lanes) {
    check_made(64, 1, 1, 256, 32);
    check_made(7, 9, 2, 70, 32);
}

Test(binary, made_blocks_of_64_lanes) {
    check_made(5, 6, 1, 200, 64);
}

Test(binary, kernels) {
    rig r;
    rig_open(&r);
    const uint32_t placement[] = {131, 0, UINT32_MAX, 7};
    gpc_kernel plain = made_kernel(1, 1, 1, 32, 32), full = made_kernel(2, 3, 4, 7, 64);
    full.name = "a name, with \"everything\" in it \xc3\xa9";
    full.id = full.shared_bytes = full.registers = full.binary_version = full.tracer_version = UINT32_MAX;
    full.stream = full.shared_base = full.local_base = UINT64_MAX;
    full.placement = placement;
    full.placement_count = 4;
    plain.name = NULL;
    gpc_trace_writer *writer = open_writer(&r, path_of(&r, "k.gct"));
    write_kernel(&r, writer, &full);
    write_kernel(&r, writer, &plain);
    write_kernel(&r, writer, &full);
    finish_writer(&r, writer);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.gct"));
    for (int n = 0; n < 3; n++) {
        gpc_kernel k = next_kernel(&r, trace);
        const gpc_kernel *expected = n == 1 ? &plain : &full;
        cr_assert_str_eq(k.name, n == 1 ? "" : full.name);
        cr_assert_str_eq(k.file, path_of(&r, "k.gct"));
        cr_assert(k.id == expected->id && k.stream == expected->stream && k.shared_base == expected->shared_base);
        cr_assert(k.local_base == expected->local_base && k.registers == expected->registers);
        cr_assert(k.tracer_version == expected->tracer_version && k.warp_lanes == expected->warp_lanes);
        cr_assert(k.grid[2] == expected->grid[2] && k.block[0] == expected->block[0]);
        cr_assert_eq(k.block_count, n == 1 ? 1 : 24);
        cr_assert_eq(k.placement_count, expected->placement_count);
        for (uint64_t b = 0; b < k.placement_count; b++)
            cr_assert_eq(k.placement[b], placement[b]);
        expect_end(&r, trace);
    }
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    finish_writer(&r, open_writer(&r, path_of(&r, "none.gct")));
    trace = open_trace(&r, path_of(&r, "none.gct"));
    cr_assert_eq(gpc_trace_kernel_count(trace), 0);
    expect_last_kernel(&r, trace);
    cr_assert_float_eq(gpc_trace_progress(trace), 1, 0);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Kernels may be left in the middle, and any block can be decoded without decoding earlier blocks. */
Test(binary, skipping) {
    rig r;
    rig_open(&r);
    gpc_trace *from = made_opcodes(&r);
    gpc_kernel kernel = made_kernel(40, 1, 1, 64, 32);
    gpc_trace_writer *writer = open_writer(&r, path_of(&r, "k.gct"));
    for (uint64_t k = 0; k < 4; k++) {
        write_kernel(&r, writer, &kernel);
        for (uint32_t n = 0; n < 40; n++)
            write_made(&r, writer, from, &kernel, n, k << 40);
    }
    finish_writer(&r, writer);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.gct"));
    double before = gpc_trace_progress(trace);
    for (uint64_t k = 0; k < 4; k++) {
        next_kernel(&r, trace);
        for (uint32_t n = 0; n < k * 7; n++) {
            made m = made_block(&kernel, n, k << 40);
            expect_same_block(from, &m.block, trace, next_block(&r, trace));
            made_free(&m);
        }
        cr_assert_geq(gpc_trace_progress(trace), before);
        before = gpc_trace_progress(trace);
    }
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    gpc_trace_close(from);
    rig_close(&r);
}

/* c[i] = a[i] + b[i] by 4,096 blocks of 8 warps: 1.3 MiB of addresses are compressed to almost nothing. */
Test(binary, regular_kernels_are_small) {
    rig r;
    rig_open(&r);
    gpc_trace *from = made_opcodes(&r);
    gpc_kernel kernel = made_kernel(64, 64, 1, 256, 32);
    gpc_trace_writer *writer = open_writer(&r, path_of(&r, "k.gct"));
    write_kernel(&r, writer, &kernel);
    gpc_warp warps[8];
    gpc_instruction instructions[8][4];
    uint64_t addresses[8][3][32];
    for (uint32_t b = 0; b < 4096; b++) {
        for (uint32_t w = 0; w < 8; w++) {
            for (uint32_t i = 0; i < 4; i++) {
                instructions[w][i] = (gpc_instruction){.pc = 16 * i, .mask = UINT32_MAX, .opcode = i < 3 ? 6 : 5};
                instructions[w][i].op_class = i < 3 ? GPC_OP_MEMORY : GPC_OP_EXIT;
                instructions[w][i].addresses = i < 3 ? addresses[w][i] : NULL;
                for (uint32_t lane = 0; i < 3 && lane < 32; lane++)
                    addresses[w][i][lane] = i * 0x10000000u + ((b * 8 + w) * 32 + lane) * 4;
            }
            warps[w] = (gpc_warp){.warp = w, .count = 4, .instructions = instructions[w]};
        }
        gpc_block block = {
            .x = b % 64, .y = b / 64, .index = b, .warp_count = 8, .warps = warps, .instruction_count = 32};
        cr_assert_eq(gpc_trace_writer_block(writer, from, &block, &r.error), GPC_OK, "%s", r.error.message);
    }
    finish_writer(&r, writer);
    size_t length;
    free(read_file(path_of(&r, "k.gct"), &length));
    /* Per block: two bytes of control, one for all addresses, four of CRC, three in the index. */
    cr_assert_lt(length, 4096 * 11 + 1000, "%zu", length);
    gpc_trace_close(from);
    rig_close(&r);
}

/* A file's length, for a number of blocks of one warp that loops and loads the next line each time. */
static size_t length_of_loops(rig *r, uint32_t x, uint32_t y, uint32_t times) {
    gpc_trace *from = made_opcodes(r);
    const gpc_kernel kernel = made_kernel(x, y, 1, 32, 32);
    gpc_trace_writer *writer = open_writer(r, path_of(r, "k.gct"));
    write_kernel(r, writer, &kernel);
    gpc_instruction *instructions = calloc(times + 1, sizeof *instructions);
    uint64_t *addresses = calloc(times, 32 * sizeof *addresses);
    cr_assert(instructions && addresses);
    for (uint32_t b = 0; b < x * y; b++) {
        for (uint32_t i = 0; i < times; i++) {
            instructions[i] = (gpc_instruction){.pc = 16, .mask = UINT32_MAX, .opcode = 6, .op_class = GPC_OP_MEMORY};
            instructions[i].addresses = addresses + 32 * i;
            for (uint32_t lane = 0; lane < 32; lane++)
                addresses[32 * i + lane] = 0x10000000u + b * 0x12340u + i * 128 + lane * 4;
        }
        instructions[times] = (gpc_instruction){.pc = 32, .mask = UINT32_MAX, .opcode = 5, .op_class = GPC_OP_EXIT};
        const gpc_warp warp = {.count = times + 1, .instructions = instructions};
        const gpc_block block = {
            .x = b % x, .y = b / x, .index = b, .warp_count = 1, .warps = &warp, .instruction_count = times + 1};
        cr_assert_eq(gpc_trace_writer_block(writer, from, &block, &r->error), GPC_OK, "%s", r->error.message);
    }
    finish_writer(r, writer);
    gpc_trace_close(from);
    free(instructions);
    free(addresses);
    size_t length;
    free(read_file(path_of(r, "k.gct"), &length));
    return length;
}

/* An iteration of a loop takes two bytes for the jump back, and none for addresses. */
Test(binary, loops_are_small) {
    rig r;
    rig_open(&r);
    const size_t few = length_of_loops(&r, 1, 1, 100), many = length_of_loops(&r, 1, 1, 1000);
    cr_expect(many <= few + 900 * 2 + 16, "%zu and %zu bytes", few, many);
    rig_close(&r);
}

/* The step from block to block is learned for a column as for a row. */
Test(binary, columns_are_small) {
    rig r;
    rig_open(&r);
    const size_t row = length_of_loops(&r, 64, 1, 4), column = length_of_loops(&r, 1, 64, 4);
    cr_expect(column <= row + 16, "%zu and %zu bytes", row, column);
    rig_close(&r);
}

/* A file's length, for a warp with these masks in the second and fourth instruction. */
static size_t length_with(rig *r, uint64_t second, uint64_t fourth) {
    gpc_trace *from = made_opcodes(r);
    const gpc_kernel kernel = made_kernel(1, 1, 1, 32, 32);
    gpc_trace_writer *writer = open_writer(r, path_of(r, "k.gct"));
    write_kernel(r, writer, &kernel);
    gpc_instruction instructions[6];
    for (uint32_t i = 0; i < 6; i++)
        instructions[i] = (gpc_instruction){.pc = 16 * i,
                                            .mask = i == 1   ? second
                                                    : i == 3 ? fourth
                                                             : UINT32_MAX,
                                            .opcode = 5,
                                            .op_class = i < 5 ? GPC_OP_FP : GPC_OP_EXIT};
    const gpc_warp warp = {.count = 6, .instructions = instructions};
    const gpc_block block = {.warp_count = 1, .warps = &warp, .instruction_count = 6};
    cr_assert_eq(gpc_trace_writer_block(writer, from, &block, &r->error), GPC_OK, "%s", r->error.message);
    finish_writer(r, writer);
    gpc_trace_close(from);
    size_t length;
    free(read_file(path_of(r, "k.gct"), &length));
    return length;
}

/* A known mask, as late as possible, is a number; a new mask is written, four bytes for 32 lanes. */
Test(binary, masks_that_come_back) {
    rig r;
    rig_open(&r);
    cr_expect_eq(length_with(&r, 0xf0, 0xf), length_with(&r, 0xf0, 0xf0) + 4);
    rig_close(&r);
}

/* A small file with a bit of everything. */
static unsigned char *small_file(rig *r, size_t *length) {
    gpc_trace *from = made_opcodes(r);
    const uint32_t placement[] = {3, 1, 2};
    gpc_kernel kernel = made_kernel(3, 1, 1, 32, 32);
    kernel.placement = placement;
    kernel.placement_count = 3;
    gpc_trace_writer *writer = open_writer(r, path_of(r, "small.gct"));
    for (uint64_t k = 0; k < 2; k++) {
        write_kernel(r, writer, &kernel);
        for (uint32_t n = 0; n < 3; n++)
            write_made(r, writer, from, &kernel, n, 0); /* twice: dictionaries are in use */
    }
    finish_writer(r, writer);
    gpc_trace_close(from);
    uint64_t instructions;
    cr_assert_eq(read_all(r, path_of(r, "small.gct"), &instructions), GPC_OK, "%s", r->error.message);
    return read_file(path_of(r, "small.gct"), length);
}

/* Expect damage of damaged.gct. */
static void expect_damage(rig *r, const char *what, size_t at) {
    uint64_t instructions;
    gpc_status status = read_all(r, path_of(r, "damaged.gct"), &instructions);
    cr_assert_eq(status, GPC_ERROR_FORMAT, "%s %zu: %d", what, at, status);
    cr_assert(strstr(r->error.message, "damaged.gct: offset "), "%s %zu: %s", what, at, r->error.message);
}

Test(binary, every_flipped_byte_is_found) {
    rig r;
    rig_open(&r);
    size_t length;
    unsigned char *data = small_file(&r, &length);
    write_file(&r, "damaged.gct", data, length);
    for (size_t at = 0; at < length; at++) {
        for (unsigned bit = at % 3; bit < 8; bit += 3) {
            write_byte(&r, "damaged.gct", at, (unsigned char)(data[at] ^ 1u << bit));
            expect_damage(&r, "flipped", at);
        }
        write_byte(&r, "damaged.gct", at, data[at]);
    }
    expect_same(&r, path_of(&r, "small.gct"), path_of(&r, "damaged.gct"));
    free(data);
    rig_close(&r);
}

Test(binary, every_cut_is_found) {
    rig r;
    rig_open(&r);
    size_t length;
    unsigned char *data = small_file(&r, &length);
    write_file(&r, "damaged.gct", data, length);
    cut_file(&r, "damaged.gct", length + 1);
    expect_damage(&r, "longer", length);
    while (length-- > 0) {
        cut_file(&r, "damaged.gct", length);
        expect_damage(&r, "cut", length);
    }
    free(data);
    rig_close(&r);
}

/* Another process cuts the file after it was opened: damage, at the file's new end or where the reading began. */
Test(binary, every_cut_of_an_open_file_is_found) {
    static const char sentence[] = ": expected more bytes: the file is damaged or cut short";
    rig r;
    rig_open(&r);
    size_t length;
    unsigned char *data = small_file(&r, &length);
    for (size_t cut = 0; cut < length; cut++) {
        uint64_t instructions = 0;
        write_file(&r, "damaged.gct", data, length);
        gpc_trace *trace = open_trace(&r, path_of(&r, "damaged.gct"));
        cut_file(&r, "damaged.gct", cut);
        expect_error(&r, read_opened(&r, trace, &instructions), GPC_ERROR_FORMAT, sentence);
        const char *offset = strstr(r.error.message, "damaged.gct: offset ");
        cr_assert(offset && strtoull(offset + 20, NULL, 10) >= cut, "cut %zu: %s", cut, r.error.message);
        gpc_trace_close(trace);
    }
    free(data);
    rig_close(&r);
}

/* Two changed bytes, perhaps of one part, and a missing byte in the middle. */
Test(binary, other_damage_is_found) {
    rig r;
    rig_open(&r);
    size_t length;
    unsigned char *data = small_file(&r, &length);
    write_file(&r, "damaged.gct", data, length);
    uint64_t random = 5;
    for (int n = 0; n < 500; n++) {
        size_t at = gpci_random_below(&random, (uint32_t)length - 64), other = at + 1 + gpci_random_below(&random, 60);
        write_byte(&r, "damaged.gct", at, (unsigned char)(data[at] ^ (1 + gpci_random_below(&random, 255))));
        write_byte(&r, "damaged.gct", other, (unsigned char)(data[other] ^ (1 + gpci_random_below(&random, 255))));
        expect_damage(&r, "two", at);
        write_byte(&r, "damaged.gct", at, data[at]);
        write_byte(&r, "damaged.gct", other, data[other]);
    }
    for (size_t at = 0; at < length; at += 97) {
        unsigned char *shorter = malloc(length);
        memcpy(shorter, data, at);
        memcpy(shorter + at, data + at + 1, length - at - 1);
        write_file(&r, "damaged.gct", shorter, length - 1);
        expect_damage(&r, "lost", at);
        free(shorter);
    }
    free(data);
    rig_close(&r);
}

/* A version from the future, otherwise correct. */
Test(binary, unknown_version) {
    rig r;
    rig_open(&r);
    size_t length;
    unsigned char *data = small_file(&r, &length);
    gpci_crc crc;
    gpci_crc_init(&crc);
    data[4] = 4;
    gpci_store32(data + 8, gpci_crc_of(&crc, 0, data, 8));
    write_file(&r, "later.gct", data, length);
    uint64_t instructions;
    expect_error(&r, read_all(&r, path_of(&r, "later.gct"), &instructions), GPC_ERROR_UNSUPPORTED, "version 4");
    free(data);
    shell(&r, "mkfifo pipe.gct");
    expect_error(&r, read_all(&r, path_of(&r, "pipe.gct"), &instructions), GPC_ERROR_IO, "no regular file");
    expect_error(&r, read_all(&r, path_of(&r, "none.gct"), &instructions), GPC_ERROR_NOT_FOUND, "none.gct");
    rig_close(&r);
}

/* The length of the first block, up to the CRC. */
static size_t block_length(const gpci_crc *crc, const unsigned char *block, size_t most) {
    const uint32_t begin = gpci_crc_of(crc, 0, "\0\0\0", 4); /* of the index */
    size_t n = 1;
    while (n + 4 < most && gpci_crc_of(crc, begin, block, n) != gpci_load32(block + n))
        n++;
    return n;
}

/* Read a file of one load by two lanes from `first` on, with these codes for the addresses. */
static gpc_status read_codes(rig *r, uint64_t first, const uint8_t *codes, size_t count) {
    gpc_trace *from = made_opcodes(r);
    const gpc_kernel kernel = made_kernel(1, 1, 1, 32, 32);
    gpc_trace_writer *writer = open_writer(r, path_of(r, "k.gct"));
    write_kernel(r, writer, &kernel);
    const uint64_t addresses[] = {first, first + 4};
    gpc_instruction instructions[] = {{.mask = 3, .opcode = 6, .op_class = GPC_OP_MEMORY, .addresses = addresses},
                                      {.pc = 16, .mask = 3, .opcode = 5, .op_class = GPC_OP_EXIT}};
    const gpc_warp warp = {.count = 2, .instructions = instructions};
    const gpc_block block = {.warp_count = 1, .warps = &warp, .instruction_count = 2};
    cr_assert_eq(gpc_trace_writer_block(writer, from, &block, &r->error), GPC_OK, "%s", r->error.message);
    finish_writer(r, writer);
    gpc_trace_close(from);
    gpci_crc crc;
    gpci_crc_init(&crc);
    size_t length;
    unsigned char *data = read_file(path_of(r, "k.gct"), &length), *begin = data + 12;
    const size_t bytes = block_length(&crc, begin, length - 12);
    memcpy(begin + bytes - count, codes, count);
    gpci_store32(begin + bytes, gpci_crc_of(&crc, gpci_crc_of(&crc, 0, "\0\0\0", 4), begin, bytes));
    write_file(r, "codes.gct", data, length);
    free(data);
    uint64_t instruction_count;
    return read_all(r, path_of(r, "codes.gct"), &instruction_count);
}

/* Address codes never written by a writer are refused, with any CRC. */
Test(binary, codes_that_mean_nothing) {
    static const struct {
        uint64_t first; /* with as many bytes of code */
        uint8_t codes[11], count;
        gpc_status status;
    } cases[] = {
        {16, {0x80 | 1 << 2 | 1, 0}, 2, GPC_ERROR_FORMAT},            /* a shape as before, but with a number */
        {UINT64_C(1) << 62, {1 << 2 | 3, 64}, 11, GPC_OK},            /* packed, a difference of 64 bits */
        {UINT64_C(1) << 62, {1 << 2 | 3, 60}, 11, GPC_ERROR_FORMAT},  /* of 60 */
        {UINT64_C(1) << 62, {0x80 | 7, 0, 56}, 11, GPC_OK},           /* of 56 */
        {UINT64_C(1) << 62, {0x80 | 7, 1, 56}, 11, GPC_ERROR_FORMAT}, /* and beyond the most shift */
    };
    rig r;
    rig_open(&r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gpc_status status = read_codes(&r, cases[i].first, cases[i].codes, cases[i].count);
        cr_expect_eq(status, cases[i].status, "%zu: %s", i, status < 0 ? r.error.message : "read");
    }
    rig_close(&r);
}

/* The CRC's published check value, in any number of parts. */
Test(binary, crc) {
    gpci_crc crc;
    gpci_crc_init(&crc);
    const char text[] = "123456789";
    cr_assert_eq(gpci_crc_of(&crc, 0, text, 9), 0xe3069283u);
    for (size_t cut = 0; cut <= 9; cut++)
        cr_assert_eq(gpci_crc_of(&crc, gpci_crc_of(&crc, 0, text, cut), text + cut, 9 - cut), 0xe3069283u);
    unsigned char zeros[32] = {0}; /* RFC 3720, B.4: 32 bytes of zeros */
    cr_assert_eq(gpci_crc_of(&crc, 0, zeros, 32), 0x8a9136aau);
}

Test(binary, numbers) {
    rig r;
    rig_open(&r);
    gpci_buffer bytes = {.context = r.context};
    uint64_t values[200], random = 9;
    for (unsigned n = 0; n < 200; n++) {
        values[n] = n < 128 ? (UINT64_C(1) << n / 2) - n % 2 : gpci_random(&random);
        gpci_buffer_varint(&bytes, values[n]);
        gpci_buffer_signed(&bytes, values[n]);
    }
    cr_assert(gpci_buffer_reserve(&bytes, GPCI_SLACK) && !bytes.failed);
    gpci_cursor cursor = {bytes.data, bytes.data + bytes.length, false};
    for (unsigned n = 0; n < 200; n++) {
        cr_assert_eq(gpci_cursor_varint(&cursor), values[n]);
        cr_assert_eq(gpci_cursor_signed(&cursor), values[n]);
    }
    cr_assert(!cursor.bad && cursor.at == cursor.stop);
    cr_assert(gpci_cursor_varint(&cursor) == 0 && cursor.bad, "nothing is left");
    for (unsigned width = 1; width <= 64; width = width == 56 ? 64 : width + 1) {
        bytes.length = 0;
        for (unsigned n = 0; n < 200; n++)
            values[n] = width == 64 ? gpci_random(&random) : gpci_random(&random) >> (64 - width);
        gpci_buffer_bits(&bytes, values, 200, width);
        cr_assert_eq(bytes.length, 25 * width);
        cr_assert(gpci_buffer_reserve(&bytes, GPCI_SLACK));
        for (unsigned n = 0; n < 200; n++)
            cr_assert_eq(gpci_unpack(bytes.data, n, width), values[n], "%u of width %u", n, width);
    }
    /* 2^64 and more than ten bytes are no numbers. */
    const uint8_t much[20] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    cursor = (gpci_cursor){much, much + 10, false};
    cr_assert(gpci_cursor_varint(&cursor) == 0 && cursor.bad);
    cursor = (gpci_cursor){much, much + 5, false};
    cr_assert(gpci_cursor_varint(&cursor) == 0 && cursor.bad);
    gpci_buffer_clear(&bytes);
    rig_close(&r);
}

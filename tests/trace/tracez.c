/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/zstd.h"
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/*
 * Accel-Sim's .tracez, written here: zstd frames of uncompressed blocks. Compression, dictionaries and damage are in
 * tests/python/test_tracez.py.
 */

static const char header[] = HEADER "-accelsim tracer version = 4\n#traces format = ...\n";

typedef struct bytes {
    unsigned char data[1 << 14];
    size_t length;
} bytes;

static void put(bytes *b, const void *data, size_t length) {
    cr_assert_leq(b->length + length, sizeof b->data);
    memcpy(b->data + b->length, data, length);
    b->length += length;
}

static void put_number(bytes *b, uint64_t number, size_t length) {
    for (size_t i = 0; i < length; i++)
        put(b, &(unsigned char){i < sizeof number ? (unsigned char)(number >> 8 * i) : 0}, 1);
}

/* A frame, after the length: one segment, with a size of two bytes, and one raw block, the last. */
static uint32_t put_frame(bytes *b, const char *text) {
    const size_t length = strlen(text);
    cr_assert(length >= 256);
    put_number(b, 4 + 1 + 2 + 3 + length, 4);
    put_number(b, 0xFD2FB528u, 4);
    put_number(b, 0x60, 1);
    put_number(b, length - 256, 2);
    put_number(b, length << 3 | 1, 3);
    put(b, text, length);
    return (uint32_t)(4 + 1 + 2 + 3 + length);
}

/* A number of loads from `first` on, 128 bytes apart. */
static const char *loads(unsigned count, unsigned first) {
    static char text[4096];
    text[0] = '\0';
    for (unsigned n = 0; n < count; n++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%04x ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4\n",
                 16 * (first + n), 0x1000 + 128 * (first + n));
    return text;
}

/* Two blocks of two warps: one block of two parts, one of a single part. */
static void write_tracez(const rig *r, const char *name) {
    static bytes b, index;
    b.length = index.length = 0;
    put(&b, header, sizeof header);
    put_number(&b, 0, 4); /* no dictionary */
    put_number(&b, 8, 4);
    put_number(&index, 2, 4);
    for (unsigned block = 0; block < 2; block++) {
        for (unsigned twice = 0; twice < 2; twice++) {
            put_number(&index, block, 4);
            put_number(&index, 0, 8);
        }
        put_number(&index, 0, 16);
        put_number(&index, 2, 4);
        for (unsigned warp = 0; warp < 2; warp++) {
            const unsigned parts = 2 - warp;
            put_number(&index, 8 * parts, 4);
            put_number(&index, parts, 4);
            put_number(&index, b.length, 8);
            put_number(&b, 8 * parts, 4);
            put_number(&b, parts, 4);
            for (unsigned part = 0; part < parts; part++)
                put_number(&index, put_frame(&b, loads(8, 100 * block + 10 * warp + 8 * part)), 4);
        }
    }
    const size_t at = b.length;
    put(&b, index.data, index.length);
    put_number(&b, at, 8);
    write_file(r, name, b.data, b.length);
}

static void write_text_of_it(const rig *r, const char *name) {
    char text[1 << 14];
    snprintf(text, sizeof text, "%s", header);
    for (unsigned block = 0; block < 2; block++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "#BEGIN_TB\nthread block = %u,0,0\n", block);
        for (unsigned warp = 0; warp < 2; warp++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "warp = %u\ninsts = %u\n%s", warp, 8 * (2 - warp),
                     loads(8 * (2 - warp), 100 * block + 10 * warp));
        snprintf(text + strlen(text), sizeof text - strlen(text), "#END_TB\n");
    }
    write_text(r, name, text);
}

/* The dictionary's number stands behind the flags, and behind the window's byte unless the frame is a single segment. */
Test(tracez, number_of_the_dictionary) {
    static const struct {
        uint8_t frame[10];
        size_t size;
        uint32_t number;
    } frames[] = {
        {{0x28, 0xb5, 0x2f, 0xfd, 0x21, 7}, 6, 7},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x20, 7}, 6, 0},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x21, 7}, 5, 0},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x01, 0xff, 7}, 7, 7},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x02, 0xff, 7, 1}, 8, 0x107},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x03, 0xff, 7, 1, 2, 3}, 10, 0x3020107},
        {{0x28, 0xb5, 0x2f, 0xfc, 0x21, 7}, 6, 0},
    };
    for (size_t n = 0; n < sizeof frames / sizeof *frames; n++)
        cr_expect_eq(gpci_zstd_dictionary(frames[n].frame, frames[n].size), frames[n].number, "frame %zu", n);
}

Test(tracez, frames) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    if (!library)
        cr_skip("libzstd.so.1 is not installed");
    dlclose(library);
    rig r;
    rig_open(&r);
    write_tracez(&r, "a.tracez");
    write_text_of_it(&r, "b.traceg");
    expect_same(&r, path_of(&r, "a.tracez"), path_of(&r, "b.traceg"));
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/tracez.h"

#include "trace/files/zstd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_MOST (64u << 10)
#define BLOCK_NUMBERS 11u

struct gpci_tracez {
    gpc_context *context;
    int file;
    const char *path;
    uint64_t size;
    gpci_zstd *zstd;
    gpci_buffer index, frame, text; /* text: bytes from `given` on are not yet returned */
    size_t given;
    gpci_cursor cursor; /* position in the index */
    uint64_t index_at;
    uint32_t block, block_count;
    uint32_t warp, warp_count; /* warp: next warp of the present block */
    bool inside;               /* a block has begun */
};

static gpc_status damaged(const gpci_tracez *tracez, uint64_t offset, const char *what, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s: offset %" PRIu64 ": expected %s: the file is damaged or cut short",
                     tracez->path, offset, what);
}

static gpc_status read_at(const gpci_tracez *tracez, void *to, uint64_t offset, uint64_t bytes, const char *what,
                          gpc_error *error) {
    if (offset > tracez->size || bytes > tracez->size - offset)
        return damaged(tracez, offset, what, error);
    for (uint64_t done = 0; done < bytes;) {
        ssize_t got = pread(tracez->file, (uint8_t *)to + done, (size_t)(bytes - done), (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gpci_fail(error, GPC_ERROR_IO, "%s: %s", tracez->path, strerror(errno));
        if (!got)
            return damaged(tracez, offset + done, what, error);
        done += (uint64_t)got;
    }
    return GPC_OK;
}

/* Read bytes of the file into a buffer, in place of the buffer's contents. */
static gpc_status read_part(const gpci_tracez *tracez, gpci_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const char *what, gpc_error *error) {
    buffer->length = 0;
    if (offset > tracez->size || bytes > tracez->size - offset)
        return damaged(tracez, offset, what, error);
    if (!gpci_buffer_reserve(buffer, (size_t)bytes + GPCI_SLACK))
        return gpci_out_of_memory(error);
    gpc_status status = read_at(tracez, buffer->data, offset, bytes, what, error);
    buffer->length = (size_t)bytes;
    return status;
}

/*
 * Find the end of a header, a NUL, in a part of the file. Returns the NUL's place; `size`: the part has no NUL;
 * SIZE_MAX: a thread block begins before the NUL, and so the text is not a header of a .tracez.
 */
static size_t find_end(const char *part, size_t size) {
    static const char block[] = "#BEGIN_TB";
    size_t end = 0;
    while (end < size && part[end])
        if (size - end++ >= sizeof block - 1 && !memcmp(part + end - 1, block, sizeof block - 1))
            return SIZE_MAX;
    return end;
}

/*
 * Length of the header at the file's beginning, without its NUL; 0: no header. The parts overlap by 16 bytes: a block's
 * begin may lie across their border.
 */
static size_t header_length(int file) {
    char part[4096];
    for (size_t at = 0; at < HEADER_MOST; at += sizeof part - 16) {
        const ssize_t got = pread(file, part, sizeof part, (off_t)at);
        if (got <= 0 || (!at && *part != '-' && *part != '#'))
            return 0;
        const size_t end = find_end(part, (size_t)got);
        if (end < (size_t)got)
            return at + end;
        if (end == SIZE_MAX || (size_t)got < sizeof part)
            return 0;
    }
    return 0;
}

bool gpci_tracez_is(int file) {
    return header_length(file) != 0;
}

static uint32_t take32(gpci_cursor *cursor) {
    const uint8_t *at = gpci_cursor_take(cursor, 4);
    return at ? gpci_load32(at) : 0;
}

static uint64_t take64(gpci_cursor *cursor) {
    const uint8_t *at = gpci_cursor_take(cursor, 8);
    return at ? gpci_load64(at) : 0;
}

static gpc_status open_dictionary(gpci_tracez *tracez, uint64_t at, gpc_error *error) {
    uint8_t numbers[8];
    gpc_status status = read_at(tracez, numbers, at, sizeof numbers, "the size of the dictionary", error);
    if (status == GPC_OK)
        status = read_part(tracez, &tracez->frame, at + sizeof numbers, gpci_load32(numbers), "the dictionary", error);
    return status < 0 ? status
                      : gpci_zstd_open(tracez->context, tracez->frame.data, tracez->frame.length, tracez->path, error,
                                       &tracez->zstd);
}

static gpc_status open_index(gpci_tracez *tracez, gpc_error *error) {
    uint8_t tail[8];
    gpc_status status =
        read_at(tracez, tail, tracez->size < 8 ? 0 : tracez->size - 8, 8, "the offset of the index", error);
    if (status < 0)
        return status;
    tracez->index_at = gpci_load64(tail);
    if (tracez->index_at > tracez->size - 8)
        return damaged(tracez, tracez->size - 8, "the offset of the index", error);
    status =
        read_part(tracez, &tracez->index, tracez->index_at, tracez->size - 8 - tracez->index_at, "the index", error);
    tracez->cursor = (gpci_cursor){tracez->index.data, tracez->index.data + tracez->index.length, false};
    tracez->block_count = take32(&tracez->cursor);
    return status == GPC_OK && tracez->cursor.bad ? damaged(tracez, tracez->index_at, "the index", error) : status;
}

gpc_status gpci_tracez_open(gpc_context *context, int file, const char *path, gpc_error *error, gpci_tracez **out) {
    struct stat about;
    gpci_tracez *tracez = gpci_zalloc(context, 1, sizeof *tracez);
    if (!tracez)
        return gpci_out_of_memory(error);
    tracez->context = gpci_retain(context);
    tracez->file = file;
    tracez->path = path;
    tracez->index.context = tracez->frame.context = tracez->text.context = context;
    tracez->size = fstat(file, &about) ? 0 : (uint64_t)about.st_size;
    const size_t length = header_length(file);
    gpc_status status = read_part(tracez, &tracez->text, 0, length, "the header", error);
    if (status == GPC_OK)
        status = open_dictionary(tracez, length + 1, error);
    if (status == GPC_OK)
        status = open_index(tracez, error);
    gpci_buffer_put(&tracez->text, "\n", 1);
    if (status == GPC_OK && tracez->text.failed)
        status = gpci_out_of_memory(error);
    if (status < 0)
        gpci_tracez_close(tracez);
    else
        *out = tracez;
    return status;
}

void gpci_tracez_close(gpci_tracez *tracez) {
    if (!tracez)
        return;
    gpc_context *context = tracez->context;
    gpci_zstd_close(tracez->zstd);
    gpci_buffer_clear(&tracez->index);
    gpci_buffer_clear(&tracez->frame);
    gpci_buffer_clear(&tracez->text);
    gpci_free(context, tracez);
    gpci_release(context);
}

static void put_line(gpci_tracez *tracez, const char *line) {
    gpci_buffer_put(&tracez->text, line, strlen(line));
}

/* Find the place of a warp's first part. `offset`, from the index, is the place of the warp's record or of the part. */
static gpc_status first_part(const gpci_tracez *tracez, uint64_t offset, uint32_t instructions, uint32_t parts,
                             uint64_t *out, gpc_error *error) {
    uint8_t head[16] = {0};
    const uint64_t there = offset < tracez->index_at ? tracez->index_at - offset : 0;
    gpc_status status =
        read_at(tracez, head, offset, there < sizeof head ? there : sizeof head, "the instructions of a warp", error);
    const bool record = gpci_load32(head) == instructions && gpci_load32(head + 4) == parts;
    const bool frames = !parts || gpci_load32(head + 4) == GPCI_ZSTD_MAGIC;
    if (status == GPC_OK && (!there || (!record && !frames)))
        return damaged(tracez, offset, "the instructions of a warp", error);
    *out = record ? offset + 8 : offset;
    return status;
}

static gpc_status put_parts(gpci_tracez *tracez, uint64_t at, uint32_t parts, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t part = 0; part < parts && status == GPC_OK; part++) {
        uint8_t bytes[4];
        status = read_at(tracez, bytes, at, sizeof bytes, "a part of a warp", error);
        if (status == GPC_OK)
            status = read_part(tracez, &tracez->frame, at + 4, gpci_load32(bytes), "a part of a warp", error);
        if (status == GPC_OK)
            status =
                gpci_zstd_frame(tracez->zstd, tracez->frame.data, tracez->frame.length, at + 4, &tracez->text, error);
        at += 4 + (uint64_t)tracez->frame.length;
    }
    if (status == GPC_OK && tracez->text.length && tracez->text.data[tracez->text.length - 1] != '\n')
        put_line(tracez, "\n");
    return status;
}

static gpc_status put_warp(gpci_tracez *tracez, gpc_error *error) {
    const uint64_t entry = tracez->index_at + (uint64_t)(tracez->cursor.at - tracez->index.data);
    const uint32_t instructions = take32(&tracez->cursor), parts = take32(&tracez->cursor);
    const uint64_t offset = take64(&tracez->cursor);
    gpci_cursor_take(&tracez->cursor, (uint64_t)parts * 4);
    if (tracez->cursor.bad)
        return damaged(tracez, entry, "a warp of the index", error);
    char lines[64];
    snprintf(lines, sizeof lines, "warp = %" PRIu32 "\ninsts = %" PRIu32 "\n", tracez->warp++, instructions);
    put_line(tracez, lines);
    uint64_t at = 0;
    gpc_status status = first_part(tracez, offset, instructions, parts, &at, error);
    return status == GPC_OK ? put_parts(tracez, at, parts, error) : status;
}

static gpc_status begin_block(gpci_tracez *tracez, gpc_error *error) {
    const uint64_t entry = tracez->index_at + (uint64_t)(tracez->cursor.at - tracez->index.data);
    uint32_t numbers[BLOCK_NUMBERS];
    for (uint32_t i = 0; i < BLOCK_NUMBERS; i++)
        numbers[i] = take32(&tracez->cursor);
    if (tracez->cursor.bad)
        return damaged(tracez, entry, "a thread block of the index", error);
    char line[96];
    snprintf(line, sizeof line, "#BEGIN_TB\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", numbers[0],
             numbers[1], numbers[2]);
    put_line(tracez, line);
    tracez->warp = 0;
    tracez->warp_count = numbers[BLOCK_NUMBERS - 1];
    tracez->inside = true;
    return GPC_OK;
}

/* Produce more text: a block's beginning, a warp, or the block's end. Produces no text behind the last block. */
static gpc_status go_on(gpci_tracez *tracez, gpc_error *error) {
    tracez->text.length = tracez->given = 0;
    gpc_status status = GPC_OK;
    if (tracez->inside && tracez->warp < tracez->warp_count) {
        status = put_warp(tracez, error);
    } else if (tracez->inside) {
        put_line(tracez, "#END_TB\n");
        tracez->inside = false;
        tracez->block++;
    } else if (tracez->block < tracez->block_count) {
        status = begin_block(tracez, error);
    }
    return status == GPC_OK && tracez->text.failed ? gpci_out_of_memory(error) : status;
}

gpc_status gpci_tracez_read(gpci_tracez *tracez, void *buffer, size_t capacity, size_t *got, gpc_error *error) {
    if (tracez->given == tracez->text.length) {
        gpc_status status = go_on(tracez, error);
        if (status < 0)
            return status;
    }
    const size_t left = tracez->text.length - tracez->given;
    *got = left < capacity ? left : capacity;
    memcpy(buffer, tracez->text.data + tracez->given, *got);
    tracez->given += *got;
    return GPC_OK;
}

double gpci_tracez_progress(const gpci_tracez *tracez) {
    return tracez->block_count ? (double)tracez->block / tracez->block_count : 1;
}

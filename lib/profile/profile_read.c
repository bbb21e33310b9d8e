/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "profile/profile_file_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reader of a profile's file. A number must fit the file's bytes, or the file is refused. */

#define MOST_LINE_SHIFT 12u

typedef struct profile_reader {
    const char *path;
    gpci_buffer file;
    gpci_crc crc;
    gpci_cursor cursor; /* position in the present section's contents */
    uint64_t next;      /* offset behind the section */
    gpc_error *error;
} profile_reader;

static gpc_status damaged(const profile_reader *r, uint64_t offset, const char *what) {
    return gpci_fail(r->error, GPC_ERROR_FORMAT, "%s: offset %" PRIu64 ": %s", r->path, offset, what);
}

/* Fail for wrong contents. */
static gpc_status misfit(const profile_reader *r, const char *what) {
    return damaged(r, (uint64_t)(r->cursor.at - r->file.data), what);
}

static gpc_status load(profile_reader *r) {
    errno = 0;
    FILE *stream = fopen(r->path, "rb");
    if (!stream)
        return gpci_fail(r->error, errno == ENOENT ? GPC_ERROR_NOT_FOUND : GPC_ERROR_IO, "%s: %s", r->path,
                         errno == ENOENT ? "no such file" : "cannot be opened");
    gpc_status status = GPC_OK;
    for (size_t got = 1; got && status == GPC_OK;) {
        if (!gpci_buffer_room(&r->file, 65536)) {
            status = gpci_out_of_memory(r->error);
            break;
        }
        got = fread(r->file.data + r->file.length, 1, r->file.capacity - GPCI_SLACK - r->file.length, stream);
        r->file.length += got;
        if (ferror(stream))
            status = gpci_fail(r->error, GPC_ERROR_IO, "%s: cannot be read", r->path);
    }
    fclose(stream);
    return status;
}

static gpc_status read_head(profile_reader *r) {
    const uint8_t *head = r->file.data;
    if (r->file.length < GPCI_PROFILE_HEAD || memcmp(head, GPCI_PROFILE_MAGIC, 4))
        return damaged(r, 0, "not a profile");
    if (gpci_load32(head + 8) != gpci_crc_of(&r->crc, 0, head, 8))
        return damaged(r, 0, "the head is damaged");
    if (gpci_load32(head + 4) != GPCI_PROFILE_VERSION)
        return gpci_fail(r->error, GPC_ERROR_UNSUPPORTED, "%s: a profile of version %" PRIu32 ", this library reads %u",
                         r->path, gpci_load32(head + 4), GPCI_PROFILE_VERSION);
    r->next = GPCI_PROFILE_HEAD;
    return GPC_OK;
}

static gpc_status open_section(profile_reader *r) {
    uint64_t at = r->next, left = r->file.length - at;
    const uint8_t *data = r->file.data + at;
    if (left < 12 || gpci_load64(data) > left - 12)
        return damaged(r, at, "the file ends within a section");
    uint64_t length = gpci_load64(data);
    if (gpci_load32(data + 8 + length) != gpci_crc_of(&r->crc, 0, data, (size_t)(8 + length)))
        return damaged(r, at, "the section's checksum does not fit");
    r->cursor = (gpci_cursor){data + 8, data + 8 + length, false};
    r->next = at + length + 12;
    return GPC_OK;
}

static gpc_status close_section(const profile_reader *r) {
    if (r->cursor.bad || r->cursor.at != r->cursor.stop)
        return misfit(r, "the section's contents do not fit its length");
    return GPC_OK;
}

/* Read a number of elements with at least `bytes` bytes each. */
static uint64_t read_count(profile_reader *r, uint64_t bytes) {
    return gpci_cursor_below(&r->cursor, (uint64_t)(r->cursor.stop - r->cursor.at) / bytes);
}

static void read_words(profile_reader *r, void *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word = gpci_cursor_varint(&r->cursor);
        memcpy((char *)words + i * sizeof word, &word, sizeof word);
    }
}

static gpc_status read_names(profile_reader *r, gpc_profile *p) {
    uint64_t count = read_count(r, 1);
    p->names = gpci_zalloc(p->context, (size_t)count, sizeof *p->names);
    if (!p->names)
        return gpci_out_of_memory(r->error);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = read_count(r, 1);
        const uint8_t *text = gpci_cursor_take(&r->cursor, length);
        if (!text || r->cursor.bad || memchr(text, 0, (size_t)length))
            return misfit(r, "a kernel's name does not fit");
        char *name = gpci_alloc(p->context, (size_t)length + 1);
        if (!name)
            return gpci_out_of_memory(r->error);
        memcpy(name, text, (size_t)length);
        name[length] = '\0';
        p->names[p->name_count++] = name;
    }
    return GPC_OK;
}

static gpc_status read_general(profile_reader *r, gpc_profile *p) {
    gpc_status status = open_section(r);
    if (status < 0)
        return status;
    p->line_shift = (uint32_t)gpci_cursor_below(&r->cursor, MOST_LINE_SHIFT);
    p->line_bytes = 1u << p->line_shift;
    /* each SM has a row of counts and a section */
    p->sm_count = (uint32_t)gpci_cursor_below(&r->cursor, r->file.length / (GPCI_COUNTS_WORDS + GPCI_SM_WORDS));
    status = r->cursor.bad || !p->sm_count ? misfit(r, "lines or SMs that there cannot be") : read_names(r, p);
    if (status < 0)
        return status;
    uint64_t count = read_count(r, 1);
    p->launches = gpci_zalloc(p->context, (size_t)count, sizeof *p->launches);
    if (!p->launches)
        return gpci_out_of_memory(r->error);
    for (; p->launch_count < count; p->launch_count++) {
        p->launches[p->launch_count] = (uint32_t)gpci_cursor_varint(&r->cursor);
        if (p->launches[p->launch_count] >= p->name_count)
            return misfit(r, "a launch of a kernel without a name");
    }
    uint64_t most = r->file.length / (GPCI_COUNTS_WORDS + GPCI_INSTRUCTION_WORDS);
    p->instruction_count = (size_t)gpci_cursor_below(&r->cursor, most);
    return close_section(r);
}

static gpc_status read_sms(profile_reader *r, gpc_profile *p) {
    gpc_status status = open_section(r);
    if (status < 0)
        return status;
    p->sms = gpci_zalloc(p->context, p->sm_count, sizeof *p->sms);
    p->distances = gpci_zalloc(p->context, p->sm_count, sizeof *p->distances);
    if (!p->sms || !p->distances)
        return gpci_out_of_memory(r->error);
    for (uint32_t i = 0; i < p->sm_count; i++) {
        p->sms[i].sm = i;
        read_words(r, &p->sms[i].counts, GPCI_COUNTS_WORDS);
        read_words(r, (char *)&p->sms[i] + offsetof(gpc_profile_sm, lines), GPCI_SM_WORDS);
    }
    return close_section(r);
}

static gpc_status read_instructions(profile_reader *r, gpc_profile *p) {
    gpc_status status = open_section(r);
    if (status < 0)
        return status;
    p->instructions = gpci_zalloc(p->context, p->instruction_count, sizeof *p->instructions);
    if (!p->instructions)
        return gpci_out_of_memory(r->error);
    for (size_t i = 0; i < p->instruction_count; i++) {
        gpc_profile_instruction *row = &p->instructions[i];
        uint64_t kernel = gpci_cursor_varint(&r->cursor);
        row->pc = gpci_cursor_varint(&r->cursor);
        read_words(r, &row->counts, GPCI_COUNTS_WORDS);
        read_words(r, (char *)row + offsetof(gpc_profile_instruction, lines), GPCI_INSTRUCTION_WORDS);
        if (kernel >= p->name_count)
            return misfit(r, "an instruction of a kernel without a name");
        row->kernel_index = (uint32_t)kernel;
        row->kernel = p->names[kernel];
        if (i && (row[-1].kernel_index > kernel || (row[-1].kernel_index == kernel && row[-1].pc >= row->pc)))
            return misfit(r, "instructions out of order");
    }
    return close_section(r);
}

static gpc_status read_classes(profile_reader *r, gpc_profile *p) {
    gpc_status status = open_section(r);
    if (status < 0)
        return status;
    p->classes = gpci_zalloc(p->context, GPC_PROFILE_CLASSES, sizeof *p->classes);
    if (!p->classes)
        return gpci_out_of_memory(r->error);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++) {
        p->classes[i].transactions = i + 1;
        read_words(r, &p->classes[i].counts, GPCI_COUNTS_WORDS);
    }
    return close_section(r);
}

static gpc_status read_distances(profile_reader *r, gpc_profile *p, gpci_distances *d) {
    size_t count = (size_t)read_count(r, 1);
    if (gpci_distances_room(p->context, d, count) < 0)
        return gpci_out_of_memory(r->error);
    for (; d->count < count; d->count++)
        d->counts[d->count] = gpci_cursor_varint(&r->cursor);
    return GPC_OK;
}

static gpc_status read_lines(profile_reader *r, gpc_profile *p, uint32_t sm, size_t *capacity) {
    uint64_t count = read_count(r, 1 + GPCI_LINE_WORDS);
    if (r->cursor.bad || count != p->sms[sm].lines)
        return misfit(r, "another number of lines than the SM's row says");
    if (!GPCI_ARRAY_ROOM(p->context, p->lines, *capacity, p->line_count, (size_t)count))
        return gpci_out_of_memory(r->error);
    uint64_t number = 0, most = UINT64_MAX >> p->line_shift;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t step = gpci_cursor_below(&r->cursor, most - number);
        if ((i && !step) || r->cursor.bad)
            return misfit(r, "lines out of order");
        number += step;
        gpc_profile_line *row = &p->lines[p->line_count++];
        *row = (gpc_profile_line){.address = number << p->line_shift, .sm = sm};
        read_words(r, (char *)row + offsetof(gpc_profile_line, accesses), GPCI_LINE_WORDS);
    }
    return GPC_OK;
}

static gpc_status read_all(profile_reader *r, gpc_profile *p) {
    gpc_status status = read_head(r);
    if (status == GPC_OK)
        status = read_general(r, p);
    if (status == GPC_OK)
        status = read_sms(r, p);
    if (status == GPC_OK)
        status = read_instructions(r, p);
    if (status == GPC_OK)
        status = read_classes(r, p);
    size_t capacity = 0;
    for (uint32_t sm = 0; sm < p->sm_count && status == GPC_OK; sm++) {
        status = open_section(r);
        if (status == GPC_OK)
            status = read_distances(r, p, &p->distances[sm]);
        if (status == GPC_OK)
            status = read_lines(r, p, sm, &capacity);
        if (status == GPC_OK)
            status = close_section(r);
    }
    if (status == GPC_OK && r->next != r->file.length)
        status = damaged(r, r->next, "something comes behind the last section");
    return status;
}

gpc_status gpc_profile_read(gpc_context *context, const char *path, gpc_error *error, gpc_profile **out) {
    if (!context || !path || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_read: %s is NULL",
                         !context ? "context"
                         : !path  ? "path"
                                  : "out");
    gpc_profile *p = gpci_zalloc(context, 1, sizeof *p);
    if (!p)
        return gpci_out_of_memory(error);
    p->context = gpci_retain(context);
    profile_reader r = {.path = path, .file = {.context = context}, .error = error};
    gpci_crc_init(&r.crc);
    gpc_status status = load(&r);
    if (status == GPC_OK)
        status = read_all(&r, p);
    gpci_buffer_clear(&r.file);
    if (status < 0) {
        gpc_profile_destroy(p);
        return status;
    }
    gpci_profile_complete(p);
    *out = p;
    return GPC_OK;
}

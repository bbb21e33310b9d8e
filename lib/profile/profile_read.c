/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/file.h"
#include "profile/profile_file_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reader of a profile's file. If a count of elements is too large for the rest of the file, the file is refused. */

#define MOST_LINE_SHIFT 12u

typedef struct profile_reader {
    const char *path;
    gpci_buffer file;
    gpci_crc crc;
    gpci_cursor cursor; /* position in the present section's contents */
    uint64_t next;      /* offset of the next section in the file */
    gpc_error *error;
} profile_reader;

static gpc_status damaged(const profile_reader *input, uint64_t offset, const char *what) {
    return gpci_fail(input->error, GPC_ERROR_FORMAT, "%s: offset %" PRIu64 ": %s", input->path, offset, what);
}

/* Fail because of wrong contents, with the present offset. */
static gpc_status misfit(const profile_reader *input, const char *what) {
    return damaged(input, (uint64_t)(input->cursor.at - input->file.data), what);
}

static gpc_status read_head(profile_reader *input) {
    const uint8_t *head = input->file.data;
    if (input->file.length < GPCI_PROFILE_HEAD || memcmp(head, GPCI_PROFILE_MAGIC, 4))
        return damaged(input, 0, "not a profile");
    if (gpci_load32(head + 8) != gpci_crc_of(&input->crc, 0, head, 8))
        return damaged(input, 0, "the head is damaged");
    if (gpci_load32(head + 4) != GPCI_PROFILE_VERSION)
        return gpci_fail(input->error, GPC_ERROR_UNSUPPORTED,
                         "%s: a profile of version %" PRIu32 ", this library reads %u", input->path,
                         gpci_load32(head + 4), GPCI_PROFILE_VERSION);
    input->next = GPCI_PROFILE_HEAD;
    return GPC_OK;
}

static gpc_status open_section(profile_reader *input) {
    uint64_t at = input->next, left = input->file.length - at;
    const uint8_t *data = input->file.data + at;
    if (left < 12 || gpci_load64(data) > left - 12)
        return damaged(input, at, "the file ends within a section");
    uint64_t length = gpci_load64(data);
    if (gpci_load32(data + 8 + length) != gpci_crc_of(&input->crc, 0, data, (size_t)(8 + length)))
        return damaged(input, at, "the section's checksum does not fit");
    input->cursor = (gpci_cursor){data + 8, data + 8 + length, false};
    input->next = at + length + 12;
    return GPC_OK;
}

static gpc_status close_section(const profile_reader *input) {
    if (input->cursor.bad || input->cursor.at != input->cursor.stop)
        return misfit(input, "the section's contents do not fit its length");
    return GPC_OK;
}

/*
 * Read the count of the following elements. An element has at least `bytes` bytes. If the rest of the section is too
 * short for the count, set `bad` and return 0.
 */
static uint64_t read_count(profile_reader *input, uint64_t bytes) {
    return gpci_cursor_below(&input->cursor, (uint64_t)(input->cursor.stop - input->cursor.at) / bytes);
}

static void read_words(profile_reader *input, void *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word = gpci_cursor_varint(&input->cursor);
        memcpy((char *)words + i * sizeof word, &word, sizeof word);
    }
}

static gpc_status read_names(profile_reader *input, gpc_profile *profile) {
    uint64_t count = read_count(input, 1);
    profile->names = gpci_zalloc(profile->context, (size_t)count, sizeof *profile->names);
    if (!profile->names)
        return gpci_out_of_memory(input->error);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = read_count(input, 1);
        const uint8_t *text = gpci_cursor_take(&input->cursor, length);
        if (!text || input->cursor.bad || memchr(text, 0, (size_t)length))
            return misfit(input, "a kernel's name does not fit");
        char *name = gpci_alloc(profile->context, (size_t)length + 1);
        if (!name)
            return gpci_out_of_memory(input->error);
        memcpy(name, text, (size_t)length);
        name[length] = '\0';
        profile->names[profile->name_count++] = name;
    }
    return GPC_OK;
}

static gpc_status read_general(profile_reader *input, gpc_profile *profile) {
    gpc_status status = open_section(input);
    if (status < 0)
        return status;
    profile->line_shift = (uint32_t)gpci_cursor_below(&input->cursor, MOST_LINE_SHIFT);
    profile->line_bytes = 1u << profile->line_shift;
    /* the row of an SM has so many numbers of a byte or more */
    profile->sm_count =
        (uint32_t)gpci_cursor_below(&input->cursor, input->file.length / (GPCI_COUNTS_WORDS + GPCI_SM_WORDS));
    status = input->cursor.bad || !profile->sm_count ? misfit(input, "lines or SMs that there cannot be")
                                                     : read_names(input, profile);
    if (status < 0)
        return status;
    uint64_t count = read_count(input, 1);
    profile->launches = gpci_zalloc(profile->context, (size_t)count, sizeof *profile->launches);
    if (!profile->launches)
        return gpci_out_of_memory(input->error);
    for (; profile->launch_count < count; profile->launch_count++) {
        profile->launches[profile->launch_count] = (uint32_t)gpci_cursor_varint(&input->cursor);
        if (profile->launches[profile->launch_count] >= profile->name_count)
            return misfit(input, "a launch of a kernel without a name");
    }
    uint64_t most = input->file.length / (GPCI_COUNTS_WORDS + GPCI_INSTRUCTION_WORDS);
    profile->instruction_count = (size_t)gpci_cursor_below(&input->cursor, most);
    return close_section(input);
}

static gpc_status read_sms(profile_reader *input, gpc_profile *profile) {
    gpc_status status = open_section(input);
    if (status < 0)
        return status;
    profile->sms = gpci_zalloc(profile->context, profile->sm_count, sizeof *profile->sms);
    profile->distances = gpci_zalloc(profile->context, profile->sm_count, sizeof *profile->distances);
    if (!profile->sms || !profile->distances)
        return gpci_out_of_memory(input->error);
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        profile->sms[i].sm = i;
        read_words(input, &profile->sms[i].counts, GPCI_COUNTS_WORDS);
        read_words(input, (char *)&profile->sms[i] + offsetof(gpc_profile_sm, lines), GPCI_SM_WORDS);
    }
    return close_section(input);
}

static gpc_status read_instructions(profile_reader *input, gpc_profile *profile) {
    gpc_status status = open_section(input);
    if (status < 0)
        return status;
    profile->instructions = gpci_zalloc(profile->context, profile->instruction_count, sizeof *profile->instructions);
    if (!profile->instructions)
        return gpci_out_of_memory(input->error);
    for (size_t i = 0; i < profile->instruction_count; i++) {
        gpc_profile_instruction *row = &profile->instructions[i];
        uint64_t kernel = gpci_cursor_varint(&input->cursor);
        row->pc = gpci_cursor_varint(&input->cursor);
        read_words(input, &row->counts, GPCI_COUNTS_WORDS);
        read_words(input, (char *)row + offsetof(gpc_profile_instruction, lines), GPCI_INSTRUCTION_WORDS);
        if (kernel >= profile->name_count)
            return misfit(input, "an instruction of a kernel without a name");
        row->kernel_index = (uint32_t)kernel;
        row->kernel = profile->names[kernel];
        if (i && (row[-1].kernel_index > kernel || (row[-1].kernel_index == kernel && row[-1].pc >= row->pc)))
            return misfit(input, "instructions out of order");
    }
    return close_section(input);
}

static gpc_status read_classes(profile_reader *input, gpc_profile *profile) {
    gpc_status status = open_section(input);
    if (status < 0)
        return status;
    profile->classes = gpci_zalloc(profile->context, GPC_PROFILE_CLASSES, sizeof *profile->classes);
    if (!profile->classes)
        return gpci_out_of_memory(input->error);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++) {
        profile->classes[i].transactions = i + 1;
        read_words(input, &profile->classes[i].counts, GPCI_COUNTS_WORDS);
    }
    return close_section(input);
}

static gpc_status read_distances(profile_reader *input, gpc_profile *profile, gpci_distances *distances) {
    size_t count = (size_t)read_count(input, 1);
    if (gpci_distances_reserve(profile->context, distances, count) < 0)
        return gpci_out_of_memory(input->error);
    for (; distances->count < count; distances->count++)
        distances->counts[distances->count] = gpci_cursor_varint(&input->cursor);
    return GPC_OK;
}

static gpc_status read_lines(profile_reader *input, gpc_profile *profile, uint32_t sm, size_t *capacity) {
    uint64_t count = read_count(input, 1 + GPCI_LINE_WORDS);
    if (input->cursor.bad || count != profile->sms[sm].lines)
        return misfit(input, "another number of lines than the SM's row says");
    if (!GPCI_ARRAY_RESERVE(profile->context, profile->lines, *capacity, profile->line_count, (size_t)count))
        return gpci_out_of_memory(input->error);
    uint64_t number = 0, most = UINT64_MAX >> profile->line_shift;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t step = gpci_cursor_below(&input->cursor, most - number);
        if ((i && !step) || input->cursor.bad)
            return misfit(input, "lines out of order");
        number += step;
        gpc_profile_line *row = &profile->lines[profile->line_count++];
        *row = (gpc_profile_line){.address = number << profile->line_shift, .sm = sm};
        read_words(input, (char *)row + offsetof(gpc_profile_line, accesses), GPCI_LINE_WORDS);
    }
    return GPC_OK;
}

static gpc_status read_all(profile_reader *input, gpc_profile *profile) {
    gpc_status status = read_head(input);
    if (status == GPC_OK)
        status = read_general(input, profile);
    if (status == GPC_OK)
        status = read_sms(input, profile);
    if (status == GPC_OK)
        status = read_instructions(input, profile);
    if (status == GPC_OK)
        status = read_classes(input, profile);
    size_t capacity = 0;
    for (uint32_t sm = 0; sm < profile->sm_count && status == GPC_OK; sm++) {
        status = open_section(input);
        if (status == GPC_OK)
            status = read_distances(input, profile, &profile->distances[sm]);
        if (status == GPC_OK)
            status = read_lines(input, profile, sm, &capacity);
        if (status == GPC_OK)
            status = close_section(input);
    }
    if (status == GPC_OK && input->next != input->file.length)
        status = damaged(input, input->next, "something comes behind the last section");
    return status;
}

gpc_status gpc_profile_load(gpc_context *context, const gpc_stream *from, gpc_profile **out, gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_load: %s is NULL", context ? "out" : "context");
    gpc_stream stream;
    gpc_status status = gpci_host_stream_take(&stream, from, "from", false, error);
    if (status < 0)
        return status;
    gpc_profile *profile = gpci_zalloc(context, 1, sizeof *profile);
    if (!profile)
        return gpci_out_of_memory(error);
    profile->context = gpci_retain(context);
    profile_reader input = {.path = stream.path ? stream.path : "profile", .error = error};
    gpci_crc_init(&input.crc);
    status = gpci_host_stream_read(context, &stream, input.path, &input.file, error);
    if (status == GPC_OK)
        status = read_all(&input, profile);
    gpci_buffer_clear(&input.file);
    if (status < 0) {
        gpc_profile_destroy(profile);
        return status;
    }
    gpci_profile_complete(profile);
    *out = profile;
    return GPC_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_file_format.h"
#include "trace/files/output.h"

#include <string.h>

typedef struct writer {
    gpci_output *output;
    gpci_buffer part; /* contents of the section */
    gpci_crc crc;
} writer;

static void put_words(gpci_buffer *part, const void *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        gpci_buffer_varint(part, word);
    }
}

static gpc_status write_section(writer *output, gpc_error *error) {
    uint8_t length[8], crc[4];
    if (output->part.failed)
        return gpci_out_of_memory(error);
    gpci_store64(length, output->part.length);
    gpci_store32(crc, gpci_crc_of(&output->crc, gpci_crc_of(&output->crc, 0, length, sizeof length), output->part.data,
                                  output->part.length));
    gpc_status status = gpci_output_write(output->output, length, sizeof length, error);
    if (status == GPC_OK)
        status = gpci_output_write(output->output, output->part.data, output->part.length, error);
    if (status == GPC_OK)
        status = gpci_output_write(output->output, crc, sizeof crc, error);
    output->part.length = 0;
    return status;
}

static gpc_status write_head(writer *output, gpc_error *error) {
    uint8_t head[GPCI_PROFILE_HEAD];
    memcpy(head, GPCI_PROFILE_MAGIC, 4);
    gpci_store32(head + 4, GPCI_PROFILE_VERSION);
    gpci_store32(head + 8, gpci_crc_of(&output->crc, 0, head, 8));
    return gpci_output_write(output->output, head, sizeof head, error);
}

static gpc_status write_general(writer *output, const gpc_profile *profile, gpc_error *error) {
    gpci_buffer_varint(&output->part, profile->line_shift);
    gpci_buffer_varint(&output->part, profile->sm_count);
    gpci_buffer_varint(&output->part, profile->name_count);
    for (size_t i = 0; i < profile->name_count; i++)
        gpci_buffer_text(&output->part, profile->names[i]);
    gpci_buffer_varint(&output->part, profile->launch_count);
    for (size_t i = 0; i < profile->launch_count; i++)
        gpci_buffer_varint(&output->part, profile->launches[i]);
    gpci_buffer_varint(&output->part, profile->instruction_count);
    return write_section(output, error);
}

static gpc_status write_rows(writer *output, const gpc_profile *profile, gpc_error *error) {
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        put_words(&output->part, &profile->sms[i].counts, GPCI_COUNTS_WORDS);
        put_words(&output->part, (const char *)&profile->sms[i] + offsetof(gpc_profile_sm, lines), GPCI_SM_WORDS);
    }
    gpc_status status = write_section(output, error);
    for (size_t i = 0; i < profile->instruction_count && status == GPC_OK; i++) {
        const gpc_profile_instruction *row = &profile->instructions[i];
        gpci_buffer_varint(&output->part, row->kernel_index);
        gpci_buffer_varint(&output->part, row->pc);
        put_words(&output->part, &row->counts, GPCI_COUNTS_WORDS);
        put_words(&output->part, (const char *)row + offsetof(gpc_profile_instruction, lines), GPCI_INSTRUCTION_WORDS);
    }
    if (status == GPC_OK)
        status = write_section(output, error);
    for (unsigned i = 0; i < GPC_PROFILE_CLASSES; i++)
        put_words(&output->part, &profile->classes[i].counts, GPCI_COUNTS_WORDS);
    return status == GPC_OK ? write_section(output, error) : status;
}

/* `at`: index of the SM's first line; moves past its last line. */
static gpc_status write_sm(writer *output, const gpc_profile *profile, uint32_t sm, size_t *at, gpc_error *error) {
    const gpci_distances *distances = &profile->distances[sm];
    gpci_buffer_varint(&output->part, distances->count);
    for (size_t i = 0; i < distances->count; i++)
        gpci_buffer_varint(&output->part, distances->counts[i]);
    gpci_buffer_varint(&output->part, profile->sms[sm].lines);
    uint64_t before = 0;
    for (; *at < profile->line_count && profile->lines[*at].sm == sm; ++*at) {
        const gpc_profile_line *row = &profile->lines[*at];
        uint64_t number = row->address >> profile->line_shift;
        gpci_buffer_varint(&output->part, number - before);
        put_words(&output->part, (const char *)row + offsetof(gpc_profile_line, accesses), GPCI_LINE_WORDS);
        before = number;
    }
    return write_section(output, error);
}

static gpc_status write_all(writer *output, const gpc_profile *profile, gpc_error *error) {
    gpc_status status = write_head(output, error);
    if (status == GPC_OK)
        status = write_general(output, profile, error);
    if (status == GPC_OK)
        status = write_rows(output, profile, error);
    size_t line = 0;
    for (uint32_t sm = 0; sm < profile->sm_count && status == GPC_OK; sm++)
        status = write_sm(output, profile, sm, &line, error);
    return status;
}

gpc_status gpc_profile_write(gpc_profile *profile, const char *path, gpc_error *error) {
    if (!profile || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_write: %s is NULL", profile ? "path" : "profile");
    if (gpci_profile_settle(profile) < 0)
        return gpci_out_of_memory(error);
    writer output = {.part = {.context = profile->context}};
    gpci_crc_init(&output.crc);
    gpc_status status = gpci_output_open(profile->context, path, error, &output.output);
    if (status < 0)
        return status;
    status = write_all(&output, profile, error);
    gpci_buffer_clear(&output.part);
    if (status == GPC_OK)
        return gpci_output_commit(output.output, error);
    gpci_output_discard(output.output);
    return status;
}

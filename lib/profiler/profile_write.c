/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"
#include "profile/profile_file_format.h"
#include "profiler/profiler.h"

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

/*
 * Write the section of an SM. `*at` is the index of the SM's first line; the function moves `*at` behind the last line.
 */
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

static gpc_status write_binary(gpci_output *to, const gpc_profile *profile, gpc_error *error) {
    writer output = {.output = to, .part = {.context = profile->context}};
    gpci_crc_init(&output.crc);
    gpc_status status = write_head(&output, error);
    if (status == GPC_OK)
        status = write_general(&output, profile, error);
    if (status == GPC_OK)
        status = write_rows(&output, profile, error);
    size_t line = 0;
    for (uint32_t sm = 0; sm < profile->sm_count && status == GPC_OK; sm++)
        status = write_sm(&output, profile, sm, &line, error);
    gpci_buffer_clear(&output.part);
    return status;
}

static gpc_status take_options(gpc_profile_save_options *ours, const gpc_profile_save_options *theirs,
                               gpc_error *error) {
    *ours = (gpc_profile_save_options)GPC_PROFILE_SAVE_OPTIONS_INIT;
    gpc_status status = gpci_take(ours, sizeof *ours, sizeof *ours, theirs, "gpc_profile_save_options", error);
    if (status == GPC_OK && ours->format > GPC_PROFILE_JSON)
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_save_options.format: %u is no gpc_profile_format",
                           ours->format);
    if (status == GPC_OK && ours->lines > (ours->format == GPC_PROFILE_JSON))
        status = gpci_fail(error, GPC_ERROR_RANGE, "gpc_profile_save_options.lines: %u is not %s", ours->lines,
                           ours->format == GPC_PROFILE_JSON ? "0 or 1" : "0, as GPC_PROFILE_BINARY has all lines");
    return status;
}

gpc_status gpc_profile_save(gpc_profile *profile, const gpc_stream *to, const gpc_profile_save_options *options,
                            gpc_error *error) {
    if (!profile)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_save: profile is NULL");
    gpc_stream stream;
    gpc_profile_save_options save_options;
    gpci_output *output = NULL;
    gpc_status status = gpci_host_stream_take(&stream, to, "to", true, error);
    if (status == GPC_OK)
        status = take_options(&save_options, options, error);
    if (status < 0)
        return status;
    if (gpci_profile_settle(profile) < 0)
        return gpci_out_of_memory(error);
    status = gpci_output_open_stream(profile->context, &stream, "profile", error, &output);
    if (status < 0)
        return status;
    status = save_options.format == GPC_PROFILE_JSON
                 ? gpci_profile_write_json(output, profile, save_options.lines, error)
                 : write_binary(output, profile, error);
    if (status == GPC_OK)
        return gpci_output_commit(output, error);
    gpci_output_discard(output);
    return status;
}

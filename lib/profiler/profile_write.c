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

static gpc_status write_section(writer *w, gpc_error *error) {
    uint8_t length[8], crc[4];
    if (w->part.failed)
        return gpci_out_of_memory(error);
    gpci_store64(length, w->part.length);
    gpci_store32(crc,
                 gpci_crc_of(&w->crc, gpci_crc_of(&w->crc, 0, length, sizeof length), w->part.data, w->part.length));
    gpc_status status = gpci_output_write(w->output, length, sizeof length, error);
    if (status == GPC_OK)
        status = gpci_output_write(w->output, w->part.data, w->part.length, error);
    if (status == GPC_OK)
        status = gpci_output_write(w->output, crc, sizeof crc, error);
    w->part.length = 0;
    return status;
}

static gpc_status write_head(writer *w, gpc_error *error) {
    uint8_t head[GPCI_PROFILE_HEAD];
    memcpy(head, GPCI_PROFILE_MAGIC, 4);
    gpci_store32(head + 4, GPCI_PROFILE_VERSION);
    gpci_store32(head + 8, gpci_crc_of(&w->crc, 0, head, 8));
    return gpci_output_write(w->output, head, sizeof head, error);
}

static gpc_status write_general(writer *w, const gpc_profile *p, gpc_error *error) {
    gpci_buffer_varint(&w->part, p->line_shift);
    gpci_buffer_varint(&w->part, p->sm_count);
    gpci_buffer_varint(&w->part, p->name_count);
    for (size_t i = 0; i < p->name_count; i++)
        gpci_buffer_text(&w->part, p->names[i]);
    gpci_buffer_varint(&w->part, p->launch_count);
    for (size_t i = 0; i < p->launch_count; i++)
        gpci_buffer_varint(&w->part, p->launches[i]);
    gpci_buffer_varint(&w->part, p->instruction_count);
    return write_section(w, error);
}

static gpc_status write_rows(writer *w, const gpc_profile *p, gpc_error *error) {
    for (uint32_t i = 0; i < p->sm_count; i++) {
        put_words(&w->part, &p->sms[i].counts, GPCI_COUNTS_WORDS);
        put_words(&w->part, (const char *)&p->sms[i] + offsetof(gpc_profile_sm, lines), GPCI_SM_WORDS);
    }
    gpc_status status = write_section(w, error);
    for (size_t i = 0; i < p->instruction_count && status == GPC_OK; i++) {
        const gpc_profile_instruction *row = &p->instructions[i];
        gpci_buffer_varint(&w->part, row->kernel_index);
        gpci_buffer_varint(&w->part, row->pc);
        put_words(&w->part, &row->counts, GPCI_COUNTS_WORDS);
        put_words(&w->part, (const char *)row + offsetof(gpc_profile_instruction, lines), GPCI_INSTRUCTION_WORDS);
    }
    if (status == GPC_OK)
        status = write_section(w, error);
    for (unsigned i = 0; i < GPC_PROFILE_CLASSES; i++)
        put_words(&w->part, &p->classes[i].counts, GPCI_COUNTS_WORDS);
    return status == GPC_OK ? write_section(w, error) : status;
}

/* `at`: index of the SM's first line; moves past its last line. */
static gpc_status write_sm(writer *w, const gpc_profile *p, uint32_t sm, size_t *at, gpc_error *error) {
    const gpci_distances *d = &p->distances[sm];
    gpci_buffer_varint(&w->part, d->count);
    for (size_t i = 0; i < d->count; i++)
        gpci_buffer_varint(&w->part, d->counts[i]);
    gpci_buffer_varint(&w->part, p->sms[sm].lines);
    uint64_t before = 0;
    for (; *at < p->line_count && p->lines[*at].sm == sm; ++*at) {
        const gpc_profile_line *row = &p->lines[*at];
        uint64_t number = row->address >> p->line_shift;
        gpci_buffer_varint(&w->part, number - before);
        put_words(&w->part, (const char *)row + offsetof(gpc_profile_line, accesses), GPCI_LINE_WORDS);
        before = number;
    }
    return write_section(w, error);
}

static gpc_status write_all(writer *w, const gpc_profile *p, gpc_error *error) {
    gpc_status status = write_head(w, error);
    if (status == GPC_OK)
        status = write_general(w, p, error);
    if (status == GPC_OK)
        status = write_rows(w, p, error);
    size_t line = 0;
    for (uint32_t sm = 0; sm < p->sm_count && status == GPC_OK; sm++)
        status = write_sm(w, p, sm, &line, error);
    return status;
}

gpc_status gpc_profile_write(gpc_profile *p, const char *path, gpc_error *error) {
    if (!p || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_write: %s is NULL", p ? "path" : "profile");
    if (gpci_profile_settle(p) < 0)
        return gpci_out_of_memory(error);
    writer w = {.part = {.context = p->context}};
    gpci_crc_init(&w.crc);
    gpc_status status = gpci_output_open(p->context, path, error, &w.output);
    if (status < 0)
        return status;
    status = write_all(&w, p, error);
    gpci_buffer_clear(&w.part);
    if (status == GPC_OK)
        return gpci_output_commit(w.output, error);
    gpci_output_discard(w.output);
    return status;
}

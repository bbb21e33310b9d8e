/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "golden.h"
#include "torture/torture.h"

#include <inttypes.h>
#include <unistd.h>

/*
 * Golden digests of written files, in golden/written.golden: random traces in both formats, with the notes of the reader
 * and the bytes of a second copy; profiles of the traces and recordings of a host, on machines of random keys.
 */

enum { ROOM = 1 << 16, FIRST = 3000, SEEDS = 64 };

static void tell(outcome *o, const char *text) {
    for (; *text; text++)
        works_digest_number(o, (uint8_t)*text);
}

static void put_outcome(const char *name, const outcome *o, char *text) {
    snprintf(text + strlen(text), ROOM - strlen(text), " %s %08" PRIx32, name, (uint32_t)(o->digest ^ o->digest >> 32));
}

static void tell_file(outcome *o, const char *path) {
    FILE *file = fopen(path, "rb");
    for (int byte; file && (byte = fgetc(file)) != EOF;)
        works_digest_number(o, (uint64_t)byte);
    if (file)
        fclose(file);
}

/* Notes without the name of the file, in a folder of its own in each run. */
static void tell_notes(outcome *o, const gpc_trace *trace) {
    gpc_note note = GPC_NOTE_INIT;
    for (size_t n = 0; gpc_trace_note(trace, n, &note, NULL) == GPC_OK; n++) {
        const uint64_t numbers[] = {note.reason, note.line, note.count, note.bytes};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            works_digest_number(o, numbers[i]);
        tell(o, note.why);
        tell(o, note.reason == GPC_NOTE_MEMORY_ALONE ? "" : note.text);
    }
}

static void copy_trace(const works *w, const char *from, const char *to, gpc_trace_format format, outcome *o) {
    gpc_trace *trace = NULL;
    gpc_trace_writer *writer = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block = NULL;
    cr_assert_eq(gpc_trace_open(w->context, from, &trace, &o->error), GPC_OK, "%s", o->error.message);
    cr_assert_eq(gpc_trace_writer_create(w->context, to, format, &writer, &o->error), GPC_OK, "%s", o->error.message);
    while (gpc_trace_next_kernel(trace, &kernel, &o->error) == GPC_OK) {
        works_digest_number(o, (uint64_t)gpc_trace_writer_kernel(writer, &kernel, &o->error));
        while (gpc_trace_next_block(trace, &block, &o->error) == GPC_OK)
            works_digest_number(o, (uint64_t)gpc_trace_writer_block(writer, trace, block, &o->error));
    }
    tell(o, o->error.message);
    tell_notes(o, trace);
    works_digest_number(o, (uint64_t)gpc_trace_writer_finish(writer, &o->error));
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
}

static void put_copies(const works *w, uint64_t seed, const char *path, char *text) {
    outcome o = {.digest = seed, .error = GPC_ERROR_INIT};
    char binary[96], again[96], folder[96], file[160];
    snprintf(binary, sizeof binary, "%s/%" PRIu64 ".gct", w->folder, seed);
    snprintf(again, sizeof again, "%s/%" PRIu64 "-2.gct", w->folder, seed);
    snprintf(folder, sizeof folder, "%s/%" PRIu64 "-text", w->folder, seed);
    copy_trace(w, path, binary, GPC_TRACE_BINARY, &o);
    tell_file(&o, binary);
    put_outcome("binary", &o, text);
    copy_trace(w, binary, folder, GPC_TRACE_TEXT, &o);
    for (unsigned kernel = 0; kernel < 6; kernel++) {
        snprintf(file, sizeof file, "%s/kernel-%u.traceg", folder, kernel);
        tell_file(&o, file);
    }
    snprintf(file, sizeof file, "%s/kernelslist.g", folder);
    tell_file(&o, file);
    put_outcome("text", &o, text);
    copy_trace(w, file, again, GPC_TRACE_BINARY, &o);
    tell_file(&o, again);
    put_outcome("again", &o, text);
}

/* Append to a text in memory. */
static gpc_status append(void *user_data, const void *data, size_t bytes) {
    char **text = user_data;
    const size_t length = strlen(*text);
    char *longer = realloc(*text, length + bytes + 1);
    cr_assert_not_null(longer);
    memcpy(longer + length, data, bytes);
    longer[length + bytes] = 0;
    *text = longer;
    return GPC_OK;
}

/* Whole JSON of a profile, or the error. */
static void tell_profile(gpc_profile *profile, outcome *o) {
    char *json = calloc(1, 1);
    cr_assert_not_null(json);
    const gpc_profile_save_options options = {sizeof options, GPC_PROFILE_JSON, 1};
    cr_assert_eq(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_WRITE(append, &json), &options, NULL), GPC_OK);
    tell(o, json);
    free(json);
}

static void put_profile(const works *w, const gpc_config *config, const char *path, char *text) {
    outcome o = {.digest = 1, .error = GPC_ERROR_INIT};
    gpc_profile *profile = NULL;
    gpc_trace *trace = NULL;
    gpc_status status = gpc_profile_create(w->context, config, &profile, &o.error);
    if (status == GPC_OK) {
        cr_assert_eq(gpc_trace_open(w->context, path, &trace, &o.error), GPC_OK);
        status = gpc_profile_run(profile, trace, &o.error);
        tell_profile(profile, &o);
        gpc_trace_close(trace);
    }
    if (status < 0 && !strstr(o.error.message, w->folder))
        tell(&o, o.error.message);
    gpc_profile_destroy(profile);
    put_outcome("profile", &o, text);
}

/* The calls of a host become a trace, or the error; then the trace is replayed. */
static void put_recording(works *w, const gpc_config *config, uint64_t seed, char *text) {
    char path[96];
    snprintf(path, sizeof path, "%s/%" PRIu64 "-calls.gct", w->folder, seed);
    w->recording = path;
    outcome o = works_run(w, config, WORK_HOST);
    w->recording = NULL;
    tell_file(&o, path);
    put_outcome("recording", &o, text);
    if (access(path, R_OK))
        return;
    w->source = path;
    o = works_run(w, config, WORK_MEMORY);
    w->source = NULL;
    put_outcome("replayed", &o, text);
}

Test(golden, written) {
    static char text[ROOM];
    static torture_case c;
    works w;
    works_open(&w);
    w.deep = true;
    for (uint64_t seed = FIRST; seed < FIRST + SEEDS; seed++) {
        gpc_error error = GPC_ERROR_INIT;
        char path[96];
        keys_write_trace(&w, seed, path, sizeof path);
        keys_draw(w.context, &c, seed % 2 ? seed % 500 : 1200 + seed % 500);
        c.functional = seed % 4 < 2;
        gpc_config *config = case_config(w.context, &c, NULL, &error);
        cr_assert_not_null(config, "%s", error.message);
        snprintf(text + strlen(text), ROOM - strlen(text), "seed %" PRIu64 ":", seed);
        put_copies(&w, seed, path, text);
        put_profile(&w, config, path, text);
        put_recording(&w, config, seed, text);
        strcat(text, "\n");
        gpc_config_destroy(config);
    }
    works_close(&w);
    expect_golden("tests/keys/golden/written.golden", text);
}

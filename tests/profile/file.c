/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "profile/rig.h"

#include "base/base.h"
#include "base/buffer.h"
#include "base/crc.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The binary form and JSON. */

#define MOST_BYTES (1u << 20)

typedef struct folder {
    char path[40], file[64];
} folder;

static folder open_folder(void) {
    folder f = {.path = "/tmp/gpucache-profile-XXXXXX"};
    cr_assert_not_null(mkdtemp(f.path));
    snprintf(f.file, sizeof f.file, "%s/p", f.path);
    return f;
}

static void close_folder(const folder *f) {
    unlink(f->file);
    cr_assert_eq(rmdir(f->path), 0, "something is left in %s", f->path);
}

static size_t read_bytes(const char *path, uint8_t *bytes) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t length = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return length;
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, length, file) == length && !fclose(file));
}

/* As many features as fit in a small profile. */
static void feed(rig *r) {
    static const char *const settings[] = {"sm.count=2", NULL};
    rig_open(r, settings);
    gpc_profile_begin_kernel(r->profile, "one \"quoted\"\\\n", NULL, NULL);
    for (unsigned i = 0; i < 40; i++)
        rig_load_strided(r, i % 2, i * 8, i * 4096, 1 + i % 32, 4u << i % 6);
    gpc_profile_begin_kernel(r->profile, "two", NULL, NULL);
    rig_load_strided(r, 0, 0x1000000000000000u, UINT64_MAX - 127, 32, 4);
    rig_load_strided(r, 0, 0x10, 128, 32, 128);
    rig_load_strided(r, 0, 0x10, 128, 32, 128);
}

Test(file, round_trip) {
    rig r;
    folder f = open_folder();
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *read = NULL;
    feed(&r);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, &error), GPC_OK, "%s",
                 error.message);
    cr_assert_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, &error), GPC_OK, "%s",
                 error.message);
    char *before = rig_json(r.profile), *after = rig_json(read);
    cr_expect_str_eq(before, after);
    free(before);
    free(after);
    /* also values not exact in JSON */
    const gpc_profile_line *a, *b;
    size_t count, again;
    cr_assert_eq(gpc_profile_lines(r.profile, &a, &count, NULL), GPC_OK);
    cr_assert_eq(gpc_profile_lines(read, &b, &again, NULL), GPC_OK);
    cr_assert_eq(count, again);
    cr_expect_arr_eq(a, b, count * sizeof *a);
    /* a profile read from a file can be written again, but not continued */
    static uint8_t first[MOST_BYTES], second[MOST_BYTES];
    size_t length = read_bytes(f.file, first);
    cr_assert_eq(gpc_profile_save(read, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, &error), GPC_OK);
    cr_expect_eq(read_bytes(f.file, second), length);
    cr_expect_arr_eq(first, second, length);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    cr_expect_eq(gpc_profile_access(read, &access, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_profile_begin_kernel(read, "", NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_profile_reset(read, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_profile_kernel(read, NULL, NULL, &error), GPC_ERROR_STATE);
    gpc_profile_on_progress(read, NULL, NULL);
    gpc_profile_destroy(read);
    close_folder(&f);
    rig_close(&r);
}

Test(file, empty_profile) {
    rig r;
    folder f = open_folder();
    gpc_profile *read = NULL;
    rig_open(&r, NULL);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, NULL), GPC_OK);
    char *before = rig_json(r.profile), *after = rig_json(read);
    cr_expect_str_eq(before, after);
    const gpc_profile_line *lines = (const gpc_profile_line *)(const void *)&r;
    size_t count = 1;
    cr_assert_eq(gpc_profile_lines(read, &lines, &count, NULL), GPC_OK);
    cr_expect(!lines && !count);
    free(before);
    free(after);
    gpc_profile_destroy(read);
    close_folder(&f);
    rig_close(&r);
}

/* Read bytes that are not a profile: refused, with the place in the message, and without leftovers. */
static void expect_damage(const rig *r, const char *path, size_t byte, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *read = NULL;
    size_t live = r->live;
    gpc_status status = gpc_profile_load(r->context, &(gpc_stream)GPC_STREAM_FILE(path), &read, &error);
    cr_assert_eq(status, GPC_ERROR_FORMAT, "%s byte %zu: %d", what, byte, (int)status);
    cr_assert_null(read);
    cr_assert(strstr(error.message, path) && strstr(error.message, "offset "), "%s", error.message);
    cr_assert(byte > 3 || strstr(error.message, "offset 0"), "byte %zu, of its name: %s", byte, error.message);
    cr_assert_eq(r->live, live);
}

Test(file, damage_at_each_byte) {
    rig r;
    folder f = open_folder();
    static uint8_t bytes[MOST_BYTES];
    feed(&r);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, NULL), GPC_OK);
    size_t length = read_bytes(f.file, bytes);
    for (size_t i = 0; i < length; i++) {
        if (i >= 64 && !effort_takes(i))
            continue;
        uint8_t flip = (uint8_t)(1u << i % 8);
        bytes[i] ^= flip;
        write_bytes(f.file, bytes, length);
        expect_damage(&r, f.file, i, "flipped");
        bytes[i] ^= flip;
    }
    for (size_t i = 0; i < length; i += i < 64 || i > length - 64 ? 1 : 7) {
        write_bytes(f.file, bytes, i);
        expect_damage(&r, f.file, i, "cut at");
    }
    bytes[length] = 0;
    write_bytes(f.file, bytes, length + 1);
    expect_damage(&r, f.file, length, "longer than");
    close_folder(&f);
    rig_close(&r);
}

/* Contents with valid checksums: in any case, read or refused, and nothing worse. */
Test(file, hostile_contents) {
    rig r;
    folder f = open_folder();
    static uint8_t bytes[MOST_BYTES];
    static gpci_crc crc;
    uint64_t random = 1;
    unsigned refused = 0, accepted = 0;
    gpci_crc_init(&crc);
    feed(&r);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, NULL), GPC_OK);
    size_t length = read_bytes(f.file, bytes), live = r.live;
    for (unsigned n = 0; n < effort_of(4000); n++) {
        static uint8_t changed[MOST_BYTES];
        memcpy(changed, bytes, length);
        size_t at = 12;
        for (unsigned section = gpci_random_below(&random, 6); section; section--)
            at += gpci_load64(changed + at) + 12;
        size_t contents = gpci_load64(changed + at);
        for (unsigned changes = 1 + gpci_random_below(&random, 3); changes; changes--)
            changed[at + 8 + gpci_random_below(&random, (uint32_t)contents)] = (uint8_t)gpci_random(&random);
        gpci_store32(changed + at + 8 + contents, gpci_crc_of(&crc, 0, changed + at, 8 + contents));
        write_bytes(f.file, changed, length);
        gpc_profile *read = NULL;
        gpc_error error = GPC_ERROR_INIT;
        gpc_status status = gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, &error);
        if (status == GPC_OK) {
            free(rig_json(read));
            accepted++;
        } else {
            cr_assert_eq(status, GPC_ERROR_FORMAT, "%s", error.message);
            refused++;
        }
        gpc_profile_destroy(read);
        cr_assert_eq(r.live, live);
    }
    cr_expect(refused > effort_of(100) && accepted > effort_of(100), "%u and %u", refused, accepted);
    close_folder(&f);
    rig_close(&r);
}

/* A kernel's name with an early NUL, with a valid checksum. */
Test(file, name_with_an_end_within) {
    rig r;
    folder f = open_folder();
    static uint8_t bytes[MOST_BYTES];
    static gpci_crc crc;
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *read = NULL;
    gpci_crc_init(&crc);
    feed(&r);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, NULL), GPC_OK);
    const size_t length = read_bytes(f.file, bytes);
    size_t at = 12, contents = 0, name = 0;
    for (; at < length && !name; at += contents + 12) {
        contents = gpci_load64(bytes + at);
        for (size_t i = at + 8; i + 4 <= at + 8 + contents && !name; i++)
            name = !memcmp(bytes + i, "\3two", 4) ? i + 1 : 0;
        if (name) {
            bytes[name + 1] = 0;
            gpci_store32(bytes + at + 8 + contents, gpci_crc_of(&crc, 0, bytes + at, 8 + contents));
        }
    }
    cr_assert_neq(name, 0);
    write_bytes(f.file, bytes, length);
    cr_expect_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, &error), GPC_ERROR_FORMAT);
    cr_expect(strstr(error.message, "name"), "%s", error.message);
    cr_expect_null(read);
    close_folder(&f);
    rig_close(&r);
}

Test(file, version_and_paths) {
    rig r;
    folder f = open_folder();
    static uint8_t bytes[MOST_BYTES];
    static gpci_crc crc;
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *read = NULL;
    rig_open(&r, NULL);
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, NULL), GPC_OK);
    size_t length = read_bytes(f.file, bytes);
    gpci_crc_init(&crc);
    gpci_store32(bytes + 4, 2);
    gpci_store32(bytes + 8, gpci_crc_of(&crc, 0, bytes, 8));
    write_bytes(f.file, bytes, length);
    cr_expect_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, &error),
                 GPC_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "version 2"), "%s", error.message);
    cr_expect_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE("/nowhere/p"), &read, &error),
                 GPC_ERROR_NOT_FOUND);
    cr_expect(strstr(error.message, "/nowhere/p"));
    cr_expect_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.path), &read, &error), GPC_ERROR_IO);
    cr_expect_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE("/nowhere/p"), NULL, &error), GPC_ERROR_IO);
    cr_expect_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE("/nowhere/p"),
                                  &(gpc_profile_save_options){sizeof(gpc_profile_save_options), GPC_PROFILE_JSON, 0},
                                  &error),
                 GPC_ERROR_IO);
    cr_expect_eq(gpc_profile_load(NULL, &(gpc_stream)GPC_STREAM_FILE(f.file), &read, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_load(r.context, NULL, &read, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_load(r.context, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_save(NULL, &(gpc_stream)GPC_STREAM_FILE(f.file), NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_save(r.profile, NULL, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_null(read);
    close_folder(&f);
    rig_close(&r);
}

static gpc_status fail_to_write(void *user_data, const void *data, size_t bytes) {
    (void)data, (void)bytes;
    return *(const gpc_status *)user_data;
}

static void refuse_save(rig *r, const gpc_stream *to, const gpc_profile_save_options *options, gpc_status expected,
                        const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_profile_save(r->profile, to, options, &error), expected, "%s", error.message);
    cr_expect(strstr(error.message, message), "%s", error.message);
}

/* A stream has one source for the direction; options are checked before a byte is written. */
Test(file, streams) {
    rig r;
    folder f = open_folder();
    feed(&r);
    gpc_status answer = GPC_ERROR_CANCELLED;
    gpc_stream both = GPC_STREAM_WRITE(fail_to_write, &answer);
    gpc_profile_save_options options = GPC_PROFILE_SAVE_OPTIONS_INIT;
    refuse_save(&r, &both, NULL, GPC_ERROR_CANCELLED, "profile: offset 0 cannot be written");
    answer = GPC_END;
    refuse_save(&r, &both, NULL, GPC_ERROR_CALLBACK, "cannot be written");
    both.path = f.file;
    refuse_save(&r, &both, NULL, GPC_ERROR_ARGUMENT, "to: gpc_stream has both path and write");
    refuse_save(&r, &(gpc_stream)GPC_STREAM_INIT, NULL, GPC_ERROR_ARGUMENT, "neither path nor write");
    refuse_save(&r, &(gpc_stream)GPC_STREAM_READ(NULL, NULL), NULL, GPC_ERROR_ARGUMENT, "neither path nor write");
    refuse_save(&r, &(gpc_stream){.path = f.file}, NULL, GPC_ERROR_ABI, "gpc_stream.struct_size");
    options.lines = 1;
    refuse_save(&r, &(gpc_stream)GPC_STREAM_FILE(f.file), &options, GPC_ERROR_RANGE, "lines");
    options.format = 2;
    refuse_save(&r, &(gpc_stream)GPC_STREAM_FILE(f.file), &options, GPC_ERROR_ARGUMENT, "format");
    options.struct_size = 1;
    refuse_save(&r, &(gpc_stream)GPC_STREAM_FILE(f.file), &options, GPC_ERROR_ABI, "struct_size");
    cr_expect_eq(access(f.file, F_OK), -1);
    close_folder(&f);
    rig_close(&r);
}

/* A file has the text that a function gets. */
Test(file, json) {
    rig r;
    folder f = open_folder();
    static uint8_t bytes[MOST_BYTES];
    feed(&r);
    char *text = rig_json(r.profile);
    size_t length = strlen(text);
    cr_expect(strstr(text, "\"one \\\"quoted\\\"\\\\\\u000a\""), "a name is quoted");
    cr_expect_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file),
                                  &(gpc_profile_save_options){sizeof(gpc_profile_save_options), GPC_PROFILE_JSON, 1},
                                  NULL),
                 GPC_OK);
    cr_assert_eq(read_bytes(f.file, bytes), length);
    cr_expect_arr_eq(bytes, text, length);
    cr_expect_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(f.file),
                                  &(gpc_profile_save_options){sizeof(gpc_profile_save_options), GPC_PROFILE_JSON, 0},
                                  NULL),
                 GPC_OK);
    cr_expect_lt(read_bytes(f.file, bytes), length);
    free(text);
    close_folder(&f);
    rig_close(&r);
}

/* Counts at the start of a JSON array, up to the end. */
static size_t numbers_of(const char *text, const char *name, uint64_t *values, size_t most) {
    char key[64];
    size_t count = 0;
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = strstr(text, key);
    cr_assert_not_null(at, "no %s", name);
    for (at += strlen(key); *at != ']' && count < most; count++) {
        char *end;
        values[count] = strtoull(at, &end, 10);
        cr_assert_neq(end, at, "%s: %.20s", name, at);
        at = end + strspn(end, ", ");
    }
    return count;
}

/* The histograms of an SM are complete. */
Test(file, json_of_an_sm) {
    rig r;
    rig_open_contract(&r);
    char *text = rig_json(r.profile);
    const char *sm = strstr(text, "\"sm\": [");
    const gpc_profile_sm *row = rig_sm(&r, 0);
    const struct {
        const char *name;
        const uint64_t *values;
        size_t count;
    } arrays[] = {{"lines_by_reuse", row->lines_by_reuse, GPC_PROFILE_REUSE_BUCKETS},
                  {"residences_by_reuse", row->residences_by_reuse, GPC_PROFILE_REUSE_BUCKETS},
                  {"loads_by_transactions", row->loads_by_transactions, GPC_PROFILE_CLASSES + 1},
                  {"hits_by_age", row->hits_by_age, GPC_AGE_BUCKETS},
                  {"hits_by_recency", row->hits_by_recency, GPC_PROFILE_RECENCY_BUCKETS}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        uint64_t told[256];
        cr_assert_eq(numbers_of(sm, arrays[i].name, told, 256), arrays[i].count, "%s", arrays[i].name);
        cr_expect_arr_eq(told, arrays[i].values, arrays[i].count * sizeof *told);
    }
    free(text);
    rig_close(&r);
}

/*
 * The file read by tests/contract equals the present version's output; after a change of the form, this test writes it
 * anew.
 */
Test(file, contract_file) {
    rig r;
    folder f = open_folder();
    static uint8_t ours[MOST_BYTES], theirs[MOST_BYTES];
    rig_open_contract(&r);
    const char *target = getenv("GPUCACHE_WRITE_CONTRACT") ? RIG_CONTRACT_FILE : f.file;
    cr_assert_eq(gpc_profile_save(r.profile, &(gpc_stream)GPC_STREAM_FILE(target), NULL, NULL), GPC_OK);
    size_t length = read_bytes(target, ours);
    cr_assert_eq(read_bytes(RIG_CONTRACT_FILE, theirs), length);
    cr_expect_arr_eq(ours, theirs, length);
    close_folder(&f);
    rig_close(&r);
}

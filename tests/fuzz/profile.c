/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include "profile/profile_file_format.h"

#include <string.h>
#include <unistd.h>

/* Correct lengths and checksums of every section found, to let damage reach the bytes behind. */
static void seal_file(uint8_t *file, uint64_t size) {
    gpci_crc crc;
    gpci_crc_init(&crc);
    if (size < GPCI_PROFILE_HEAD)
        return;
    memcpy(file, GPCI_PROFILE_MAGIC, 4);
    gpci_store32(file + 4, GPCI_PROFILE_VERSION);
    gpci_store32(file + 8, gpci_crc_of(&crc, 0, file, 8));
    for (uint64_t at = GPCI_PROFILE_HEAD; size - at >= 12;) {
        uint64_t length = gpci_load64(file + at), most = size - at - 12;
        if (length > most)
            gpci_store64(file + at, length = most);
        gpci_store32(file + at + 8 + length, gpci_crc_of(&crc, 0, file + at, (size_t)length + 8));
        at += length + 12;
    }
}

typedef struct json_text {
    char *text;
    size_t length;
} json_text;

static gpc_status append(void *user_data, const void *data, size_t bytes) {
    json_text *json = user_data;
    char *longer = realloc(json->text, json->length + bytes + 1);
    if (!longer)
        return GPC_ERROR_MEMORY;
    memcpy(longer + json->length, data, bytes);
    json->text = longer;
    json->length += bytes;
    longer[json->length] = 0;
    return GPC_OK;
}

static void save_json(gpc_profile *profile, json_text *json) {
    const gpc_profile_save_options options = {sizeof options, GPC_PROFILE_JSON, 1};
    CHECK(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_WRITE(append, json), &options, NULL) == GPC_OK);
}

/* A readable file can be queried completely, and written and read again. */
static void read_file(const uint8_t *data, size_t size) {
    fuzz_memory memory;
    fuzz_file file;
    gpc_profile *profile = NULL, *again = NULL;
    gpc_error error = GPC_ERROR_INIT;
    fuzz_memory_open(&memory);
    fuzz_file_open(&file, data, size);
    gpc_status status = gpc_profile_load(memory.context, &(gpc_stream)GPC_STREAM_FILE(file.path), &profile, &error);
    CHECK((status == GPC_OK) == (profile != NULL));
    fuzz_tell_error(status, &error);
    if (status < 0) {
        CHECK(status == GPC_ERROR_FORMAT || status == GPC_ERROR_UNSUPPORTED || status == GPC_ERROR_MEMORY);
        CHECK(error.status == status && error.message[0]);
    } else {
        json_text first = {0}, second = {0};
        char path[96];
        snprintf(path, sizeof path, "/tmp/gpucache-fuzz-%ld.profile", (long)getpid());
        save_json(profile, &first);
        fuzz_tell_text(first.text);
        CHECK(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path), NULL, NULL) == GPC_OK);
        CHECK(gpc_profile_load(memory.context, &(gpc_stream)GPC_STREAM_FILE(path), &again, NULL) == GPC_OK);
        save_json(again, &second);
        CHECK(!strcmp(first.text, second.text));
        free(first.text), free(second.text);
        CHECK(!remove(path));
    }
    gpc_profile_destroy(again);
    gpc_profile_destroy(profile);
    fuzz_file_close(&file);
    fuzz_memory_close(&memory);
}

void fuzz_profile(const uint8_t *data, size_t size) {
    read_file(data, size);
    uint8_t *sealed = malloc(size + 1);
    CHECK(sealed);
    memcpy(sealed, data, size);
    seal_file(sealed, size);
    read_file(sealed, size);
    free(sealed);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/archive.h"

#include "base/array.h"

#include <gpucache/types.h>

#include <inttypes.h>
#include <string.h>

#define VERSION 23u
#define SECTION_NAME_BYTES 16u
#define LARGE_STEP 65536u

/* Head of a file, in the file as in memory: there are no gaps between fields. */
typedef struct head {
    char magic[8];
    uint32_t version, order; /* version: of the format. order: a constant that shows the byte order */
    uint32_t library, kind, layout, address_bytes;
    uint64_t seed, size;
    uint32_t reserved, crc; /* checksum of the fields before */
} head;

typedef struct section_head {
    char name[SECTION_NAME_BYTES];
    uint64_t size; /* bytes of the contents */
    uint32_t data_crc, crc;
} section_head;

_Static_assert(sizeof(head) == 56 && sizeof(section_head) == 32, "no gaps in a file");

static const char magic[8] = {'G', 'P', 'C', 'S', 'N', 'A', 'P', '\n'};

void gpci_archive_fail(gpci_archive *archive, gpc_status status, const char *what) {
    if (archive->status < 0)
        return;
    archive->status = status;
    if (status == GPC_ERROR_MEMORY)
        gpci_out_of_memory(archive->error);
    else if (archive->loading)
        gpci_fail(archive->error, status, "snapshot, offset %zu: %s", archive->at, what);
    else
        gpci_fail(archive->error, status, "snapshot: %s", what);
}

/* Make room for `size` more bytes. Returns their address; NULL after a failure. */
static uint8_t *append(gpci_archive *archive, size_t size) {
    if (archive->status < 0)
        return NULL;
    if (size > archive->capacity - archive->size) {
        size_t more = size > LARGE_STEP ? size : LARGE_STEP;
        if (!gpci_array_reserve(archive->context, &archive->data, &archive->capacity, archive->size, more, 1)) {
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
            return NULL;
        }
    }
    archive->size += size;
    return archive->data + (archive->size - size);
}

void gpci_archive_save(gpci_archive *archive, gpc_context *context, gpc_error *error, gpci_archive_kind kind) {
    *archive = (gpci_archive){.context = context, .error = error};
    gpci_crc_init(&archive->crc);
    const head first = {.version = VERSION,
                        .order = 0x01020304u,
                        .library = GPC_VERSION_NUMBER,
                        .kind = kind.kind,
                        .layout = kind.layout,
                        .address_bytes = sizeof(void *),
                        .seed = context->seed};
    uint8_t *at = append(archive, sizeof first);
    if (!at)
        return;
    memcpy(at, &first, sizeof first);
    memcpy(at, magic, sizeof magic);
}

/* Complete the present section: write its size and checksums into its head. */
static void close_section(gpci_archive *archive) {
    section_head section;
    if (!archive->section || archive->status < 0)
        return;
    uint8_t *at = archive->data + archive->section;
    memcpy(&section, at, sizeof section);
    section.size = archive->size - archive->section - sizeof section;
    section.data_crc = gpci_crc_of(&archive->crc, 0, at + sizeof section, (size_t)section.size);
    section.crc = gpci_crc_of(&archive->crc, 0, &section, offsetof(section_head, crc));
    memcpy(at, &section, sizeof section);
}

gpc_status gpci_archive_finish(gpci_archive *archive) {
    head first;
    close_section(archive);
    if (archive->status < 0)
        return archive->status;
    memcpy(&first, archive->data, sizeof first);
    first.size = archive->size;
    first.crc = gpci_crc_of(&archive->crc, 0, &first, offsetof(head, crc));
    memcpy(archive->data, &first, sizeof first);
    return GPC_OK;
}

/* Fail at an offset. */
static gpc_status refuse(gpci_archive *archive, gpc_status status, size_t offset, const char *what) {
    archive->at = offset;
    gpci_archive_fail(archive, status, what);
    return status;
}

/* Check the head: the file is a complete snapshot of this kind, by this build of the library, with the same seed. */
static gpc_status check_head(gpci_archive *archive, gpci_archive_kind kind) {
    head header;
    if (archive->size < sizeof header)
        return refuse(archive, GPC_ERROR_FORMAT, archive->size, "it ends before its head does");
    memcpy(&header, archive->data, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0)
        return refuse(archive, GPC_ERROR_FORMAT, 0, "this is no snapshot");
    if (header.order != 0x01020304u)
        return refuse(archive, GPC_ERROR_ABI, offsetof(head, order), "it is of a machine with another order of bytes");
    if (header.version != VERSION)
        return refuse(archive, GPC_ERROR_ABI, offsetof(head, version), "it is of another version of the format");
    if (header.crc != gpci_crc_of(&archive->crc, 0, &header, offsetof(head, crc)))
        return refuse(archive, GPC_ERROR_FORMAT, offsetof(head, crc), "the head is damaged: its checksum differs");
    if (header.library != GPC_VERSION_NUMBER || header.address_bytes != sizeof(void *))
        return refuse(archive, GPC_ERROR_ABI, offsetof(head, library), "it is of another version of the library");
    if (header.kind != kind.kind)
        return refuse(archive, GPC_ERROR_FORMAT, offsetof(head, kind), "it is of another kind of object");
    if (header.layout != kind.layout)
        return refuse(archive, GPC_ERROR_ABI, offsetof(head, layout), "it is of another build of the library");
    if (header.seed != archive->context->seed)
        return refuse(archive, GPC_ERROR_STATE, offsetof(head, seed), "its context has another seed");
    if (header.size != archive->size)
        return refuse(archive, GPC_ERROR_FORMAT, archive->size < header.size ? archive->size : (size_t)header.size,
                      archive->size < header.size ? "it has been cut" : "something stands behind its end");
    return GPC_OK;
}

static gpc_status check_sections(gpci_archive *archive) {
    section_head section;
    for (size_t at = sizeof(head); at < archive->size; at += sizeof section + (size_t)section.size) {
        if (archive->size - at < sizeof section)
            return refuse(archive, GPC_ERROR_FORMAT, at, "a section's head is cut");
        memcpy(&section, archive->data + at, sizeof section);
        if (section.crc != gpci_crc_of(&archive->crc, 0, &section, offsetof(section_head, crc)))
            return refuse(archive, GPC_ERROR_FORMAT, at, "a section's head is damaged: its checksum differs");
        if (section.size > archive->size - at - sizeof section)
            return refuse(archive, GPC_ERROR_FORMAT, at, "a section is longer than the file");
        if (section.data_crc !=
            gpci_crc_of(&archive->crc, 0, archive->data + at + sizeof section, (size_t)section.size))
            return refuse(archive, GPC_ERROR_FORMAT, at + sizeof section, "a section is damaged: its checksum differs");
    }
    return GPC_OK;
}

gpc_status gpci_archive_load(gpci_archive *archive, gpc_context *context, void *data, size_t size, gpc_error *error,
                             gpci_archive_kind kind) {
    *archive = (gpci_archive){
        .context = context, .error = error, .loading = true, .data = data, .size = size, .capacity = size};
    gpci_crc_init(&archive->crc);
    gpc_status status = check_head(archive, kind);
    if (status == GPC_OK)
        status = check_sections(archive);
    archive->at = archive->end = sizeof(head);
    return status;
}

gpc_status gpci_archive_end(gpci_archive *archive) {
    if (archive->at != archive->end)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "more in a section than belongs there");
    if (archive->at != archive->size)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "a section that does not belong here");
    return archive->status;
}

void gpci_archive_close(gpci_archive *archive) {
    gpci_free(archive->context, archive->data);
    archive->data = NULL;
}

void gpci_archive_section(gpci_archive *archive, const char *name) {
    section_head section = {.size = 0};
    if (!archive->loading) {
        close_section(archive);
        uint8_t *at = append(archive, sizeof section);
        if (!at)
            return;
        memcpy(section.name, name, strlen(name));
        memcpy(at, &section, sizeof section);
        archive->section = (size_t)(at - archive->data);
        return;
    }
    if (archive->status < 0)
        return;
    if (archive->at != archive->end)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "more in a section than belongs there");
    if (archive->size - archive->at < sizeof section) {
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "a section is missing");
        return;
    }
    memcpy(&section, archive->data + archive->at, sizeof section);
    if (strncmp(section.name, name, sizeof section.name) != 0) {
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "a section that does not belong here");
        return;
    }
    archive->section = archive->at;
    archive->at += sizeof section;
    archive->end = archive->at + (size_t)section.size;
}

void gpci_archive_bytes(void *archive, void *memory, size_t size) {
    gpci_archive *archived = archive;
    if (!size || archived->status < 0)
        return;
    if (!memory) {
        gpci_archive_fail(archived, GPC_ERROR_UNSUPPORTED,
                          "a policy that does not say what its state is (`state` is NULL)");
        return;
    }
    if (!archived->loading) {
        uint8_t *at = append(archived, size);
        if (at)
            memcpy(at, memory, size);
        return;
    }
    if (size > archived->end - archived->at) {
        gpci_archive_fail(archived, GPC_ERROR_FORMAT, "a section is too short");
        return;
    }
    memcpy(memory, archived->data + archived->at, size);
    archived->at += size;
}

uint64_t gpci_archive_number(gpci_archive *archive, uint64_t number) {
    gpci_archive_bytes(archive, &number, sizeof number);
    return archive->loading && archive->status < 0 ? 0 : number;
}

void gpci_archive_same(gpci_archive *archive, uint64_t number, const char *what) {
    if (gpci_archive_number(archive, number) != number)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, what);
}

const char *gpci_archive_text(gpci_archive *archive, const char *text) {
    const size_t size = (size_t)gpci_archive_number(archive, archive->loading ? 0 : strlen(text) + 1);
    if (!archive->loading) {
        uint8_t *at = append(archive, size);
        if (at)
            memcpy(at, text, size);
        return text;
    }
    if (archive->status == GPC_OK &&
        (!size || size > archive->end - archive->at || archive->data[archive->at + size - 1]))
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "a text without an end");
    if (archive->status < 0)
        return "";
    archive->at += size;
    return (const char *)archive->data + (archive->at - size);
}

uint64_t gpci_archive_count(gpci_archive *archive, uint64_t count, size_t bytes) {
    const uint64_t there = gpci_archive_number(archive, count);
    if (!archive->loading || archive->status < 0 || there <= (archive->end - archive->at) / bytes)
        return there;
    gpci_archive_fail(archive, GPC_ERROR_FORMAT, "more than there is in the section");
    return 0;
}

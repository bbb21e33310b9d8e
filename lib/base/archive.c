/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/archive.h"

#include "base/array.h"

#include <gpucache/version.h>

#include <inttypes.h>
#include <string.h>

#define VERSION 19u
#define SECTION_NAME_BYTES 16u
#define LARGE_STEP 65536u

/* Layout of a file head, equal to the layout in memory: fields without gaps. */
typedef struct head {
    char magic[8];
    uint32_t version, order; /* order: byte order */
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

void gpci_archive_fail(gpci_archive *a, gpc_status status, const char *what) {
    if (a->status < 0)
        return;
    a->status = status;
    if (status == GPC_ERROR_MEMORY)
        gpci_out_of_memory(a->error);
    else if (a->loading)
        gpci_fail(a->error, status, "snapshot, offset %zu: %s", a->at, what);
    else
        gpci_fail(a->error, status, "snapshot: %s", what);
}

/* Make room for `size` more bytes. Returns their address; NULL after a failure. */
static uint8_t *append(gpci_archive *a, size_t size) {
    if (a->status < 0)
        return NULL;
    if (size > a->room - a->size) {
        size_t more = size > LARGE_STEP ? size : LARGE_STEP;
        if (!gpci_array_room(a->context, &a->data, &a->room, a->size, more, 1)) {
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
            return NULL;
        }
    }
    a->size += size;
    return a->data + (a->size - size);
}

void gpci_archive_save(gpci_archive *a, gpc_context *context, gpc_error *error, gpci_archive_kind kind) {
    *a = (gpci_archive){.context = context, .error = error};
    gpci_crc_init(&a->crc);
    const head first = {.version = VERSION,
                        .order = 0x01020304u,
                        .library = GPC_VERSION_NUMBER,
                        .kind = kind.kind,
                        .layout = kind.layout,
                        .address_bytes = sizeof(void *),
                        .seed = context->seed};
    uint8_t *at = append(a, sizeof first);
    if (!at)
        return;
    memcpy(at, &first, sizeof first);
    memcpy(at, magic, sizeof magic);
}

/* Write size and checksums into the section's head, when the section is complete. */
static void close_section(gpci_archive *a) {
    section_head h;
    if (!a->section || a->status < 0)
        return;
    uint8_t *at = a->data + a->section;
    memcpy(&h, at, sizeof h);
    h.size = a->size - a->section - sizeof h;
    h.data_crc = gpci_crc_of(&a->crc, 0, at + sizeof h, (size_t)h.size);
    h.crc = gpci_crc_of(&a->crc, 0, &h, offsetof(section_head, crc));
    memcpy(at, &h, sizeof h);
}

gpc_status gpci_archive_finish(gpci_archive *a) {
    head first;
    close_section(a);
    if (a->status < 0)
        return a->status;
    memcpy(&first, a->data, sizeof first);
    first.size = a->size;
    first.crc = gpci_crc_of(&a->crc, 0, &first, offsetof(head, crc));
    memcpy(a->data, &first, sizeof first);
    return GPC_OK;
}

/* Fail at an offset. */
static gpc_status refuse(gpci_archive *a, gpc_status status, size_t offset, const char *what) {
    a->at = offset;
    gpci_archive_fail(a, status, what);
    return status;
}

/* Check format, build of the library and completeness. */
static gpc_status check_head(gpci_archive *a, gpci_archive_kind kind) {
    head h;
    if (a->size < sizeof h)
        return refuse(a, GPC_ERROR_FORMAT, a->size, "it ends before its head does");
    memcpy(&h, a->data, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        return refuse(a, GPC_ERROR_FORMAT, 0, "this is no snapshot");
    if (h.order != 0x01020304u)
        return refuse(a, GPC_ERROR_ABI, offsetof(head, order), "it is of a machine with another order of bytes");
    if (h.version != VERSION)
        return refuse(a, GPC_ERROR_ABI, offsetof(head, version), "it is of another version of the format");
    if (h.crc != gpci_crc_of(&a->crc, 0, &h, offsetof(head, crc)))
        return refuse(a, GPC_ERROR_FORMAT, offsetof(head, crc), "the head is damaged: its checksum differs");
    if (h.library != GPC_VERSION_NUMBER || h.address_bytes != sizeof(void *))
        return refuse(a, GPC_ERROR_ABI, offsetof(head, library), "it is of another version of the library");
    if (h.kind != kind.kind)
        return refuse(a, GPC_ERROR_FORMAT, offsetof(head, kind), "it is of another kind of object");
    if (h.layout != kind.layout)
        return refuse(a, GPC_ERROR_ABI, offsetof(head, layout), "it is of another build of the library");
    if (h.seed != a->context->seed)
        return refuse(a, GPC_ERROR_STATE, offsetof(head, seed), "its context has another seed");
    if (h.size != a->size)
        return refuse(a, GPC_ERROR_FORMAT, a->size < h.size ? a->size : (size_t)h.size,
                      a->size < h.size ? "it has been cut" : "something stands behind its end");
    return GPC_OK;
}

static gpc_status check_sections(gpci_archive *a) {
    section_head h;
    for (size_t at = sizeof(head); at < a->size; at += sizeof h + (size_t)h.size) {
        if (a->size - at < sizeof h)
            return refuse(a, GPC_ERROR_FORMAT, at, "a section's head is cut");
        memcpy(&h, a->data + at, sizeof h);
        if (h.crc != gpci_crc_of(&a->crc, 0, &h, offsetof(section_head, crc)))
            return refuse(a, GPC_ERROR_FORMAT, at, "a section's head is damaged: its checksum differs");
        if (h.size > a->size - at - sizeof h)
            return refuse(a, GPC_ERROR_FORMAT, at, "a section is longer than the file");
        if (h.data_crc != gpci_crc_of(&a->crc, 0, a->data + at + sizeof h, (size_t)h.size))
            return refuse(a, GPC_ERROR_FORMAT, at + sizeof h, "a section is damaged: its checksum differs");
    }
    return GPC_OK;
}

gpc_status gpci_archive_load(gpci_archive *a, gpc_context *context, void *data, size_t size, gpc_error *error,
                             gpci_archive_kind kind) {
    *a = (gpci_archive){.context = context, .error = error, .loading = true, .data = data, .size = size, .room = size};
    gpci_crc_init(&a->crc);
    gpc_status status = check_head(a, kind);
    if (status == GPC_OK)
        status = check_sections(a);
    a->at = a->end = sizeof(head);
    return status;
}

gpc_status gpci_archive_end(gpci_archive *a) {
    if (a->at != a->end)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "more in a section than belongs there");
    if (a->at != a->size)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a section that does not belong here");
    return a->status;
}

void gpci_archive_close(gpci_archive *a) {
    gpci_free(a->context, a->data);
    a->data = NULL;
}

void gpci_archive_section(gpci_archive *a, const char *name) {
    section_head h = {.size = 0};
    if (!a->loading) {
        close_section(a);
        uint8_t *at = append(a, sizeof h);
        if (!at)
            return;
        memcpy(h.name, name, strlen(name));
        memcpy(at, &h, sizeof h);
        a->section = (size_t)(at - a->data);
        return;
    }
    if (a->status < 0)
        return;
    if (a->at != a->end)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "more in a section than belongs there");
    if (a->size - a->at < sizeof h) {
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a section is missing");
        return;
    }
    memcpy(&h, a->data + a->at, sizeof h);
    if (strncmp(h.name, name, sizeof h.name) != 0) {
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a section that does not belong here");
        return;
    }
    a->section = a->at;
    a->at += sizeof h;
    a->end = a->at + (size_t)h.size;
}

void gpci_archive_bytes(void *archive, void *memory, size_t size) {
    gpci_archive *a = archive;
    if (!size || a->status < 0)
        return;
    if (!memory) {
        gpci_archive_fail(a, GPC_ERROR_UNSUPPORTED, "a policy that does not say what its state is (`state` is NULL)");
        return;
    }
    if (!a->loading) {
        uint8_t *at = append(a, size);
        if (at)
            memcpy(at, memory, size);
        return;
    }
    if (size > a->end - a->at) {
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a section is too short");
        return;
    }
    memcpy(memory, a->data + a->at, size);
    a->at += size;
}

uint64_t gpci_archive_number(gpci_archive *a, uint64_t number) {
    gpci_archive_bytes(a, &number, sizeof number);
    return a->loading && a->status < 0 ? 0 : number;
}

void gpci_archive_same(gpci_archive *a, uint64_t number, const char *what) {
    if (gpci_archive_number(a, number) != number)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, what);
}

const char *gpci_archive_text(gpci_archive *a, const char *text) {
    const size_t size = (size_t)gpci_archive_number(a, a->loading ? 0 : strlen(text) + 1);
    if (!a->loading) {
        uint8_t *at = append(a, size);
        if (at)
            memcpy(at, text, size);
        return text;
    }
    if (a->status == GPC_OK && (!size || size > a->end - a->at || a->data[a->at + size - 1]))
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a text without an end");
    if (a->status < 0)
        return "";
    a->at += size;
    return (const char *)a->data + (a->at - size);
}

uint64_t gpci_archive_count(gpci_archive *a, uint64_t count, size_t bytes) {
    const uint64_t there = gpci_archive_number(a, count);
    if (!a->loading || a->status < 0 || there <= (a->end - a->at) / bytes)
        return there;
    gpci_archive_fail(a, GPC_ERROR_FORMAT, "more than there is in the section");
    return 0;
}

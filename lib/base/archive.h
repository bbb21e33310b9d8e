/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_ARCHIVE_H
#define GPC_BASE_ARCHIVE_H

#include "base/crc.h"

/*
 * An object's state as bytes, and back. One function names what there is, in an order of its own; the archive reads the
 * stretches that are named when it saves, and writes them when it loads, so that the two cannot differ. Where memory
 * has to be there first, the function asks which it is (`loading`) and makes it.
 *
 * Stretches are as memory has them: a file is of one build of the library on one kind of machine, and says which. None
 * holds an address.
 *
 *   head       magic, version, kind, byte order, layout, seed, bytes of all; checksum
 *   sections   name, bytes, checksum of these; what was named; checksum of that
 *
 * A failure is kept, and everything after it does nothing; stretches that are loaded then keep what they had.
 */
typedef struct gpci_archive {
    gpc_context *context;
    gpc_error *error;
    gpc_status status; /* the first failure */
    bool loading;
    uint8_t *data;
    size_t size, room; /* bytes of `data`: in use, of the allocation */
    size_t section;    /* where the present one begins, with its head; 0: none has */
    size_t at, end;    /* loading: in its contents */
    gpci_crc crc;
} gpci_archive;

/* What the head tells apart, besides the format. */
typedef struct gpci_archive_kind {
    uint32_t kind;   /* of object */
    uint32_t layout; /* changes with the structs that are saved */
} gpci_archive_kind;

/* Begin to save. Whatever comes of it, gpci_archive_close. */
void gpci_archive_save(gpci_archive *archive, gpc_context *context, gpc_error *error, gpci_archive_kind kind);
/* Everything is named: `data` and `size` are the file. */
gpc_status gpci_archive_finish(gpci_archive *archive);
/*
 * Begin to load `size` bytes, which are the archive's from here on, from the context's allocator. All checksums are
 * verified. GPC_ERROR_FORMAT and GPC_ERROR_ABI, with the offset. Whatever comes of it, gpci_archive_close.
 */
gpc_status gpci_archive_load(gpci_archive *archive, gpc_context *context, void *data, size_t size, gpc_error *error,
                             gpci_archive_kind kind);
/* Everything is named: nothing may be left. */
gpc_status gpci_archive_end(gpci_archive *archive);
void gpci_archive_close(gpci_archive *archive);

/* A section begins, and the one before ends; of at most 15 characters. */
void gpci_archive_section(gpci_archive *archive, const char *name);
/* A stretch: a gpci_state_fn. */
void gpci_archive_bytes(void *archive, void *memory, size_t size);
#define GPCI_ARCHIVE_FIELD(archive, field) gpci_archive_bytes(archive, &(field), sizeof(field))
/* A number that is saved; returns what it is, or, loading, what was saved. 0 after a failure. */
uint64_t gpci_archive_number(gpci_archive *archive, uint64_t number);
/* A number that is the same, `what`, in the object that is loaded into; else GPC_ERROR_FORMAT. */
void gpci_archive_same(gpci_archive *archive, uint64_t number, const char *what);
/* A text that is saved; loading, the archive's own, until it is closed. "" after a failure. */
const char *gpci_archive_text(gpci_archive *archive, const char *text);
/* How many of something there are, `bytes` each and one at least: no more than the rest of the section could hold. */
uint64_t gpci_archive_count(gpci_archive *archive, uint64_t count, size_t bytes);
/* Fail, at the present offset where it loads. */
void gpci_archive_fail(gpci_archive *archive, gpc_status status, const char *what);

#endif

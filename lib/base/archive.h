/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_ARCHIVE_H
#define GPC_BASE_ARCHIVE_H

#include "base/crc.h"

/*
 * State of an object as bytes, for saving and loading. A stretch is a contiguous part of the object's memory. A single
 * function per object passes the object's stretches to gpci_archive_bytes, in a fixed order. On saving, the archive
 * reads the stretches. On loading, the archive writes the stretches. Therefore saving and loading cannot differ. If
 * memory must exist before a stretch is loaded, the function checks `loading` and allocates the memory.
 *
 * Stretches are saved with the layout that they have in memory. Therefore a file can be loaded only by the same build
 * of the library on the same kind of machine; the head records both. A stretch may not hold an address.
 *
 *   head       magic, version, kind, byte order, layout, seed, bytes of the file; checksum
 *   sections   name, bytes, checksum of the section's head; contents; checksum of the contents
 *
 * After a failure the archive keeps the first status, and later calls do nothing. Stretches to load then keep their old
 * contents.
 */
typedef struct gpci_archive {
    gpc_context *context;
    gpc_error *error;
    gpc_status status; /* the first failure */
    bool loading;
    uint8_t *data;
    size_t size, capacity; /* size: used bytes of `data`. capacity: allocated bytes */
    size_t section;        /* offset of the present section's head; 0: no section yet */
    size_t at, end;        /* loading: `at` is the offset of the next byte, `end` of the present section's end */
    gpci_crc crc;
} gpci_archive;

/* Fields of the head that differ between objects. */
typedef struct gpci_archive_kind {
    uint32_t kind;   /* kind of object */
    uint32_t layout; /* changes when a saved struct changes */
} gpci_archive_kind;

/* Begin to save. Call gpci_archive_close in any case. */
void gpci_archive_save(gpci_archive *archive, gpc_context *context, gpc_error *error, gpci_archive_kind kind);
/* End saving, after all stretches: `data` and `size` are the file. */
gpc_status gpci_archive_finish(gpci_archive *archive);
/*
 * Begin to load `size` bytes. `data` comes from the context's allocator and belongs to the archive from now on. All
 * checksums are verified: GPC_ERROR_FORMAT and GPC_ERROR_ABI, with the offset. Call gpci_archive_close in any case.
 */
gpc_status gpci_archive_load(gpci_archive *archive, gpc_context *context, void *data, size_t size, gpc_error *error,
                             gpci_archive_kind kind);
/* End loading, after all stretches. Fails if bytes are left. */
gpc_status gpci_archive_end(gpci_archive *archive);
void gpci_archive_close(gpci_archive *archive);

/* Begin a section, and end the section before. `name` has at most 15 characters. */
void gpci_archive_section(gpci_archive *archive, const char *name);
/* Save or load a stretch; a gpci_state_fn. */
void gpci_archive_bytes(void *archive, void *memory, size_t size);
#define GPCI_ARCHIVE_FIELD(archive, field) gpci_archive_bytes(archive, &(field), sizeof(field))
/*
 * Save or load a number. On saving, returns `number`, even after a failure: objects assign the result to their field.
 * On loading, returns the saved number, or 0 after a failure.
 */
uint64_t gpci_archive_number(gpci_archive *archive, uint64_t number);
/*
 * Save a number that must be equal in the loading object. If the numbers differ, loading fails with GPC_ERROR_FORMAT
 * and `what`.
 */
void gpci_archive_same(gpci_archive *archive, uint64_t number, const char *what);
/*
 * Save or load a text. On loading the text belongs to the archive until gpci_archive_close. "" after loading has
 * failed.
 */
const char *gpci_archive_text(gpci_archive *archive, const char *text);
/*
 * Save or load the count of the following elements. An element has at least `bytes` bytes, 1 or more. Loading fails if
 * the rest of the section is too short for the elements.
 */
uint64_t gpci_archive_count(gpci_archive *archive, uint64_t count, size_t bytes);
/* Record a failure, if there was none before. On loading, the message has the present offset. */
void gpci_archive_fail(gpci_archive *archive, gpc_status status, const char *what);

#endif

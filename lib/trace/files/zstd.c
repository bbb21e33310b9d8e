/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/zstd.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#define DICTIONARY_MAGIC 0xEC30A437u
#define UNKNOWN_SIZE UINT64_MAX             /* ZSTD_CONTENTSIZE_UNKNOWN */
#define LARGEST_FRAME (UINT64_C(256) << 20) /* bytes of text: a warp's part has a few thousand lines */
#define FIRST_CAPACITY (UINT64_C(64) << 10)

/* Functions of libzstd's stable interface (zstd.h, since 1.3.0). */
typedef struct zstd_calls {
    void *(*create_context)(void);
    size_t (*free_context)(void *context);
    void *(*create_dictionary)(const void *dictionary, size_t size);
    size_t (*free_dictionary)(void *dictionary);
    size_t (*decompress)(void *context, void *to, size_t room, const void *from, size_t size, const void *dictionary);
    unsigned long long (*content_size)(const void *from, size_t size);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
} zstd_calls;

struct gpci_zstd {
    gpc_context *context;
    void *library, *decompressor, *dictionary;
    uint32_t dictionary_id; /* 0 = dictionary without a number */
    bool has_dictionary;
    zstd_calls call;
    char path[]; /* path of the file, for messages */
};

/* Get a function's address by copying its bytes: ISO C has no conversion from void *. */
static bool find(gpci_zstd *zstd, const char *name, void *function) {
    void *found = dlsym(zstd->library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load(gpci_zstd *zstd) {
    static const char *const names[] = {"libzstd.so.1", "libzstd.so", "libzstd.1.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !zstd->library; i++)
        zstd->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return zstd->library && find(zstd, "ZSTD_createDCtx", &zstd->call.create_context) &&
           find(zstd, "ZSTD_freeDCtx", &zstd->call.free_context) &&
           find(zstd, "ZSTD_createDDict", &zstd->call.create_dictionary) &&
           find(zstd, "ZSTD_freeDDict", &zstd->call.free_dictionary) &&
           find(zstd, "ZSTD_decompress_usingDDict", &zstd->call.decompress) &&
           find(zstd, "ZSTD_getFrameContentSize", &zstd->call.content_size) &&
           find(zstd, "ZSTD_isError", &zstd->call.is_error) && find(zstd, "ZSTD_getErrorName", &zstd->call.error_name);
}

gpc_status gpci_zstd_open(gpc_context *context, const void *dictionary, size_t size, const char *path, gpc_error *error,
                          gpci_zstd **out) {
    const size_t length = strlen(path) + 1;
    gpci_zstd *zstd = gpci_zalloc(context, 1, sizeof *zstd + length);
    if (!zstd)
        return gpci_out_of_memory(error);
    zstd->context = gpci_retain(context);
    memcpy(zstd->path, path, length);
    gpc_status status = GPC_OK;
    if (!load(zstd))
        status = gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                           "%s: reading it needs the library libzstd (libzstd.so.1), which is not there", path);
    if (status == GPC_OK) {
        zstd->decompressor = zstd->call.create_context();
        zstd->dictionary = zstd->call.create_dictionary(dictionary, size);
        zstd->has_dictionary = size != 0;
        if (size >= 8 && gpci_load32(dictionary) == DICTIONARY_MAGIC)
            zstd->dictionary_id = gpci_load32((const uint8_t *)dictionary + 4);
        if (!zstd->decompressor)
            status = gpci_out_of_memory(error);
        else if (!zstd->dictionary)
            status = gpci_fail(error, GPC_ERROR_FORMAT, "%s: expected a zstd dictionary of %zu bytes", path, size);
    }
    if (status < 0)
        gpci_zstd_close(zstd);
    else
        *out = zstd;
    return status;
}

void gpci_zstd_close(gpci_zstd *zstd) {
    if (!zstd)
        return;
    gpc_context *context = zstd->context;
    if (zstd->dictionary)
        zstd->call.free_dictionary(zstd->dictionary);
    if (zstd->decompressor)
        zstd->call.free_context(zstd->decompressor);
    if (zstd->library)
        dlclose(zstd->library);
    gpci_free(context, zstd);
    gpci_release(context);
}

/*
 * RFC 8878, 3.1.1.1: a frame begins with the magic number and a byte of flags. The window's byte follows, unless the
 * flag of a single segment (32) is set. Then comes the dictionary's number.
 */
uint32_t gpci_zstd_dictionary(const uint8_t *frame, size_t size) {
    if (size < 6 || gpci_load32(frame) != GPCI_ZSTD_MAGIC)
        return 0;
    static const uint8_t sizes[] = {0, 1, 2, 4};
    const size_t bytes = sizes[frame[4] & 3], at = frame[4] & 32 ? 5 : 6;
    uint32_t number = 0;
    for (size_t i = 0; i < bytes && at + i < size; i++)
        number |= (uint32_t)frame[at + i] << 8 * i;
    return number;
}

static gpc_status wrong(const gpci_zstd *zstd, uint64_t offset, const char *what, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s: offset %" PRIu64 ": expected a zstd frame: %s", zstd->path, offset,
                     what);
}

gpc_status gpci_zstd_frame(gpci_zstd *zstd, const uint8_t *frame, size_t size, uint64_t offset, gpci_buffer *out,
                           gpc_error *error) {
    const uint32_t needs = gpci_zstd_dictionary(frame, size);
    if (needs && needs != zstd->dictionary_id)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: offset %" PRIu64 ": the frame needs zstd dictionary %" PRIu32 ", but the file has %s",
                         zstd->path, offset, needs, zstd->has_dictionary ? "another" : "none");
    const uint64_t content = zstd->call.content_size(frame, size);
    if (content > LARGEST_FRAME && content != UNKNOWN_SIZE)
        return wrong(zstd, offset, "its header is not one, or announces too much", error);
    for (uint64_t capacity = content == UNKNOWN_SIZE ? FIRST_CAPACITY : content;; capacity *= 2) {
        if (!gpci_buffer_reserve(out, (size_t)capacity))
            return gpci_out_of_memory(error);
        const size_t got = zstd->call.decompress(zstd->decompressor, out->data + out->length, (size_t)capacity, frame,
                                                 size, zstd->dictionary);
        if (!zstd->call.is_error(got)) {
            out->length += got;
            return GPC_OK;
        }
        if (content != UNKNOWN_SIZE || capacity >= LARGEST_FRAME ||
            !strstr(zstd->call.error_name(got), "Destination buffer is too small"))
            return wrong(zstd, offset, zstd->call.error_name(got), error);
    }
}

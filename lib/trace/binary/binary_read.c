/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/blocks/notes.h"
#include "trace/files/paths.h"
#include "trace/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_AHEAD (256u << 10)

/* Lengths of a kernel's two parts, from the file's index. */
typedef struct kernel_entry {
    uint64_t blocks, section;
} kernel_entry;

typedef struct binary_source {
    gpci_source base;
    gpci_crc crc;
    int file;
    uint32_t version;
    uint64_t size;
    kernel_entry *kernels;
    uint64_t kernel_count, kernel; /* `kernel`: number of the next kernel */
    uint64_t offset;               /* place of the next kernel */
    gpci_decoder decoder;
    uint64_t block;
    uint8_t *ahead; /* bytes [ahead_at, ahead_at + ahead_length) of the file, and GPCI_SLACK more */
    uint64_t ahead_at, ahead_length, ahead_capacity;
    char path[];
} binary_source;

static binary_source *of(gpci_source *source) {
    return (binary_source *)source;
}

static gpc_status damaged(const binary_source *binary, gpc_error *error, uint64_t offset, const char *what) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s: offset %" PRIu64 ": expected %s: the file is damaged or cut short",
                     binary->path, offset, what);
}

static gpc_status read_at(const binary_source *binary, void *to, uint64_t offset, uint64_t length, gpc_error *error) {
    for (uint64_t done = 0; done < length;) {
        ssize_t got = pread(binary->file, (uint8_t *)to + done, (size_t)(length - done), (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gpci_fail(error, GPC_ERROR_IO, "%s: %s", binary->path, strerror(errno));
        if (got == 0)
            return damaged(binary, error, offset + done, "more bytes");
        done += (uint64_t)got;
    }
    return GPC_OK;
}

/* Read a part of the file and check its last four bytes, the CRC. *out: new memory with GPCI_SLACK more bytes. */
static gpc_status read_part(const binary_source *binary, uint64_t offset, uint64_t length, const char *what,
                            gpc_error *error, uint8_t **out) {
    if (length < GPCI_BINARY_CRC)
        return damaged(binary, error, offset, what);
    uint8_t *part =
        length < SIZE_MAX - GPCI_SLACK ? gpci_zalloc(binary->base.context, (size_t)length + GPCI_SLACK, 1) : NULL;
    if (!part)
        return gpci_out_of_memory(error);
    gpc_status status = read_at(binary, part, offset, length, error);
    if (status == GPC_OK && gpci_crc_of(&binary->crc, 0, part, (size_t)length - GPCI_BINARY_CRC) !=
                                gpci_load32(part + length - GPCI_BINARY_CRC))
        status = damaged(binary, error, offset, what);
    if (status < 0)
        gpci_free(binary->base.context, part);
    else
        *out = part;
    return status;
}

static gpc_status check_head(binary_source *binary, gpc_error *error) {
    uint8_t head[GPCI_BINARY_HEAD];
    if (binary->size < GPCI_BINARY_HEAD + GPCI_BINARY_TAIL)
        return damaged(binary, error, binary->size, "a whole .gct file");
    gpc_status status = read_at(binary, head, 0, sizeof head, error);
    if (status < 0)
        return status;
    if (memcmp(head, GPCI_BINARY_MAGIC, 4) != 0 || gpci_crc_of(&binary->crc, 0, head, 8) != gpci_load32(head + 8))
        return damaged(binary, error, 0, "the head of a .gct file");
    binary->version = gpci_load32(head + 4);
    if (binary->version < GPCI_BINARY_VERSION || binary->version > GPCI_BINARY_CLUSTERS)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: version %" PRIu32 " of the format is not known, only those to %u", binary->path,
                         binary->version, GPCI_BINARY_CLUSTERS);
    return GPC_OK;
}

/* Read the lengths of all kernels, which must fill the file between head and index. */
static gpc_status take_index(binary_source *binary, const uint8_t *bytes, uint64_t index, uint64_t length,
                             gpc_error *error) {
    gpci_cursor cursor = {bytes, bytes + length - GPCI_BINARY_CRC, false};
    uint64_t count = gpci_cursor_below(&cursor, length), at = GPCI_BINARY_HEAD;
    binary->kernels = gpci_zalloc(binary->base.context, (size_t)count + 1, sizeof *binary->kernels);
    if (!binary->kernels)
        return gpci_out_of_memory(error);
    for (uint64_t k = 0; k < count && !cursor.bad; k++) {
        binary->kernels[k].blocks = gpci_cursor_below(&cursor, index - at);
        at += binary->kernels[k].blocks;
        binary->kernels[k].section = gpci_cursor_below(&cursor, index - at);
        at += binary->kernels[k].section;
    }
    if (cursor.bad || cursor.at != cursor.stop || at != index)
        return damaged(binary, error, index, "an index of the kernels that fits the file");
    binary->kernel_count = count;
    return GPC_OK;
}

static gpc_status read_index(binary_source *binary, gpc_error *error) {
    uint8_t tail[GPCI_BINARY_TAIL], *bytes = NULL;
    uint64_t tail_at = binary->size - sizeof tail;
    gpc_status status = read_at(binary, tail, tail_at, sizeof tail, error);
    if (status < 0)
        return status;
    uint64_t index = gpci_load64(tail);
    if (memcmp(tail + 12, GPCI_BINARY_TAIL_MAGIC, 4) != 0 ||
        gpci_crc_of(&binary->crc, 0, tail, 8) != gpci_load32(tail + 8) || index < GPCI_BINARY_HEAD || index > tail_at)
        return damaged(binary, error, tail_at, "the tail of a .gct file");
    status = read_part(binary, index, tail_at - index, "the index of the kernels", error, &bytes);
    if (status == GPC_OK)
        status = take_index(binary, bytes, index, tail_at - index, error);
    gpci_free(binary->base.context, bytes);
    return status;
}

/* Begin the present kernel at its first block. */
static gpc_status first_block(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    (void)error;
    binary_source *binary = of(source);
    gpci_decoder_rewind(&binary->decoder);
    binary->block = 0;
    *kernel = binary->decoder.kernel;
    kernel->file = binary->path;
    return GPC_OK;
}

static gpc_status next_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    binary_source *binary = of(source);
    gpci_decoder_clear(&binary->decoder);
    if (binary->kernel == binary->kernel_count)
        return GPC_END;
    const kernel_entry *entry = &binary->kernels[binary->kernel];
    uint64_t section = binary->offset + entry->blocks, at = 0;
    uint8_t *bytes = NULL;
    gpc_status status = read_part(binary, section, entry->section, "the section of a kernel", error, &bytes);
    if (status < 0)
        return status;
    const char *what = NULL;
    status = gpci_decoder_start(&binary->decoder, source->context, source->opcodes, binary->version, bytes,
                                entry->section - GPCI_BINARY_CRC, binary->offset, entry->blocks, &at, &what);
    if (status == GPC_ERROR_FORMAT)
        return damaged(binary, error, section + at, what);
    if (status < 0)
        return gpci_out_of_memory(error);
    binary->kernel++;
    binary->offset = section + entry->section;
    return first_block(source, kernel, error);
}

static gpc_status skip_kernel(gpci_source *source, gpc_error *error) {
    (void)error;
    binary_source *binary = of(source);
    gpci_decoder_clear(&binary->decoder);
    if (binary->kernel == binary->kernel_count)
        return GPC_END;
    const kernel_entry *entry = &binary->kernels[binary->kernel++];
    binary->offset += entry->blocks + entry->section;
    binary->block = 0;
    return GPC_OK;
}

/* Get the bytes of a block. The buffer `ahead` also keeps the bytes of following blocks. */
static gpc_status block_bytes(binary_source *binary, const gpci_block_entry *entry, gpc_error *error,
                              const uint8_t **out) {
    if (entry->offset < binary->ahead_at || entry->offset + entry->length > binary->ahead_at + binary->ahead_length) {
        uint64_t rest = binary->size - entry->offset, wanted = entry->length > READ_AHEAD ? entry->length : READ_AHEAD;
        wanted = wanted > rest ? rest : wanted;
        if (wanted > binary->ahead_capacity) {
            if (wanted > SIZE_MAX - GPCI_SLACK)
                return gpci_out_of_memory(error);
            uint8_t *grown = gpci_resize(binary->base.context, binary->ahead, (size_t)wanted + GPCI_SLACK, 1);
            if (!grown)
                return gpci_out_of_memory(error);
            memset(grown + wanted, 0, GPCI_SLACK);
            binary->ahead = grown;
            binary->ahead_capacity = wanted;
        }
        binary->ahead_length = 0;
        gpc_status status = read_at(binary, binary->ahead, entry->offset, wanted, error);
        if (status < 0)
            return status;
        binary->ahead_at = entry->offset;
        binary->ahead_length = wanted;
    }
    *out = binary->ahead + (entry->offset - binary->ahead_at);
    return GPC_OK;
}

static gpc_status next_block(gpci_source *source, gpci_block *block, gpc_error *error) {
    binary_source *binary = of(source);
    if (binary->block == binary->decoder.block_count)
        return GPC_END;
    const gpci_block_entry *entry = &binary->decoder.blocks[binary->block];
    const uint8_t *bytes = NULL;
    gpc_status status = block_bytes(binary, entry, error, &bytes);
    if (status < 0)
        return status;
    uint64_t length = entry->length - GPCI_BINARY_CRC, at = 0;
    uint8_t index[4];
    gpci_store32(index, entry->index);
    uint32_t crc = gpci_crc_of(&binary->crc, gpci_crc_of(&binary->crc, 0, index, 4), bytes, (size_t)length);
    if (crc != gpci_load32(bytes + length))
        return damaged(binary, error, entry->offset, "an undamaged thread block");
    const char *what = NULL;
    status = gpci_decoder_block(&binary->decoder, (uint32_t)binary->block, bytes, length, block, &at, &what);
    if (status == GPC_ERROR_FORMAT)
        return damaged(binary, error, entry->offset + at, what);
    if (status < 0)
        return gpci_out_of_memory(error);
    binary->block++;
    return GPC_OK;
}

static uint64_t kernel_count(const gpci_source *source) {
    return ((const binary_source *)source)->kernel_count;
}

static double progress(const gpci_source *source) {
    const binary_source *binary = (const binary_source *)source;
    bool inside = binary->block < binary->decoder.block_count;
    uint64_t at = inside                                   ? binary->decoder.blocks[binary->block].offset
                  : binary->kernel == binary->kernel_count ? binary->size
                                                           : binary->offset;
    return (double)at / (double)binary->size;
}

static void close_source(gpci_source *source) {
    binary_source *binary = of(source);
    gpc_context *context = source->context;
    if (binary->file >= 0)
        close(binary->file);
    gpci_decoder_clear(&binary->decoder);
    gpci_free(context, binary->kernels);
    gpci_free(context, binary->ahead);
    gpci_free(context, binary);
    gpci_release(context);
}

static const gpci_source_ops binary_ops = {
    .next_kernel = next_kernel,
    .next_block = next_block,
    .rewind = first_block,
    .kernel_count = kernel_count,
    .progress = progress,
    .close = close_source,
    .skip_kernel = skip_kernel,
};

static gpc_status open_file(binary_source *binary, const char *path, gpc_error *error) {
    struct stat about;
    /* non-blocking: do not wait for the other end if the file is a pipe */
    binary->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (binary->file < 0 || fstat(binary->file, &about))
        return gpci_fail(error, errno == ENOENT ? GPC_ERROR_NOT_FOUND : GPC_ERROR_IO, "%s: %s", binary->path,
                         strerror(errno));
    if (!S_ISREG(about.st_mode))
        return gpci_fail(error, GPC_ERROR_IO, "%s is no regular file, as a .gct must be", binary->path);
    binary->size = (uint64_t)about.st_size;
    gpc_status status = check_head(binary, error);
    return status == GPC_OK ? read_index(binary, error) : status;
}

gpc_status gpci_binary_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out) {
    const char *shown = gpci_path_shown(path);
    size_t length = strlen(shown) + 1;
    binary_source *binary = gpci_zalloc(context, 1, sizeof *binary + length);
    if (!binary)
        return gpci_out_of_memory(error);
    binary->base = (gpci_source){.ops = &binary_ops, .context = gpci_retain(context), .opcodes = opcodes};
    binary->file = -1;
    binary->offset = GPCI_BINARY_HEAD;
    memcpy(binary->path, shown, length);
    gpci_crc_init(&binary->crc);
    gpc_status status =
        gpci_notes_file(opcodes, shown) ? open_file(binary, gpci_path_opened(path), error) : gpci_out_of_memory(error);
    if (status < 0)
        close_source(&binary->base);
    else
        *out = &binary->base;
    return status;
}

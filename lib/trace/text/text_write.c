/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/text.h"
#include "trace/files/output.h"
#include "trace/files/paths.h"
#include "trace/files/temporary.h"
#include "trace/text/text_line.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_BYTES (128u << 10)
#define FILE_NAME_BYTES 64u

/* Folder with a temporary name. In the end the folder is renamed, or its files are moved to the existing folder. */
typedef struct text_sink {
    gpci_sink base;
    char *path;
    gpci_temporary folder;
    gpci_output *output; /* output of the present kernel */
    gpc_kernel kernel;
    gpci_buffer part;
    gpci_text text;      /* writer of `part` */
    uint32_t kernels;    /* kernels begun */
    bool header_written; /* false before the first block, which shows if source lines exist */
    bool with_lines, lines_lost;
    bool *placed; /* [kernels]: true if the kernel has a placement */
    size_t placed_capacity;
} text_sink;

static text_sink *of(gpci_sink *sink) {
    return (text_sink *)sink;
}

static char *file_in(const text_sink *text, const char *folder, const char *name) {
    char *parent = gpci_join(text->base.context, folder, "/");
    char *file = parent ? gpci_join(text->base.context, parent, name) : NULL;
    gpci_free(text->base.context, parent);
    return file;
}

static gpc_status open_in(text_sink *text, const char *name, gpc_error *error, gpci_output **out) {
    char *file = file_in(text, text->folder.name, name);
    gpc_status status = file ? gpci_output_open(text->base.context, file, error, out) : gpci_out_of_memory(error);
    gpci_free(text->base.context, file);
    return status;
}

static gpc_status flush(text_sink *text, gpci_output *output, gpc_error *error) {
    gpc_status status = text->part.failed ? gpci_out_of_memory(error)
                                          : gpci_output_write(output, text->part.data, text->part.length, error);
    text->part.length = 0;
    return status;
}

static gpc_status add_to_part(void *part, const char *bytes, size_t length) {
    gpci_buffer_put(part, bytes, length);
    return ((const gpci_buffer *)part)->failed ? GPC_ERROR_MEMORY : GPC_OK;
}

static void put_header(text_sink *text) {
    const gpc_kernel *kernel = &text->kernel;
    gpci_text *out = &text->text;
    gpci_text_put(out, "-kernel name = ");
    gpci_text_bytes(out, kernel->name, strlen(kernel->name));
    gpci_text_put(out, "\n-kernel id = %" PRIu32 "\n-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", kernel->id,
                  kernel->grid[0], kernel->grid[1], kernel->grid[2]);
    gpci_text_put(out,
                  "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n",
                  kernel->block[0], kernel->block[1], kernel->block[2], kernel->shared_bytes, kernel->registers);
    if (kernel->cluster[0])
        gpci_text_put(out, "-cluster dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", kernel->cluster[0],
                      kernel->cluster[1], kernel->cluster[2]);
    gpci_text_put(out, "-binary version = %" PRIu32 "\n-cuda stream id = %" PRIu64 "\n", kernel->binary_version,
                  kernel->stream);
    gpci_text_put(out, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
                  kernel->shared_base, kernel->local_base);
    gpci_text_put(out, "-nvbit version = 0\n-accelsim tracer version = 4\n-enable lineinfo = %d\n\n", text->with_lines);
    gpci_text_put(out,
                  "#traces format = %sPC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                  "[adrrescompress?] [mem_addresses]\n",
                  text->with_lines ? "[line_num] " : "");
    text->header_written = true;
}

/* Name of a kernel's file with this suffix. */
static void kernel_file(uint32_t number, const char *suffix, char name[FILE_NAME_BYTES]) {
    snprintf(name, FILE_NAME_BYTES, "kernel-%" PRIu32 "%s", number, suffix);
}

/* Count the kernel, and note whether the kernel has a placement. */
static bool add_kernel(text_sink *text, const gpc_kernel *kernel) {
    if (!GPCI_ARRAY_RESERVE(text->base.context, text->placed, text->placed_capacity, text->kernels, 1))
        return false;
    text->placed[text->kernels++] = kernel->placement_count != 0;
    return true;
}

static gpc_status write_placement(text_sink *text, const gpc_kernel *kernel, gpc_error *error) {
    if (!kernel->placement_count)
        return GPC_OK;
    char name[FILE_NAME_BYTES];
    gpci_output *output;
    kernel_file(text->kernels, ".sm", name);
    gpc_status status = open_in(text, name, error, &output);
    if (status < 0)
        return status;
    for (uint64_t b = 0; status == GPC_OK && b < kernel->placement_count; b++) {
        gpci_text_put(&text->text, "%" PRIu32 "\n", kernel->placement[b]);
        if (text->part.length > PART_BYTES)
            status = flush(text, output, error);
    }
    if (status == GPC_OK)
        status = flush(text, output, error);
    if (status == GPC_OK)
        return gpci_output_commit(output, error);
    gpci_output_discard(output);
    return status;
}

static gpc_status end_kernel(text_sink *text, gpc_error *error) {
    if (!text->output)
        return GPC_OK;
    if (!text->header_written)
        put_header(text);
    gpc_status status = flush(text, text->output, error);
    if (status < 0)
        return status;
    gpci_output *output = text->output;
    text->output = NULL;
    gpci_free(text->base.context, (char *)(uintptr_t)text->kernel.name);
    text->kernel.name = NULL;
    return gpci_output_commit(output, error);
}

static gpc_status begin_kernel(gpci_sink *sink, const gpc_kernel *kernel, gpc_error *error) {
    text_sink *text = of(sink);
    if (kernel->warp_lanes > GPCI_TEXT_LANES)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "the text format has warps of 32 lanes, not of %" PRIu32,
                         kernel->warp_lanes);
    gpc_status status = end_kernel(text, error);
    if (status < 0)
        return status;
    text->kernel = *kernel;
    char *given = gpci_strdup(sink->context, kernel->name ? kernel->name : "");
    text->kernel.name = given;
    if (!given || !add_kernel(text, kernel))
        return gpci_out_of_memory(error);
    for (char *c = given; *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    text->header_written = text->with_lines = text->lines_lost = false;
    status = write_placement(text, kernel, error);
    if (status < 0)
        return status;
    char name[FILE_NAME_BYTES];
    kernel_file(text->kernels, ".traceg", name);
    return open_in(text, name, error, &text->output);
}

static bool has_lines(const gpc_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; i < block->warps[w].count; i++)
            if (block->warps[w].instructions[i].line)
                return true;
    return false;
}

/* Write the header after the first block shows if lines need a column for the source line. */
static void settle_lines(text_sink *text, const gpc_block *block) {
    if (text->header_written && (text->with_lines || text->lines_lost))
        return;
    bool lines = has_lines(block);
    if (!text->header_written) {
        text->with_lines = lines;
        put_header(text);
    } else if (lines) {
        text->lines_lost = true;
        gpci_log(text->base.context, GPC_LOG_WARNING,
                 "kernel %s: source lines are left out, for its first block had none", text->kernel.name);
    }
}

/*
 * Rank in the cluster to write for a block: read again with this rank, the block's generic accesses must have the same
 * spaces. Accesses to own shared memory give the rank; otherwise any rank not used by accesses to other blocks.
 */
static uint32_t rank_of(const text_sink *text, const gpc_block *block) {
    uint32_t others = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (const gpc_instruction *instruction = block->warps[w].instructions,
                                   *end = instruction + block->warps[w].count;
             instruction < end; instruction++) {
            const uint64_t offset = instruction->addresses && instruction->mask
                                        ? instruction->addresses[0] - text->kernel.shared_base
                                        : UINT64_MAX;
            if (offset >> 24 >= 32)
                continue;
            if (instruction->space == GPC_SPACE_SHARED)
                return (uint32_t)(offset >> 24);
            others |= instruction->space == GPC_SPACE_CLUSTER ? 1u << (offset >> 24) : 0;
        }
    return others == UINT32_MAX ? 0 : gpci_lowest(~(uint64_t)others);
}

static gpc_status add_block(gpci_sink *sink, const gpc_trace *from, const gpc_block *block, gpc_error *error) {
    text_sink *text = of(sink);
    settle_lines(text, block);
    gpci_text_put(&text->text, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", block->x,
                  block->y, block->z);
    const uint32_t rank = rank_of(text, block);
    if (rank)
        gpci_text_put(&text->text, "cluster rank = %" PRIu32 "\n", rank);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpc_warp *warp = &block->warps[w];
        gpci_text_put(&text->text, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp->warp, warp->count);
        for (uint64_t i = 0; i < warp->count; i++) {
            const gpc_instruction *instruction = &warp->instructions[i];
            if (!gpci_text_line(&text->part, instruction, gpc_trace_opcode(from, instruction->opcode),
                                text->with_lines))
                return gpci_out_of_memory(error);
            gpc_status status = text->part.length > PART_BYTES ? flush(text, text->output, error) : GPC_OK;
            if (status < 0)
                return status;
        }
    }
    gpci_text_put(&text->text, "\n#END_TB\n");
    return flush(text, text->output, error);
}

static gpc_status write_list(text_sink *text, gpc_error *error) {
    gpci_output *output;
    gpc_status status = open_in(text, "kernelslist.g", error, &output);
    if (status < 0)
        return status;
    for (uint32_t k = 1; k <= text->kernels; k++)
        gpci_text_put(&text->text, "kernel-%" PRIu32 ".traceg\n", k);
    status = flush(text, output, error);
    if (status == GPC_OK)
        return gpci_output_commit(output, error);
    gpci_output_discard(output);
    return status;
}

/* Move a file to the existing folder; with `look`, only check that the move would replace a plain file or nothing. */
static gpc_status move_file(const text_sink *text, const char *name, bool look, gpc_error *error) {
    char *file = file_in(text, text->folder.name, name), *moved = file_in(text, text->path, name);
    gpc_status status = GPC_OK;
    struct stat about;
    if (!file || !moved)
        status = gpci_out_of_memory(error);
    else if (look && !lstat(moved, &about) && !S_ISREG(about.st_mode))
        status = gpci_fail(error, GPC_ERROR_IO, "cannot create %s: it is there and no file", moved);
    else if (!look && rename(file, moved))
        status = gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", moved, strerror(errno));
    gpci_free(text->base.context, file);
    gpci_free(text->base.context, moved);
    return status;
}

/* Remove a kernel's older placement files from the existing folder. */
static gpc_status drop_placements(const text_sink *text, uint32_t kernel, gpc_error *error) {
    static const char *const suffixes[] = {".sm", ".sm.xz", ".sm.gz", ".sm.zst"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[FILE_NAME_BYTES];
        kernel_file(kernel, suffixes[i], name);
        char *file = file_in(text, text->path, name);
        if (!file)
            return gpci_out_of_memory(error);
        unlink(file);
        gpci_free(text->base.context, file);
    }
    return GPC_OK;
}

/* Move every file, the list last; with `look`, only check the moves (move_file). */
static gpc_status move_files(const text_sink *text, bool look, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t k = 1; status == GPC_OK && k <= text->kernels; k++) {
        char name[FILE_NAME_BYTES];
        status = look ? GPC_OK : drop_placements(text, k, error);
        kernel_file(k, ".sm", name);
        if (status == GPC_OK && text->placed[k - 1])
            status = move_file(text, name, look, error);
        kernel_file(k, ".traceg", name);
        if (status == GPC_OK)
            status = move_file(text, name, look, error);
    }
    return status == GPC_OK ? move_file(text, "kernelslist.g", look, error) : status;
}

/* Remove the folder and its files, without allocating: memory may be exhausted. */
static void remove_files(const text_sink *text) {
    int folder = open(text->folder.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    for (uint32_t k = 1; k <= text->kernels; k++) {
        char name[FILE_NAME_BYTES];
        kernel_file(k, ".sm", name);
        unlinkat(folder, name, 0);
        kernel_file(k, ".traceg", name);
        unlinkat(folder, name, 0);
    }
    unlinkat(folder, "kernelslist.g", 0);
    close(folder);
    rmdir(text->folder.name);
}

static gpc_status finish(gpci_sink *sink, gpc_error *error) {
    text_sink *text = of(sink);
    gpc_status status = end_kernel(text, error);
    if (status == GPC_OK)
        status = write_list(text, error);
    if (status < 0)
        return status;
    if (!gpci_temporary_rename(&text->folder, text->path))
        return GPC_OK;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", text->path, strerror(errno));
    status = move_files(text, true, error);
    if (status == GPC_OK)
        status = move_files(text, false, error);
    if (status == GPC_OK) {
        rmdir(text->folder.name);
        gpci_temporary_release(&text->folder);
    }
    return status;
}

static void destroy(gpci_sink *sink) {
    text_sink *text = of(sink);
    gpc_context *context = sink->context;
    gpci_output_discard(text->output);
    if (text->folder.name)
        remove_files(text);
    gpci_free(context, (char *)(uintptr_t)text->kernel.name);
    gpci_buffer_clear(&text->part);
    gpci_free(context, text->placed);
    gpci_temporary_release(&text->folder);
    gpci_free(context, text->path);
    gpci_free(context, text);
    gpci_release(context);
}

static const gpci_sink_ops text_ops = {begin_kernel, add_block, finish, destroy};

gpc_status gpci_text_sink(gpc_context *context, const char *path, gpc_error *error, gpci_sink **out) {
    if (access(path, F_OK) == 0 && !gpci_is_folder(path))
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: it is there and no folder", path);
    text_sink *text = gpci_zalloc(context, 1, sizeof *text);
    if (!text)
        return gpci_out_of_memory(error);
    text->base = (gpci_sink){&text_ops, gpci_retain(context)};
    text->part.context = context;
    text->text = (gpci_text){.write = add_to_part, .data = &text->part};
    text->folder = (gpci_temporary){.context = context, .held = -1};
    gpc_status status = gpci_follow_links(context, path, error, &text->path);
    if (status == GPC_OK)
        status = gpci_temporary_folder(context, text->path, error, &text->folder);
    if (status < 0)
        destroy(&text->base);
    else
        *out = &text->base;
    return status;
}

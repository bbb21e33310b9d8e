/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)256 << 20)
#define HEAD 16u /* before every allocation: the size */

fuzz_told fuzz_last;

void fuzz_tell(uint64_t number) {
    fuzz_last.digest = (fuzz_last.digest ^ number) * 0x9e3779b97f4a7c15u;
    fuzz_last.digest ^= fuzz_last.digest >> 29;
}

void fuzz_tell_text(const char *text) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (; text && *text; text++)
        sum = (sum ^ (uint8_t)*text) * 0x100000001b3u;
    fuzz_tell(sum);
}

/* A file of fuzz_file_open has another number in another run. */
void fuzz_tell_error(gpc_status status, const gpc_error *error) {
    static const char file[] = "/proc/self/fd/";
    size_t at = 0;
    for (const char *from = error->message; status < 0 && *from && at < sizeof fuzz_last.error - 5;) {
        if (!strncmp(from, file, sizeof file - 1)) {
            memcpy(fuzz_last.error + at, "FILE", 4);
            at += 4;
            from += sizeof file - 1;
            from += strspn(from, "0123456789");
        } else {
            fuzz_last.error[at++] = *from < ' ' || *from > '~' ? '?' : *from;
            from++;
        }
    }
    fuzz_last.error[at] = '\0';
    fuzz_tell((uint64_t)status);
    fuzz_tell_text(fuzz_last.error);
}

static void *take(void *user_data, void *old, size_t bytes) {
    fuzz_memory *memory = user_data;
    char *start = old ? (char *)old - HEAD : NULL;
    size_t before = 0;
    if (start)
        memcpy(&before, start, sizeof before);
    if (memory->fail_at && !--memory->fail_at)
        return NULL;
    if (bytes > MOST_BYTES || memory->used - before + bytes > MOST_BYTES)
        return NULL;
    start = realloc(start, bytes + HEAD);
    CHECK(start);
    memcpy(start, &bytes, sizeof bytes);
    memory->used += bytes - before;
    return start + HEAD;
}

static void *take_new(void *user_data, size_t bytes) {
    return take(user_data, NULL, bytes);
}

static void give_back(void *user_data, void *old) {
    fuzz_memory *memory = user_data;
    size_t before;
    if (!old)
        return;
    memcpy(&before, (char *)old - HEAD, sizeof before);
    memory->used -= before;
    free((char *)old - HEAD);
}

void fuzz_memory_open(fuzz_memory *memory) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    memory->used = memory->fail_at = 0;
    options.allocate = take_new;
    options.resize = take;
    options.release = give_back;
    options.allocator_data = memory;
    CHECK(gpc_context_create(&options, &memory->context, NULL) == GPC_OK);
}

void fuzz_memory_close(fuzz_memory *memory) {
    gpc_context_destroy(memory->context);
    CHECK(memory->used == 0);
}

void fuzz_file_open(fuzz_file *file, const uint8_t *data, size_t size) {
    file->descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(file->descriptor >= 0);
    CHECK(write(file->descriptor, data, size) == (ssize_t)size);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
}

void fuzz_file_close(fuzz_file *file) {
    close(file->descriptor);
}

static void tell_instruction(const gpci_opcodes *opcodes, const gpc_instruction *in) {
    const uint64_t fields[] = {in->pc,    in->mask,         in->width,   in->op_class, in->kind,
                               in->space, in->destinations, in->sources, in->hint,     in->priority};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fuzz_tell(fields[i]);
    fuzz_tell_text(gpci_opcodes_at(opcodes, in->opcode)->text);
}

static uint64_t check_warp(const gpci_opcodes *opcodes, const gpc_kernel *kernel, const gpc_warp *warp) {
    uint64_t sum = 0;
    CHECK(warp->count >= 1);
    CHECK(warp->instructions[warp->count - 1].op_class == GPC_OP_EXIT);
    for (uint64_t i = 0; i < warp->count; i++) {
        const gpc_instruction *in = &warp->instructions[i];
        CHECK(in->opcode < gpci_opcodes_count(opcodes));
        CHECK(kernel->warp_lanes == 64 || in->mask <= UINT32_MAX);
        CHECK((unsigned)in->destinations + in->sources <= GPC_MAX_OPERANDS);
        CHECK(in->op_class < GPC_OP_CLASS_COUNT && in->kind < GPC_KIND_COUNT && in->space < GPC_SPACE_COUNT);
        CHECK(in->hint < GPC_HINT_COUNT && in->priority < GPC_PRIORITY_COUNT);
        CHECK(in->mask || !in->addresses);
        for (unsigned n = 0; in->addresses && n < gpci_popcount(in->mask); n++)
            sum += in->addresses[n] * (n + 1); /* every address is readable */
        tell_instruction(opcodes, in);
    }
    return sum;
}

static uint64_t check_block(const gpci_opcodes *opcodes, const gpc_kernel *kernel, const gpc_block *block) {
    uint64_t count = 0;
    uint64_t sum = 0;
    CHECK(block->x < kernel->grid[0] && block->y < kernel->grid[1] && block->z < kernel->grid[2]);
    CHECK(block->index == block->x + kernel->grid[0] * (block->y + (uint64_t)kernel->grid[1] * block->z));
    CHECK(block->warp_count == gpci_kernel_warps(kernel));
    for (uint32_t w = 0; w < block->warp_count; w++) {
        CHECK(block->warps[w].warp == w);
        count += block->warps[w].count;
        sum += check_warp(opcodes, kernel, &block->warps[w]);
    }
    CHECK(count == block->instruction_count);
    return sum;
}

static gpc_status read_kernel(gpci_source *source, const gpc_kernel *kernel, gpci_block *block, gpc_error *error,
                              void (*each)(gpc_context *, gpci_opcodes *, const gpc_kernel *, const gpc_block *)) {
    gpc_status status;
    CHECK(kernel->name && kernel->file);
    fuzz_tell_text(kernel->name);
    fuzz_tell(kernel->block_count);
    fuzz_tell(kernel->shared_bytes);
    fuzz_tell(kernel->registers);
    CHECK(kernel->placement_count <= kernel->block_count);
    while ((status = source->ops->next_block(source, block, error)) == GPC_OK) {
        fuzz_tell(check_block(source->opcodes, kernel, gpci_block_view(block)));
        if (each)
            each(source->context, source->opcodes, kernel, gpci_block_view(block));
    }
    return status == GPC_END ? GPC_OK : status;
}

gpc_status fuzz_read(gpc_context *context, fuzz_open open, const char *path,
                     void (*each)(gpc_context *, gpci_opcodes *, const gpc_kernel *, const gpc_block *)) {
    gpc_error error = GPC_ERROR_INIT;
    gpci_source *source = NULL;
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_block *block = gpci_block_create(context);
    CHECK(opcodes && block);
    gpc_status status = open(context, opcodes, path, &error, &source);
    CHECK((status == GPC_OK) == (source != NULL));
    while (status == GPC_OK) {
        gpc_kernel kernel = GPC_KERNEL_INIT;
        status = source->ops->next_kernel(source, &kernel, &error);
        if (status == GPC_OK)
            status = read_kernel(source, &kernel, block, &error, each);
        if (source->ops->progress(source) < 0 || source->ops->progress(source) > 1)
            abort();
    }
    CHECK(status == GPC_END || status == GPC_ERROR_FORMAT || status == GPC_ERROR_UNSUPPORTED ||
          status == GPC_ERROR_MEMORY || status == GPC_ERROR_NOT_FOUND ||
          status == GPC_ERROR_IO); /* IO: a decompressor */
    CHECK(status == GPC_END || (error.status == status && *error.message));
    fuzz_tell_error(status, &error);
    if (source)
        source->ops->close(source);
    gpci_block_destroy(block);
    gpci_opcodes_destroy(opcodes);
    return status;
}

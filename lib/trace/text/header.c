/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/header.h"

#include "trace/files/fields.h"
#include "trace/sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NEWEST_TRACER 6u
#define MOST_THREADS 65536u /* threads of a block; hardware has 1,024 */

typedef enum field_kind { DECIMAL32, HANDLE, HEX64, TRIPLE } field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset;
} field;

static const field fields[] = {
    {"kernel id", DECIMAL32, offsetof(gpc_kernel, id)},
    {"grid dim", TRIPLE, offsetof(gpc_kernel, grid)},
    {"block dim", TRIPLE, offsetof(gpc_kernel, block)},
    {"cluster dim", TRIPLE, offsetof(gpc_kernel, cluster)},
    {"shmem", DECIMAL32, offsetof(gpc_kernel, shared_bytes)},
    {"nregs", DECIMAL32, offsetof(gpc_kernel, registers)},
    {"binary version", DECIMAL32, offsetof(gpc_kernel, binary_version)},
    {"cuda stream id", HANDLE, offsetof(gpc_kernel, stream)},
    {"shmem base_addr", HEX64, offsetof(gpc_kernel, shared_base)},
    {"local mem base_addr", HEX64, offsetof(gpc_kernel, local_base)},
    {"accelsim tracer version", DECIMAL32, offsetof(gpc_kernel, tracer_version)},
};

/* Read "(x,y,z)". Returns the place behind; NULL: not a triple. */
static const char *parse_triple(const char *at, uint32_t *triple) {
    if (*at != '(')
        return NULL;
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        at = gpci_digits(at + 1, UINT32_MAX, &value);
        if (!at || *at != (i < 2 ? ',' : ')'))
            return NULL;
        triple[i] = (uint32_t)value;
    }
    return at + 1;
}

static const char *parse_field(const field *f, const char *at, gpc_kernel *kernel) {
    void *target = (char *)kernel + f->offset;
    uint64_t value;
    switch (f->kind) {
    case DECIMAL32:
        at = gpci_field_decimal(at, UINT32_MAX, &value);
        if (at)
            *(uint32_t *)target = (uint32_t)value;
        return at;
    case HANDLE:
        return gpci_field_handle(at, target);
    case HEX64:
        return gpci_field_hex(at, target);
    case TRIPLE:
        return parse_triple(at, target);
    }
    return NULL;
}

static gpc_status take_name(gpci_header *header, gpci_lines *lines, const char *from, const char *stop,
                            gpc_error *error) {
    while (stop > from && gpci_is_blank(stop[-1]))
        stop--;
    char *name = gpci_alloc(lines->context, (size_t)(stop - from) + 1);
    if (!name)
        return gpci_out_of_memory(error);
    memcpy(name, from, (size_t)(stop - from));
    name[stop - from] = 0;
    gpci_free(lines->context, header->name);
    header->name = name;
    header->kernel.name = name;
    return GPC_OK;
}

/* Read "-key = value". Unused keys are skipped. */
static gpc_status take_line(gpci_header *header, gpci_lines *lines, const char *line, const char *stop,
                            gpc_error *error) {
    const char *equals = memchr(line, '=', (size_t)(stop - line));
    if (*line != '-' || !equals)
        return gpci_lines_expected(lines, error, "a header line, \"-key = value\", or \"#traces format\"");
    const char *key_stop = equals, *value = gpci_skip_blanks(equals + 1);
    while (gpci_is_blank(key_stop[-1])) /* stops at the '-', which is no blank */
        key_stop--;
    size_t length = (size_t)(key_stop - line) - 1;
    if (length == 11 && !memcmp(line + 1, "kernel name", length))
        return take_name(header, lines, value, stop, error);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strlen(fields[i].key) != length || memcmp(line + 1, fields[i].key, length) != 0)
            continue;
        static const char *const forms[] = {"a decimal number below 2^32", "a decimal number from -2^63 to 2^64 - 1",
                                            "a hexadecimal number", "(x,y,z)"};
        const char *at = parse_field(&fields[i], value, &header->kernel);
        if (!at || gpci_skip_blanks(at) != stop)
            return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected \"-%s = \" and %s",
                             gpci_input_path(lines->input), lines->number, fields[i].key, forms[fields[i].kind]);
        header->has_grid |= fields[i].offset == offsetof(gpc_kernel, grid);
        header->has_block |= fields[i].offset == offsetof(gpc_kernel, block);
        return GPC_OK;
    }
    return GPC_OK;
}

bool gpci_cluster_divides(const uint32_t grid[3], const uint32_t cluster[3]) {
    const bool told = cluster[0] | cluster[1] | cluster[2];
    for (int i = 0; i < 3 && told; i++)
        if (!cluster[i] || grid[i] % cluster[i])
            return false;
    return true;
}

const char *gpci_kernel_check(gpc_kernel *kernel) {
    uint64_t threads = 1, blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (!kernel->grid[i] || !kernel->block[i])
            return "grid and block dimensions of at least 1";
        threads = threads > MOST_THREADS ? threads : threads * kernel->block[i];
        if (blocks > UINT32_MAX / kernel->grid[i])
            return "a grid of fewer than 2^32 thread blocks";
        blocks *= kernel->grid[i];
    }
    if (threads > MOST_THREADS)
        return "a thread block of at most 65536 threads";
    if (!gpci_cluster_divides(kernel->grid, kernel->cluster))
        return "cluster dimensions that divide those of the grid";
    if (kernel->warp_lanes != 32 && kernel->warp_lanes != 64)
        return "warps of 32 or 64 lanes";
    kernel->block_count = blocks;
    return NULL;
}

uint32_t gpci_kernel_warps(const gpc_kernel *kernel) {
    uint32_t threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    return (threads + kernel->warp_lanes - 1) / kernel->warp_lanes;
}

static gpc_status check(gpci_header *header, gpci_lines *lines, gpc_error *error) {
    if (!header->has_grid || !header->has_block)
        return gpci_lines_expected(lines, error, "\"-grid dim = (x,y,z)\" and \"-block dim = (x,y,z)\" before this");
    if (header->kernel.tracer_version > NEWEST_TRACER)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s: tracer version %u is not known, only those to %u",
                         gpci_input_path(lines->input), header->kernel.tracer_version, NEWEST_TRACER);
    const char *wrong = gpci_kernel_check(&header->kernel);
    return wrong ? gpci_lines_expected(lines, error, wrong) : GPC_OK;
}

gpc_status gpci_header_read(gpci_header *header, gpci_lines *lines, gpc_error *error) {
    *header = (gpci_header){.kernel = GPC_KERNEL_INIT};
    header->kernel.name = "";
    header->kernel.warp_lanes = 32;
    for (;;) {
        char *line, *stop;
        gpc_status status = gpci_lines_next_text(lines, &line, &stop, error);
        if (status == GPC_END)
            return gpci_lines_expected(lines, error, "a line \"#traces format = ...\" behind the header");
        if (status == GPC_OK && *line == '#') {
            header->at_block = !strncmp(line, "#BEGIN_TB", 9);
            return check(header, lines, error);
        }
        if (status == GPC_OK)
            status = take_line(header, lines, line, stop, error);
        if (status < 0)
            return status;
    }
}

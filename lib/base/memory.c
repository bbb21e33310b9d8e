/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY_LINE 64u

void *gpci_default_allocate(void *user_data, size_t bytes) {
    (void)user_data;
    return malloc(bytes);
}

void *gpci_default_resize(void *user_data, void *memory, size_t bytes) {
    (void)user_data;
    return realloc(memory, bytes);
}

void gpci_default_release(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

/* Count a new block in the checking build: gpci_release reports blocks that are never freed. */
static void *counted(gpc_context *context, void *memory) {
    (void)context;
    if (memory)
        GPCI_AGAIN(context->blocks++);
    return memory;
}

void *gpci_alloc(gpc_context *context, size_t bytes) {
    return counted(context, context->allocate(context->allocator_data, bytes ? bytes : 1));
}

/* Allocate zeros. calloc does not write to fresh pages, which are zero already: unwritten pages cost nothing. */
static void *alloc_zeros(gpc_context *context, size_t bytes) {
    if (context->allocate == gpci_default_allocate)
        return counted(context, calloc(1, bytes ? bytes : 1));
    void *memory = gpci_alloc(context, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *gpci_zalloc(gpc_context *context, size_t count, size_t bytes) {
    return bytes && count > SIZE_MAX / bytes ? NULL : alloc_zeros(context, count * bytes);
}

void *gpci_resize(gpc_context *context, void *memory, size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / bytes)
        return NULL;
    size_t total = count * bytes;
    void *resized = context->resize(context->allocator_data, memory, total > 0 ? total : 1);
    return memory ? resized : counted(context, resized);
}

void gpci_free(gpc_context *context, void *memory) {
    if (!memory)
        return;
    GPCI_AGAIN(context->blocks--);
    context->release(context->allocator_data, memory);
}

char *gpci_strdup(gpc_context *context, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = gpci_alloc(context, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/*
 * The host's allocation functions promise no alignment beyond malloc's. Therefore a larger block is allocated, and the
 * address of the block is stored directly before the aligned memory.
 */
void *gpci_zalloc_lines(gpc_context *context, size_t count, size_t bytes) {
    if (bytes && count > (SIZE_MAX - MEMORY_LINE - sizeof(void *)) / bytes)
        return NULL;
    size_t total = count * bytes;
    char *start = alloc_zeros(context, total + MEMORY_LINE + sizeof(void *));
    if (!start)
        return NULL;
    char *line = start + sizeof(void *);
    line += (MEMORY_LINE - (uintptr_t)line % MEMORY_LINE) % MEMORY_LINE;
    memcpy(line - sizeof(void *), &start, sizeof start);
    return line;
}

void gpci_free_lines(gpc_context *context, void *memory) {
    if (!memory)
        return;
    void *start;
    memcpy(&start, (char *)memory - sizeof(void *), sizeof start);
    gpci_free(context, start);
}

/* Table of gpci_count_sectors: number of set bits of 0 to 255. */
#define COUNTS_OF_2_BITS(n) (n), (n) + 1, (n) + 1, (n) + 2
#define COUNTS_OF_4_BITS(n) \
    COUNTS_OF_2_BITS(n), COUNTS_OF_2_BITS((n) + 1), COUNTS_OF_2_BITS((n) + 1), COUNTS_OF_2_BITS((n) + 2)
#define COUNTS_OF_6_BITS(n) \
    COUNTS_OF_4_BITS(n), COUNTS_OF_4_BITS((n) + 1), COUNTS_OF_4_BITS((n) + 1), COUNTS_OF_4_BITS((n) + 2)

_Alignas(64) const uint8_t gpci_sector_counts[256] = {COUNTS_OF_6_BITS(0), COUNTS_OF_6_BITS(1), COUNTS_OF_6_BITS(1),
                                                      COUNTS_OF_6_BITS(2)};

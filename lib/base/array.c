/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mremap */
#endif
#include "base/array.h"

#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

size_t gpci_array_larger(size_t capacity, size_t count, size_t more, size_t bytes) {
    size_t most = SIZE_MAX / 2 / bytes;
    if (more > most || count > most - more)
        return 0;
    size_t larger = capacity < GPCI_ARRAY_LARGE / bytes ? capacity * 2 : capacity + capacity / 2;
    larger = larger > GPCI_ARRAY_FIRST / bytes ? larger : GPCI_ARRAY_FIRST / bytes;
    larger = larger > GPCI_ARRAY_LEAST ? larger : GPCI_ARRAY_LEAST;
    larger = larger > count + more ? larger : count + more;
    return larger < most ? larger : most;
}

bool gpci_array_grow(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes) {
    size_t larger = gpci_array_larger(*capacity, count, more, bytes);
    void *memory;
    memcpy(&memory, items, sizeof memory); /* read a pointer of any type; a cast would break strict aliasing */
    memory = larger ? gpci_resize(context, memory, larger, bytes) : NULL;
    if (!memory)
        return false;
    memcpy(items, &memory, sizeof memory);
    *capacity = larger;
    return true;
}

/* Pages are mapped only without sanitizers, which do not check mapped pages. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static bool in_pages(const gpc_context *context, size_t bytes) {
    return bytes >= GPCI_ARRAY_PAGES && context->allocate == gpci_default_allocate;
}

static void *map(void *memory, size_t had, size_t bytes) {
    void *pages = had ? mremap(memory, had, bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void unmap(void *memory, size_t bytes) {
    (void)munmap(memory, bytes);
}
#else
static bool in_pages(const gpc_context *context, size_t bytes) {
    (void)context, (void)bytes;
    return false;
}

static void *map(void *memory, size_t had, size_t bytes) {
    (void)memory, (void)had, (void)bytes;
    return NULL;
}

static void unmap(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
#endif

void *gpci_array_enlarge(gpc_context *context, void *memory, size_t had, size_t bytes) {
    if (!in_pages(context, bytes))
        return gpci_resize(context, memory, bytes, 1);
    if (in_pages(context, had))
        return map(memory, had, bytes);
    void *pages = map(NULL, 0, bytes);
    if (pages && had)
        memcpy(pages, memory, had);
    if (pages)
        gpci_free(context, memory);
    return pages;
}

void gpci_array_free(gpc_context *context, void *memory, size_t bytes) {
    if (memory && in_pages(context, bytes))
        unmap(memory, bytes);
    else
        gpci_free(context, memory);
}

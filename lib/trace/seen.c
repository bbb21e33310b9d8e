/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/seen.h"

#include "base/array.h"

#define PAGE_BITS 32768u
#define PAGE_WORDS (PAGE_BITS / 64)

void gpci_seen_init(gpci_seen *seen, gpc_context *context) {
    *seen = (gpci_seen){.context = context};
}

void gpci_seen_clear(gpci_seen *seen) {
    for (size_t i = 0; i < seen->page_count; i++)
        gpci_free(seen->context, seen->pages[i]);
    if (seen->context)
        gpci_free(seen->context, seen->pages);
    *seen = (gpci_seen){.context = seen->context};
}

static bool reserve_page(gpci_seen *seen, size_t page) {
    if (page < seen->page_count)
        return true;
    if (!GPCI_ARRAY_RESERVE(seen->context, seen->pages, seen->page_capacity, seen->page_count,
                            page + 1 - seen->page_count))
        return false;
    while (seen->page_count <= page)
        seen->pages[seen->page_count++] = NULL;
    return true;
}

gpc_status gpci_seen_add(gpci_seen *seen, uint32_t index, bool *fresh) {
    size_t page = index / PAGE_BITS;
    if (!reserve_page(seen, page))
        return GPC_ERROR_MEMORY;
    if (!seen->pages[page])
        seen->pages[page] = gpci_zalloc(seen->context, PAGE_WORDS, sizeof(uint64_t));
    if (!seen->pages[page])
        return GPC_ERROR_MEMORY;
    uint64_t *word = &seen->pages[page][index % PAGE_BITS / 64], bit = UINT64_C(1) << index % 64;
    *fresh = !(*word & bit);
    *word |= bit;
    return GPC_OK;
}

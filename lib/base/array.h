/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_ARRAY_H
#define GPC_BASE_ARRAY_H

#include "base/base.h"

/*
 * Growing arrays. The owner keeps `T *items` and `size_t capacity`, which begin as zeros, and the number of items:
 *
 *     if (!GPCI_ARRAY_RESERVE(context, list->items, list->capacity, list->count, 1))
 *         return GPC_ERROR_MEMORY;
 *     list->items[list->count++] = item;
 *
 * Capacity doubles up to GPCI_ARRAY_LARGE bytes. Beyond the limit capacity grows by half, to leave less memory unused.
 */
#define GPCI_ARRAY_LARGE (1u << 20)
#define GPCI_ARRAY_FIRST 512u /* bytes of the first allocation, for at least GPCI_ARRAY_LEAST items */
#define GPCI_ARRAY_LEAST 4u

/*
 * Make room for `more` items behind `count` items. False: out of memory, or too many items; items and capacity are
 * unchanged.
 */
#define GPCI_ARRAY_RESERVE(context, items, capacity, count, more) \
    gpci_array_reserve(context, &(items), &(capacity), count, more, sizeof *(items))

/* Next capacity after `capacity`, for `more` items behind `count` items of `bytes` bytes. 0: too many for memory. */
size_t gpci_array_larger(size_t capacity, size_t count, size_t more, size_t bytes);

/*
 * Memory of arrays that become large; the owner keeps the size in bytes. An array of GPCI_ARRAY_PAGES bytes or more
 * consists of mapped pages: growing moves pages and does not copy, freeing returns pages to the system, and unwritten
 * pages cost nothing. But if the host has set an allocator, all memory comes from the allocator. Never shrink an array.
 */
#define GPCI_ARRAY_PAGES (1u << 17)
/*
 * Enlarge memory from `had` to `bytes` bytes; `had` 0: first allocation. NULL: out of memory, and the old memory stays.
 */
void *gpci_array_enlarge(gpc_context *context, void *memory, size_t had, size_t bytes);
void gpci_array_free(gpc_context *context, void *memory, size_t bytes);

/* Grow an array. `items` is the address of the owner's pointer to the items. False: as for GPCI_ARRAY_RESERVE. */
bool gpci_array_grow(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes);

GPCI_INLINE bool gpci_array_reserve(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more,
                                    size_t bytes) {
    return GPCI_LIKELY(more <= *capacity - count) || gpci_array_grow(context, items, capacity, count, more, bytes);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_ARRAY_H
#define GPC_BASE_ARRAY_H

#include "base/base.h"

/*
 * Arrays that grow. Whoever has one keeps `T *items`, `size_t capacity` (both zero at first) and a count of its own:
 *
 *     if (!GPCI_ARRAY_ROOM(context, list->items, list->capacity, list->count, 1))
 *         return GPC_ERROR_MEMORY;
 *     list->items[list->count++] = item;
 *
 * They double while they are small, and grow by half from GPCI_ARRAY_LARGE bytes on, to leave less of them unused.
 */
#define GPCI_ARRAY_LARGE (1u << 20)
#define GPCI_ARRAY_FIRST 512u /* bytes of the first allocation, for GPCI_ARRAY_LEAST items at least */
#define GPCI_ARRAY_LEAST 4u

/* Room for `more` items behind `count` of them. False: out of memory, or too many; items and capacity are as before. */
#define GPCI_ARRAY_ROOM(context, items, capacity, count, more) \
    gpci_array_room(context, &(items), &(capacity), count, more, sizeof *(items))

/*
 * The capacity that comes after `capacity` for `more` items behind `count`, of `bytes` each. 0: no memory holds them.
 */
size_t gpci_array_larger(size_t capacity, size_t count, size_t more, size_t bytes);

/*
 * Memory of arrays that become large, for whoever knows how large it is, in bytes: from GPCI_ARRAY_PAGES on its pages
 * are moved when it grows, not copied, and go back to the system when it is freed, whatever lies beside it. What has
 * not been written to costs nothing. Of a context with an allocator of its host's it comes from that. Not to shrink.
 */
#define GPCI_ARRAY_PAGES (1u << 17)
/* `had` 0: none yet. NULL: out of memory, and what there was stays. */
void *gpci_array_enlarge(gpc_context *context, void *memory, size_t had, size_t bytes);
void gpci_array_free(gpc_context *context, void *memory, size_t bytes);

/* `items` is the address of the pointer. */
bool gpci_array_grow(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes);

GPCI_INLINE bool gpci_array_room(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more,
                                 size_t bytes) {
    return GPCI_LIKELY(more <= *capacity - count) || gpci_array_grow(context, items, capacity, count, more, bytes);
}

#endif

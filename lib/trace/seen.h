/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SEEN_H
#define GPC_TRACE_SEEN_H

#include "base/base.h"

/* Set of block indices. Memory grows with the number of indices, not with the largest index. */
typedef struct gpci_seen {
    gpc_context *context;
    uint64_t **pages;
    size_t page_count, page_capacity;
} gpci_seen;

void gpci_seen_init(gpci_seen *seen, gpc_context *context);
void gpci_seen_clear(gpci_seen *seen);
/* Add an index. *fresh: the index is new. Fails with GPC_ERROR_MEMORY. */
gpc_status gpci_seen_add(gpci_seen *seen, uint32_t index, bool *fresh);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_REFERENCE_INTERNAL_H
#define TESTS_ORACLE_REFERENCE_INTERNAL_H

#include "oracle/reference.h"

/* Common declarations of the model's halves. */

#define NO_WAY UINT32_MAX

/* A request against the geometry. */
typedef struct decoded {
    uint64_t number;
    uint32_t set;
    bool need[8];
    bool bytes[4096]; /* written by a store or an atomic, in needed sectors */
    bool whole[8];    /* needed, and every byte written by a store */
} decoded;

/* reference_lines.c: geometry, and lines that come and go. */
uint8_t mask_of(const bool *flags);
unsigned count_of(const bool *flags);
uint32_t sector_bytes(const model *m);
bool has_byte_masks(const model *m);
bool is_read(const gpc_request *r);
bool is_atomic(const gpc_request *r);
gpc_status decode(const model *m, const gpc_request *r, decoded *d);
model_line *line_of(const model *m, uint32_t set, uint32_t way);
uint32_t find_line(const model *m, const decoded *d);
/* `r`: the request that needs the way; NULL: the line is invalidated. */
void drop_line(model *m, uint32_t set, uint32_t way, const gpc_request *r, gpc_eviction *e);
/* A way, or NO_WAY with the reason in result->outcome. */
uint32_t take_way(model *m, const gpc_request *r, const decoded *d, gpc_access_result *result);
void tell(model *m, event_kind of_policy, event_kind of_predictor, uint32_t set, uint32_t way, const gpc_request *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_REQUESTS_H
#define GPC_CACHE_REQUESTS_H

#include "base/base.h"

/* Kinds of requests, and checks of requests. */

GPCI_INLINE bool gpci_is_read(const gpc_request *request) {
    return request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
}

GPCI_INLINE bool gpci_is_write(const gpc_request *request) {
    return request->kind == GPC_STORE;
}

GPCI_INLINE bool gpci_is_atomic(const gpc_request *request) {
    return request->kind == GPC_ATOMIC || request->kind == GPC_REDUCTION;
}

/*
 * Every field of a gpc_request, by the part that a request made from another request takes over. A field without a
 * class does not compile.
 *   ACCESS  of the warp access, under the same name: equal in all requests made for the access
 *   ASKER   equal in all requests made for an access, but computed by the maker of the first request
 *   LINE    of the bytes of one line: kept by requests for the same line, not by requests for another line
 *   LEVEL   decided anew at each level
 */
#define GPCI_REQUEST_ACCESS(X)                                                                                  \
    X(pc), X(sm), X(warp), X(warp_age), X(block), X(space), X(hint), X(token), X(token_l2), X(scope), X(order), \
        X(stream), X(copy), X(process)
#define GPCI_REQUEST_ASKER(X) X(cycle), X(kernel), X(transactions), X(priority)
#define GPCI_REQUEST_LINE(X) X(address), X(next_use), X(byte_mask), X(size), X(bytes_used), X(sector_mask), X(continues)
#define GPCI_REQUEST_LEVEL(X) X(policy_word), X(kind), X(admitted)

#define GPCI_FIELD_BYTES(field) field[sizeof(((gpc_request *)0)->field)]
_Static_assert(sizeof(struct {
                   uint8_t GPCI_REQUEST_ACCESS(GPCI_FIELD_BYTES), GPCI_REQUEST_ASKER(GPCI_FIELD_BYTES),
                       GPCI_REQUEST_LINE(GPCI_FIELD_BYTES), GPCI_REQUEST_LEVEL(GPCI_FIELD_BYTES);
               }) == offsetof(gpc_request, reserved),
               "each field of a request is in one class");

/* A request for another line on account of `requester`, such as a prefetch. */
GPCI_INLINE gpc_request gpci_request_inherit(const gpc_request *requester) {
    gpc_request request = {0};
#define TAKE(field) request.field = requester->field
    GPCI_REQUEST_ACCESS(TAKE);
    GPCI_REQUEST_ASKER(TAKE);
#undef TAKE
    return request;
}

/* True if a cache has lines of the request's space. Read-only spaces accept only reads. */
GPCI_INLINE bool gpci_space_is_cached(const gpc_request *request) {
    const uint8_t space = request->space;
    return GPCI_LIKELY(space <= GPC_SPACE_LOCAL) ||
           ((space == GPC_SPACE_CONSTANT || space == GPC_SPACE_TEXTURE || space == GPC_SPACE_INSTRUCTION) &&
            gpci_is_read(request));
}

/* Possible faults of a request to a cache with such lines: X(field, true if faulty). */
#define GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors)                                    \
    X(kind, (request)->kind >= GPC_KIND_COUNT)                                                  \
    X(hint, (request)->hint >= GPC_HINT_COUNT)                                                  \
    X(priority, (request)->priority >= GPC_PRIORITY_COUNT)                                      \
    X(space, !gpci_space_is_cached(request))                                                    \
    X(token, (request)->token >= GPC_TOKEN_COUNT)                                               \
    X(continues, (request)->continues > 1)                                                      \
    X(size, (request)->size > (line_bytes) - ((uint32_t)(request)->address & ((line_bytes)-1))) \
    X(sector_mask, (request)->sector_mask & ~(sectors))

/* True if the request has no fault. `sectors`: a bit for each sector of the line. */
GPCI_INLINE bool gpci_request_is_sound(const gpc_request *request, uint32_t line_bytes, uint8_t sectors) {
#define X(field, fault) || (fault)
    return !(false GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors));
#undef X
}

/* Name of a faulty field; NULL if the request has no fault. */
GPCI_INLINE const char *gpci_request_fault(const gpc_request *request, uint32_t line_bytes, uint8_t sectors) {
#define X(field, fault) \
    if (fault)          \
        return #field;
    GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors)
#undef X
    return NULL;
}

/* gpc_cache_stall: asks the predictor about loads stopped at the tags, and only for three reasons. */
GPCI_INLINE gpc_decision gpci_predictor_stall(const gpc_predictor_ops *ops, void *self, const gpc_request *request,
                                              uint32_t reason) {
    const bool asked = ops->on_stall && gpci_is_read(request) &&
                       (reason == GPC_BUSY_LINE || reason == GPC_BUSY_MSHR || reason == GPC_BUSY_MISS_QUEUE);
    return asked && ops->on_stall(self, request, reason) == GPC_BYPASS ? GPC_BYPASS : GPC_CACHE;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/atomic.h"

#include "coherence/module/transaction.h"

/*
 * Read-modify-write operations. The atomics of an access are performed in one step by the module that performs the
 * store: the module with write permission, or, in protocols that send a STORE past the first level, the module where
 * the store ends.
 *
 * Example, two lanes of a warp add 1 and 2 to a word of value 5: the atomics return 5 and 6, and leave 8.
 */

uint64_t gpci_atomic_read(const uint8_t *bytes, uint32_t width) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

void gpci_atomic_write(uint8_t *bytes, uint32_t width, uint64_t value) {
    for (uint32_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/*
 * Smaller of two values, compared after inverting the bit `sign`. With the highest bit as `sign`, the order is that of
 * signed values; with 0, of unsigned values.
 */
static uint64_t smaller(uint64_t a, uint64_t b, uint64_t sign) {
    return (a ^ sign) < (b ^ sign) ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b, uint64_t sign) {
    return (a ^ sign) < (b ^ sign) ? b : a;
}

uint64_t gpci_atomic_result(const gpc_atomic *atomic) {
    const uint64_t all = atomic->width < 8 ? ((uint64_t)1 << 8 * atomic->width) - 1 : UINT64_MAX, sign = all ^ all >> 1;
    const uint64_t old = atomic->old & all, b = atomic->operand & all;
    switch (atomic->op) {
    case GPC_OP_ADD:
        return (old + b) & all;
    case GPC_OP_MIN:
        return smaller(old, b, 0);
    case GPC_OP_MAX:
        return larger(old, b, 0);
    case GPC_OP_MIN_SIGNED:
        return smaller(old, b, sign);
    case GPC_OP_MAX_SIGNED:
        return larger(old, b, sign);
    case GPC_OP_AND:
        return old & b;
    case GPC_OP_OR:
        return old | b;
    case GPC_OP_XOR:
        return old ^ b;
    case GPC_OP_COMPARE_SWAP:
        return old == (atomic->compare & all) ? b : old;
    case GPC_OP_INC:
        return old >= b ? 0 : old + 1;
    case GPC_OP_DEC:
        return !old || old > b ? b : old - 1;
    default: /* GPC_OP_EXCHANGE */
        return b;
    }
}

void gpci_tree_atomics_begin(gpc_atomic *atomics, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        atomics[i].done = 0;
}

/* Reason why an atomic is invalid, for the error message; NULL: the atomic is valid. */
static const char *wrong_atomic(const gpc_atomic *atomic, const gpc_coherence_request *request) {
    if (atomic->op == GPC_OP_NONE || atomic->op >= GPC_OP_COUNT)
        return "op is none of gpc_atomic_op";
    if (atomic->width != 4 && atomic->width != 8)
        return "width is not 4 or 8";
    if (atomic->offset > request->size || atomic->width > request->size - atomic->offset)
        return "offset is beyond the bytes of the access";
    return (request->address + atomic->offset) & (atomic->width - 1u) ? "its address is no multiple of its width"
                                                                      : NULL;
}

gpc_status gpci_tree_atomics_check(const gpc_coherence *coherence, const char *call,
                                   const gpc_coherence_request *request, gpc_error *error) {
    const char *wrong = !request->atomics                     ? "atomic_count without atomics"
                        : request->kind == GPC_COHERENCE_LOAD ? "atomics of what is no STORE"
                        : request->kind != GPC_COHERENCE_STORE && gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY)
                            ? "atomics of what is no STORE, in a tree with directories"
                        : !coherence->with_data           ? "atomics in a tree without data"
                        : request->bytes || request->mask ? "atomics beside bytes or mask"
                                                          : NULL;
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s", call, wrong);
    for (uint32_t i = 0; i < request->atomic_count; i++) {
        wrong = wrong_atomic(&request->atomics[i], request);
        if (wrong)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: atomics[%u]: %s", call, i, wrong);
    }
    return GPC_OK;
}

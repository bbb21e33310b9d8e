/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PACKER_H
#define GPC_TRACE_PACKER_H

#include "trace/builder.h"
#include "trace/packed.h"

/* Forms in pieces that never move. */
#define GPCI_FORMS_PER_PIECE 63u
typedef struct gpci_form_piece {
    struct gpci_form_piece *next;
    gpci_form forms[GPCI_FORMS_PER_PIECE];
} gpci_form_piece;

/* Forms that blocks point at. Once there are many a new set begins, and the old one goes with its last block. */
#define GPCI_MOST_FORMS 32768u
typedef struct gpci_form_set {
    size_t users;            /* blocks, and the packer */
    size_t count;            /* of forms */
    gpci_form_piece *pieces; /* the newest first */
    gpci_form **known;       /* [known_mask + 1] by hash, NULL = free; at most half of them used */
    size_t known_mask;
    gpci_form first; /* before a warp's first instruction */
} gpci_form_set;

/* Makes packed blocks of warps that are built one after the other. */
typedef struct gpci_packer {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_form_set *set;
    uint64_t sets;     /* that there have been: forms of an earlier one may be gone */
    gpci_path **paths; /* [path_mask + 1] lists by hash */
    size_t path_mask, path_count;
    /* the block at hand */
    gpci_packed_warp *warps; /* [warp_count]; addresses: NULL, they may still move */
    size_t *starts;          /* [warp_count] in `bytes` */
    uint32_t warp_count, warp_capacity;
    gpci_buffer bytes;
    /* the warp at hand */
    uint32_t warp;
    gpci_path_step *steps; /* [step_count] */
    size_t step_count, step_capacity;
    uint64_t hash;                  /* of these */
    gpci_form *last;                /* the last of them */
    uint64_t before;                /* the first lane's address at its last access */
    uint64_t list[GPCI_MOST_LANES]; /* the distances last listed, */
    unsigned listed;                /* of so many lanes */
} gpci_packer;

void gpci_packer_init(gpci_packer *packer, gpc_context *context, gpci_opcodes *opcodes);
void gpci_packer_clear(gpci_packer *packer);
/* A block begins. */
bool gpci_packer_start(gpci_packer *packer, uint32_t warp_count);
/* A warp of it begins; its next instructions; and its end. False: out of memory. */
void gpci_packer_begin(gpci_packer *packer, uint32_t warp);
bool gpci_packer_add(gpci_packer *packer, const gpc_instruction *instructions, size_t count);
/*
 * The form of the last, which may be repeated while `sets` is the same: by other lanes, but none only if it had none;
 * with their addresses, if it has any, the first lane's and so on by a stride, or one by one.
 */
GPCI_INLINE gpci_form *gpci_packer_last(const gpci_packer *packer) {
    return packer->last;
}
bool gpci_packer_repeat(gpci_packer *packer, gpci_form *form, uint64_t mask);
bool gpci_packer_repeat_stride(gpci_packer *packer, gpci_form *form, uint64_t mask, uint64_t first, uint64_t stride);
bool gpci_packer_repeat_list(gpci_packer *packer, gpci_form *form, uint64_t mask, const uint64_t *addresses);
bool gpci_packer_end(gpci_packer *packer);
/* The block, in memory of its own. NULL: out of memory. */
gpci_packed_block *gpci_packer_finish(gpci_packer *packer, uint32_t index);
void gpci_packer_release(gpci_packer *packer, gpci_packed_block *block);

#endif

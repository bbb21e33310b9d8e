/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PACKER_H
#define GPC_TRACE_PACKER_H

#include "trace/blocks/builder.h"
#include "trace/blocks/packed.h"

/* Piece of a set's forms. A piece never moves: pointers to forms stay valid. */
#define GPCI_FORMS_PER_PIECE 63u
typedef struct gpci_form_piece {
    struct gpci_form_piece *next;
    gpci_form forms[GPCI_FORMS_PER_PIECE];
} gpci_form_piece;

/* Set of forms used by blocks. If a set has many forms, a new set begins; the old set is freed with its last block. */
#define GPCI_MOST_FORMS 32768u
typedef struct gpci_form_set {
    size_t users;            /* blocks, and the packer */
    size_t count;            /* number of forms */
    gpci_form_piece *pieces; /* list of pieces, newest first */
    gpci_form **known;       /* [known_mask + 1] by hash, NULL = free; at most half in use */
    size_t known_mask;
    gpci_form first; /* form before a warp's first instruction */
} gpci_form_set;

/* Maker of packed blocks from warps built one after the other. */
typedef struct gpci_packer {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_form_set *set;
    uint64_t sets;     /* number of sets until now: forms of an earlier set may be freed */
    gpci_path **paths; /* [path_mask + 1]: hash table of lists */
    size_t path_mask, path_count;
    /* State of the present block. */
    gpci_packed_warp *warps; /* [warp_count]; addresses are NULL, because `bytes` may still move */
    size_t *starts;          /* [warp_count]: offset in `bytes` */
    uint32_t warp_count, warp_capacity;
    gpci_buffer bytes;
    /* State of the present warp. */
    uint32_t warp;
    gpci_path_step *steps; /* [step_count] */
    size_t step_count, step_capacity;
    uint64_t hash;                  /* hash of the steps */
    gpci_form *last;                /* form of the last step */
    uint64_t before;                /* first lane's address in the last access */
    uint64_t list[GPCI_MOST_LANES]; /* distances of the last list */
    unsigned listed;                /* number of lanes in `list` */
} gpci_packer;

void gpci_packer_init(gpci_packer *packer, gpc_context *context, gpci_opcodes *opcodes);
void gpci_packer_clear(gpci_packer *packer);
/* Begin a block. False: out of memory. */
bool gpci_packer_start(gpci_packer *packer, uint32_t warp_count);
/* Begin a warp of the block. */
void gpci_packer_begin(gpci_packer *packer, uint32_t warp);
/* Add the warp's next instructions. False: out of memory. */
bool gpci_packer_add(gpci_packer *packer, const gpc_instruction *instructions, size_t count);
/* Form of the last added instruction. */
GPCI_INLINE gpci_form *gpci_packer_last(const gpci_packer *packer) {
    return packer->last;
}
/*
 * Add the instruction of a form again, with the lanes `mask`, as long as `sets` has not changed. `mask` may be 0 only
 * if the form's mask is 0. If the form has addresses, use one of the next two functions. False: out of memory.
 */
bool gpci_packer_repeat(gpci_packer *packer, gpci_form *form, uint64_t mask);
/* Add the instruction with addresses from `first`, `stride` apart; or with a list, an address for each lane. */
bool gpci_packer_repeat_stride(gpci_packer *packer, gpci_form *form, uint64_t mask, uint64_t first, uint64_t stride);
bool gpci_packer_repeat_list(gpci_packer *packer, gpci_form *form, uint64_t mask, const uint64_t *addresses);
/* End the warp. False: out of memory. */
bool gpci_packer_end(gpci_packer *packer);
/* End the block: copy it to memory of its own. NULL: out of memory. */
gpci_packed_block *gpci_packer_finish(gpci_packer *packer, uint32_t index);
void gpci_packer_release(gpci_packer *packer, gpci_packed_block *block);

#endif

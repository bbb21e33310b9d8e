/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_RECORD_RECORDED_KERNEL_H
#define GPC_RECORD_RECORDED_KERNEL_H

#include "base/map.h"
#include "level/rules/hierarchy.h"
#include "trace/rows.h"

#include <gpucache/replay.h>

/* Form: data that many instructions have in common. The opcode is made from the other fields (gpci_forms_number). */
typedef struct gpci_recorded_form {
    uint8_t kind, space, hint, priority, width, scope, order;
    uint8_t fence; /* 1 = a fence with only `scope`, `order` and `control` */
    uint8_t control, local_offsets;
    uint32_t opcode;
} gpci_recorded_form;

typedef struct gpci_recorded_forms {
    gpc_context *context;
    gpci_recorded_form *items;
    size_t capacity;
    gpci_map known;
} gpci_recorded_forms;

/* recorded_forms.c: find or add a form. `form` has no opcode yet. Returns the number; UINT32_MAX: out of memory. */
uint32_t gpci_forms_number(gpci_recorded_forms *forms, gpci_opcodes *opcodes, gpci_recorded_form form);
/* Set the fields of an instruction that its opcode cannot express (gpci_rows.made). */
void gpci_forms_made(const void *forms, const gpci_row *row, gpc_instruction *instruction);
void gpci_forms_free(gpci_recorded_forms *forms);

/* Thread block that a host runs on an SM. `block`: the host's number; when written, the number in the grid. */
typedef struct gpci_recorded_block {
    uint32_t sm, block;
    uint32_t warps; /* warps seen until now */
} gpci_recorded_block;

/* Present kernel: instructions in order of arrival, with their warps. */
typedef struct gpci_recorded_kernel {
    gpc_context *context;
    uint32_t lanes; /* lanes of warps: 32 or 64 */
    gpci_rows rows; /* instructions; until the kernel is written, a row's block is an index in `blocks` */
    gpci_recorded_forms forms;
    gpc_turn *turns;
    size_t turn_count, turn_capacity;
    gpci_recorded_block *blocks;
    size_t block_count, block_capacity;
    /* block_of: SM and the host's block -> index in `blocks`. warp_of: that index and the slot -> the block's warp. */
    gpci_map block_of, warp_of;
    gpci_map last;           /* SM and slot -> host's block of the slot's last access: a fence names no block */
    gpc_recording recording; /* `turns` are set when the kernel is written */
    uint32_t id;             /* number of earlier kernels */
} gpci_recorded_kernel;

void gpci_recorded_init(gpci_recorded_kernel *kernel, gpc_context *context, uint32_t lanes);
void gpci_recorded_free(gpci_recorded_kernel *kernel);
bool gpci_recorded_is_empty(const gpci_recorded_kernel *kernel);
/*
 * Add an access or a fence. `turn` names the SM, the slot and the host's block. The added turn has the block and the
 * warp as the trace numbers them.
 */
gpc_status gpci_recorded_add(gpci_recorded_kernel *kernel, gpci_opcodes *opcodes, const gpci_recorded_form *form,
                             uint64_t pc, uint64_t mask, const uint64_t *addresses, gpc_turn turn);
/* Host's block of the last access from a slot; 0 if the slot had no access. */
uint32_t gpci_recorded_block_at(const gpci_recorded_kernel *kernel, uint32_t sm, uint32_t slot);
gpc_status gpci_recorded_turn(gpci_recorded_kernel *kernel, const gpc_turn *turn);
/* Write the kernel, and begin the next kernel. */
gpc_status gpci_recorded_write(gpci_recorded_kernel *kernel, gpc_trace *from, gpci_block *block,
                               gpc_trace_writer *writer, gpc_error *error);

#endif

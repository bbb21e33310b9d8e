/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_CHOICE_H
#define GPC_TRACE_CHOICE_H

#include "base/base.h"

/* Item of a choice: kernels with the numbers `first` to `last`; if `name` is not NULL, kernels with a fitting name. */
typedef struct gpci_chosen {
    char *name;           /* pattern: * fits any text, ? any character; NULL: numbers */
    uint64_t first, last; /* last = UINT64_MAX: to the end of the trace */
    uint64_t kernels;     /* number of kernels read until now that fit the item */
    size_t at, length;    /* place of the item in the text */
} gpci_chosen;

/* Kernels to read. Without items: all kernels. */
typedef struct gpci_choice {
    char *text;
    gpci_chosen *items;
    size_t count, capacity;
    uint64_t last;   /* largest number of the items */
    bool names;      /* at least one item has a name */
    bool more;       /* `known` has no room for all names */
    char known[256]; /* plain names of the kernels read until now, for an error message */
} gpci_choice;

/* Read "3, 5-8, relu*". After an error the choice is empty. */
gpc_status gpci_choice_read(gpci_choice *choice, gpc_context *context, const char *text, gpc_error *error);
void gpci_choice_clear(gpci_choice *choice, gpc_context *context);

/* True if a number or range holds `number`, from 1 on. */
bool gpci_choice_has_number(const gpci_choice *choice, uint64_t number);
/*
 * True if the kernel is chosen by number or by name. Each fitting item counts the kernel.
 *   name  mangled, as in the trace; may be NULL if no item has a name
 */
bool gpci_choice_takes(gpci_choice *choice, uint64_t number, const char *name);

/* Fail if an item's numbers all lie beyond the count of kernels of the trace `what`. */
gpc_status gpci_choice_check_count(const gpci_choice *choice, const char *what, uint64_t kernels, gpc_error *error);
/* Call at the end of the trace. Refuses an item without a kernel; logs a range with an end beyond the last kernel. */
gpc_status gpci_choice_end(const gpci_choice *choice, gpc_context *context, const char *what, uint64_t kernels,
                           gpc_error *error);

#endif

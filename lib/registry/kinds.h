/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_KINDS_H
#define GPC_REGISTRY_KINDS_H

#include "registry/registry.h"

/* First fields of the tables of all kinds. */
typedef struct gpci_table_head {
    size_t struct_size;
    const char *name, *summary, *source;
} gpci_table_head;

/* First fields of tables of functions: all kinds except protocols, which are tables of cells. */
typedef struct gpci_ops_head {
    gpci_table_head head;
    size_t instance_bytes;
    size_t set_bytes, line_bytes; /* for a scheduler or throttle: set_bytes is warp_bytes, line_bytes is reserved */
} gpci_ops_head;

/* A kind of named tables; add a kind as a row of gpci_kinds. */
typedef struct gpci_kind {
    const char *name;     /* name in messages: "replacement policy" */
    const char *type;     /* type of the tables: "gpc_replacement_ops" */
    size_t size;          /* size of a table */
    const char *function; /* required function of every table; NULL: no required function */
    /* Offsets of fields in a table, in bytes. 0: the kind does not have the field. */
    struct {
        size_t function;
        size_t init, finish, cost_bits, on_cache_event;
        size_t parameters, parameter_count, texts, text_count;
        size_t shared_bytes, shared_each_bytes; /* shared bytes in total, and per cache or scheduler */
        size_t string;                          /* further string beside those of the head; may be NULL */
        size_t reserved, reserved_too;          /* fields that must be 0 */
        /* `reads` is the first field that the oldest tables lack. A table that ends before `reads` is accepted. */
        size_t reads, reads_with;
        size_t state; /* a table that ends before the field is accepted */
        /* a table that ends before on_sector_miss is accepted; its sector misses are reported as hits */
        size_t on_hit, on_sector_miss;
        size_t on_block; /* a table that ends before the field is accepted */
        size_t counter;  /* a table that ends before the field is accepted */
    } at;
} gpci_kind;

extern const gpci_kind gpci_kinds[GPC_POLICY_KIND_COUNT];

/* Make a registry with the built-in tables of gpci_context_make. NULL: out of memory. */
gpci_registry *gpci_registry_create(gpc_context *context, const void *const *const *builtins);
/* Call `destroy` for each table registered by a host, and free the registry. */
void gpci_registry_destroy(gpc_context *context, gpci_registry *registry);

/* Copy the field at an offset of gpci_kind into `out`; zeros if the kind does not have the field. */
void gpci_field_get(const void *table, size_t place, void *out, size_t bytes);
/*
 * Read a field of type size_t; find out whether a function is NULL. To call a function of a table, read the function
 * into a variable of its type with gpci_field_get.
 */
size_t gpci_field_size(const void *table, size_t place);
bool gpci_field_is_null(const void *table, size_t place);

/* Parameters declared by a table; empty if the kind has no parameters. */
gpci_parameters gpci_parameters_of(gpc_policy_kind kind, const void *table);

/* Table at `index` of a registry, below gpc_policy_count. */
const gpci_table_head *gpci_table_at(const gpc_context *context, gpc_policy_kind kind, size_t index, bool *builtin);

/*
 * Find a table by name, NULL if unknown. Also sets the user_data given at the registration, and if the table is built
 * in.
 */
const gpci_table_head *gpci_table_find(const gpc_context *context, gpc_policy_kind kind, const char *name,
                                       size_t length, void **user_data, bool *builtin);

/* Fail with "no predictor is named 'x'; did you mean 'y'?", or "; 'x' is a replacement policy". */
gpc_status gpci_table_missing(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error);

/* Fail with "a predictor named 'x' is registered already", or return GPC_OK. */
gpc_status gpci_table_is_new(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error);

/* A table registered by a host: `table` is a copy in its own block. */
typedef struct gpci_entry {
    const gpci_table_head *table;
    void *block;               /* block that holds the copy */
    char *strings;             /* strings of the table, if not in `block` */
    gpc_parameter *parameters; /* parameters of the table, if not in `block` */
    gpc_text_parameter *texts;
    void *user_data;
    void (*destroy)(void *user_data);
} gpci_entry;

/* True if a host has registered the table. */
bool gpci_table_is_hosts(const gpc_context *context, gpc_policy_kind kind, const void *table);

/* Take over the memory of `entry`. GPC_ERROR_MEMORY: nothing was taken. */
gpc_status gpci_entry_add(gpc_context *context, gpc_policy_kind kind, const gpci_entry *entry, gpc_error *error);

/* Free the memory of an entry, except `user_data`. */
void gpci_entry_free(gpc_context *context, gpci_entry *entry);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_KINDS_H
#define GPC_REGISTRY_KINDS_H

#include "registry/registry.h"

/* The fields with which the tables of all kinds begin. */
typedef struct gpci_table_head {
    size_t struct_size;
    const char *name, *summary, *source;
} gpci_table_head;

/* Those with which tables of functions begin: all but protocols, which are tables of cells. */
typedef struct gpci_ops_head {
    gpci_table_head head;
    size_t instance_bytes;
    size_t set_bytes, line_bytes; /* a scheduler's or throttle's: warp_bytes and none */
} gpci_ops_head;

/* A kind of things that have names: a further one is a row of gpci_kinds. */
typedef struct gpci_kind {
    const char *name;     /* in messages: "replacement policy" */
    const char *type;     /* of its tables: "gpc_replacement_ops" */
    size_t size;          /* of such a table */
    const char *function; /* that no table of functions can do without; NULL: it has none */
    /* Where fields stand in a table, in bytes. 0: it has none such. */
    struct {
        size_t function;
        size_t init, finish, cost_bits, on_cache_event;
        size_t parameters, parameter_count, texts, text_count;
        size_t shared_bytes, shared_each_bytes; /* of all, and times the number of caches or schedulers */
        size_t string;                          /* beside those of the head; may be NULL */
        size_t reserved, reserved_too;          /* are 0 */
        size_t reads, reads_with; /* the first that a table as it first was has not: one that ends before it is taken */
        size_t state;             /* likewise */
        size_t on_hit, on_sector_miss; /* likewise; without it sector misses are told as hits */
        size_t on_block;               /* likewise */
        size_t counter;                /* likewise */
    } at;
} gpci_kind;

extern const gpci_kind gpci_kinds[GPC_POLICY_KIND_COUNT];

/* A registry that has the built-in tables of gpci_context_make. NULL: out of memory. */
gpci_registry *gpci_registry_create(gpc_context *context, const void *const *const *builtins);
/* NULL is allowed. */
void gpci_registry_destroy(gpc_context *context, gpci_registry *registry);

/* A field that stands at a place of gpci_kind into `out`; zeros where the kind has none. */
void gpci_field_get(const void *table, size_t place, void *out, size_t bytes);
/* The same in place of an expression; functions are read into a variable of their type. */
size_t gpci_field_size(const void *table, size_t place);
bool gpci_field_is_null(const void *table, size_t place);

/* What a table says of its parameters; nothing, where its kind has none. */
gpci_parameters gpci_parameters_of(gpc_policy_kind kind, const void *table);

/* The table at `index` of a registry, below gpc_policy_count. */
const gpci_table_head *gpci_table_at(const gpc_context *context, gpc_policy_kind kind, size_t index, bool *builtin);

/* The table of a name, NULL if there is none; its registrant's data, and whether it is a built-in one. */
const gpci_table_head *gpci_table_find(const gpc_context *context, gpc_policy_kind kind, const char *name,
                                       size_t length, void **user_data, bool *builtin);

/* "no predictor is named 'x'; did you mean 'y'?" */
gpc_status gpci_table_missing(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error);

/* "a predictor named 'x' is registered already", or GPC_OK. */
gpc_status gpci_table_is_new(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error);

/* A table that a host registered: `table` is a copy of its own, in a block of its own. */
typedef struct gpci_entry {
    const gpci_table_head *table;
    void *block;               /* that holds the copy */
    char *strings;             /* those it points to, where they are not in `block` */
    gpc_parameter *parameters; /* likewise */
    gpc_text_parameter *texts;
    void *user_data;
    void (*destroy)(void *user_data);
    const gpc_layout *layout; /* of the statistics that its `sample` gets; NULL: the library's own */
} gpci_entry;

/* Has a host registered it? */
bool gpci_table_is_hosts(const gpc_context *context, gpc_policy_kind kind, const void *table);
/* How the statistics lie that a table's `sample` gets; NULL: as the library's own. */
const gpc_layout *gpci_table_layout(const gpc_context *context, gpc_policy_kind kind, const void *table);

/* Take over what `entry` owns. GPC_ERROR_MEMORY: nothing was taken. */
gpc_status gpci_entry_add(gpc_context *context, gpc_policy_kind kind, const gpci_entry *entry, gpc_error *error);

/* Free what it owns, but not its registrant's data. */
void gpci_entry_free(gpc_context *context, gpci_entry *entry);

#endif

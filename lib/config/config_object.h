/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_CONFIG_OBJECT_H
#define GPC_CONFIG_CONFIG_OBJECT_H

#include "config/config.h"

/* Struct of a configuration, and functions for the files config_*.c. */

typedef struct gpci_value {
    const char *text; /* canonical text of the value */
    uint64_t number;  /* number returned by gpci_config_number */
    bool owned;       /* this value owns and frees `text` */
    bool own;         /* the host itself has set the value: by name, or in a text or file outside presets */
} gpci_value;

struct gpc_config {
    gpc_context *context;
    const char *preset; /* last preset applied, static text; NULL = no preset */
    gpci_value values[GPCI_KEY_COUNT];
};

/* Read a value of the key's type into `out`, which then owns the text. The message does not name the key. */
gpc_status gpci_value_read(gpc_context *context, const gpc_key_info *key, const char *text, gpci_value *out,
                           gpc_error *error);

/* Text of a size, with the largest unit that divides the size. */
#define GPCI_SIZE_TEXT 32
void gpci_size_text(uint64_t bytes, char text[GPCI_SIZE_TEXT]);

/* Set a key. The message does not name the key. */
gpc_status gpci_config_assign(gpc_config *config, gpci_key key, const char *text, gpc_error *error);

/* Set a key by name; the message begins with the name. */
gpc_status gpci_config_assign_named(gpc_config *config, const char *name, const char *text, gpc_error *error);

/* Set a key by name, and mark the value as set by the host itself. */
gpc_status gpci_config_assign_own(gpc_config *config, const char *name, const char *text, gpc_error *error);

/* Set every key of the machine to its default: `preset = defaults`. */
gpc_status gpci_config_reset(gpc_config *config, gpc_error *error);

/*
 * Staging for all-or-nothing changes. A stage borrows the texts of a configuration, takes the changes, and is then
 * committed or discarded. A key without a change keeps its text: pointers returned by gpc_config_get stay valid.
 */
void gpci_config_stage(const gpc_config *config, gpc_config *stage);
void gpci_config_commit(gpc_config *config, gpc_config *stage);
void gpci_config_discard(gpc_config *stage);

#endif

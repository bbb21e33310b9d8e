/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_CONFIG_OBJECT_H
#define GPC_CONFIG_CONFIG_OBJECT_H

#include "config/config.h"

/* Inside of a configuration, for the files config_*.c. */

typedef struct gpci_value {
    const char *text; /* canonical */
    uint64_t number;  /* as gpci_config_number gives it */
    bool owned;       /* text is this value's to free */
    bool own;         /* set by the host itself: by name, or in a text or file that no preset is */
} gpci_value;

struct gpc_config {
    gpc_context *context;
    const char *preset; /* the last that was applied, static; NULL: none */
    gpci_value values[GPCI_KEY_COUNT];
};

/* Read a value of the key's type into `out`, whose text is then owned. The message does not name the key. */
gpc_status gpci_value_read(gpc_context *context, const gpc_key_info *key, const char *text, gpci_value *out,
                           gpc_error *error);

/* A size as text, with the largest unit that divides it. */
#define GPCI_SIZE_TEXT 32
void gpci_size_text(uint64_t bytes, char text[GPCI_SIZE_TEXT]);

/* Set one key. The message does not name the key. */
gpc_status gpci_config_assign(gpc_config *config, gpci_key key, const char *text, gpc_error *error);

/* The same by name; the message begins with the name. */
gpc_status gpci_config_assign_named(gpc_config *config, const char *name, const char *text, gpc_error *error);

/* The same, and the value is the host's own. */
gpc_status gpci_config_assign_own(gpc_config *config, const char *name, const char *text, gpc_error *error);

/* Give every key of the machine its default: `preset = defaults`. */
gpc_status gpci_config_reset(gpc_config *config, gpc_error *error);

/*
 * All or nothing: a stage borrows the texts of a configuration, is changed in
 * its stead and then committed or discarded. A key that was not set keeps its
 * text, and with it the pointers that gpc_config_get has handed out.
 */
void gpci_config_stage(const gpc_config *config, gpc_config *stage);
void gpci_config_commit(gpc_config *config, gpc_config *stage);
void gpci_config_discard(gpc_config *stage);

#endif

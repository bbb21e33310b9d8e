/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEMPORARY_H
#define GPC_TRACE_TEMPORARY_H

#include "base/base.h"

/*
 * Temporary file or folder beside its final place, named "PATH.gpucache-N.part". The maker holds a lock that ends with
 * the process. If a run was killed, the next maker for the same PATH takes the abandoned file over and empties it.
 */
typedef struct gpci_temporary {
    gpc_context *context;
    char *name; /* NULL = no temporary */
    int held;   /* descriptor with the lock; -1 if the file system has no locks */
} gpci_temporary;

/* Follow the symbolic links at the end of `path`, even to a missing file. Returns new memory. */
gpc_status gpci_follow_links(gpc_context *context, const char *path, gpc_error *error, char **out);

/* Create a new, empty file; *file is its descriptor for writing. Messages name `path`. */
gpc_status gpci_temporary_file(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out,
                               int *file);
/* Create a new, empty folder. */
gpc_status gpci_temporary_folder(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out);

/* Rename to the final name, with rename's result and errno. A success releases the temporary. */
int gpci_temporary_rename(gpci_temporary *temporary, const char *path);
/* Release: this process no longer uses the name. */
void gpci_temporary_release(gpci_temporary *temporary);

/* Fail with "cannot create PATH: " and the reason from errno. */
gpc_status gpci_cannot_create(const char *path, gpc_error *error);

#endif

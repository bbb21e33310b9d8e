/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEMPORARY_H
#define GPC_TRACE_TEMPORARY_H

#include "base/base.h"

/*
 * A file or folder beside its final place, under a name that says so: "PATH.gpucache-N.part". Its maker holds a lock on
 * it, which ends with the process: what a killed run left behind is taken over, empty, by the next that wants the same
 * PATH.
 */
typedef struct gpci_temporary {
    gpc_context *context;
    char *name; /* NULL: there is none */
    int held;   /* descriptor that has the lock; -1 where the file system has no locks */
} gpci_temporary;

/* `path` with the symbolic links that it ends in followed, whether or not there is anything; in new memory. */
gpc_status gpci_follow_links(gpc_context *context, const char *path, gpc_error *error, char **out);

/* A new, empty file, whose descriptor for writing is *file. Messages name `path`. */
gpc_status gpci_temporary_file(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out,
                               int *file);
/* A new, empty folder. */
gpc_status gpci_temporary_folder(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out);

/* Give it its final name, with rename's result and errno; it is let go if that succeeds. */
int gpci_temporary_rename(gpci_temporary *temporary, const char *path);
/* Let go of it: the name is somebody else's business from now on. */
void gpci_temporary_release(gpci_temporary *temporary);

/* "cannot create PATH: ", and why by errno. */
gpc_status gpci_cannot_create(const char *path, gpc_error *error);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/temporary.h"

#include "trace/files/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX_BYTES 48u
#define ATTEMPTS 1000u
#define MOST_LINKS 40
#define LINK_BYTES 4096u

gpc_status gpci_cannot_create(const char *path, gpc_error *error) {
    int reason = errno;
    size_t folder = gpci_folder_length(path);
    if (reason == ENOENT || reason == ENOTDIR)
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: there is no folder %.*s", path, (int)folder,
                         folder ? path : "");
    return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", path, strerror(reason));
}

/* Follow a link: if *path is a symbolic link, replace *path by the link's target. */
static gpc_status follow(gpc_context *context, char **path, bool *followed) {
    char target[LINK_BYTES];
    ssize_t length = readlink(*path, target, sizeof target - 1);
    *followed = length > 0;
    if (length <= 0)
        return GPC_OK;
    target[length] = 0;
    char *next = target[0] == '/' ? gpci_strdup(context, target)
                                  : gpci_join_part(context, *path, gpci_folder_length(*path), target);
    gpci_free(context, *path);
    *path = next;
    return next ? GPC_OK : GPC_ERROR_MEMORY;
}

gpc_status gpci_follow_links(gpc_context *context, const char *path, gpc_error *error, char **out) {
    char *at = gpci_strdup(context, path);
    if (!at)
        return gpci_out_of_memory(error);
    size_t length = strlen(at);
    while (length > 1 && at[length - 1] == '/')
        at[--length] = 0;
    bool followed = true;
    for (int links = 0; followed; links++) {
        if (links == MOST_LINKS) {
            gpci_free(context, at);
            errno = ELOOP;
            return gpci_cannot_create(path, error);
        }
        if (follow(context, &at, &followed) < 0)
            return gpci_out_of_memory(error);
    }
    *out = at;
    return GPC_OK;
}

/* True if `name` is still the opened file: the former holder may have renamed the file meanwhile. */
static bool still_there(const char *name, int file) {
    struct stat named, open;
    return !lstat(name, &named) && !fstat(file, &open) && named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

/* Lock `file`, new or left by a killed run. True if the file is ours now. */
static bool take(const char *name, int file, bool made, bool *locked) {
    *locked = !flock(file, LOCK_EX | LOCK_NB);
    if (!*locked)
        return made && errno != EWOULDBLOCK; /* a file system without locks: only a new file is ours */
    return still_there(name, file);
}

static void empty_folder(int folder) {
    int again = dup(folder);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(folder, entry->d_name, 0);
    if (entries)
        closedir(entries);
    else if (again >= 0)
        close(again);
}

/* Claim the file or folder `name`: 1 = ours, 0 = in use by another process, -1 = cannot be created. */
static int claim(const char *name, bool folder, int *file, bool *locked) {
    const int kind = folder ? O_RDONLY | O_DIRECTORY : O_WRONLY;
    bool made;
    if (folder) {
        made = !mkdir(name, 0777);
        if (!made && errno != EEXIST)
            return -1;
        *file = open(name, kind | O_CLOEXEC | O_NOFOLLOW);
    } else {
        *file = open(name, kind | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        made = *file >= 0;
        if (!made && errno == EEXIST)
            *file = open(name, kind | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        else if (!made)
            return -1;
    }
    if (*file < 0)
        return errno == ELOOP || errno == ENOTDIR || errno == ENXIO || errno == ENOENT || errno == EACCES ? 0 : -1;
    struct stat about;
    bool ours = !fstat(*file, &about) && about.st_uid == geteuid() && (folder || S_ISREG(about.st_mode)) &&
                take(name, *file, made, locked);
    if (ours && !made && folder)
        empty_folder(*file);
    else if (ours && !made)
        ours = !ftruncate(*file, 0);
    if (!ours)
        close(*file);
    return ours;
}

static gpc_status create(gpc_context *context, const char *path, bool folder, gpc_error *error, gpci_temporary *out,
                         int *file) {
    size_t length = strlen(path), room = length + SUFFIX_BYTES;
    char *name = gpci_alloc(context, room);
    if (!name)
        return gpci_out_of_memory(error);
    memcpy(name, path, length);
    int claimed = 0;
    bool locked = false;
    for (unsigned n = 0; !claimed && n < ATTEMPTS; n++) {
        snprintf(name + length, room - length, ".gpucache-%u.part", n);
        claimed = claim(name, folder, file, &locked);
    }
    if (claimed <= 0) {
        gpci_free(context, name);
        if (!claimed)
            errno = EEXIST;
        return gpci_cannot_create(path, error);
    }
    *out = (gpci_temporary){.context = context, .name = name, .held = -1};
    if (folder)
        out->held = *file;
    else if (locked)
        out->held = fcntl(*file, F_DUPFD_CLOEXEC, 0); /* keeps the lock after the close that reports errors */
    return GPC_OK;
}

gpc_status gpci_temporary_file(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out,
                               int *file) {
    return create(context, path, false, error, out, file);
}

gpc_status gpci_temporary_folder(gpc_context *context, const char *path, gpc_error *error, gpci_temporary *out) {
    int folder;
    return create(context, path, true, error, out, &folder);
}

int gpci_temporary_rename(gpci_temporary *temporary, const char *path) {
    int result = rename(temporary->name, path);
    if (!result)
        gpci_temporary_release(temporary);
    return result;
}

void gpci_temporary_release(gpci_temporary *temporary) {
    if (temporary->held >= 0)
        close(temporary->held);
    gpci_free(temporary->context, temporary->name);
    *temporary = (gpci_temporary){.held = -1};
}

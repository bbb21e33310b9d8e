/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

const char *gpc_status_string(gpc_status status) {
    switch (status) {
#define X(id, value, text) \
    case id:               \
        return text;
        GPC_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

unsigned gpc_version(void) {
    return GPC_VERSION_NUMBER;
}

const char *gpc_version_string(void) {
    return TEXT(GPC_VERSION_MAJOR) "." TEXT(GPC_VERSION_MINOR) "." TEXT(GPC_VERSION_PATCH);
}

gpc_status gpci_fail(gpc_error *error, gpc_status status, const char *format, ...) {
    size_t head = offsetof(gpc_error, message);
    if (!error || error->struct_size <= head)
        return status;
    size_t room = error->struct_size - head;
    if (room > sizeof error->message)
        room = sizeof error->message;
    /* Format into a separate buffer: an argument may be the message to replace. */
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error->status = status;
    snprintf(error->message, room, "%s", message);
    return status;
}

gpc_status gpci_policy_refuse(char *message, gpc_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, GPCI_POLICY_MESSAGE, format, arguments);
    va_end(arguments);
    return status;
}

gpc_status gpci_out_of_memory(gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_MEMORY, "out of memory");
}

const char *gpci_access_status(gpc_status status) {
    return status == GPC_ERROR_CALLBACK ? "a policy chose an impossible victim" : gpc_status_string(status);
}

gpc_status gpci_fail_by_status(gpc_error *error, gpc_status status, const char *call) {
    return gpci_fail(error, status, "%s: %s", call, gpci_access_status(status));
}

gpc_status gpci_take_version(void *ours, size_t size, size_t least, const void *theirs, const char *type,
                             gpc_error *error) {
    if (!theirs)
        return GPC_OK;
    size_t given;
    memcpy(&given, theirs, sizeof given);
    if (given < least)
        return gpci_fail(error, GPC_ERROR_ABI, "%s.struct_size is %zu, at least %zu is needed", type, given, least);
    if (given > size + GPC_STRUCT_GROWTH) /* no host can have such a size: read nothing beyond the host's struct */
        return gpci_fail(error, GPC_ERROR_ABI, "%s.struct_size is %zu, no version has more than %zu", type, given,
                         size + GPC_STRUCT_GROWTH);
    const unsigned char *bytes = theirs;
    for (size_t i = size; i < given; i++)
        if (bytes[i])
            return gpci_fail(error, GPC_ERROR_ABI, "%s: byte %zu is set, but this library knows only %zu bytes", type,
                             i, size);
    memcpy(ours, theirs, given < size ? given : size);
    memcpy(ours, &size, sizeof size);
    return GPC_OK;
}

gpc_status gpci_can_give(const void *theirs, const char *type, gpc_error *error) {
    size_t given;
    memcpy(&given, theirs, sizeof given);
    if (given <= sizeof given)
        return gpci_fail(error, GPC_ERROR_ABI, "%s.struct_size is %zu, no field fits", type, given);
    return GPC_OK;
}

gpc_status gpci_give(void *theirs, const void *ours, size_t size, const char *type, gpc_error *error) {
    gpc_status status = gpci_can_give(theirs, type, error);
    if (status < 0)
        return status;
    size_t given;
    memcpy(&given, theirs, sizeof given);
    size_t copied = given < size ? given : size;
    memcpy((char *)theirs + sizeof given, (const char *)ours + sizeof given, copied - sizeof given);
    return GPC_OK;
}

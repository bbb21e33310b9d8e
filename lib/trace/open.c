/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/input.h"
#include "trace/files/paths.h"
#include "trace/sources.h"

#include <string.h>

#define SYNTHETIC "synthetic:"

typedef gpc_status (*open_fn)(gpc_context *, gpci_opcodes *, const char *, gpc_error *, gpci_source **);

/* Open function for a trace, chosen by the first bytes; NULL: unknown. */
static open_fn kind_of(const char *first, size_t length) {
    size_t at = 0;
    if (length >= 4 && !memcmp(first, "GCT\x1a", 4))
        return gpci_binary_open;
    while (at < length && strchr(" \t\r\n", first[at]) && first[at])
        at++;
    const char *const list_words[] = {"Memcpy", "kernel"};
    for (size_t i = 0; i < 2; i++)
        if (length - at >= 6 && !memcmp(first + at, list_words[i], 6))
            return gpci_list_open;
    return at < length && (first[at] == '-' || first[at] == '#') ? gpci_text_open : NULL;
}

static gpc_status open_file(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out) {
    if (gpci_ends_with(path, ".g"))
        return gpci_list_open(context, opcodes, path, error, out);
    if (gpci_ends_with(path, ".gct"))
        return gpci_binary_open(context, opcodes, path, error, out);
    bool compressed = false;
    for (const char *const *suffix = gpci_input_suffixes + 1; *suffix; suffix++)
        compressed |= gpci_ends_with(path, *suffix);
    if (gpci_ends_with(path, ".traceg"))
        return gpci_text_open(context, opcodes, path, error, out);
    gpci_input *input;
    const char *first;
    size_t length;
    gpc_status status = gpci_input_open(context, path, error, &input);
    if (status < 0)
        return status;
    status = gpci_input_peek(input, &first, &length, error);
    const gpci_line_form *form = status == GPC_OK ? gpci_table_form(first, length) : NULL;
    if (form)
        return gpci_table_open(context, opcodes, form, input, error, out);
    open_fn open = status < 0 ? NULL : compressed ? gpci_text_open : kind_of(first, length);
    bool again = !gpci_input_is_stream(input);
    gpci_input_close(input);
    if (status < 0)
        return status;
    if (open && !again)
        return gpci_fail(
            error, GPC_ERROR_UNSUPPORTED,
            "%s: a pipe can be CSV, JSON Lines or mem_trace; a .traceg, kernelslist.g or .gct is read from a "
            "file",
            gpci_path_shown(path));
    return open ? open(context, opcodes, path, error, out)
                : gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                            "%s is neither a .traceg, a .trace, a kernelslist.g, a .gct, CSV, JSON Lines nor what "
                            "mem_trace prints",
                            gpci_path_shown(path));
}

static gpc_status open_synthetic(gpc_context *context, gpci_opcodes *opcodes, const char *kernel, gpc_error *error,
                                 gpci_source **out) {
#ifdef GPC_CORE
    (void)context, (void)opcodes, (void)out;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     SYNTHETIC "%s: this library was built without kernel generators (GPC_CORE)", kernel);
#else
    return gpci_synthetic_open(context, opcodes, kernel, error, out);
#endif
}

gpc_status gpci_source_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                            gpci_source **out) {
    if (!strncmp(name, SYNTHETIC, sizeof SYNTHETIC - 1))
        return open_synthetic(context, opcodes, name + sizeof SYNTHETIC - 1, error, out);
    if (gpci_is_standard_input(name))
        return open_file(context, opcodes, name, error, out);
    if (gpci_is_folder(name))
        return gpci_folder_open(context, opcodes, name, error, out);
    char *found;
    gpc_status status = gpci_find_file(context, name, error, &found);
    if (status < 0)
        return status;
    if (!found)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: there is no such file or folder", name);
    status = open_file(context, opcodes, found, error, out);
    gpci_free(context, found);
    return status;
}

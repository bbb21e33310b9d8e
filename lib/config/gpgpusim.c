/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"
#include "base/text.h"
#include "config/gpgpusim_import.h"

#include <string.h>

/*
 * GPGPU-Sim's option files: `-option value` separated by any blanks, `#` to the
 * end of a line is a comment, a value in double quotes may hold blanks
 * (src/option_parser.cc). The last occurrence of an option holds.
 */

typedef struct reader {
    gpci_import *import;
    char *at; /* rest of the text */
    size_t line;
    size_t known, unknown; /* occurrences */
} reader;

/* A token, cut out of the text. */
typedef struct token {
    char *text;
    size_t line;
    bool quoted;
} token;

static void skip_blanks(reader *r) {
    for (;; r->at++) {
        if (*r->at == '#')
            r->at += strcspn(r->at, "\n");
        if (*r->at == '\n')
            r->line++;
        if (!*r->at || !strchr(GPCI_BLANK "\v\f", *r->at))
            return;
    }
}

/* A quoted value: the words up to the closing quote, one blank between two. */
static gpc_status read_quoted(reader *r, token *out) {
    char *to = out->text = ++r->at;
    for (;;) {
        skip_blanks(r);
        if (!*r->at)
            return gpci_import_fail(r->import, out->line, "\"", GPC_ERROR_FORMAT, "the quote is not closed");
        if (*r->at == '"')
            break;
        if (to > out->text)
            *to++ = ' ';
        while (*r->at && !strchr(GPCI_BLANK "\v\f\"#", *r->at))
            *to++ = *r->at++;
    }
    r->at++;
    *to = '\0';
    return GPC_OK;
}

/* The next token; its text is NULL at the end. */
static gpc_status next_token(reader *r, token *out) {
    skip_blanks(r);
    *out = (token){.line = r->line, .quoted = *r->at == '"'};
    if (out->quoted)
        return read_quoted(r, out);
    if (!*r->at)
        return GPC_OK;
    out->text = r->at;
    r->at += strcspn(r->at, GPCI_BLANK "\v\f#");
    if (*r->at == '#') {
        *r->at++ = '\0';
        r->at += strcspn(r->at, "\n");
    } else if (*r->at) {
        r->line += *r->at == '\n';
        *r->at++ = '\0';
    }
    return GPC_OK;
}

/* An option's name, as opposed to a value: `-1` is a value. */
static bool is_option(const token *t) {
    return !t->quoted && t->text[0] == '-' && t->text[1] && !strchr("0123456789.", t->text[1]);
}

static gpc_status take_value(reader *r, gpci_option_id id, const char *name, size_t line, const token *value) {
    gpci_option o = {.given = true, .line = line, .text = value->text ? value->text : ""};
    gpci_option_kind kind = gpci_option_kind_of(id);
    gpc_error reason = GPC_ERROR_INIT;
    if (!value->text || is_option(value))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "has no value");
    else if (kind == GPCI_OPTION_TEXT)
        ;
    else if (!gpci_import_number(value->text, &o.number))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not a whole number", gpci_quote(value->text).text);
    else if (kind == GPCI_OPTION_FLAG && o.number > 1)
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is neither 0 nor 1", gpci_quote(value->text).text);
    if (reason.status < 0)
        return gpci_import_fail(r->import, line, name, reason.status, reason.message);
    r->import->options[id] = o;
    return GPC_OK;
}

/* Read all options. A flag without a value is set; values of unknown options are passed over. */
static gpc_status read_options(reader *r) {
    token t;
    gpc_status status = next_token(r, &t);
    bool after_known = false;
    while (status == GPC_OK && t.text) {
        if (!is_option(&t)) {
            if (after_known)
                return gpci_import_fail(r->import, t.line, gpci_quote(t.text).text, GPC_ERROR_FORMAT,
                                        "neither an option nor a value");
            status = next_token(r, &t);
            continue;
        }
        const char *name = t.text;
        size_t line = t.line;
        if (!strcmp(name, "-config"))
            return gpci_import_fail(r->import, line, name, GPC_ERROR_UNSUPPORTED,
                                    "files that name others are not read");
        gpci_option_id id = gpci_option_find(name);
        after_known = id < GPCI_OPTION_COUNT;
        r->known += after_known;
        r->unknown += !after_known;
        status = next_token(r, &t);
        if (status < 0 || !after_known)
            continue;
        if (gpci_option_kind_of(id) == GPCI_OPTION_FLAG && (!t.text || is_option(&t))) {
            r->import->options[id] = (gpci_option){true, line, "", 1};
            continue;
        }
        status = take_value(r, id, name, line, &t);
        if (status == GPC_OK)
            status = next_token(r, &t);
    }
    return status;
}

gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied, gpc_error *error) {
    if (!config || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_import_gpgpusim: %s is NULL",
                         config ? "path" : "config");
    gpci_file file;
    gpc_status status = gpci_file_read(config->context, path, &file, error);
    if (status < 0)
        return status;
    gpc_config stage;
    gpci_config_stage(config, &stage);
    gpci_import im = {.path = path, .stage = &stage, .error = error};
    reader r = {.import = &im, .at = file.text, .line = 1};
    status = read_options(&r);
    if (status == GPC_OK)
        status = gpci_import_sm(&im);
    if (status == GPC_OK)
        status = gpci_import_l1(&im);
    if (status == GPC_OK)
        status = gpci_import_memory(&im);
    if (status == GPC_OK)
        status = gpci_import_dram(&im);
    gpci_free(config->context, file.text);
    if (status < 0) {
        gpci_config_discard(&stage);
        return status;
    }
    gpci_config_commit(config, &stage);
    if (out_applied)
        *out_applied = r.known;
    gpci_log(config->context, GPC_LOG_INFO, "%s: %zu options applied, %zu that have no key here passed over", path,
             r.known, r.unknown);
    return GPC_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <string.h>

/*
 * GPGPU-Sim's option files: `-option value` separated by any blanks, `#` to the end of a line is a comment, a value in
 * double quotes may hold blanks (src/option_parser.cc). The last occurrence of an option counts.
 */

typedef struct reader {
    gpci_import *import;
    char *at; /* rest of the text */
    size_t line;
    gpc_import_option *seen; /* occurrences of options; `counts` has their number for each outcome */
    size_t count, capacity;
    size_t counts[GPC_IMPORT_UNKNOWN + 1];
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

/* Read a quoted value: the words up to the closing quote, joined by single blanks. */
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

/* Read the next token; its text is NULL at the end. */
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

/* Note an option; the value follows later. */
static gpc_status note(reader *r, const char *name, size_t line, bool known) {
    if (!GPCI_ARRAY_ROOM(r->import->stage->context, r->seen, r->capacity, r->count, 1))
        return gpci_out_of_memory(r->import->error);
    gpc_import_outcome outcome = known                          ? GPC_IMPORT_APPLIED
                                 : gpci_option_is_another(name) ? GPC_IMPORT_IGNORED
                                                                : GPC_IMPORT_UNKNOWN;
    r->seen[r->count++] = (gpc_import_option){name, "", line, outcome, gpci_option_reason(name, outcome)};
    r->counts[outcome]++;
    return GPC_OK;
}

/* Note the value of an option without a key; further tokens are ignored. */
static void note_value(reader *r, const token *t) {
    gpc_import_option *last = r->count ? &r->seen[r->count - 1] : NULL;
    if (last && !last->value[0])
        last->value = t->text;
}

/* Read an option's name and value. On entry `t` is the name; on return `t` is the token after the option. */
static gpc_status read_option(reader *r, token *t, bool *known) {
    const char *name = t->text;
    const size_t line = t->line;
    if (!strcmp(name, "-config"))
        return gpci_import_fail(r->import, line, name, GPC_ERROR_UNSUPPORTED, "files that name others are not read");
    const gpci_option_id id = gpci_option_find(name);
    *known = id < GPCI_OPTION_COUNT;
    gpc_status status = note(r, name, line, *known);
    if (status == GPC_OK)
        status = next_token(r, t);
    if (status < 0 || !*known)
        return status;
    if (gpci_option_kind_of(id) == GPCI_OPTION_FLAG && (!t->text || is_option(t))) {
        r->import->options[id] = (gpci_option){true, line, "", 1};
        return GPC_OK;
    }
    status = take_value(r, id, name, line, t);
    if (status < 0)
        return status;
    note_value(r, t);
    return next_token(r, t);
}

/* Read all options. A flag without a value is set; values of unknown options are skipped. */
static gpc_status read_options(reader *r) {
    token t;
    gpc_status status = next_token(r, &t);
    bool after_known = false;
    while (status == GPC_OK && t.text) {
        if (is_option(&t)) {
            status = read_option(r, &t, &after_known);
            continue;
        }
        if (after_known)
            return gpci_import_fail(r->import, t.line, gpci_quote(t.text).text, GPC_ERROR_FORMAT,
                                    "neither an option nor a value");
        note_value(r, &t);
        status = next_token(r, &t);
    }
    return status;
}

/* Mark option `id` as ignored if option `by` overrules `id`, as in GPGPU-Sim. */
static void overrule(reader *r, gpci_option_id by, gpci_option_id id) {
    for (size_t i = 0; i < r->count && r->import->options[by].given; i++)
        if (!strcmp(r->seen[i].name, gpci_option_name(id))) {
            r->counts[GPC_IMPORT_APPLIED]--;
            r->counts[GPC_IMPORT_IGNORED]++;
            r->seen[i].outcome = GPC_IMPORT_IGNORED;
            r->seen[i].reason = gpci_option_reason(r->seen[i].name, GPC_IMPORT_IGNORED);
        }
}

/* Note as unknown the rest of an applied option's value that was not understood. */
static gpc_status note_rest(reader *r, const gpci_import_rest *rest) {
    if (!rest->text)
        return GPC_OK;
    if (!GPCI_ARRAY_ROOM(r->import->stage->context, r->seen, r->capacity, r->count, 1))
        return gpci_out_of_memory(r->import->error);
    r->seen[r->count++] = (gpc_import_option){gpci_option_name(rest->id), rest->text, r->import->options[rest->id].line,
                                              GPC_IMPORT_UNKNOWN, rest->reason};
    r->counts[GPC_IMPORT_UNKNOWN]++;
    return GPC_OK;
}

static gpc_status apply(const gpci_import *im) {
    gpc_status status = gpci_import_sm(im);
    if (status == GPC_OK)
        status = gpci_import_l1(im);
    if (status == GPC_OK)
        status = gpci_import_read_only(im);
    if (status == GPC_OK)
        status = gpci_import_memory(im);
    if (status == GPC_OK)
        status = gpci_import_dram(im);
    return status == GPC_OK ? gpci_import_mapping(im) : status;
}

/* Log every option that was not applied, and the number of options by outcome. */
static void report(const reader *r, gpc_context *context) {
    const char *path = r->import->path;
    for (size_t i = 0; i < r->count; i++) {
        const gpc_import_option *o = &r->seen[i];
        if (o->outcome != GPC_IMPORT_APPLIED)
            gpci_log(context, o->outcome == GPC_IMPORT_UNKNOWN ? GPC_LOG_WARNING : GPC_LOG_INFO, "%s:%zu: %s: %s", path,
                     o->line, gpci_quote(o->name).text, o->reason);
    }
    gpci_log(context, GPC_LOG_INFO, "%s: %zu options applied, %zu that have no key here and %zu unknown passed over",
             path, r->counts[GPC_IMPORT_APPLIED], r->counts[GPC_IMPORT_IGNORED], r->counts[GPC_IMPORT_UNKNOWN]);
}

/* Caller's callback and result of an import. */
typedef struct import_listener {
    gpc_import_fn on_option;
    void *user_data;
    size_t *out_applied;
} import_listener;

/* Import options. The call changes `text`: a NUL ends each token. */
static gpc_status import_text(gpc_config *config, const char *path, char *text, const import_listener *to,
                              gpc_error *error) {
    gpc_config stage;
    gpci_config_stage(config, &stage);
    gpci_import_rest clocks = {.text = NULL};
    gpci_import im = {.path = path, .stage = &stage, .error = error, .clocks = &clocks};
    reader r = {.import = &im, .at = text, .line = 1};
    gpc_status status = read_options(&r);
    overrule(&r, GPCI_OPTION_MAPPING, GPCI_OPTION_MASK);
    if (status == GPC_OK)
        status = apply(&im);
    if (status == GPC_OK)
        status = note_rest(&r, &clocks);
    if (status < 0) {
        gpci_config_discard(&stage);
    } else {
        gpci_config_commit(config, &stage);
        report(&r, config->context);
        if (to->out_applied)
            *to->out_applied = r.counts[GPC_IMPORT_APPLIED];
        for (size_t i = 0; to->on_option && i < r.count; i++)
            to->on_option(to->user_data, &r.seen[i]);
    }
    gpci_free(config->context, r.seen);
    return status;
}

static gpc_status import_file(gpc_config *config, const char *path, const import_listener *to, const char *function,
                              gpc_error *error) {
    if (!config || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function, config ? "path" : "config");
    gpci_file file;
    gpc_status status = gpci_file_read(config->context, path, &file, error);
    if (status < 0)
        return status;
    status = import_text(config, path, file.text, to, error);
    gpci_free(config->context, file.text);
    return status;
}

gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied, gpc_error *error) {
    return import_file(config, path, &(import_listener){.out_applied = out_applied}, "gpc_config_import_gpgpusim",
                       error);
}

gpc_status gpc_config_import_gpgpusim_with(gpc_config *config, const char *path, gpc_import_fn on_option,
                                           void *user_data, gpc_error *error) {
    return import_file(config, path, &(import_listener){on_option, user_data, NULL}, "gpc_config_import_gpgpusim_with",
                       error);
}

gpc_status gpc_config_import_gpgpusim_text(gpc_config *config, const char *text, const char *name,
                                           gpc_import_fn on_option, void *user_data, gpc_error *error) {
    if (!config || !text)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_import_gpgpusim_text: %s is NULL",
                         config ? "text" : "config");
    char *copy = gpci_strdup(config->context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    gpc_status status =
        import_text(config, name ? name : "text", copy, &(import_listener){on_option, user_data, NULL}, error);
    gpci_free(config->context, copy);
    return status;
}

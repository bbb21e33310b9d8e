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
    gpc_import_option *seen; /* [count]: every occurrence of an option, in the order of the text */
    size_t count, capacity;
    size_t counts[GPC_IMPORT_UNKNOWN + 1]; /* [outcome]: number of elements of `seen` with the outcome */
} reader;

/* A token, cut out of the text. */
typedef struct token {
    char *text;
    size_t line;
    bool quoted;
} token;

static void skip_blanks(reader *file) {
    for (;; file->at++) {
        if (*file->at == '#')
            file->at += strcspn(file->at, "\n");
        if (*file->at == '\n')
            file->line++;
        if (!*file->at || !strchr(GPCI_BLANK "\v\f", *file->at))
            return;
    }
}

/* Read a quoted value: the words up to the closing quote, joined by single blanks. */
static gpc_status read_quoted(reader *file, token *out) {
    char *to = out->text = ++file->at;
    for (;;) {
        skip_blanks(file);
        if (!*file->at)
            return gpci_import_fail(file->import, out->line, "\"", GPC_ERROR_FORMAT, "the quote is not closed");
        if (*file->at == '"')
            break;
        if (to > out->text)
            *to++ = ' ';
        while (*file->at && !strchr(GPCI_BLANK "\v\f\"#", *file->at))
            *to++ = *file->at++;
    }
    file->at++;
    *to = '\0';
    return GPC_OK;
}

/* Read the next token; its text is NULL at the end. */
static gpc_status next_token(reader *file, token *out) {
    skip_blanks(file);
    *out = (token){.line = file->line, .quoted = *file->at == '"'};
    if (out->quoted)
        return read_quoted(file, out);
    if (!*file->at)
        return GPC_OK;
    out->text = file->at;
    file->at += strcspn(file->at, GPCI_BLANK "\v\f#");
    if (*file->at == '#') {
        *file->at++ = '\0';
        file->at += strcspn(file->at, "\n");
    } else if (*file->at) {
        file->line += *file->at == '\n';
        *file->at++ = '\0';
    }
    return GPC_OK;
}

/* True if a token is an option's name. A number such as -1 is a value, not a name. */
static bool is_option(const token *word) {
    return !word->quoted && word->text[0] == '-' && word->text[1] && !strchr("0123456789.", word->text[1]);
}

static gpc_status take_value(reader *file, gpci_option_id option_id, const char *name, size_t line,
                             const token *value) {
    gpci_option option = {.given = true, .line = line, .text = value->text ? value->text : ""};
    gpci_option_kind kind = gpci_option_kind_of(option_id);
    gpc_error reason = GPC_ERROR_INIT;
    if (!value->text || is_option(value))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "has no value");
    else if (kind == GPCI_OPTION_TEXT)
        ;
    else if (!gpci_import_number(value->text, &option.number))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not a whole number", gpci_quote(value->text).text);
    else if (kind == GPCI_OPTION_FLAG && option.number > 1)
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is neither 0 nor 1", gpci_quote(value->text).text);
    if (reason.status < 0)
        return gpci_import_fail(file->import, line, name, reason.status, reason.message);
    file->import->options[option_id] = option;
    return GPC_OK;
}

/* Note an occurrence of an option. The value is noted later, by note_value. */
static gpc_status note(reader *file, const char *name, size_t line, bool known) {
    if (!GPCI_ARRAY_RESERVE(file->import->stage->context, file->seen, file->capacity, file->count, 1))
        return gpci_out_of_memory(file->import->error);
    gpc_import_outcome outcome = known                          ? GPC_IMPORT_APPLIED
                                 : gpci_option_is_another(name) ? GPC_IMPORT_IGNORED
                                                                : GPC_IMPORT_UNKNOWN;
    file->seen[file->count++] = (gpc_import_option){name, "", line, outcome, gpci_option_reason(name, outcome)};
    file->counts[outcome]++;
    return GPC_OK;
}

/* Note a token as the value of the option noted last. If that option has a value already, ignore the token. */
static void note_value(reader *file, const token *word) {
    gpc_import_option *last = file->count ? &file->seen[file->count - 1] : NULL;
    if (last && !last->value[0])
        last->value = word->text;
}

/* Read an option's name and value. On entry `word` is the name; on return `word` is the token after the option. */
static gpc_status read_option(reader *file, token *word, bool *known) {
    const char *name = word->text;
    const size_t line = word->line;
    if (!strcmp(name, "-config"))
        return gpci_import_fail(file->import, line, name, GPC_ERROR_UNSUPPORTED, "files that name others are not read");
    const gpci_option_id option = gpci_option_find(name);
    *known = option < GPCI_OPTION_COUNT;
    gpc_status status = note(file, name, line, *known);
    if (status == GPC_OK)
        status = next_token(file, word);
    if (status < 0 || !*known)
        return status;
    if (gpci_option_kind_of(option) == GPCI_OPTION_FLAG && (!word->text || is_option(word))) {
        file->import->options[option] = (gpci_option){true, line, "", 1};
        return GPC_OK;
    }
    status = take_value(file, option, name, line, word);
    if (status < 0)
        return status;
    note_value(file, word);
    return next_token(file, word);
}

/* Read all options. A flag without a value is set; values of unknown options are skipped. */
static gpc_status read_options(reader *file) {
    token word;
    gpc_status status = next_token(file, &word);
    bool after_known = false;
    while (status == GPC_OK && word.text) {
        if (is_option(&word)) {
            status = read_option(file, &word, &after_known);
            continue;
        }
        if (after_known)
            return gpci_import_fail(file->import, word.line, gpci_quote(word.text).text, GPC_ERROR_FORMAT,
                                    "neither an option nor a value");
        note_value(file, &word);
        status = next_token(file, &word);
    }
    return status;
}

/* If option `option` is given, mark option `option_id` as ignored, because `option` overrules it in GPGPU-Sim. */
static void overrule(reader *file, gpci_option_id option, gpci_option_id option_id) {
    for (size_t i = 0; i < file->count && file->import->options[option].given; i++)
        if (!strcmp(file->seen[i].name, gpci_option_name(option_id))) {
            file->counts[GPC_IMPORT_APPLIED]--;
            file->counts[GPC_IMPORT_IGNORED]++;
            file->seen[i].outcome = GPC_IMPORT_IGNORED;
            file->seen[i].reason = gpci_option_reason(file->seen[i].name, GPC_IMPORT_IGNORED);
        }
}

/* Note as unknown the rest of an applied option's value that was not understood. */
static gpc_status note_rest(reader *file, const gpci_import_rest *rest) {
    if (!rest->text)
        return GPC_OK;
    if (!GPCI_ARRAY_RESERVE(file->import->stage->context, file->seen, file->capacity, file->count, 1))
        return gpci_out_of_memory(file->import->error);
    file->seen[file->count++] = (gpc_import_option){
        gpci_option_name(rest->id), rest->text, file->import->options[rest->id].line, GPC_IMPORT_UNKNOWN, rest->reason};
    file->counts[GPC_IMPORT_UNKNOWN]++;
    return GPC_OK;
}

static gpc_status apply(const gpci_import *import) {
    gpc_status status = gpci_import_sm(import);
    if (status == GPC_OK)
        status = gpci_import_l1(import);
    if (status == GPC_OK)
        status = gpci_import_read_only(import);
    if (status == GPC_OK)
        status = gpci_import_memory(import);
    if (status == GPC_OK)
        status = gpci_import_dram(import);
    return status == GPC_OK ? gpci_import_mapping(import) : status;
}

/* Log every option that was not applied, and the number of options by outcome. */
static void report(const reader *file, gpc_context *context) {
    const char *path = file->import->path;
    for (size_t i = 0; i < file->count; i++) {
        const gpc_import_option *option = &file->seen[i];
        if (option->outcome != GPC_IMPORT_APPLIED)
            gpci_log(context, option->outcome == GPC_IMPORT_UNKNOWN ? GPC_LOG_WARNING : GPC_LOG_INFO, "%s:%zu: %s: %s",
                     path, option->line, gpci_quote(option->name).text, option->reason);
    }
    gpci_log(context, GPC_LOG_INFO, "%s: %zu options applied, %zu that have no key here and %zu unknown passed over",
             path, file->counts[GPC_IMPORT_APPLIED], file->counts[GPC_IMPORT_IGNORED],
             file->counts[GPC_IMPORT_UNKNOWN]);
}

/* Caller's callback of an import. */
typedef struct import_listener {
    gpc_import_fn on_option;
    void *user_data;
} import_listener;

/* Import options. The call changes `text`: a NUL ends each token. */
static gpc_status import_text(gpc_config *config, const char *path, char *text, const import_listener *to,
                              gpc_error *error) {
    gpc_config stage;
    gpci_config_stage(config, &stage);
    gpci_import_rest clocks = {.text = NULL};
    gpci_import import = {.path = path, .stage = &stage, .error = error, .clocks = &clocks};
    reader file = {.import = &import, .at = text, .line = 1};
    gpc_status status = read_options(&file);
    overrule(&file, GPCI_OPTION_MAPPING, GPCI_OPTION_MASK);
    if (status == GPC_OK)
        status = apply(&import);
    if (status == GPC_OK)
        status = note_rest(&file, &clocks);
    if (status < 0) {
        gpci_config_discard(&stage);
    } else {
        gpci_config_commit(config, &stage);
        report(&file, config->context);
        for (size_t i = 0; to->on_option && i < file.count; i++)
            to->on_option(to->user_data, &file.seen[i]);
    }
    gpci_free(config->context, file.seen);
    return status;
}

gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, gpc_import_fn on_option, void *user_data,
                                      gpc_error *error) {
    if (!config || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_import_gpgpusim: %s is NULL",
                         config ? "path" : "config");
    gpci_file file;
    gpc_status status = gpci_file_read(config->context, path, &file, error);
    if (status < 0)
        return status;
    status = import_text(config, path, file.text, &(import_listener){on_option, user_data}, error);
    gpci_free(config->context, file.text);
    return status;
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
        import_text(config, name ? name : "text", copy, &(import_listener){on_option, user_data}, error);
    gpci_free(config->context, copy);
    return status;
}

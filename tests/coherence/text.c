/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <criterion/criterion.h>
#include <gpucache/ext/coherence.h>
#include <gpucache/gpucache.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statistics as text: the document's matrices are printed as in the document. */

/* Matrices of seeds/002, Tables 4.2 to 4.4, row by row: counts, then origins in hexadecimal. */
static const struct matrices {
    const char *title;
    const char *rows[GPC_LINE_COUNT];
} documents[] = {
    {"1536 KB L2", /* Table 4.2, transpose, L1 */
     {"N 109 0 0 0 0 1323 N 4 0 0 0 0 200", "M 0 0 0 0 0 0 M 0 0 0 0 0 0", "O 0 0 0 0 0 0 O 0 0 0 0 0 0",
      "E 172 0 0 0 957 4148 E 4 0 0 0 8000 200", "S 0 0 0 0 0 1922 S 0 0 0 0 0 200",
      "I 1161 0 0 5333 1027 7393 I 4 0 0 1 1 8"}},
    {"96 KB L2",
     {"N 109 0 0 0 0 1663 N 4 0 0 0 0 A00", "M 0 0 0 0 0 0 M 0 0 0 0 0 0", "O 0 0 0 0 0 0 O 0 0 0 0 0 0",
      "E 126 0 0 0 475 4213 E 4 0 0 0 8000 A00", "S 0 0 0 0 0 754 S 0 0 0 0 0 A00",
      "I 1544 0 0 4824 285 2518 I 4 0 0 1 1 8"}},
    {"96 KB L2", /* Table 4.3, histogram, L1 */
     {"N 22631 0 0 0 0 10914 N 4 0 0 0 0 A00", "M 0 0 0 0 0 0 M 0 0 0 0 0 0", "O 0 0 0 0 0 0 O 0 0 0 0 0 0",
      "E 6279 0 0 0 367 63205 E 4 0 0 0 8000 A00", "S 0 0 0 0 0 853 S 0 0 0 0 0 A00",
      "I 4636 0 0 69884 491 19103 I 4 0 0 1 1 8"}},
    {"96 KB L2", /* Table 4.4, transpose, L2 */
     {"N 0 0 0 0 0 0 N 0 0 0 0 0 0", "M 0 8 0 0 0 3962 M 0 10000 0 0 0 200", "O 0 0 0 0 0 0 O 0 0 0 0 0 0",
      "E 0 4001 0 0 0 10222 E 0 10080 0 0 0 200", "S 0 0 0 0 0 0 S 0 0 0 0 0 0",
      "I 0 0 0 14312 0 14184 I 0 0 0 1000 0 8"}},
};

static measured_module zeroes(void) {
    measured_module stats;
    memset(&stats, 0xA5, sizeof stats);
    measured_clear(&stats);
    return stats;
}

static measured_module read_document(const struct matrices *m) {
    measured_module stats = zeroes();
    for (int from = 0; from < GPC_LINE_COUNT; from++) {
        uint64_t *n = stats.transitions[from];
        uint32_t *o = stats.origins[from];
        int got = sscanf(m->rows[from],
                         "%*c %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %*c %" SCNx32
                         " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32,
                         n, n + 1, n + 2, n + 3, n + 4, n + 5, o, o + 1, o + 2, o + 3, o + 4, o + 5);
        cr_assert_eq(got, 12, "%s", m->rows[from]);
    }
    return stats;
}

static size_t matrix_text(const measured_module *stats, const char *title, char *buffer, size_t size) {
    return gpc_protocol_matrices_text(NULL, stats->transitions[0], stats->origins[0], title, buffer, size);
}

/* A line with multiple blanks reduced to one. */
static void squeeze(const char *line, size_t length, char out[256]) {
    size_t n = 0;
    for (size_t i = 0; i < length && n < 255; i++)
        if (line[i] != ' ' || (n && out[n - 1] != ' '))
            out[n++] = line[i];
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

Test(coherence_text, matrices_of_the_document) {
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        const struct matrices *m = &documents[i];
        measured_module stats = read_document(m);
        char text[4096], squeezed[256], expected[128];
        size_t length = matrix_text(&stats, m->title, text, sizeof text);
        cr_assert_eq(length, strlen(text));
        snprintf(expected, sizeof expected, "%s N M O E S I %s N M O E S I", m->title, m->title);
        size_t width = strcspn(text, "\n");
        const char *line = text;
        for (int row = -1; row < GPC_LINE_COUNT; row++, line += strcspn(line, "\n") + 1) {
            cr_expect_eq(strcspn(line, "\n"), width, "row %d is not as wide as the others", row);
            squeeze(line, strcspn(line, "\n"), squeezed);
            cr_expect_str_eq(squeezed, row < 0 ? expected : m->rows[row]);
        }
        cr_expect_eq(*line, '\0', "seven lines");
    }
}

/* Figures stand below the letter of the column. */
Test(coherence_text, columns_are_aligned) {
    measured_module stats = zeroes();
    char text[2048];
    stats.transitions[GPC_LINE_N][GPC_LINE_M] = 12;
    stats.origins[GPC_LINE_N][GPC_LINE_M] = 0xABC;
    matrix_text(&stats, "L1", text, sizeof text);
    cr_expect_str_eq(text, "L1     N   M   O   E   S   I    L1      N    M    O    E    S    I\n"
                           "   N   0  12   0   0   0   0       N    0  ABC    0    0    0    0\n"
                           "   M   0   0   0   0   0   0       M    0    0    0    0    0    0\n"
                           "   O   0   0   0   0   0   0       O    0    0    0    0    0    0\n"
                           "   E   0   0   0   0   0   0       E    0    0    0    0    0    0\n"
                           "   S   0   0   0   0   0   0       S    0    0    0    0    0    0\n"
                           "   I   0   0   0   0   0   0       I    0    0    0    0    0    0\n");
    stats.transitions[GPC_LINE_I][GPC_LINE_I] = UINT64_MAX;
    stats.origins[GPC_LINE_I][GPC_LINE_I] = UINT32_MAX;
    cr_expect_lt(matrix_text(&stats, NULL, text, sizeof text), sizeof text);
    cr_expect(strstr(text, "18446744073709551615"));
    cr_expect(strstr(text, "FFFFFFFF\n"));
}

typedef size_t (*print_fn)(const measured_module *stats, char *buffer, size_t size);

static size_t print_matrix(const measured_module *stats, char *buffer, size_t size) {
    return matrix_text(stats, "96 KB L2", buffer, size);
}

static size_t print_counters(const measured_module *stats, char *buffer, size_t size) {
    size_t length = 0;
    const gpc_status status =
        gpc_counters_json(measured_module_ids, MEASURED_COUNT(measured_module_ids), (const uint64_t *)stats,
                          sizeof *stats / sizeof(uint64_t), buffer, size, &length, NULL);
    cr_assert_eq(status, size <= length && buffer ? GPC_ERROR_RANGE : GPC_OK);
    return length;
}

/* Every buffer size, from none to enough: the start of the text, with NUL, and no bytes beyond. */
static void check_sizes(print_fn print) {
    measured_module stats = read_document(&documents[1]);
    size_t whole = print(&stats, NULL, 0);
    char *full = malloc(whole + 1);
    cr_assert_eq(print(&stats, full, whole + 1), whole);
    for (size_t size = 0; size <= whole + 1; size++) {
        char *part = malloc(size + 1);
        memset(part, '#', size + 1);
        cr_assert_eq(print(&stats, part, size), whole);
        cr_assert_eq(part[size], '#', "wrote past %zu bytes", size);
        if (size) {
            cr_assert_eq(part[size - 1], size == whole + 1 ? '\0' : part[size - 1]);
            cr_assert_eq(strlen(part), size - 1 < whole ? size - 1 : whole);
            cr_assert_eq(memcmp(part, full, size - 1), 0, "%zu bytes", size);
        }
        free(part);
    }
    free(full);
}

Test(coherence_text, buffers_of_every_size) {
    check_sizes(print_matrix);
    check_sizes(print_counters);
}

/* A number after `"name": `. */
static uint64_t number_of(const char *json, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    cr_assert(at, "%s is missing", name);
    cr_assert_null(strstr(at + 1, key), "%s stands there twice", name);
    return strtoull(at + strlen(key), NULL, 10);
}

Test(coherence_text, json_holds_everything) {
    measured_module stats = zeroes();
    uint64_t next = 1;
#define X(id, field, ...) stats.field = next++;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    stats.loads = UINT64_MAX - 1;
    char json[4096];
    size_t length = print_counters(&stats, json, sizeof json);
    cr_assert_eq(length, strlen(json));
    cr_expect(json[0] == '{' && json[length - 1] == '}');
#define X(id, field, name, ...) cr_expect_eq(number_of(json, name), stats.field, name);
    GPC_COHERENCE_COUNTERS(X)
#undef X
}

/* The columns of Table 2.5, and no two events with one name. */
Test(coherence_text, names_of_events) {
    const char *const columns[] = {"Load", "Store", "N-Store", "Eviction", "Read Req.", "Write Req."};
    for (int i = 0; i < 6; i++)
        cr_expect_str_eq(gpc_coherence_event_name((gpc_coherence_event)i), columns[i]);
    for (int i = 0; i < GPC_EVENT_COUNT; i++)
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(gpc_coherence_event_name((gpc_coherence_event)i),
                              gpc_coherence_event_name((gpc_coherence_event)k));
    cr_expect_null(gpc_coherence_event_name(GPC_EVENT_COUNT));
    cr_expect_null(gpc_coherence_event_name((gpc_coherence_event)-1));
}

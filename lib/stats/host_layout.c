/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <string.h>

/*
 * Conversion between a host's layout of a statistics struct and the library's layout. Values are matched by counter id.
 * If the host was compiled with the library's own header, the layouts are equal and the struct is copied.
 */

static const gpc_layout *own_layout(gpc_counter_table table) {
    return table == GPC_TABLE_HIERARCHY ? gpc_stats_layout()
           : table == GPC_TABLE_CACHE   ? gpc_cache_stats_layout()
                                        : gpc_coherence_stats_layout();
}

/* Bytes of the matrices after the fields: counts of 64 bits, masks of 32. */
static size_t matrix_bytes(uint32_t states) {
    size_t cells = (size_t)states * states;
    return (cells * (sizeof(uint64_t) + sizeof(uint32_t)) + 7) & ~(size_t)7;
}

static size_t field_bytes(const gpc_layout *layout) {
    size_t words = 0;
    for (size_t i = 0; i < layout->count; i++)
        words += layout->fields[i].length;
    return words * sizeof(uint64_t);
}

static const gpc_counter_info *known(const gpc_field *field, gpc_counter_table table) {
    const gpc_counter_info *info = gpci_counter(field->id);
    return info && info->table == (uint32_t)table && !info->ratio ? info : NULL;
}

bool gpci_layout_is_own(const gpc_layout *layout, gpc_counter_table table) {
    const gpc_layout *own = own_layout(table);
    return layout == own ||
           (layout->count == own->count && layout->bytes == own->bytes && layout->states == own->states &&
            layout->fields && !memcmp(layout->fields, own->fields, own->count * sizeof *own->fields));
}

/* True if the list of fields is as long as the struct. */
static bool well_formed(const gpc_layout *layout) {
    if (!layout->fields || layout->states > UINT8_MAX)
        return false;
    size_t bytes = sizeof(size_t) + field_bytes(layout) + matrix_bytes(layout->states);
    return layout->bytes >= bytes && layout->bytes - bytes < sizeof(uint64_t);
}

gpc_status gpci_layout_check(const gpc_layout *layout, gpc_counter_table table) {
    if (!layout)
        return GPC_ERROR_ARGUMENT;
    if (gpci_layout_is_own(layout, table))
        return GPC_OK;
    if (!well_formed(layout))
        return GPC_ERROR_ABI;
    for (size_t i = 0; i < layout->count; i++)
        if (!known(&layout->fields[i], table))
            return GPC_ERROR_ABI;
    return GPC_OK;
}

static size_t size_of(const void *theirs) {
    size_t size;
    memcpy(&size, theirs, sizeof size);
    return size;
}

/* Offset of the first field; the struct may be padded before. */
static size_t first_field(const gpc_layout *layout) {
    return layout->bytes - field_bytes(layout) - matrix_bytes(layout->states);
}

/*
 * Word `k` of a host's field of `length` words. If the library's field is longer, the last word receives the sum of the
 * rest.
 */
static uint64_t word_of(const uint64_t *values, size_t buckets, size_t k, size_t length) {
    uint64_t word = k < buckets ? values[k] : 0;
    if (*values == GPC_ABSENT)
        return GPC_ABSENT;
    for (size_t i = k + 1; k + 1 == length && i < buckets; i++)
        word += values[i];
    return word;
}

/* Copy the states known to both sides. */
static void give_matrices(uint32_t states, const gpc_coherence_stats *ours, char *theirs) {
    size_t cells = (size_t)states * states;
    memset(theirs, 0, cells * (sizeof(uint64_t) + sizeof(uint32_t)));
    for (uint32_t from = 0; from < states && from < GPC_LINE_COUNT; from++) {
        size_t row = states < GPC_LINE_COUNT ? states : GPC_LINE_COUNT;
        memcpy(theirs + from * states * sizeof(uint64_t), ours->transitions[from], row * sizeof(uint64_t));
        memcpy(theirs + cells * sizeof(uint64_t) + from * states * sizeof(uint32_t), ours->origins[from],
               row * sizeof(uint32_t));
    }
}

static void take_matrices(uint32_t states, const char *theirs, gpc_coherence_stats *ours) {
    size_t cells = (size_t)states * states;
    for (uint32_t from = 0; from < states && from < GPC_LINE_COUNT; from++) {
        size_t row = states < GPC_LINE_COUNT ? states : GPC_LINE_COUNT;
        memcpy(ours->transitions[from], theirs + from * states * sizeof(uint64_t), row * sizeof(uint64_t));
        memcpy(ours->origins[from], theirs + cells * sizeof(uint64_t) + from * states * sizeof(uint32_t),
               row * sizeof(uint32_t));
    }
}

gpc_status gpci_layout_give(const gpc_layout *layout, gpc_counter_table table, const void *ours, void *theirs) {
    if (!layout || !theirs)
        return GPC_ERROR_ARGUMENT;
    if (gpci_layout_is_own(layout, table))
        return gpci_give(theirs, ours, layout->bytes);
    gpc_status status = gpci_layout_check(layout, table);
    size_t given = size_of(theirs);
    if (status < 0 || given <= sizeof given)
        return GPC_ERROR_ABI;
    size_t at = first_field(layout);
    for (size_t i = 0; i < layout->count; i++) {
        const gpc_field *field = &layout->fields[i];
        const gpc_counter_info *info = known(field, table);
        const uint64_t *values = (const void *)((const char *)ours + info->offset);
        for (size_t k = 0; k < field->length; k++, at += sizeof(uint64_t)) {
            uint64_t word = word_of(values, info->buckets, k, field->length);
            if (at + sizeof word <= given)
                memcpy((char *)theirs + at, &word, sizeof word);
        }
    }
    if (layout->states && given >= layout->bytes)
        give_matrices(layout->states, ours, (char *)theirs + at);
    return GPC_OK;
}

/* Add a word. An absent value stays absent, also if buckets are added to the last bucket. */
static void take_word(uint64_t *ours, uint64_t word) {
    *ours = word == GPC_ABSENT || *ours == GPC_ABSENT ? GPC_ABSENT : *ours + word;
}

/* Read a field's words, up to the end of the struct. If the library does not know the field, its words must be 0. */
static gpc_status take_field(const gpc_field *field, const gpc_counter_info *info, const char *from, const char *end,
                             void *ours) {
    for (size_t k = 0; k < field->length && from + sizeof(uint64_t) <= end; k++, from += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        if (!info && word)
            return GPC_ERROR_ABI;
        if (info)
            take_word((uint64_t *)(void *)((char *)ours + info->offset) + (k < info->buckets ? k : info->buckets - 1),
                      word);
    }
    return GPC_OK;
}

gpc_status gpci_layout_take(const gpc_layout *layout, gpc_counter_table table, const void *theirs, void *ours,
                            bool *present) {
    if (!layout || !theirs)
        return GPC_ERROR_ARGUMENT;
    size_t given = size_of(theirs), rows, ours_size = own_layout(table)->bytes;
    const gpc_counter_info *first = gpci_counters(table, &rows);
    memset(ours, 0, ours_size);
    memcpy(ours, &ours_size, sizeof ours_size);
    if (present)
        memset(present, 0, rows * sizeof *present);
    if (!well_formed(layout) || given < sizeof given + sizeof(uint64_t) || (layout->states && given < layout->bytes))
        return GPC_ERROR_ABI;
    const char *from = theirs, *end = from + (given < layout->bytes ? given : layout->bytes);
    for (size_t i = layout->bytes; i < given; i++)
        if (from[i])
            return GPC_ERROR_ABI;
    from += first_field(layout);
    for (size_t i = 0; i < layout->count; i++) {
        const gpc_field *field = &layout->fields[i];
        const gpc_counter_info *info = known(field, table);
        size_t bytes = field->length * sizeof(uint64_t);
        if (from < end && take_field(field, info, from, end, ours) < 0)
            return GPC_ERROR_ABI;
        if (present && info)
            present[info - first] = from < end && (size_t)(end - from) >= bytes;
        from += bytes;
    }
    if (layout->states)
        take_matrices(layout->states, from, ours);
    return GPC_OK;
}

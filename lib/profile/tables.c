/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

/*
 * Conversion of counters to sorted tables. Some values depend on the final counts, and so are computed only here: the
 * number of lines that should bypass (score below 1), and for each instruction its accesses to lines that should
 * bypass.
 */

double gpc_profile_score(double utilisation, double reuse) {
    return utilisation * (1 + reuse);
}

void gpci_profile_rate(gpc_profile_counts *counts) {
    counts->reuse = counts->fills ? (double)counts->reuses / (double)counts->fills : (double)counts->hits;
    counts->utilisation = counts->bytes_moved ? (double)counts->bytes_used / (double)counts->bytes_moved : 0;
    counts->score =
        gpci_profile_score_of(counts->bytes_used, counts->bytes_moved, counts->fills, counts->reuses, counts->hits);
}

void gpci_profile_rate_line(gpc_profile_line *row) {
    row->reuse = row->fills ? (double)row->hits / (double)row->fills : (double)row->hits;
    row->utilisation = row->bytes_moved ? (double)row->bytes_used / (double)row->bytes_moved : 0;
    row->score = gpci_profile_score_of(row->bytes_used, row->bytes_moved, row->fills, row->hits, row->hits);
}

static gpc_profile_line line_of(const gpc_profile *profile, uint32_t sm, const gpci_line_row *row) {
    gpc_profile_line line = {.address = row->number << profile->line_shift,
                             .sm = sm,
                             .accesses = row->accesses,
                             .hits = row->hits,
                             .fills = row->fills,
                             .evictions = row->evictions,
                             .zero_reuse_evictions = row->zero_reuse_evictions,
                             .bytes_used = row->bytes_used,
                             .bytes_moved = row->bytes_moved,
                             .segments = row->segments,
                             .distances = row->distances,
                             .reuse_distance_sum = row->reuse_distance_sum,
                             .stack_distance_sum = row->stack_distance_sum};
    gpci_profile_rate_line(&line);
    return line;
}

/*
 * Key with an index. sort() is a stable radix sort by key: byte by byte, lowest first; bytes equal in all keys count
 * not.
 */
typedef struct keyed {
    uint64_t key;
    uint32_t index;
} keyed;

static keyed *sort(keyed *from, keyed *to, size_t count) {
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= from[i].key ^ from[0].key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff))
            continue;
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(from[i].key >> shift & 0xff) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < count; i++)
            to[starts[from[i].key >> shift & 0xff]++] = from[i];
        keyed *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* Tables while they are computed. */
typedef struct making {
    gpc_profile_sm *sms;
    gpc_profile_instruction *instructions;
    gpc_profile_class *classes;
    gpc_profile_line *lines;
    size_t instruction_count, line_count;
    keyed *keys;      /* [2 x most]: memory for sorting at most `most` keys */
    uint32_t *row_of; /* [live->instruction_count]: row in `instructions`; GPCI_NONE: no row, for lack of loads */
} making;

static void add_lines(const gpc_profile *profile, making *tables, const gpci_live_sm *sm, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < sm->line_count; i++)
        if (sm->lines[i].accesses)
            tables->keys[count++] = (keyed){sm->lines[i].number, (uint32_t)i};
    const keyed *sorted = sort(tables->keys, tables->keys + most, count);
    for (size_t i = 0; i < count; i++)
        tables->lines[tables->line_count++] = line_of(profile, sm->row.sm, &sm->lines[sorted[i].index]);
}

/* Add the instructions with loads, sorted by kernel and pc: a sort by pc, then a stable sort by kernel. */
static void add_instructions(const gpc_profile *profile, making *tables, size_t most) {
    const gpci_live *live = profile->live;
    size_t count = 0;
    for (size_t i = 0; i < live->instruction_count; i++) {
        tables->row_of[i] = GPCI_NONE;
        if (live->instructions[i].counts.loads)
            tables->keys[count++] = (keyed){live->instructions[i].pc, (uint32_t)i};
    }
    keyed *sorted = sort(tables->keys, tables->keys + most, count);
    for (size_t i = 0; i < count; i++)
        sorted[i].key = live->instructions[sorted[i].index].kernel;
    sorted = sort(sorted, sorted == tables->keys ? tables->keys + most : tables->keys, count);
    for (size_t i = 0; i < count; i++) {
        const gpci_live_instruction *from = &live->instructions[sorted[i].index];
        gpc_profile_instruction *row = &tables->instructions[tables->instruction_count];
        *row = (gpc_profile_instruction){.kernel = profile->names[from->kernel],
                                         .pc = from->pc,
                                         .kernel_index = from->kernel,
                                         .counts = from->counts};
        gpci_profile_rate(&row->counts);
        tables->row_of[sorted[i].index] = (uint32_t)tables->instruction_count++;
    }
}

static void add_share(making *tables, uint32_t instruction, uint64_t accesses, bool bypass) {
    if (tables->row_of[instruction] == GPCI_NONE)
        return;
    gpc_profile_instruction *row = &tables->instructions[tables->row_of[instruction]];
    row->lines++;
    row->bypass_lines += bypass;
    row->bypass_accesses += bypass ? accesses : 0;
}

/* Compute the counts of lines in the row of an SM, and in the rows of its instructions (seeds/001, Figures 3 and 4). */
static void add_sm(const gpc_profile *profile, making *tables, uint32_t index) {
    const gpci_live_sm *sm = &profile->live->sms[index];
    gpc_profile_sm *row = &tables->sms[index];
    *row = sm->row;
    gpci_profile_rate(&row->counts);
    for (size_t i = 0; i < sm->line_count; i++) {
        const gpci_line_row *line = &sm->lines[i];
        if (!line->accesses)
            continue;
        bool bypass = line_of(profile, index, line).score < 1;
        row->lines++;
        row->bypass_lines += bypass;
        row->lines_by_reuse[line->hits < GPC_PROFILE_REUSE_BUCKETS ? line->hits : GPC_PROFILE_REUSE_BUCKETS - 1]++;
        add_share(tables, line->first, line->first_count, bypass);
    }
    for (uint32_t i = 0; i < sm->pairs.count; i++) {
        const gpci_map_entry *pair = &sm->pairs.entries[i];
        add_share(tables, (uint32_t)pair->key, pair->value,
                  line_of(profile, index, &sm->lines[pair->key >> 32]).score < 1);
    }
}

static void fill(const gpc_profile *profile, making *tables, size_t most) {
    const gpci_live *live = profile->live;
    for (uint32_t i = 0; i < profile->sm_count; i++)
        add_lines(profile, tables, &live->sms[i], most);
    add_instructions(profile, tables, most);
    for (uint32_t i = 0; i < profile->sm_count; i++)
        add_sm(profile, tables, i);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++) {
        tables->classes[i] = live->classes[i];
        gpci_profile_rate(&tables->classes[i].counts);
    }
}

static void free_making(gpc_context *context, making *tables) {
    gpci_free(context, tables->sms);
    gpci_free(context, tables->instructions);
    gpci_free(context, tables->classes);
    gpci_free(context, tables->lines);
}

static void adopt(gpc_profile *profile, const making *tables) {
    gpci_profile_free_tables(profile);
    profile->sms = tables->sms;
    profile->instructions = tables->instructions;
    profile->instruction_count = tables->instruction_count;
    profile->classes = tables->classes;
    profile->lines = tables->lines;
    profile->line_count = tables->line_count;
    profile->settled = true;
}

gpc_status gpci_profile_settle(gpc_profile *profile) {
    if (profile->settled)
        return GPC_OK;
    const gpci_live *live = profile->live;
    size_t lines = 0, most = live->instruction_count;
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        lines += live->sms[i].line_count;
        most = live->sms[i].line_count > most ? live->sms[i].line_count : most;
    }
    gpc_context *context = profile->context;
    making tables = {.sms = gpci_zalloc(context, profile->sm_count, sizeof *tables.sms),
                     .instructions = gpci_zalloc(context, live->instruction_count, sizeof *tables.instructions),
                     .classes = gpci_zalloc(context, GPC_PROFILE_CLASSES, sizeof *tables.classes),
                     .lines = gpci_zalloc(context, lines, sizeof *tables.lines),
                     .keys = gpci_zalloc(context, most, 2 * sizeof *tables.keys),
                     .row_of = gpci_zalloc(context, live->instruction_count, sizeof *tables.row_of)};
    bool made = tables.sms && tables.instructions && tables.classes && tables.lines && tables.keys && tables.row_of;
    if (made) {
        fill(profile, &tables, most);
        adopt(profile, &tables);
    } else {
        free_making(context, &tables);
    }
    gpci_free(context, tables.keys);
    gpci_free(context, tables.row_of);
    return made ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_profile_free_tables(gpc_profile *profile) {
    gpci_free(profile->context, profile->sms);
    gpci_free(profile->context, profile->instructions);
    gpci_free(profile->context, profile->classes);
    gpci_free(profile->context, profile->lines);
    profile->sms = NULL;
    profile->instructions = NULL;
    profile->classes = NULL;
    profile->lines = NULL;
}

void gpci_profile_complete(gpc_profile *profile) {
    for (uint32_t i = 0; i < profile->sm_count; i++)
        gpci_profile_rate(&profile->sms[i].counts);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        gpci_profile_rate(&profile->classes[i].counts);
    for (size_t i = 0; i < profile->instruction_count; i++)
        gpci_profile_rate(&profile->instructions[i].counts);
    for (size_t i = 0; i < profile->line_count; i++)
        gpci_profile_rate_line(&profile->lines[i]);
    profile->settled = true;
}

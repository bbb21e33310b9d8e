/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

/*
 * Conversion of counters to sorted tables. Some values are known only at the end: the lines that should bypass, and for
 * each instruction the number of its accesses to such lines.
 */

double gpc_profile_score(double utilisation, double reuse) {
    return utilisation * (1 + reuse);
}

void gpci_profile_rate(gpc_profile_counts *c) {
    c->reuse = c->fills ? (double)c->reuses / (double)c->fills : (double)c->hits;
    c->utilisation = c->bytes_moved ? (double)c->bytes_used / (double)c->bytes_moved : 0;
    c->score = gpci_profile_score_of(c->bytes_used, c->bytes_moved, c->fills, c->reuses, c->hits);
}

void gpci_profile_rate_line(gpc_profile_line *row) {
    row->reuse = row->fills ? (double)row->hits / (double)row->fills : (double)row->hits;
    row->utilisation = row->bytes_moved ? (double)row->bytes_used / (double)row->bytes_moved : 0;
    row->score = gpci_profile_score_of(row->bytes_used, row->bytes_moved, row->fills, row->hits, row->hits);
}

static gpc_profile_line line_of(const gpc_profile *p, uint32_t sm, const gpci_line_row *row) {
    gpc_profile_line line = {.address = row->number << p->line_shift,
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

/* Keys with an index, sorted by key: radix sort by bytes, lowest first, skipping bytes equal in all keys. */
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

/* Tables being made. */
typedef struct making {
    gpc_profile_sm *sms;
    gpc_profile_instruction *instructions;
    gpc_profile_class *classes;
    gpc_profile_line *lines;
    size_t instruction_count, line_count;
    keyed *keys;      /* [2 x most]: memory for sorting */
    uint32_t *row_of; /* [live instructions]: row of each; GPCI_NONE = no row */
} making;

static void add_lines(const gpc_profile *p, making *m, const gpci_live_sm *sm, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < sm->line_count; i++)
        if (sm->lines[i].accesses)
            m->keys[count++] = (keyed){sm->lines[i].number, (uint32_t)i};
    const keyed *sorted = sort(m->keys, m->keys + most, count);
    for (size_t i = 0; i < count; i++)
        m->lines[m->line_count++] = line_of(p, sm->row.sm, &sm->lines[sorted[i].index]);
}

/* Sort by kernel and pc: two stable sorts. */
static void add_instructions(const gpc_profile *p, making *m, size_t most) {
    const gpci_live *l = p->live;
    size_t count = 0;
    for (size_t i = 0; i < l->instruction_count; i++) {
        m->row_of[i] = GPCI_NONE;
        if (l->instructions[i].counts.loads)
            m->keys[count++] = (keyed){l->instructions[i].pc, (uint32_t)i};
    }
    keyed *sorted = sort(m->keys, m->keys + most, count);
    for (size_t i = 0; i < count; i++)
        sorted[i].key = l->instructions[sorted[i].index].kernel;
    sorted = sort(sorted, sorted == m->keys ? m->keys + most : m->keys, count);
    for (size_t i = 0; i < count; i++) {
        const gpci_live_instruction *from = &l->instructions[sorted[i].index];
        gpc_profile_instruction *row = &m->instructions[m->instruction_count];
        *row = (gpc_profile_instruction){
            .kernel = p->names[from->kernel], .pc = from->pc, .kernel_index = from->kernel, .counts = from->counts};
        gpci_profile_rate(&row->counts);
        m->row_of[sorted[i].index] = (uint32_t)m->instruction_count++;
    }
}

static void add_share(making *m, uint32_t instruction, uint64_t accesses, bool bypass) {
    if (m->row_of[instruction] == GPCI_NONE)
        return;
    gpc_profile_instruction *row = &m->instructions[m->row_of[instruction]];
    row->lines++;
    row->bypass_lines += bypass;
    row->bypass_accesses += bypass ? accesses : 0;
}

/* Figures 3 and 4: compute rows of an SM and of its instructions from the SM's lines. */
static void add_sm(const gpc_profile *p, making *m, uint32_t index) {
    const gpci_live_sm *sm = &p->live->sms[index];
    gpc_profile_sm *row = &m->sms[index];
    *row = sm->row;
    gpci_profile_rate(&row->counts);
    for (size_t i = 0; i < sm->line_count; i++) {
        const gpci_line_row *line = &sm->lines[i];
        if (!line->accesses)
            continue;
        bool bypass = line_of(p, index, line).score < 1;
        row->lines++;
        row->bypass_lines += bypass;
        row->lines_by_reuse[line->hits < GPC_PROFILE_REUSE_BUCKETS ? line->hits : GPC_PROFILE_REUSE_BUCKETS - 1]++;
        add_share(m, line->first, line->first_count, bypass);
    }
    for (uint32_t i = 0; i < sm->pairs.count; i++) {
        const gpci_map_entry *pair = &sm->pairs.entries[i];
        add_share(m, (uint32_t)pair->key, pair->value, line_of(p, index, &sm->lines[pair->key >> 32]).score < 1);
    }
}

static void fill(const gpc_profile *p, making *m, size_t most) {
    const gpci_live *l = p->live;
    for (uint32_t i = 0; i < p->sm_count; i++)
        add_lines(p, m, &l->sms[i], most);
    add_instructions(p, m, most);
    for (uint32_t i = 0; i < p->sm_count; i++)
        add_sm(p, m, i);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++) {
        m->classes[i] = l->classes[i];
        gpci_profile_rate(&m->classes[i].counts);
    }
}

static void free_making(gpc_context *context, making *m) {
    gpci_free(context, m->sms);
    gpci_free(context, m->instructions);
    gpci_free(context, m->classes);
    gpci_free(context, m->lines);
}

static void adopt(gpc_profile *p, const making *m) {
    gpci_profile_free_tables(p);
    p->sms = m->sms;
    p->instructions = m->instructions;
    p->instruction_count = m->instruction_count;
    p->classes = m->classes;
    p->lines = m->lines;
    p->line_count = m->line_count;
    p->settled = true;
}

gpc_status gpci_profile_settle(gpc_profile *p) {
    if (p->settled)
        return GPC_OK;
    const gpci_live *l = p->live;
    size_t lines = 0, most = l->instruction_count;
    for (uint32_t i = 0; i < p->sm_count; i++) {
        lines += l->sms[i].line_count;
        most = l->sms[i].line_count > most ? l->sms[i].line_count : most;
    }
    gpc_context *context = p->context;
    making m = {.sms = gpci_zalloc(context, p->sm_count, sizeof *m.sms),
                .instructions = gpci_zalloc(context, l->instruction_count, sizeof *m.instructions),
                .classes = gpci_zalloc(context, GPC_PROFILE_CLASSES, sizeof *m.classes),
                .lines = gpci_zalloc(context, lines, sizeof *m.lines),
                .keys = gpci_zalloc(context, most, 2 * sizeof *m.keys),
                .row_of = gpci_zalloc(context, l->instruction_count, sizeof *m.row_of)};
    bool made = m.sms && m.instructions && m.classes && m.lines && m.keys && m.row_of;
    if (made) {
        fill(p, &m, most);
        adopt(p, &m);
    } else {
        free_making(context, &m);
    }
    gpci_free(context, m.keys);
    gpci_free(context, m.row_of);
    return made ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_profile_free_tables(gpc_profile *p) {
    gpci_free(p->context, p->sms);
    gpci_free(p->context, p->instructions);
    gpci_free(p->context, p->classes);
    gpci_free(p->context, p->lines);
    p->sms = NULL;
    p->instructions = NULL;
    p->classes = NULL;
    p->lines = NULL;
}

void gpci_profile_complete(gpc_profile *p) {
    for (uint32_t i = 0; i < p->sm_count; i++)
        gpci_profile_rate(&p->sms[i].counts);
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        gpci_profile_rate(&p->classes[i].counts);
    for (size_t i = 0; i < p->instruction_count; i++)
        gpci_profile_rate(&p->instructions[i].counts);
    for (size_t i = 0; i < p->line_count; i++)
        gpci_profile_rate_line(&p->lines[i]);
    p->settled = true;
}

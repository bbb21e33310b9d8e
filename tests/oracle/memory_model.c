/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/memory_model.h"

#include "base/base.h"
#include "measured.h"

#include <string.h>

/* The levels of the model, and the path between. */

void memory_model_init(memory_model *m, const memory_config *config) {
    memset(m, 0, sizeof *m);
    m->config = *config;
    measured_clear(&m->stats);
    for (unsigned i = 0; i < MODEL_SMS; i++)
        m->l1[i] = (memory_cache){.level = &m->config.l1, .first = &m->first};
    for (unsigned i = 0; i < MODEL_SLICES; i++)
        m->l2[i] = (memory_cache){.level = &m->config.l2, .first = &m->first};
    for (unsigned space = 0; space < 2; space++) {
        for (unsigned i = 0; i < MODEL_SMS; i++)
            m->l1[i].lazy |= config->l1.allocate[space] == GPC_WRITE_LAZY_FETCH;
        for (unsigned i = 0; i < MODEL_SLICES; i++)
            m->l2[i].lazy |= config->l2.allocate[space] == GPC_WRITE_LAZY_FETCH;
    }
}

/* Place of an L1 line in L2. */

static unsigned partition_of(const memory_model *m, unsigned sm) {
    const memory_config *c = &m->config;
    if (c->partitions == 1)
        return 0;
    return c->sm_partition == 0 ? sm >= (c->sms + 1) / 2 : c->sm_partition == 1 ? sm / 2 % 2 : sm / 16 % 2;
}

/* The home partition is unspecified except for the grain of 4 KiB; it uses the hierarchy's hash. */
static unsigned home_of(const memory_model *m, uint64_t address) {
    return m->config.partitions == 1 ? 0 : (unsigned)(gpci_mix(address / 4096) >> 63);
}

static memory_cache *slice_of(memory_model *m, unsigned partition, uint64_t address) {
    unsigned slices = m->config.slices / m->config.partitions;
    return &m->l2[partition * slices + address / m->config.interleave % slices];
}

/* Address within the slice: the granules of other slices leave no gaps. */
static uint64_t inner_of(const memory_model *m, uint64_t address) {
    uint64_t granule = m->config.interleave, slices = m->config.slices / m->config.partitions;
    return address / granule / slices * granule + address % granule;
}

static uint64_t outer_of(const memory_model *m, const memory_cache *slice, uint64_t inner) {
    uint64_t granule = m->config.interleave, slices = m->config.slices / m->config.partitions;
    return (inner / granule * slices + (uint64_t)(slice - m->l2) % slices) * granule + inner % granule;
}

static unsigned shift_of(const memory_model *m, uint64_t address) {
    return (unsigned)(address % m->config.l2.line / 32);
}

static void read_dram(memory_model *m, uint8_t segments) {
    m->stats.dram_read_sectors += memory_count(segments);
    m->result.dram_sectors += memory_count(segments);
}

static void write_dram(memory_model *m, const bool *bytes) {
    m->stats.dram_write_sectors += memory_count(memory_segments(bytes));
}

/* Evicted lines */

static void l2_leaves(memory_model *m, const memory_cache *slice, const memory_leaver *leaver) {
    if (!leaver->any)
        return;
    m->stats.l2_write_back_sectors += memory_count(memory_segments(leaver->dirty));
    write_dram(m, leaver->dirty);
    if (!m->config.inclusive || !m->config.has_l1)
        return;
    uint64_t first = outer_of(m, slice, leaver->address);
    for (unsigned sm = 0; sm < m->config.sms; sm++)
        for (uint64_t at = first; at < first + m->config.l2.line; at += m->config.l1.line) {
            memory_line *line = memory_find(&m->l1[sm], at);
            memory_leaver from_l1;
            if (!line)
                continue;
            memory_drop(&m->l1[sm], line, &from_l1);
            m->stats.l1_invalidations++;
            m->stats.l1_write_back_sectors += memory_count(memory_segments(from_l1.dirty));
            write_dram(m, from_l1.dirty);
        }
}

/* A way was given to a line: `leaver` was replaced. */
static void l2_replaced(memory_model *m, const memory_cache *slice, const memory_leaver *leaver) {
    m->stats.l2_evictions += leaver->any;
    l2_leaves(m, slice, leaver);
}

/* Reads below L1 */

static memory_answer read_slice(memory_model *m, memory_cache *slice, uint64_t inner, uint8_t segments) {
    memory_answer answer = memory_read(slice, inner, segments);
    m->stats.l2_lookups++;
    if (answer.fetch)
        memory_fill(slice, inner, answer.fetch, &answer.leaver);
    l2_replaced(m, slice, &answer.leaver);
    return answer;
}

static void read_below(memory_model *m, unsigned sm, uint64_t address, uint8_t segments) {
    if (!m->config.has_l2) {
        read_dram(m, segments);
        return;
    }
    unsigned own = partition_of(m, sm), home = home_of(m, address), shift = shift_of(m, address);
    uint64_t inner = inner_of(m, address);
    memory_answer answer = read_slice(m, slice_of(m, own, address), inner, (uint8_t)(segments << shift));
    m->stats.l2_read_sectors += memory_count(segments);
    m->stats.l2_read_sector_hits += memory_count(answer.hits);
    m->result.l2_sectors += memory_count(segments);
    m->result.l2_sector_hits += memory_count(answer.hits);
    if (answer.fetch && own != home) {
        m->stats.l2_remote_sectors += memory_count(answer.fetch);
        answer = read_slice(m, slice_of(m, home, address), inner, answer.fetch);
    }
    read_dram(m, answer.fetch);
}

/* Writes below L1 */

/* The home slice; a copy in the other partition is dropped. */
static memory_cache *home_slice(memory_model *m, unsigned sm, uint64_t address, uint8_t segments) {
    unsigned home = home_of(m, address);
    if (m->config.partitions == 2) {
        memory_cache *other = slice_of(m, !home, address);
        memory_line *copy = memory_find(other, inner_of(m, address));
        if (copy)
            copy->resident = false;
        if (partition_of(m, sm) != home)
            m->stats.l2_remote_sectors += memory_count(segments);
    }
    return slice_of(m, home, address);
}

static void write_below(memory_model *m, unsigned sm, uint64_t address, const bool *bytes) {
    uint8_t segments = memory_segments(bytes), hits = 0;
    if (!m->config.has_l2) {
        write_dram(m, bytes);
        return;
    }
    unsigned shift = shift_of(m, address);
    memory_cache *slice = home_slice(m, sm, address, segments);
    bool moved[128] = {0};
    for (unsigned b = 0; b < m->config.l2.line; b++)
        moved[b] = b >= 32 * shift && bytes[b - 32 * shift];
    memory_answer answer = memory_store(slice, inner_of(m, address), moved, GPC_SPACE_GLOBAL, true);
    if (m->config.l2.policy[0] == GPC_WRITE_EVICT)
        l2_leaves(m, slice, &answer.leaver);
    else
        l2_replaced(m, slice, &answer.leaver);
    for (unsigned s = 0; s < 4; s++) {
        bool whole = true;
        for (unsigned b = 32 * s; b < 32 * s + 32; b++)
            whole &= moved[b];
        if (whole || answer.hits >> s & 1)
            hits |= (uint8_t)(1u << s);
    }
    m->stats.l2_lookups++;
    m->stats.l2_write_sectors += memory_count(segments);
    m->stats.l2_write_sector_hits += memory_count(hits);
    m->result.l2_sectors += memory_count(segments);
    m->result.l2_sector_hits += memory_count(hits);
    read_dram(m, answer.fetch);
    write_dram(m, answer.below);
}

static void atomic_below(memory_model *m, unsigned sm, uint64_t address, uint8_t segments) {
    if (!m->config.has_l2) {
        read_dram(m, segments);
        m->stats.dram_write_sectors += memory_count(segments);
        return;
    }
    memory_cache *slice = home_slice(m, sm, address, segments);
    memory_answer answer = memory_atomic(slice, inner_of(m, address), (uint8_t)(segments << shift_of(m, address)));
    l2_replaced(m, slice, &answer.leaver);
    m->stats.l2_lookups++;
    m->stats.l2_atomic_sectors += memory_count(segments);
    m->stats.l2_atomic_sector_hits += memory_count(answer.hits);
    m->result.l2_sectors += memory_count(segments);
    m->result.l2_sector_hits += memory_count(answer.hits);
    read_dram(m, answer.fetch);
    write_dram(m, answer.below);
}

static void l1_leaves(memory_model *m, unsigned sm, const memory_leaver *leaver) {
    uint8_t dirty = memory_segments(leaver->dirty);
    if (!leaver->any || !dirty)
        return;
    m->stats.l1_write_back_sectors += memory_count(dirty);
    const bool first = m->first;
    m->first = false;
    write_below(m, sm, leaver->address, leaver->dirty);
    m->first = first;
}

/* A line transaction */

static bool keeps_out_of_l1(const gpc_warp_access *a) {
    return a->hint == GPC_HINT_CG || a->hint == GPC_HINT_CV || a->hint == GPC_HINT_NO_ALLOCATE;
}

static void load(memory_model *m, const gpc_warp_access *a, memory_cache *l1, uint64_t address, uint8_t segments) {
    if (!l1) {
        read_below(m, a->sm, address, segments);
        return;
    }
    if (keeps_out_of_l1(a)) {
        m->stats.l1_bypasses++;
        m->stats.l1_bypassed_sectors += memory_count(segments);
        m->stats.l1_fetched_sectors += memory_count(segments);
        read_below(m, a->sm, address, segments);
        return;
    }
    memory_answer answer = memory_read(l1, address, segments);
    m->stats.l1_load_sector_hits += a->kind == GPC_LOAD ? memory_count(answer.hits) : 0;
    m->result.l1_sector_hits += memory_count(answer.hits);
    if (!answer.fetch)
        return;
    m->stats.l1_fetched_sectors += memory_count(answer.fetch);
    read_below(m, a->sm, address, answer.fetch);
    memory_fill(l1, address, answer.fetch, &answer.leaver);
    m->stats.l1_evictions += answer.leaver.any;
    l1_leaves(m, a->sm, &answer.leaver);
}

static void store(memory_model *m, const gpc_warp_access *a, memory_cache *l1, uint64_t address, const bool *bytes) {
    if (!l1) {
        write_below(m, a->sm, address, bytes);
        return;
    }
    memory_answer answer = memory_store(l1, address, bytes, a->space, !keeps_out_of_l1(a));
    bool drops = m->config.l1.policy[a->space] == GPC_WRITE_EVICT;
    m->stats.l1_store_sector_hits += memory_count(answer.hits);
    m->stats.l1_bypasses += answer.bypassed;
    *(drops ? &m->stats.l1_invalidations : &m->stats.l1_evictions) += answer.leaver.any;
    l1_leaves(m, a->sm, &answer.leaver);
    if (answer.fetch) {
        m->stats.l1_fetched_sectors += memory_count(answer.fetch);
        read_below(m, a->sm, address, answer.fetch);
    }
    if (memory_segments(answer.below))
        write_below(m, a->sm, address, answer.below);
}

static void atomic(memory_model *m, const gpc_warp_access *a, memory_cache *l1, uint64_t address, uint8_t segments) {
    memory_line *line = l1 ? memory_find(l1, address) : NULL;
    if (line) {
        memory_leaver leaver;
        memory_drop(l1, line, &leaver);
        m->stats.l1_invalidations++;
        l1_leaves(m, a->sm, &leaver);
    }
    atomic_below(m, a->sm, address, segments);
}

/* A warp instruction */

typedef struct touched {
    uint64_t address;
    bool bytes[128];
} touched;

/* Distinct lines in the order of first touch, byte by byte. */
static unsigned lines_of(const gpc_warp_access *a, unsigned line_bytes, touched *lines) {
    unsigned count = 0, lanes = 0;
    for (unsigned lane = 0; lane < 64; lane++)
        lanes += a->mask >> lane & 1;
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned b = 0; b < a->width; b++) {
            uint64_t byte = a->addresses[lane] + b, line = byte / line_bytes * line_bytes;
            unsigned i = 0;
            while (i < count && lines[i].address != line)
                i++;
            if (i == count) {
                memset(&lines[count], 0, sizeof lines[count]);
                lines[count++].address = line;
            }
            lines[i].bytes[byte - line] = true;
        }
    return count;
}

static void count_load(memory_model *m, const memory_cache *l1, const touched *line) {
    uint8_t segments = memory_segments(line->bytes);
    for (unsigned b = 0; b < 128; b++)
        m->stats.l1_load_bytes_used += line->bytes[b];
    m->stats.l1_load_lines++;
    m->stats.l1_touched_lines++; /* each transaction has a line of its own */
    m->stats.l1_load_sectors += memory_count(segments);
    unsigned sector = l1 ? l1->level->line / l1->level->sectors : 32;
    for (unsigned s = 0; s < 128 / sector; s++) {
        bool any = false;
        for (unsigned b = s * sector; b < (s + 1) * sector; b++)
            any |= line->bytes[b];
        m->stats.l1_load_bytes_moved += any ? sector : 0;
    }
}

static void transact(memory_model *m, const gpc_warp_access *a, memory_cache *l1, const touched *line) {
    uint8_t segments = memory_segments(line->bytes);
    m->result.lines++;
    m->result.sectors += memory_count(segments);
    m->stats.l1_lookups += l1 != NULL;
    switch (a->kind) {
    case GPC_STORE:
        m->stats.l1_store_sectors += memory_count(segments);
        store(m, a, l1, line->address, line->bytes);
        break;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        m->stats.l1_atomic_sectors += memory_count(segments);
        atomic(m, a, l1, line->address, segments);
        break;
    default:
        if (a->kind == GPC_LOAD)
            count_load(m, l1, line);
        load(m, a, l1, line->address, segments);
    }
}

gpc_warp_result memory_model_access(memory_model *m, const gpc_warp_access *a) {
    touched lines[192];
    m->result = (gpc_warp_result)GPC_WARP_RESULT_INIT;
    m->first = a->hint == GPC_HINT_CS;
    m->stats.warp_instructions++;
    for (unsigned lane = 0; lane < 64; lane++)
        m->stats.thread_instructions += a->mask >> lane & 1;
    if (!a->mask || a->space > GPC_SPACE_LOCAL)
        return m->result;
    bool through = m->config.has_l1 && !(m->config.local_only && a->space == GPC_SPACE_GLOBAL);
    unsigned count = lines_of(a, m->config.has_l1 ? m->config.l1.line : m->config.l2.line, lines);
    m->stats.l1_load_requests += a->kind == GPC_LOAD;
    m->stats.l1_store_requests += a->kind == GPC_STORE;
    m->stats.l1_atomic_requests += a->kind == GPC_ATOMIC || a->kind == GPC_REDUCTION;
    m->stats.l1_transactions_per_load[count < 32 ? count : 32] += a->kind == GPC_LOAD;
    for (unsigned i = 0; i < count; i++)
        transact(m, a, through ? &m->l1[a->sm] : NULL, &lines[i]);
    return m->result;
}

void memory_model_flush_l1(memory_model *m) {
    for (unsigned sm = 0; m->config.has_l1 && sm < m->config.sms; sm++)
        for (unsigned dirty = 2; dirty-- > 0;) /* dirty lines first */
            for (unsigned i = 0; i < MODEL_SETS * MODEL_WAYS; i++) {
                memory_line *line = &m->l1[sm].lines[i / MODEL_WAYS][i % MODEL_WAYS];
                memory_leaver leaver;
                if (!line->resident || (dirty && !line->dirty))
                    continue;
                memory_drop(&m->l1[sm], line, &leaver);
                m->stats.l1_invalidations++;
                l1_leaves(m, sm, &leaver);
            }
}

void memory_model_flush_l2(memory_model *m) {
    for (unsigned slice = 0; m->config.has_l2 && slice < m->config.slices; slice++)
        for (unsigned i = 0; i < MODEL_SETS * MODEL_WAYS; i++) {
            memory_line *line = &m->l2[slice].lines[i / MODEL_WAYS][i % MODEL_WAYS];
            memory_leaver leaver;
            if (!line->resident)
                continue;
            memory_drop(&m->l2[slice], line, &leaver);
            m->stats.l2_write_back_sectors += memory_count(memory_segments(leaver.dirty));
            write_dram(m, leaver.dirty);
        }
}

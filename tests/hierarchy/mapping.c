/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/mapping_golden.h"
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Channel, slice, bank, row and column of addresses by address.mapping, as in GPGPU-Sim's addrdec.cc. */

#define TIMED "mode = timed\nl1.enabled = false\nl2.ways = 1\nl2.line = 128B\n"

static const char *const indexings[] = {"consecutive", "xor", "ipoly", "pae", "random"};

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Settings of a mapping: `each` slices per channel, of 64 lines, and banks by the letters. */
static void settings_of(char *text, size_t size, const char *mapping, uint32_t channels, uint32_t each,
                        const char *indexing, uint32_t banks) {
    snprintf(text, size,
             TIMED "dram.channels = %u\nl2.slices = %u\nl2.size = %uKiB\naddress.mapping = %s\n"
                   "address.indexing = %s\ndram.bank_groups = 1\ndram.group_banks = %u\ndram.bank_hash = none\n",
             channels, channels * each, channels * each * 8, mapping, indexing, banks);
}

static gpc_location locate(const rig *r, uint64_t address) {
    gpc_location at = GPC_LOCATION_INIT;
    cr_assert_eq(gpc_hierarchy_locate(r->hierarchy, 0, address, &at, NULL), GPC_OK);
    return at;
}

static void expect_place(const rig *r, const golden_place *p, const char *name) {
    const gpc_location at = locate(r, p->address);
    cr_expect_eq(at.channel, p->channel, "%s %#" PRIx64 ": channel %u", name, p->address, at.channel);
    cr_expect_eq(at.slice, p->slice, "%s %#" PRIx64 ": slice %u", name, p->address, at.slice);
    cr_expect_eq(at.bank, p->bank, "%s %#" PRIx64 ": bank %u", name, p->address, at.bank);
    cr_expect_eq(at.row, p->row, "%s %#" PRIx64 ": row %" PRIu64, name, p->address, at.row);
    cr_expect_eq(at.column, p->column & ~127u, "%s %#" PRIx64 ": column %u", name, p->address, at.column); /* a line */
}

Test(mapping, as_gpgpusim_has_it) {
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const golden *g = &goldens[i];
        char text[512];
        rig r;
        settings_of(text, sizeof text, g->mapping, g->channels, g->slices, indexings[g->indexing], 16);
        rig_open(&r, text);
        for (unsigned n = 0; n < GOLDEN_PLACES; n++)
            expect_place(&r, &g->places[n], g->name);
        rig_close(&r);
    }
}

/* Options of a file give equal places; groups of banks by lower bits change no bank's number. */
Test(mapping, imported) {
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const golden *g = &goldens[i];
        char text[640];
        rig r;
        gpc_error error = GPC_ERROR_INIT;
        rig_open(&r, "mode = timed\nl2.interleave = ipoly\nl2.interleave_bytes = 4KiB\n");
        gpc_hierarchy_destroy(r.hierarchy);
        r.hierarchy = NULL;
        snprintf(text, sizeof text,
                 "-gpgpu_n_mem %u -gpgpu_n_sub_partition_per_mchannel %u -gpgpu_memory_partition_indexing %u\n"
                 "-gpgpu_mem_address_mask 1 -gpgpu_mem_addr_mapping %s\n-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,"
                 "32:0,32\n-gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:"
                 "nbkgrp=4:CCDL=2:RTPL=3\n-dram_bnkgrp_indexing_policy 1\n",
                 g->channels, g->slices, g->indexing, g->mapping);
        cr_assert_eq(gpc_config_import_gpgpusim_text(r.config, text, g->name, NULL, NULL, &error), GPC_OK, "%s",
                     error.message);
        cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, &error), GPC_OK, "%s: %s", g->name,
                     error.message);
        for (unsigned n = 0; n < GOLDEN_PLACES; n++)
            expect_place(&r, &g->places[n], g->name);
        rig_close(&r);
    }
}

/* Preset gtx480-gpgpusim has the mapping of the simulator's configuration, by l2.interleave and dram.mapping. */
Test(mapping, preset_of_gpgpusim) {
    uint64_t state = 321;
    rig preset, mapped;
    rig_open(&preset, "preset = gtx480-gpgpusim\nmode = timed\n");
    rig_open(&mapped, "preset = gtx480-gpgpusim\nmode = timed\n"
                      "dram.mapping = row bank column group pseudo column:1\naddress.mapping = "
                      "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n");
    for (unsigned n = 0; n < 10000; n++) {
        const uint64_t address = next(&state) % (UINT64_C(6) << 28); /* with 12 bits for rows */
        const gpc_location a = locate(&preset, address), b = locate(&mapped, address);
        cr_expect_eq(memcmp(&a, &b, sizeof a), 0, "%#" PRIx64, address);
    }
    rig_close(&preset);
    rig_close(&mapped);
}

/* Model of a mapping: the definition, bit by bit. */
typedef struct model {
    char letters[65]; /* bit 63 first */
    uint32_t channels, each, from;
    uint64_t bank, row, column, slice, channel;
} model;

static uint64_t bits_by(const char *letters, const char *wanted, uint64_t value) {
    uint64_t result = 0, weight = 1;
    for (unsigned bit = 0; bit < 64; bit++)
        if (strchr(wanted, letters[63 - bit])) {
            result += (value >> bit & 1) * weight;
            weight *= 2;
        }
    return result;
}

static void ask(model *m, uint64_t address) {
    const uint64_t high = address >> m->from, low = address & (((uint64_t)1 << m->from) - 1);
    const uint64_t rest = high / m->channels << m->from | low;
    m->channel = high % m->channels;
    m->bank = bits_by(m->letters, "B", rest);
    m->row = bits_by(m->letters, "R", rest);
    m->column = bits_by(m->letters, "CS", rest);
    m->slice = m->channel * m->each + m->bank % m->each;
}

/* Make random letters: S below a line's bits, four B, R, C and 0 elsewhere. */
static void make_model(model *m, uint64_t *state) {
    static const uint32_t each[] = {1, 1, 2, 2, 4};
    memset(m->letters, 'S', 64);
    m->letters[64] = '\0';
    m->channels = 1 + (uint32_t)(next(state) % 40);
    m->each = each[next(state) % 5];
    m->from = 7 + (uint32_t)(next(state) % 6);
    for (unsigned bit = 7; bit < 64; bit++) /* DRAM's columns are below 2^32 */
        m->letters[63 - bit] = bit < 24 ? "RC0R"[next(state) % 4] : "0R"[next(state) % 2];
    for (unsigned banks = 0; banks < 4;) {
        const unsigned bit = 7 + (unsigned)(next(state) % 30);
        banks += m->letters[63 - bit] != 'B';
        m->letters[63 - bit] = 'B';
    }
}

Test(mapping, as_it_is_defined) {
    uint64_t state = 47;
    for (unsigned n = 0; n < 120; n++) {
        model m;
        char mapping[96], text[512];
        rig r;
        make_model(&m, &state);
        snprintf(mapping, sizeof mapping, "dramid@%u;%.8s.%.24s|%s", m.from, m.letters, m.letters + 8, m.letters + 32);
        settings_of(text, sizeof text, mapping, m.channels, m.each, "consecutive", 16);
        rig_open(&r, text);
        for (unsigned i = 0; i < 60; i++) {
            const uint64_t address = next(&state) >> next(&state) % 40 & ~(uint64_t)127;
            const gpc_location at = locate(&r, address);
            ask(&m, address);
            cr_expect_eq(at.channel, m.channel, "%s, %u channels, %#" PRIx64, mapping, m.channels, address);
            cr_expect_eq(at.slice, m.slice, "%s, %u channels, %#" PRIx64, mapping, m.channels, address);
            cr_expect_eq(at.bank, m.bank, "%s, %u channels, %#" PRIx64, mapping, m.channels, address);
            cr_expect_eq(at.row, m.row, "%s, %u channels, %#" PRIx64, mapping, m.channels, address);
            cr_expect_eq(at.column, m.column, "%s, %u channels, %#" PRIx64, mapping, m.channels, address);
        }
        rig_close(&r);
    }
}

#define LINES "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"
#define ABOVE "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
#define APART "00000000.00000000.00000000.00000000.00BBRRRR.RRRRRRRR.RBBCCCCC.CCCSSSSS"

/* Read 16,384 lines twice: an L2 with room for all hits every line the second time, without merging lines. */
static void expect_apart(const char *mapping, uint32_t channels, uint32_t each, const char *indexing) {
    enum { COUNT = 16384 };
    uint64_t state = channels * 100 + each;
    char text[640];
    rig r;
    settings_of(text, sizeof text, mapping, channels, each, indexing, 16);
    snprintf(text + strlen(text), sizeof text - strlen(text), "mode = functional\nl2.ways = 32\nl2.size = %uMiB\n",
             channels * each);
    rig_open(&r, text);
    for (unsigned pass = 0; pass < 2; pass++) {
        state = channels * 100 + each;
        for (unsigned i = 0; i < COUNT; i++) {
            const uint64_t address = i < COUNT / 2 ? i * 128u : next(&state) >> i % 40 & ~(uint64_t)127;
            const uint32_t hits = rig_load(&r, address).l2_sector_hits;
            if (pass == 1)
                cr_expect_eq(hits, 4, "%s %u of %u: %#" PRIx64 " is gone", indexing, each, channels, address);
        }
    }
    const measured_stats stats = rig_stats(&r);
    cr_expect_geq(stats.dram_read_sectors, 4 * (COUNT / 2), "two lines are one");
    rig_close(&r);
}

Test(mapping, lines_stay_apart) {
    expect_apart("dramid@8;" LINES, 8, 2, "consecutive");
    expect_apart("dramid@8;" LINES, 12, 2, "consecutive");
    expect_apart("dramid@8;" LINES, 8, 2, "xor");
    expect_apart("dramid@8;" ABOVE, 32, 2, "ipoly");
    expect_apart("dramid@8;" ABOVE, 24, 2, "ipoly"); /* TITANV: bits of the bank are hashed onto bits of the bank */
    expect_apart("dramid@8;" APART, 8, 2, "ipoly");
    expect_apart("dramid@8;" LINES, 40, 4, "ipoly");
    expect_apart("dramid@8;" LINES, 32, 1, "pae");
    expect_apart("dramid@8;" LINES, 32, 2, "pae");
    expect_apart("dramid@8;" LINES, 12, 2, "random");
    expect_apart("dramid@9;" LINES, 16, 1, "random");
    expect_apart("00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRB.BCCDDDCC.BCCSSSSS", 8, 2, "consecutive");
}

/* Random: lines of a stretch share a slice, and slices have equal numbers of stretches. */
Test(mapping, random_lots) {
    enum { STRETCHES = 48000 };
    uint32_t count[24] = {0};
    char text[512];
    rig r;
    settings_of(text, sizeof text, "dramid@10;" LINES, 12, 2, "random", 16);
    rig_open(&r, text);
    for (uint64_t n = 0; n < STRETCHES; n++) {
        const uint32_t slice = locate(&r, n * 512).slice;
        count[slice]++;
        cr_expect_eq(locate(&r, n * 512 + 384).slice, slice);
        cr_expect_eq(locate(&r, n * 512).channel, slice / 2);
    }
    for (unsigned slice = 0; slice < 24; slice++) /* 2,000 each, deviation 44 */
        cr_expect(count[slice] > 1780 && count[slice] < 2220, "slice %u: %u", slice, count[slice]);
    rig_close(&r);
}

/* Page address entropy by the equations (addrdec.cc before June 2020), for one slice a channel. */
Test(mapping, entropy) {
    uint64_t state = 3;
    char text[512];
    rig r;
    settings_of(text, sizeof text, "dramid@8;" LINES, 32, 1, "pae", 16);
    rig_open(&r, text);
    for (unsigned n = 0; n < 2000; n++) {
        const uint64_t address = next(&state) & 0x7ffffff80;
        const gpc_location at = locate(&r, address);
        const uint64_t a = at.row, b = at.bank;
#define A(i) (a >> i & 1)
#define B(i) (b >> i & 1)
        const uint64_t onto =
            (A(13) ^ A(10) ^ A(9) ^ A(5) ^ A(0) ^ B(3) ^ B(0)) |
            (A(12) ^ A(11) ^ A(6) ^ A(1) ^ B(3) ^ B(2) ^ B(1)) << 1 | (A(14) ^ A(9) ^ A(8) ^ A(7) ^ A(2) ^ B(1)) << 2 |
            (A(11) ^ A(10) ^ A(8) ^ A(3) ^ B(2) ^ B(3)) << 3 | (A(12) ^ A(9) ^ A(8) ^ A(5) ^ A(4) ^ B(1) ^ B(0)) << 4;
#undef A
#undef B
        cr_expect_eq(at.channel, (address >> 8 & 31) ^ onto, "%#" PRIx64, address);
    }
    rig_close(&r);
}

static void refuse(const char *settings, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(settings, &error);
    cr_expect_not_null(strstr(error.message, message), "%s: %s", settings, error.message);
}

#define EIGHT TIMED "dram.channels = 8\nl2.slices = 16\nl2.size = 128KiB\naddress.mapping = dramid@8;" LINES "\n"

Test(mapping, refused_beside_it) {
    refuse(EIGHT "l2.interleave = hash", "l2.interleave = hash: has no effect with address.mapping");
    refuse(EIGHT "l2.interleave_bytes = 512B", "l2.interleave_bytes = 512B: has no effect with address.mapping");
    refuse(EIGHT "dram.mapping = row column bank group pseudo", "dram.mapping = row column bank group pseudo: has no");
    refuse(EIGHT "dram.row_bytes = 4KiB", "dram.row_bytes = 4KiB: contradicts the columns of address.mapping");
    refuse(EIGHT "dram.pseudo_channels = 2", "dram.pseudo_channels = 2: address.mapping knows none");
    refuse(EIGHT "dram.bank_groups = 2\ndram.group_banks = 4", "has more banks than dram.bank_groups");
    refuse(EIGHT "address.mapping = dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBCCCCC.BCCBCSSS\n"
                 "l2.slices = 8\nl2.size = 64KiB\ndram.burst_bytes = 64B\n",
           "has a burst (dram.burst_bytes) in several places");
    refuse("address.indexing = ipoly", "address.indexing = ipoly: has no effect without address.mapping");
    refuse("mode = timed\ndram.group_bits = low", "dram.group_bits = low: has no effect without address.mapping");
    refuse(EIGHT "coherence = vi", "address.mapping = none");
    rig r; /* 2 KiB are the mapping's columns */
    rig_open(&r, EIGHT "dram.row_bytes = 2KiB\n");
    rig_close(&r);
}

Test(mapping, refused_by_counts) {
    refuse(EIGHT "l2.slices = 24\nl2.size = 192KiB", "24 slices of 8 channels: each has no power of two of them");
    refuse(EIGHT "l2.slices = 4\nl2.size = 32KiB", "4 slices of 8 channels");
    refuse(EIGHT "l2.slices = 256\nl2.size = 2MiB", "32 slices a channel are more than its bits of the bank tell");
    refuse(EIGHT "dram.channels = 6\nl2.slices = 12\nl2.size = 96KiB\naddress.indexing = xor",
           "address.indexing = xor: is for a power of two of channels, not for 6");
    refuse(EIGHT "address.indexing = pae", "address.indexing = pae: is for 32 channels, not for 8");
    refuse(EIGHT "address.mapping = " LINES, "has 0 letters D, and 8 channels need 3");
    refuse(EIGHT "dram.channels = 6\nl2.slices = 6\nl2.size = 48KiB\naddress.mapping = " LINES,
           "letters D say one of a power of two of channels, not of 6");
    refuse(EIGHT "address.mapping = dramid@6;" LINES, "chooses slices by bits within a line");
    refuse(EIGHT "l2.partitions = 2\ndram.channels = 9", "dram.channels = 9: with address.mapping, must be a multiple");
}

static void malformed(const char *mapping, const char *message) {
    gpc_context *context;
    gpc_config *config;
    gpc_error error = GPC_ERROR_INIT;
    char text[256];
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    snprintf(text, sizeof text, "sm.count = 3\naddress.mapping = %s\n", mapping);
    cr_expect_eq(gpc_config_load_text(config, text, "my.conf", &error), GPC_ERROR_FORMAT, "%s", mapping);
    cr_expect_not_null(strstr(error.message, "my.conf:2: address.mapping: "), "%s", error.message);
    cr_expect_not_null(strstr(error.message, message), "%s", error.message);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(mapping, malformed_texts) {
    malformed("dramid@8;RRRRBBCC", "has 8 bits, not 64");
    malformed("dramid@8;" LINES "S", "has 65 bits, not 64");
    malformed("dramid@8;X" LINES, "'X' is none of the letters");
    malformed("dramid@;" LINES, "dramid@ is not followed by a bit from 1 to 40 and ';'");
    malformed("dramid@0;" LINES, "dramid@ is not followed");
    malformed("dramid@41;" LINES, "dramid@ is not followed");
    malformed("dramid@8" LINES, "dramid@ is not followed");
    malformed("dramid@8;D0000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
              "has the channel twice");
    malformed("all", "'a' is none of the letters");
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"
#include "contract/contract.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Requirements of every coherence protocol, on trees of two and three levels; rows list exceptions. */

typedef struct protocol_row {
    const char *name;
    bool acquires;   /* readers of others' stores acquire first */
    bool incoherent; /* not even after an acquire */
    bool loses_data; /* as in the modelled original */
} protocol_row;

static const protocol_row own_rows[] = {
    {.name = "none", .incoherent = true},
    {.name = "msi"},
    {.name = "mesi"},
    {.name = "mesif"},
    {.name = "mosi"},
    {.name = "moesi"},
    {.name = "nmoesi"},
    {.name = "nmoesi-d", .acquires = true},
    {.name = "nmoesi-multi2sim", .loses_data = true},
    {.name = "vi", .acquires = true},
    {.name = "hmg", .acquires = true},
    {.name = "slc-glc", .acquires = true},
};

enum { CACHES = 3, BYTES = 24 * 64, ACCESSES = 4000 };

static const stage_shape shapes[] = {STAGE_FLAT, STAGE_SHARED, STAGE_BRANCHES};

#define EACH(i, array) for (size_t i = 0; i < sizeof array / sizeof *array; i++)
#define EACH_ROW(row) for (const protocol_row *row = rows(); row->name; row++)
#define EACH_TREE(row, shape) EACH_ROW(row) EACH(shape, shapes)

static bool has_row(const char *name) {
    bool found = false;
    EACH(row, own_rows)
    found |= !strcmp(own_rows[row].name, name);
    return found;
}

static protocol_row all_rows[64]; /* ended by a row without a name */
static size_t row_count;

static void add_row(const char *name) {
    cr_assert_lt(row_count + 1, sizeof all_rows / sizeof *all_rows);
    all_rows[row_count++].name = name;
}

/* The rows above, and rows for further protocols. */
static const protocol_row *rows(void) {
    if (!row_count) {
        memcpy(all_rows, own_rows, sizeof own_rows);
        row_count = sizeof own_rows / sizeof *own_rows;
        each_without_row(GPC_POLICY_PROTOCOL, has_row, add_row);
    }
    return all_rows;
}

Test(protocol, says_what_it_is_and_is_tried) {
    gpc_context *context = open_context(1);
    size_t count = gpc_policy_count(context, GPC_POLICY_PROTOCOL);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL), GPC_OK);
        cr_expect_eq(info.name[strspn(info.name, "abcdefghijklmnopqrstuvwxyz0123456789-")], '\0', "%s", info.name);
        cr_expect(strlen(info.summary) > 10 && !strchr(info.summary, '\n'), "%s", info.name);
        bool listed = false;
        EACH_ROW(row)
        listed |= !strcmp(row->name, info.name);
        cr_expect(listed, "%s is not tried", info.name);
    }
    gpc_context_destroy(context);
}

static uint8_t access_byte(stage *s, uint32_t module, uint32_t kind, uint64_t address, uint8_t byte) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint8_t out = 0;
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.bytes = &byte;
    request.out = &out;
    cr_assert_eq(gpc_coherence_access(s->tree, &request, &s->result, &s->small->error), GPC_OK, "%s",
                 s->small->error.message);
    return out;
}

static void flush(stage *s) {
    cr_assert_eq(gpc_coherence_flush(s->tree, GPC_NO_MODULE, 0, NULL, &s->small->error), GPC_OK, "%s",
                 s->small->error.message);
}

/* All written data are in memory, and no cache holds a line. */
static void expect_flushed(stage *s, const char *name, const uint8_t *expected) {
    uint8_t memory[BYTES];
    flush(s);
    cr_assert_eq(gpc_coherence_read_memory(s->tree, 0, memory, BYTES, NULL), GPC_OK);
    for (size_t i = 0; i < BYTES; i++)
        cr_assert_eq(memory[i], expected[i], "%s: byte %zu is %u, not %u", name, i, memory[i], expected[i]);
    for (uint32_t m = 0; m + 1 < s->small->options.module_count; m++)
        for (uint32_t block = 0; block < s->small->modules[m].sets * s->small->modules[m].ways; block++) {
            gpc_coherence_block found = GPC_COHERENCE_BLOCK_INIT;
            uint32_t ways = s->small->modules[m].ways;
            cr_assert_eq(gpc_coherence_get_block(s->tree, m, block / ways, block % ways, &found, NULL), GPC_OK);
            cr_assert_eq(found.state, GPC_LINE_I, "%s: module %u still holds a block", name, m);
        }
}

static uint32_t draw(uint64_t *random, uint32_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

/* A single processor reads the last write, by stores of every kind, through all evictions. */
Test(protocol, who_is_alone_reads_what_it_wrote) {
    EACH_TREE(row, shape) {
        stage s;
        uint8_t expected[BYTES] = {0};
        uint64_t random = 1;
        stage_open(&s, shapes[shape], row->name);
        for (int i = 0; i < ACCESSES; i++) {
            uint32_t kind = draw(&random, 3), address = draw(&random, BYTES);
            if (kind != GPC_COHERENCE_LOAD)
                expected[address] = (uint8_t)i;
            uint8_t got = access_byte(&s, 0, kind, address, (uint8_t)i);
            cr_assert_eq(got, expected[address], "%s: access %d reads %u", row->name, i, got);
        }
        expect_flushed(&s, row->name, expected);
        stage_close(&s);
    }
}

/* Processors writing disjoint bytes lose none, though they share every block. */
Test(protocol, bytes_of_several_writers_are_merged) {
    EACH_TREE(row, shape) {
        stage s;
        uint8_t expected[BYTES] = {0};
        uint64_t random = 2;
        if (row->loses_data)
            continue;
        stage_open(&s, shapes[shape], row->name);
        for (int i = 0; i < ACCESSES; i++) {
            uint32_t module = draw(&random, CACHES), address = draw(&random, BYTES / CACHES) * CACHES + module;
            uint32_t kind = draw(&random, 2) ? GPC_COHERENCE_N_STORE : GPC_COHERENCE_LOAD;
            if (kind == GPC_COHERENCE_N_STORE)
                expected[address] = (uint8_t)i;
            uint8_t got = access_byte(&s, module, kind, address, (uint8_t)i);
            cr_assert_eq(got, expected[address], "%s: access %d reads %u", row->name, i, got);
        }
        expect_flushed(&s, row->name, expected);
        stage_close(&s);
    }
}

/* Any processor reads another's coherent store, after an acquire if required by the protocol. */
Test(protocol, coherent_stores_are_seen) {
    EACH_TREE(row, shape) {
        stage s;
        uint8_t expected[BYTES] = {0};
        uint64_t random = 3;
        if (row->incoherent || row->loses_data)
            continue;
        stage_open(&s, shapes[shape], row->name);
        for (int i = 0; i < ACCESSES; i++) {
            uint32_t module = draw(&random, CACHES), address = draw(&random, BYTES);
            uint32_t kind = draw(&random, 2) ? GPC_COHERENCE_STORE : GPC_COHERENCE_LOAD;
            if (kind == GPC_COHERENCE_STORE)
                expected[address] = (uint8_t)i;
            else if (row->acquires)
                cr_assert_eq(gpc_coherence_acquire(s.tree, GPC_NO_MODULE, 0, NULL, &s.small->error), GPC_OK);
            uint8_t got = access_byte(&s, module, kind, address, (uint8_t)i);
            cr_assert_eq(got, expected[address], "%s: access %d reads %u", row->name, i, got);
        }
        expect_flushed(&s, row->name, expected);
        stage_close(&s);
    }
}

static uint64_t digest(uint64_t sum, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/* Digest of every transition and message, and the sums of bytes sent and received. */
static uint64_t run_racy(const char *name, stage_shape shape, measured_module *stats) {
    stage s;
    uint64_t random = 4, sum = 0;
    stage_open(&s, shape, name);
    for (int i = 0; i < ACCESSES; i++) {
        uint32_t module = draw(&random, CACHES), kind = draw(&random, 3), address = draw(&random, BYTES);
        uint8_t got = access_byte(&s, module, kind, address, (uint8_t)i);
        sum = digest(sum, &got, 1);
        for (uint32_t m = 0; m < s.result.message_count; m++) /* except bytes after the last field */
            sum = digest(sum, &s.result.messages[m], offsetof(gpc_coherence_message, found) + 1);
        sum = digest(sum, s.result.transitions, s.result.transition_count * sizeof *s.result.transitions);
    }
    measured_clear(stats);
    cr_assert_eq(measure_module(s.tree, GPC_NO_MODULE, stats), GPC_OK);
    stage_close(&s);
    return sum;
}

Test(protocol, the_same_again_and_nothing_lost_on_the_way) {
    EACH_TREE(row, shape) {
        measured_module first, second;
        uint64_t digests[2] = {run_racy(row->name, shapes[shape], &first), run_racy(row->name, shapes[shape], &second)};
        cr_expect_eq(digests[0], digests[1], "%s", row->name);
        cr_expect_eq(memcmp(&first, &second, sizeof first), 0, "%s", row->name);
        cr_expect_eq(first.loads + first.stores + first.n_stores, ACCESSES, "%s", row->name);
        cr_expect_eq(first.low_sent + first.high_sent, first.low_received + first.high_received, "%s: bytes",
                     row->name);
        cr_expect_gt(first.low_sent, 0);
    }
}

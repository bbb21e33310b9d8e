/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals of gpc_coherence_create, by name. */
#include "coherence/small.h"

#include <stdio.h>
#include <string.h>

/* Refused with this status, and a message with `text`. No object is made. */
static void expect_refused(small *s, gpc_status expected, const char *text, const char *change) {
    const gpc_status status = small_create(s);
    cr_expect_eq(status, expected, "%s: %s: %s", change, gpc_status_string(status), s->error.message);
    cr_expect_eq(s->error.status, expected, "%s", change);
    cr_expect(strstr(s->error.message, text), "%s: '%s' is not in '%s'", change, text, s->error.message);
    cr_expect_null(s->tree, "%s", change);
}

/* The small tree with this change is refused. Failures name the change; asserting here takes the compiler seconds. */
#define REFUSED(expected, text, change)             \
    do {                                            \
        small *s = small_open();                    \
        change;                                     \
        expect_refused(s, expected, text, #change); \
        small_close(s);                             \
    } while (0)

#define WRONG(text, change) REFUSED(GPC_ERROR_ARGUMENT, text, change)

Test(coherence_build, is_sound_before_it_is_changed) {
    small *s = small_open();
    cr_expect_not_null(small_tree(s));
    small_close(s);
}

Test(coherence_build, refuses_missing_arguments) {
    small *s = small_open();
    cr_expect_eq(gpc_coherence_create(NULL, &s->options, &s->tree, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "context"));
    cr_expect_eq(gpc_coherence_create(s->context, NULL, &s->tree, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "options"));
    cr_expect_eq(gpc_coherence_create(s->context, &s->options, NULL, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "out"));
    gpc_coherence_destroy(NULL);
    small_close(s);
}

Test(coherence_build, refuses_other_struct_sizes) {
    REFUSED(GPC_ERROR_ABI, "gpc_coherence_options",
            s->options.struct_size = offsetof(gpc_coherence_options, page_bytes) - 1);
    REFUSED(GPC_ERROR_ABI, "gpc_coherence_module", s->modules[0].struct_size = 8);
    REFUSED(GPC_ERROR_ABI, "element 2", s->modules[2].struct_size += 8);
    REFUSED(GPC_ERROR_ABI, "gpc_coherence_network", s->networks[0].struct_size = 8);
    REFUSED(GPC_ERROR_ABI, "element 1", s->networks[1].struct_size -= 8);
}

/* Structs of a newer header: as long as stated, and known as far as the library knows. */
Test(coherence_build, takes_larger_structs) {
    struct newer {
        gpc_coherence_module module;
        uint64_t more;
    } modules[4];
    for (int round = 0; round < 2; round++) {
        small *s = small_open();
        for (int i = 0; i < 4; i++) {
            modules[i] = (struct newer){s->modules[i], round && i == 2 ? 7 : 0};
            modules[i].module.struct_size = sizeof modules[i];
        }
        s->options.modules = (const gpc_coherence_module *)(const void *)modules;
        cr_expect_eq(small_create(s), round ? GPC_ERROR_ABI : GPC_OK, "%s", s->error.message);
        if (!round)
            cr_expect_str_eq(gpci_module_at(s->tree, 3)->given.name, "mm");
        small_close(s);
    }
}

Test(coherence_build, refuses_counts) {
    WRONG("module_count is 0", s->options.module_count = 0);
    WRONG("module_count is 4097", s->options.module_count = GPC_MAX_MODULES + 1);
    WRONG("modules is NULL", s->options.modules = NULL);
    WRONG("network_count is 4097", s->options.network_count = GPC_MAX_MODULES + 1);
    WRONG("networks is NULL", s->options.networks = NULL);
    WRONG("control_bytes is 0", s->options.control_bytes = 0);
    WRONG("control_bytes is 4097", s->options.control_bytes = 4097);
    REFUSED(GPC_ERROR_NOT_FOUND, "'mesix'", s->options.protocol = "mesix");
}

Test(coherence_build, refuses_networks) {
    WRONG("networks[1].name is missing", s->networks[1].name = NULL);
    WRONG("networks[0].name is missing", s->networks[0].name = "");
    WRONG("networks[1].name 'up' is that of networks[0]", s->networks[1].name = "up");
    WRONG("networks[1] 'down'.bandwidth is 0", s->networks[1].bandwidth = 0);
    WRONG("networks[0] 'up'.reserved is 3", s->networks[0].reserved = 3);
    /* a block of 64 and 8 bytes of control, on the network of l1; one of 128 on that of l2 */
    REFUSED(GPC_ERROR_RANGE, "modules[0] 'l1-0'.low_network 'up': a message of 72 bytes does not fit its input_buffer",
            s->networks[0].input_buffer = 71);
    REFUSED(GPC_ERROR_RANGE, "[2] 'l2'.low_network 'down': a message of 136 bytes does not fit its output_buffer",
            s->networks[1].output_buffer = 135);
    small *s = small_open();
    s->networks[0].input_buffer = s->networks[0].output_buffer = 72;
    s->networks[1].input_buffer = s->networks[1].output_buffer = 136;
    small_tree(s);
    small_close(s);
}

Test(coherence_build, refuses_names) {
    WRONG("modules[1] ''.name is missing", s->modules[1].name = "");
    WRONG("modules[2] ''.name is missing", s->modules[2].name = NULL);
    WRONG("modules[3] 'l1-1'.name is that of modules[1]", s->modules[3].name = "l1-1");
}

Test(coherence_build, refuses_geometries) {
    WRONG("modules[0] 'l1-0'.block_bytes is 48", s->modules[0].block_bytes = 48);
    WRONG("'l1-0'.block_bytes is 2", s->modules[0].block_bytes = 2);
    WRONG("'mm'.block_bytes is 8192", s->modules[3].block_bytes = 8192);
    WRONG("'l2'.block_bytes is 128, but that of 'mm', nearer to memory, 64", s->modules[3].block_bytes = 64);
    WRONG("'l1-1'.sets is 0", s->modules[1].sets = 0);
    WRONG("'l2'.ways is 0", s->modules[2].ways = 0);
    WRONG("'l2'.ways is 1025", s->modules[2].ways = 1025);
    WRONG("'mm'.sets is 16; with ways 0", s->modules[3].ways = 0);
    REFUSED(GPC_ERROR_RANGE, "'l2'.sets x ways is 4294967296",
            (s->modules[2].sets = 1u << 22, s->modules[2].ways = 1024));
    REFUSED(GPC_ERROR_RANGE, "'mm'.block_bytes is 4096, more than 64 times the 32 of a module above",
            (s->modules[3].block_bytes = 4096, s->modules[2].block_bytes = 32, s->modules[0].block_bytes = 32,
             s->modules[1].block_bytes = 32));
}

Test(coherence_build, refuses_ranges) {
#define RANGE(m, from, to) \
    (s->modules[m].served = GPC_SERVES_RANGE, s->modules[m].first = from, s->modules[m].last = to)
#define BANK(m, d, q, r)                                                                                  \
    (s->modules[m].served = GPC_SERVES_INTERLEAVED, s->modules[m].divisor = d, s->modules[m].modulus = q, \
     s->modules[m].residue = r)
    WRONG("'l1-0'.served is 4", s->modules[0].served = 4);
    WRONG("'l2'.first is 0x100, beyond last, 0x7f", RANGE(2, 0x100, 0x7f));
    WRONG("'l2'.first 0x40 is within a block", RANGE(2, 0x40, 0xff));
    WRONG("'l2'.last 0xbf is not a block's last byte", RANGE(2, 0, 0xbf));
    WRONG("'l2'.divisor is 0", BANK(2, 0, 2, 0));
    WRONG("'l2'.divisor is 64, not a multiple of block_bytes, 128", BANK(2, 64, 2, 0));
    WRONG("'l2'.modulus is 0", BANK(2, 128, 0, 0));
    WRONG("'l2'.residue is 2, not below modulus, 2", BANK(2, 128, 2, 2));
}

Test(coherence_build, refuses_addresses_that_none_or_two_serve) {
    WRONG("'l1-0'.low has no module that serves address 0x80", BANK(2, 128, 2, 0));
    WRONG("'l2'.low has no module that serves address 0x0", BANK(3, 256, 3, 1));
    WRONG("'l2'.low has no module that serves address 0x400", (RANGE(3, 0, 0x3ff), RANGE(2, 0, 0x7ff)));
    /* a second l2, where only one may serve */
#define TWO                                                                                      \
    (s->modules[4] = s->modules[2], s->modules[4].name = "l2-1", s->modules[4].low = s->lows[2], \
     s->lows[0][1] = s->lows[1][1] = 4, s->modules[0].low_count = s->modules[1].low_count = 2,   \
     s->options.module_count = 5)
    WRONG("'l1-0'.low has two modules that serve address 0x0, 'l2' and 'l2-1'", TWO);
    WRONG("'l1-0'.low has 'l2-1' twice", (TWO, s->lows[0][2] = 4, s->modules[0].low_count = 3));
    WRONG("two modules that serve address 0x80", (TWO, RANGE(2, 0, 0xff), RANGE(4, 0x80, 0x1ff)));
    WRONG("no module that serves address 0x100", (TWO, RANGE(2, 0, 0xff), RANGE(4, 0x180, 0x1ff)));
    WRONG("two modules that serve address 0x100", (TWO, BANK(2, 128, 1, 0), BANK(4, 128, 3, 2)));
    WRONG("no module that serves address 0x100", (TWO, BANK(2, 128, 2, 1), BANK(4, 128, 3, 0)));
    WRONG("no module that serves address 0x100", (TWO, BANK(2, 128, 3, 0), BANK(4, 128, 3, 1)));
    REFUSED(GPC_ERROR_RANGE, "'l1-0'.low has divisors and moduli that repeat after more than 65536 steps",
            BANK(0, 128, (uint64_t)1 << 40, (uint64_t)1 << 39));
    REFUSED(GPC_ERROR_RANGE, "'mm'.modulus is 8589934592, more than 4294967295",
            (RANGE(0, 0, 255), RANGE(1, 0, 255), RANGE(2, 0, 255), BANK(3, 256, (uint64_t)1 << 33, 0)));
    small *s = small_open();
    TWO;
    BANK(2, 128, 2, 1);
    BANK(4, 128, 2, 0);
    small_tree(s);
    small_close(s);
}

Test(coherence_build, refuses_ways_to_memory) {
    WRONG("'l2'.low_count is 0: a cache needs a way to a memory", s->modules[2].low_count = 0);
    WRONG("'l2'.low_count is 1, low is NULL", s->modules[2].low = NULL);
    WRONG("'l2'.low_count is 4097, low is given", s->modules[2].low_count = GPC_MAX_MODULES + 1);
    WRONG("'mm'.low_count is 1: nothing is below a memory", s->modules[3].low_count = 1);
    WRONG("'mm'.low_network is 1: nothing is below a memory", s->modules[3].low_network = 1);
    WRONG("'l1-0'.low [0] is 4, but there are 4 modules", s->lows[0][0] = 4);
    WRONG("'l1-0'.low has 'l2' twice", (s->lows[0][1] = 2, s->modules[0].low_count = 2));
    WRONG("'l2'.low [0] makes a cycle", s->lows[2][0] = 2);
    WRONG("'l1-0'.low_network is 2, but there are 2 networks", s->modules[0].low_network = 2);
    WRONG("'l1-0'.high_network is 2, but there are 2 networks", s->modules[0].high_network = 2);
    WRONG("'l1-1'.low_network 'down' is not the high_network of 'l2'", s->modules[1].low_network = 1);
    WRONG("'l2'.high_network is 0, but no module is above",
          (s->lows[0][0] = s->lows[1][0] = 3, s->modules[0].low_network = s->modules[1].low_network = 1));
    WRONG("'l2'.low_network 'down' is not the high_network of 'mm'", s->modules[3].high_network = GPC_NO_MODULE);
    WRONG("'m4'.memory has no module above it", (s->modules[4].memory = true, s->options.module_count = 5));
}

/* l2 -> l2b -> l2: each has a low module, but neither leads to memory. */
Test(coherence_build, refuses_a_cycle) {
    small *s = small_open_bare(4);
    small_link(s, 0, 1);
    small_link(s, 1, 2);
    small_link(s, 2, 1);
    small_link(s, 2, 3);
    s->modules[3].memory = true;
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "'m1'.low leads through a cycle"), "%s", s->error.message);
    small_close(s);
}

/* A chain of caches below each other. */
Test(coherence_build, refuses_too_many_levels) {
    enum { CHAIN = 256 };
    static gpc_coherence_module chain[CHAIN];
    static uint32_t lows[CHAIN];
    static char names[CHAIN][8];
    small *s = small_open_bare(CHAIN);
    for (uint32_t i = 0; i < CHAIN; i++) {
        chain[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        snprintf(names[i], sizeof names[i], "c%u", i);
        lows[i] = i + 1;
        chain[i].name = names[i];
        chain[i].low = &lows[i];
        chain[i].low_count = i + 1 < CHAIN;
        chain[i].low_network = i + 1 < CHAIN ? 0 : GPC_NO_MODULE;
        chain[i].high_network = i ? 0 : GPC_NO_MODULE;
        chain[i].memory = i + 1 == CHAIN;
    }
    s->options.modules = chain;
    cr_expect_eq(small_create(s), GPC_ERROR_RANGE);
    cr_expect(strstr(s->error.message, "make 256 levels, more than 255"), "%s", s->error.message);
    small_close(s);
}

/* Blocks of 4 bytes in 58 levels, over 256 and 4096: 64 + 16 x 60 x (58 x 1024 + 16 + 1) messages. */
Test(coherence_build, refuses_transactions_beyond_measure) {
    small *s = small_open_bare(60);
    for (uint32_t i = 0; i < 60; i++) {
        s->modules[i].block_bytes = i < 58 ? 4 : i < 59 ? 256 : 4096;
        if (i < 59)
            small_link(s, i, i + 1);
    }
    s->modules[59].memory = true;
    cr_expect_eq(small_create(s), GPC_ERROR_RANGE);
    cr_expect(strstr(s->error.message, "may take 57032704 messages"), "%s", s->error.message);
    small_close(s);
}

/* 57 levels of 18,396 blocks within 4096 bytes: 64 + 16 x 57 x 18,396 messages are 2^24, the most. */
Test(coherence_build, longest_transactions) {
    static const uint32_t bytes[] = {8, 16, 32, 128, 256, 512, 2048, 2048};
    small *s = small_open_bare(57);
    for (uint32_t i = 0; i < 57; i++) {
        s->modules[i].block_bytes = i < 17 ? 4 : i < 25 ? bytes[i - 17] : 4096;
        if (i < 56)
            small_link(s, i, i + 1);
    }
    s->modules[56].memory = true;
    cr_expect_eq(small_create(s), GPC_OK, "%s", s->error.message);
    small_close(s);
}

Test(coherence_build, refuses_options_out_of_place) {
    WRONG("'l2'.write_through and no_write_allocate are for the first level", s->modules[2].write_through = true);
    WRONG("'l2'.write_through and no_write_allocate are for the first level", s->modules[2].no_write_allocate = true);
    WRONG("'l2'.directory_ways is 2, but the module is inclusive", s->modules[2].directory_ways = 2);
    WRONG("'l2'.directory_ways is 0: blocks that leave", s->modules[2].non_inclusive = true);
    WRONG("'l2'.directory_ways is 1025", s->modules[2].directory_ways = 1025);
    WRONG("'mm'.non_inclusive is for caches", s->modules[3].non_inclusive = true);
    WRONG("'l1-0'.non_inclusive is for modules with others above",
          (s->modules[0].non_inclusive = true, s->modules[0].directory_ways = 1));
    WRONG("'l1-1'.reserved [0] is not 0", s->modules[1].reserved[0] = 1);
    WRONG("'l1-1'.reserved_too [1] is not 0", s->modules[1].reserved_too[1] = 1);
    WRONG("'l1-1'.directory_pointers is 1, but no module is above", s->modules[1].directory_pointers = 1);
    WRONG("'l1-1'.directory_overflow is 3, no gpc_directory_overflow", s->modules[1].directory_overflow = 3);
    WRONG("'l1-1'.directory_region is 1; of COARSE", s->modules[1].directory_region = 1);
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

Test(coherence_build, refuses_policies) {
    REFUSED(GPC_ERROR_NOT_FOUND, "lrv", s->modules[0].replacement = "lrv");
    WRONG("'l1-0'.replacement 'opt' needs to know the future", s->modules[0].replacement = "opt");
    WRONG("'mm'.replacement is 'plru', but with ways 0 nothing is replaced",
          (s->modules[3].sets = 1, s->modules[3].ways = 0, s->modules[3].replacement = "plru"));
}

/* A policy is accepted only if requests provide all inputs of the policy. */
Test(coherence_build, refuses_policies_that_read_more) {
    static const struct {
        const char *spec, *reads; /* NULL: accepted */
    } rows[] = {{"srrip", NULL},
                {"bip", NULL},
                {"bip(bypass=1)", "admission"},
                {"ship(signature=memory)", NULL},
                {"ship", "pc"},
                {"age-lru", "warp, warp_age, warp events"},
                {"combined", "pc, warp, warp_age, token, admission, warp events"},
                {"told", NULL},
                {"asks", "bytes, hint"},
                {"silent", "what it has not declared"}};
    gpc_replacement_ops ops = {.struct_size = sizeof ops, .name = "silent", .choose_victim = first_way};
    for (uint32_t module = 0; module < 4; module++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            small *s = small_open();
            char blame[160];
            ops.name = "silent", ops.reads = 0;
            cr_assert_eq(gpc_context_register_replacement(s->context, &ops, NULL, NULL, &s->error), GPC_OK);
            ops.name = "told";
            ops.reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_CYCLE | GPC_READS_SM | GPC_READS_KIND;
            cr_assert_eq(gpc_context_register_replacement(s->context, &ops, NULL, NULL, &s->error), GPC_OK);
            ops.name = "asks", ops.reads |= GPC_READS_BYTES | GPC_READS_HINT;
            cr_assert_eq(gpc_context_register_replacement(s->context, &ops, NULL, NULL, &s->error), GPC_OK);
            s->modules[module].replacement = rows[i].spec;
            gpc_status status = small_create(s);
            cr_expect_eq(status, rows[i].reads ? GPC_ERROR_ARGUMENT : GPC_OK, "%s: %s", rows[i].spec, s->error.message);
            snprintf(blame, sizeof blame, "modules[%u] '%s'.replacement '%s' reads %s;", module,
                     s->modules[module].name, rows[i].spec, rows[i].reads);
            cr_expect(!rows[i].reads || strstr(s->error.message, blame), "%s: %s", blame, s->error.message);
            cr_expect(rows[i].reads ? !s->tree : !!s->tree);
            small_close(s);
        }
}

/* A protocol for processors that reach memory through the same modules has no rules for other processors. */
Test(coherence_build, refuses_places_without_rules) {
    small *s = small_open();
    gpc_protocol protocol = *gpc_protocol_find(s->context, "nmoesi");
    protocol.name = "flat";
    protocol.shared = protocol.between;
    protocol.between = NULL;
    cr_assert_eq(gpc_context_register_protocol(s->context, &protocol, &s->error), GPC_OK, "%s", s->error.message);
    s->options.protocol = "flat";
    small_tree(s);
    gpc_coherence_destroy(s->tree);
    s->tree = NULL;
    /* l1-1 goes to memory directly */
    s->lows[1][0] = 3;
    s->modules[1].low_network = 1;
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "'l2': protocol 'flat' has no rules for a level between"), "%s",
              s->error.message);
    small_close(s);
}

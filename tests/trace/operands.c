/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include "level/rules/coalesce.h"
#include "trace/blocks/packed.h"
#include "trace/blocks/packer.h"

#include <gpucache/gpucache.h>

#include <string.h>

static gpc_instruction make(uint8_t op_class, uint8_t destinations, uint8_t sources, const uint16_t *registers) {
    gpc_instruction i = {.mask = 0xffff, .op_class = op_class, .destinations = destinations, .sources = sources};
    const size_t count = (size_t)destinations + sources;
    memcpy(i.registers, registers, (count < GPC_MAX_OPERANDS ? count : GPC_MAX_OPERANDS) * sizeof *registers);
    return i;
}

static void expect(const gpci_operands *o, uint8_t writes, uint8_t count, const uint16_t *registers) {
    cr_assert_eq(o->writes, writes);
    cr_assert_eq(o->count, count);
    for (uint8_t n = 0; n < count; n++)
        cr_assert_eq(o->entries[n], gpci_register_entry(registers[n]), "%u: %u", n, o->entries[n]);
}

/* Written registers first; RZ, URZ, PT and UPT do not count. */
Test(operands, entries) {
    const uint16_t registers[] = {4, 0x207, 0x203, 6, 255, 0x102, 0x1ff, 0x301};
    const gpc_instruction i = make(GPC_OP_ALU, 3, 5, registers);
    const gpci_operands o = gpci_operands_of(&i);
    expect(&o, 2, 5, (const uint16_t[]){4, 0x203, 6, 0x102, 0x301});
    cr_assert_eq(o.use, GPC_OP_ALU);
}

/* A vector load writes the registers after the named register, but none beyond R254. */
Test(operands, vectors) {
    const uint64_t address = 0;
    gpc_instruction i = make(GPC_OP_MEMORY, 1, 1, (const uint16_t[]){8, 2});
    i.width = 16;
    i.addresses = &address;
    gpci_operands o = gpci_operands_of(&i);
    expect(&o, 4, 5, (const uint16_t[]){8, 9, 10, 11, 2});
    cr_assert_eq(o.use, GPC_OP_MEMORY);
    i.registers[0] = 253;
    o = gpci_operands_of(&i);
    expect(&o, 2, 3, (const uint16_t[]){253, 254, 2});
    i.width = 4;
    o = gpci_operands_of(&i);
    expect(&o, 1, 2, (const uint16_t[]){253, 2});
}

Test(operands, most) {
    const uint16_t registers[] = {10, 11, 12, 13, 14, 15, 16, 17};
    gpc_instruction i = make(GPC_OP_MEMORY, 1, 200, registers);
    i.width = 64;
    const gpci_operands o = gpci_operands_of(&i);
    expect(&o, 4, 11, (const uint16_t[]){10, 11, 12, 13, 11, 12, 13, 14, 15, 16, 17});
}

Test(operands, uses) {
    gpc_instruction i = make(GPC_OP_MEMORY, 0, 0, (const uint16_t[]){0});
    i.space = GPC_SPACE_SHARED;
    cr_assert_eq(gpci_operands_of(&i).use, GPCI_USE_SPACE + GPC_SPACE_SHARED);
    i.space = 77;
    cr_assert_eq(gpci_operands_of(&i).use, GPCI_USE_SPACE + GPC_SPACE_NONE);
    i.op_class = 77;
    cr_assert_eq(gpci_operands_of(&i).use, GPC_OP_ALU);
    i.mask = 0;
    cr_assert_eq(gpci_operands_of(&i).use, GPCI_USE_NOTHING);
}

/* Adjacent lanes, taken as a range, give the same lines as lane by lane; others are no range, without changes. */
Test(operands, ranges) {
    static const struct {
        unsigned stride, width, lanes;
        uint32_t range;
    } cases[] = {{4, 4, 32, 128}, {8, 8, 32, 256}, {0, 4, 32, 4}, {0, 16, 1, 16},
                 {4, 8, 32, 0},   {8, 4, 32, 0},   {2, 2, 32, 0}, {4, 4, 7, 28}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t first = 0x1000; first < 0x1100; first += 12) {
            const unsigned lanes = cases[c].lanes, width = cases[c].width;
            const unsigned kind = lanes == 1 || !cases[c].stride ? GPCI_PACK_STRIDE_0
                                  : cases[c].stride == 4         ? GPCI_PACK_STRIDE_4
                                  : cases[c].stride == 8         ? GPCI_PACK_STRIDE_8
                                                                 : GPCI_PACK_STRIDE;
            uint8_t bytes[32] = {(uint8_t)(kind << 4 | 2)};
            gpci_store64(bytes + 1, gpci_zigzag(first));
            gpci_store64(bytes + 3, cases[c].stride);
            gpci_address_cursor taken = {.at = bytes}, ranged = {.at = bytes};
            uint64_t addresses[GPCI_MOST_LANES], begin = 0;
            gpci_packed_take(&taken, lanes, addresses);
            cr_assert_eq(gpci_packed_range(&ranged, lanes, width, &begin), cases[c].range);
            if (!cases[c].range) {
                cr_assert_eq(ranged.at, bytes);
                cr_assert_eq(ranged.first, 0);
                continue;
            }
            cr_assert_eq(begin, first);
            cr_assert_eq(ranged.at, taken.at);
            cr_assert_eq(ranged.first, taken.first);
            gpci_transaction one[GPCI_MAX_TRANSACTIONS], other[GPCI_MAX_TRANSACTIONS];
            const uint32_t count = gpci_coalesce(addresses, lanes, width, 7, one);
            cr_assert_eq(gpci_coalesce_range(begin, cases[c].range, 7, other), count);
            for (uint32_t n = 0; n < count; n++) {
                cr_assert_eq(one[n].address, other[n].address);
                cr_assert_arr_eq(one[n].bytes, other[n].bytes, sizeof one[n].bytes);
                cr_assert_eq(one[n].segments, other[n].segments);
            }
        }
    cr_assert(gpci_is_range(UINT64_MAX - 256, 128));
    cr_assert_not(gpci_is_range(UINT64_MAX - 255, 128));
}

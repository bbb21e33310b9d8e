/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/text_line.h"

#include <string.h>

#define LINE_BYTES 1024u /* bytes of a line without opcode and addresses */
#define ADDRESS_BYTES 24u

static char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    return (char *)memcpy(at, text, length) + length;
}

static char *put_hex(char *at, uint64_t value, unsigned digits) {
    while (digits < 16 && value >> 4 * digits)
        digits++;
    while (digits--)
        *at++ = "0123456789abcdef"[value >> 4 * digits & 15];
    return at;
}

static char *put_decimal(char *at, uint64_t value) {
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

/* Write a difference of addresses, with a blank in front. */
static char *put_signed(char *at, uint64_t value) {
    *at++ = ' ';
    if (value >> 63) {
        *at++ = '-';
        value = 0 - value;
    }
    return put_decimal(at, value);
}

static char *put_registers(char *at, const uint16_t *registers, unsigned count) {
    static const char *const files[] = {" R", " UR", " P", " UP"};
    at = put_decimal(at, count);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t kind = registers[i] & GPC_REGISTER_BARRIER  ? GPC_REGISTER_BARRIER
                              : registers[i] & GPC_REGISTER_NUMBER ? GPC_REGISTER_NUMBER
                                                                   : 0x100;
        at = put_text(at, kind == GPC_REGISTER_BARRIER  ? " M"
                          : kind == GPC_REGISTER_NUMBER ? " V"
                                                        : files[registers[i] >> 8 & 3]);
        at = put_decimal(at, registers[i] & (kind - 1));
    }
    *at++ = ' ';
    return at;
}

/* True for one contiguous run of lanes with addresses a stride apart, if the stride fits into 32 bits. */
static bool is_strided(const gpc_instruction *instruction, unsigned lanes) {
    uint64_t mask = instruction->mask, stride = lanes > 1 ? instruction->addresses[1] - instruction->addresses[0] : 0;
    if (mask) {
        mask >>= gpci_lowest(mask);
        if (mask & (mask + 1))
            return false;
    }
    if (stride + 0x80000000u > UINT32_MAX)
        return false;
    for (unsigned i = 1; i < lanes; i++)
        if (instruction->addresses[i] - instruction->addresses[i - 1] != stride)
            return false;
    return true;
}

static char *put_addresses(char *at, const gpc_instruction *instruction) {
    unsigned lanes = gpci_popcount(instruction->mask);
    const uint64_t *addresses = instruction->addresses;
    bool strided = is_strided(instruction, lanes);
    at = put_text(at, strided ? " 1 0x" : " 2 0x");
    at = put_hex(at, lanes ? addresses[0] : 0, 1);
    if (strided)
        return put_signed(at, lanes > 1 ? addresses[1] - addresses[0] : 0);
    for (unsigned i = 1; i < lanes; i++)
        at = put_signed(at, addresses[i] - addresses[i - 1]);
    return at;
}

bool gpci_text_line(gpci_buffer *out, const gpc_instruction *instruction, const char *opcode, bool with_line) {
    size_t name = strlen(opcode);
    if (!gpci_buffer_reserve(out, LINE_BYTES + name + (size_t)GPCI_TEXT_LANES * ADDRESS_BYTES))
        return false;
    char *first = (char *)out->data + out->length, *at = first;
    if (with_line) {
        at = put_decimal(at, instruction->line);
        *at++ = ' ';
    }
    at = put_hex(at, instruction->pc, 4);
    *at++ = ' ';
    at = put_hex(at, instruction->mask, 8);
    *at++ = ' ';
    at = put_registers(at, instruction->registers, instruction->destinations);
    at = put_text(at, opcode);
    *at++ = ' ';
    at = put_registers(at, instruction->registers + instruction->destinations, instruction->sources);
    /* a predicated-off access keeps its width, which a reader may not know from the opcode */
    bool addressed = instruction->addresses || (!instruction->mask && instruction->op_class == GPC_OP_MEMORY);
    /* an unknown opcode with addresses may lack a width; any width but 0 will do */
    at = put_decimal(at, !addressed ? 0 : instruction->width ? instruction->width : 4);
    if (addressed)
        at = put_addresses(at, instruction);
    else if (instruction->width && instruction->op_class != GPC_OP_MEMORY) { /* DEPBAR's groups */
        *at++ = ' ';
        at = put_decimal(at, instruction->width);
    }
    *at++ = '\n';
    out->length += (size_t)(at - first);
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/text/opcode_table.h"

#include <string.h>

/* Properties of an opcode's instructions. */
enum {
    TRAIT_MEMORY = 1,
    TRAIT_UNKNOWN = 2,
    TRAIT_ARITHMETIC = 4,
    TRAIT_BARE = 8,   /* noted if without addresses; shared memory needs no addresses */
    TRAIT_UNUSED = 16 /* noted if with addresses: no memory instruction, or a texture's */
};

gpci_opcode_notes gpci_opcodes_traits(const gpci_opcodes *opcodes, const gpci_opcode *opcode) {
    const bool memory = opcode->op_class == GPC_OP_MEMORY;
    const bool shared = opcode->space == GPC_SPACE_SHARED && opcode->copy == GPC_COPY_NONE;
    const bool looked_up = memory && opcode->space != GPC_SPACE_TEXTURE;
    const bool arithmetic = opcode->op_class <= GPC_OP_UNIFORM || opcode->op_class == GPC_OP_FP;
    return (gpci_opcode_notes){
        .file = opcodes->file ? opcodes->file : "",
        .line = opcodes->line,
        .traits = (uint8_t)((memory ? TRAIT_MEMORY : 0) | (opcode->unknown ? TRAIT_UNKNOWN : 0) |
                            (arithmetic ? TRAIT_ARITHMETIC : 0) | (memory && !shared ? TRAIT_BARE : 0) |
                            (looked_up ? 0 : TRAIT_UNUSED)),
    };
}

bool gpci_notes_file(gpci_opcodes *opcodes, const char *path) {
    opcodes->line = 0;
    if (!opcodes->file || strcmp(opcodes->file, path) != 0)
        opcodes->file = gpci_opcodes_text(opcodes, path, strlen(path));
    return opcodes->file != NULL;
}

void gpci_notes_line(gpci_opcodes *opcodes, uint64_t line) {
    opcodes->line = line;
}

void gpci_notes_none(gpci_opcodes *opcodes) {
    opcodes->silent = true;
}

/* Add a note. Returns its number, from 1; 0: out of memory. */
static uint32_t add_note(gpci_opcodes *opcodes, gpc_note_reason reason, const char *text, const char *file,
                         uint64_t line) {
    if (!GPCI_ARRAY_RESERVE(opcodes->context, opcodes->notes, opcodes->note_capacity, opcodes->note_count, 1))
        return 0;
    opcodes->notes[opcodes->note_count++] = (gpci_note){.reason = reason, .text = text, .file = file, .line = line};
    return (uint32_t)opcodes->note_count;
}

static bool is_text(const gpci_note *note, const char *text, size_t length) {
    return !strncmp(note->text, text, length) && !note->text[length];
}

bool gpci_notes_add(gpci_opcodes *opcodes, gpc_note_reason reason, const char *text, size_t length, uint64_t bytes) {
    size_t n = 0, texts = 0;
    for (; n < opcodes->note_count; n++) {
        if (opcodes->notes[n].reason != reason)
            continue;
        if (is_text(&opcodes->notes[n], text, length))
            break;
        if (++texts == GPCI_NOTES_TEXTS - 1) {
            text = "others";
            length = strlen(text);
        }
    }
    if (n == opcodes->note_count) {
        const char *copy = gpci_opcodes_text(opcodes, text, length);
        if (!copy || !add_note(opcodes, reason, copy, opcodes->file ? opcodes->file : "", opcodes->line))
            return false;
    }
    opcodes->notes[n].count++;
    opcodes->notes[n].bytes =
        bytes > UINT64_MAX - opcodes->notes[n].bytes ? UINT64_MAX : opcodes->notes[n].bytes + bytes;
    return true;
}

/* Count an instruction in the note of its opcode. */
static bool count_opcode(gpci_opcodes *opcodes, uint32_t opcode, gpc_note_reason reason, uint32_t *number) {
    const gpci_opcode_notes *notes = &opcodes->of_notes[opcode];
    if (!*number)
        *number = add_note(opcodes, reason, opcodes->entries[opcode].text, notes->file, notes->line);
    if (!*number)
        return false;
    opcodes->notes[*number - 1].count++;
    return true;
}

static GPCI_COLD bool count_odd(gpci_opcodes *opcodes, const gpc_instruction *instruction) {
    gpci_opcode_notes *notes = &opcodes->of_notes[instruction->opcode];
    if (notes->traits & TRAIT_UNKNOWN &&
        !count_opcode(opcodes, instruction->opcode, GPC_NOTE_UNKNOWN_OPCODE, &notes->unknown))
        return false;
    if (instruction->addresses && notes->traits & TRAIT_UNUSED)
        return count_opcode(opcodes, instruction->opcode, GPC_NOTE_UNUSED_ADDRESSES, &notes->unused);
    const bool bare = !instruction->addresses && instruction->mask && notes->traits & TRAIT_BARE;
    return !bare || count_opcode(opcodes, instruction->opcode, GPC_NOTE_NO_ADDRESSES, &notes->bare);
}

bool gpci_notes_tally(gpci_opcodes *opcodes, const gpc_instruction *instruction, size_t count) {
    if (opcodes->silent)
        return true;
    uint8_t all = 0;
    uint64_t pcs = 0;
    for (const gpc_instruction *end = instruction + count; instruction < end; instruction++) {
        const uint8_t traits = opcodes->of_notes[instruction->opcode].traits;
        all |= traits;
        pcs |= instruction->pc;
        if (GPCI_UNLIKELY(traits & (TRAIT_UNKNOWN | (instruction->addresses ? TRAIT_UNUSED : TRAIT_BARE))) &&
            !count_odd(opcodes, instruction))
            return false;
    }
    opcodes->kernel_traits |= all;
    opcodes->kernel_pcs |= pcs;
    return true;
}

void gpci_notes_begin(gpci_opcodes *opcodes) {
    opcodes->ended = false;
    opcodes->kernel_traits = 0;
    opcodes->kernel_pcs = 0;
    for (size_t n = 0; n < opcodes->note_count; n++)
        opcodes->notes[n].before = opcodes->notes[n].count;
}

void gpci_notes_again(gpci_opcodes *opcodes) {
    opcodes->ended = false;
    opcodes->kernel_traits = 0;
    opcodes->kernel_pcs = 0;
    for (gpci_note *note = opcodes->notes; note < opcodes->notes + opcodes->note_count; note++)
        if (note->reason != GPC_NOTE_PASSED_OVER && note->reason != GPC_NOTE_COPY) /* not read again with the kernel */
            note->count = note->before;
}

bool gpci_notes_end(gpci_opcodes *opcodes, const char *kernel) {
    const bool memory = opcodes->kernel_traits & TRAIT_MEMORY, first = !opcodes->ended;
    opcodes->ended = true;
    if (!first || !memory || opcodes->silent)
        return true;
    opcodes->line = 0;
    return (opcodes->kernel_traits & TRAIT_ARITHMETIC ||
            gpci_notes_add(opcodes, GPC_NOTE_MEMORY_ALONE, kernel, strlen(kernel), 0)) &&
           (opcodes->kernel_pcs || gpci_notes_add(opcodes, GPC_NOTE_NO_PC, kernel, strlen(kernel), 0));
}

size_t gpci_notes_count(const gpci_opcodes *opcodes) {
    return opcodes->note_count;
}

const gpci_note *gpci_notes_at(const gpci_opcodes *opcodes, size_t index) {
    return &opcodes->notes[index];
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/text/opcode_table.h"

#include <string.h>

/* Properties of an opcode's instructions. */
enum {
    TRAIT_MEMORY = 1,
    TRAIT_UNKNOWN = 2,
    TRAIT_ARITHMETIC = 4,
    TRAIT_BARE = 8,   /* noted without addresses; except shared memory, whose banks have no conflicts here */
    TRAIT_UNUSED = 16 /* noted with addresses: no memory, or textures */
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

bool gpci_notes_file(gpci_opcodes *o, const char *path) {
    o->line = 0;
    if (!o->file || strcmp(o->file, path) != 0)
        o->file = gpci_opcodes_text(o, path, strlen(path));
    return o->file != NULL;
}

void gpci_notes_line(gpci_opcodes *o, uint64_t line) {
    o->line = line;
}

void gpci_notes_none(gpci_opcodes *o) {
    o->silent = true;
}

/* Add a note. Returns its number, from 1; 0: out of memory. */
static uint32_t add_note(gpci_opcodes *o, gpc_note_reason reason, const char *text, const char *file, uint64_t line) {
    if (!GPCI_ARRAY_ROOM(o->context, o->notes, o->note_capacity, o->note_count, 1))
        return 0;
    o->notes[o->note_count++] = (gpci_note){.reason = reason, .text = text, .file = file, .line = line};
    return (uint32_t)o->note_count;
}

static bool is_text(const gpci_note *note, const char *text, size_t length) {
    return !strncmp(note->text, text, length) && !note->text[length];
}

bool gpci_notes_add(gpci_opcodes *o, gpc_note_reason reason, const char *text, size_t length, uint64_t bytes) {
    size_t n = 0, texts = 0;
    for (; n < o->note_count; n++) {
        if (o->notes[n].reason != reason)
            continue;
        if (is_text(&o->notes[n], text, length))
            break;
        if (++texts == GPCI_NOTES_TEXTS - 1) {
            text = "others";
            length = strlen(text);
        }
    }
    if (n == o->note_count) {
        const char *copy = gpci_opcodes_text(o, text, length);
        if (!copy || !add_note(o, reason, copy, o->file ? o->file : "", o->line))
            return false;
    }
    o->notes[n].count++;
    o->notes[n].bytes = bytes > UINT64_MAX - o->notes[n].bytes ? UINT64_MAX : o->notes[n].bytes + bytes;
    return true;
}

/* Count an instruction in the note of its opcode. */
static bool count_opcode(gpci_opcodes *o, uint32_t opcode, gpc_note_reason reason, uint32_t *number) {
    const gpci_opcode_notes *of = &o->of_notes[opcode];
    if (!*number)
        *number = add_note(o, reason, o->entries[opcode].text, of->file, of->line);
    if (!*number)
        return false;
    o->notes[*number - 1].count++;
    return true;
}

static GPCI_COLD bool count_odd(gpci_opcodes *o, const gpc_instruction *i) {
    gpci_opcode_notes *of = &o->of_notes[i->opcode];
    if (of->traits & TRAIT_UNKNOWN && !count_opcode(o, i->opcode, GPC_NOTE_UNKNOWN_OPCODE, &of->unknown))
        return false;
    if (i->addresses && of->traits & TRAIT_UNUSED)
        return count_opcode(o, i->opcode, GPC_NOTE_UNUSED_ADDRESSES, &of->unused);
    const bool bare = !i->addresses && i->mask && of->traits & TRAIT_BARE;
    return !bare || count_opcode(o, i->opcode, GPC_NOTE_NO_ADDRESSES, &of->bare);
}

bool gpci_notes_tally(gpci_opcodes *o, const gpc_instruction *i, size_t count) {
    if (o->silent)
        return true;
    uint8_t all = 0;
    uint64_t pcs = 0;
    for (const gpc_instruction *end = i + count; i < end; i++) {
        const uint8_t traits = o->of_notes[i->opcode].traits;
        all |= traits;
        pcs |= i->pc;
        if (GPCI_UNLIKELY(traits & (TRAIT_UNKNOWN | (i->addresses ? TRAIT_UNUSED : TRAIT_BARE))) && !count_odd(o, i))
            return false;
    }
    o->kernel_traits |= all;
    o->kernel_pcs |= pcs;
    return true;
}

void gpci_notes_begin(gpci_opcodes *o) {
    o->ended = false;
    o->kernel_traits = 0;
    o->kernel_pcs = 0;
    for (size_t n = 0; n < o->note_count; n++)
        o->notes[n].before = o->notes[n].count;
}

void gpci_notes_again(gpci_opcodes *o) {
    o->ended = false;
    o->kernel_traits = 0;
    o->kernel_pcs = 0;
    for (gpci_note *n = o->notes; n < o->notes + o->note_count; n++)
        if (n->reason != GPC_NOTE_PASSED_OVER && n->reason != GPC_NOTE_COPY) /* not read again with the kernel */
            n->count = n->before;
}

bool gpci_notes_end(gpci_opcodes *o, const char *kernel) {
    const bool memory = o->kernel_traits & TRAIT_MEMORY, first = !o->ended;
    o->ended = true;
    if (!first || !memory || o->silent)
        return true;
    o->line = 0;
    return (o->kernel_traits & TRAIT_ARITHMETIC ||
            gpci_notes_add(o, GPC_NOTE_MEMORY_ALONE, kernel, strlen(kernel), 0)) &&
           (o->kernel_pcs || gpci_notes_add(o, GPC_NOTE_NO_PC, kernel, strlen(kernel), 0));
}

size_t gpci_notes_count(const gpci_opcodes *o) {
    return o->note_count;
}

const gpci_note *gpci_notes_at(const gpci_opcodes *o, size_t index) {
    return &o->notes[index];
}

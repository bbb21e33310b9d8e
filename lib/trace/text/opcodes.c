/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

#include <string.h>

#define FIRST_SLOTS 64u
#define TEXT_CHUNK 4096u

/* Texts live in chunks that never move: gpc_trace_opcode promises them as long as the trace. */
typedef struct text_chunk {
    struct text_chunk *next;
    size_t used, capacity;
    char text[];
} text_chunk;

struct gpci_opcodes {
    gpc_context *context;
    gpci_opcode *entries;
    size_t count, capacity;
    uint32_t *slots; /* open addressing; entry index + 1, 0 = free */
    size_t slot_count;
    text_chunk *texts;
};

gpci_opcodes *gpci_opcodes_create(gpc_context *context) {
    gpci_opcodes *opcodes = gpci_zalloc(context, 1, sizeof *opcodes);
    uint32_t *slots = gpci_zalloc(context, FIRST_SLOTS, sizeof *slots);
    if (!opcodes || !slots) {
        gpci_free(context, opcodes);
        gpci_free(context, slots);
        return NULL;
    }
    opcodes->context = gpci_retain(context);
    opcodes->slots = slots;
    opcodes->slot_count = FIRST_SLOTS;
    return opcodes;
}

void gpci_opcodes_destroy(gpci_opcodes *opcodes) {
    if (!opcodes)
        return;
    gpc_context *context = opcodes->context;
    for (text_chunk *chunk = opcodes->texts, *next; chunk; chunk = next) {
        next = chunk->next;
        gpci_free(context, chunk);
    }
    gpci_free(context, opcodes->entries);
    gpci_free(context, opcodes->slots);
    gpci_free(context, opcodes);
    gpci_release(context);
}

static uint32_t hash_text(const char *text, size_t length) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Slot of a text: the one that holds it, or the free one where it belongs. */
static uint32_t *find_slot(const gpci_opcodes *opcodes, const char *text, size_t length) {
    size_t slot = hash_text(text, length) & (opcodes->slot_count - 1);
    for (;; slot = (slot + 1) & (opcodes->slot_count - 1)) {
        uint32_t at = opcodes->slots[slot];
        if (!at)
            return &opcodes->slots[slot];
        const char *known = opcodes->entries[at - 1].text;
        if (!strncmp(known, text, length) && !known[length])
            return &opcodes->slots[slot];
    }
}

static bool grow_slots(gpci_opcodes *opcodes) {
    size_t count = opcodes->slot_count * 2;
    uint32_t *slots = gpci_zalloc(opcodes->context, count, sizeof *slots);
    if (!slots)
        return false;
    gpci_free(opcodes->context, opcodes->slots);
    opcodes->slots = slots;
    opcodes->slot_count = count;
    for (size_t i = 0; i < opcodes->count; i++) {
        const char *text = opcodes->entries[i].text;
        *find_slot(opcodes, text, strlen(text)) = (uint32_t)i + 1;
    }
    return true;
}

static char *store_text(gpci_opcodes *opcodes, const char *text, size_t length) {
    text_chunk *chunk = opcodes->texts;
    if (!chunk || chunk->capacity - chunk->used <= length) {
        size_t capacity = length >= TEXT_CHUNK ? length + 1 : TEXT_CHUNK;
        chunk = gpci_alloc(opcodes->context, sizeof *chunk + capacity);
        if (!chunk)
            return NULL;
        chunk->next = opcodes->texts;
        chunk->used = 0;
        chunk->capacity = capacity;
        opcodes->texts = chunk;
    }
    char *copy = memcpy(chunk->text + chunk->used, text, length);
    copy[length] = 0;
    chunk->used += length + 1;
    return copy;
}

uint32_t gpci_opcodes_intern(gpci_opcodes *opcodes, const char *text, size_t length) {
    uint32_t *slot = find_slot(opcodes, text, length);
    if (*slot)
        return *slot - 1;
    if (opcodes->count >= UINT32_MAX / 4)
        return UINT32_MAX;
    if (opcodes->count == opcodes->capacity) {
        size_t capacity = opcodes->capacity ? opcodes->capacity * 2 : 64;
        gpci_opcode *entries = gpci_resize(opcodes->context, opcodes->entries, capacity, sizeof *entries);
        if (!entries)
            return UINT32_MAX;
        opcodes->entries = entries;
        opcodes->capacity = capacity;
    }
    if (opcodes->count >= opcodes->slot_count / 2) {
        if (!grow_slots(opcodes))
            return UINT32_MAX;
        slot = find_slot(opcodes, text, length);
    }
    char *copy = store_text(opcodes, text, length);
    if (!copy)
        return UINT32_MAX;
    gpci_opcode *entry = &opcodes->entries[opcodes->count];
    gpci_opcode_decode(copy, entry);
    *slot = (uint32_t)++opcodes->count;
    return *slot - 1;
}

const gpci_opcode *gpci_opcodes_at(const gpci_opcodes *opcodes, uint32_t index) {
    return &opcodes->entries[index];
}

size_t gpci_opcodes_count(const gpci_opcodes *opcodes) {
    return opcodes->count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

#include "base/array.h"
#include "trace/text/opcode_table.h"

#include <string.h>

#define TEXT_CHUNK 4096u

/* Chunk of texts. Chunks never move: gpc_trace_opcode promises texts for the life of the trace. */
struct gpci_text_chunk {
    gpci_text_chunk *next;
    size_t used, capacity;
    char text[];
};

gpci_opcodes *gpci_opcodes_create(gpc_context *context) {
    gpci_opcodes *opcodes = gpci_zalloc(context, 1, sizeof *opcodes);
    if (opcodes)
        opcodes->context = gpci_retain(context);
    return opcodes;
}

void gpci_opcodes_destroy(gpci_opcodes *opcodes) {
    if (!opcodes)
        return;
    gpc_context *context = opcodes->context;
    for (gpci_text_chunk *chunk = opcodes->texts, *next; chunk; chunk = next) {
        next = chunk->next;
        gpci_free(context, chunk);
    }
    gpci_free(context, opcodes->entries);
    gpci_free(context, opcodes->of_notes);
    gpci_free(context, opcodes->notes);
    gpci_slots_free(context, &opcodes->slots);
    gpci_free(context, opcodes);
    gpci_release(context);
}

static uint64_t hash_text(const char *text, size_t length) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return gpci_hash(hash);
}

typedef struct opcode_key {
    const char *text;
    size_t length;
} opcode_key;

static bool same_text(const void *entries, uint32_t entry, const void *key) {
    const char *known = ((const gpci_opcode *)entries)[entry].text;
    const opcode_key *wanted = key;
    return !strncmp(known, wanted->text, wanted->length) && !known[wanted->length];
}

static uint64_t hash_of(const void *entries, uint32_t entry) {
    const char *text = ((const gpci_opcode *)entries)[entry].text;
    return hash_text(text, strlen(text));
}

char *gpci_opcodes_text(gpci_opcodes *opcodes, const char *text, size_t length) {
    gpci_text_chunk *chunk = opcodes->texts;
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
    opcode_key key = {text, length};
    uint64_t hash = hash_text(text, length);
    uint32_t entry = gpci_slots_find(&opcodes->slots, opcodes->entries, hash, &key, same_text);
    if (entry != GPCI_NO_ENTRY)
        return entry;
    if (!GPCI_ARRAY_RESERVE(opcodes->context, opcodes->entries, opcodes->capacity, opcodes->count, 1) ||
        !GPCI_ARRAY_RESERVE(opcodes->context, opcodes->of_notes, opcodes->notes_capacity, opcodes->count, 1) ||
        !gpci_slots_reserve(opcodes->context, &opcodes->slots, opcodes->entries, opcodes->count, 1, hash_of))
        return UINT32_MAX;
    char *copy = gpci_opcodes_text(opcodes, text, length);
    if (!copy)
        return UINT32_MAX;
    gpci_opcode_decode(copy, &opcodes->entries[opcodes->count]);
    opcodes->of_notes[opcodes->count] = gpci_opcodes_traits(opcodes, &opcodes->entries[opcodes->count]);
    gpci_slots_add(&opcodes->slots, hash, opcodes->count);
    return opcodes->count++;
}

const gpci_opcode *gpci_opcodes_at(const gpci_opcodes *opcodes, uint32_t index) {
    return &opcodes->entries[index];
}

size_t gpci_opcodes_count(const gpci_opcodes *opcodes) {
    return opcodes->count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"

#include <string.h>

size_t gpci_array_larger(size_t capacity, size_t count, size_t more, size_t bytes) {
    size_t most = SIZE_MAX / 2 / bytes;
    if (more > most || count > most - more)
        return 0;
    size_t larger = capacity < GPCI_ARRAY_LARGE / bytes ? capacity * 2 : capacity + capacity / 2;
    larger = larger > GPCI_ARRAY_FIRST / bytes ? larger : GPCI_ARRAY_FIRST / bytes;
    larger = larger > GPCI_ARRAY_LEAST ? larger : GPCI_ARRAY_LEAST;
    larger = larger > count + more ? larger : count + more;
    return larger < most ? larger : most;
}

bool gpci_array_grow(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes) {
    size_t larger = gpci_array_larger(*capacity, count, more, bytes);
    void *memory;
    memcpy(&memory, items, sizeof memory); /* pointers of any type, without breaking aliasing rules */
    memory = larger ? gpci_resize(context, memory, larger, bytes) : NULL;
    if (!memory)
        return false;
    memcpy(items, &memory, sizeof memory);
    *capacity = larger;
    return true;
}

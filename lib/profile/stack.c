/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/stack.h"

#include "base/array.h"

#include <string.h>

#define FIRST_WORDS 16u
#define MOST_WORDS (1u << 25) /* 2^31 places; at most half of the places are in use after a renumbering */

void gpci_stack_clear(gpci_stack *stack) {
    if (!stack->context)
        return;
    gpci_free(stack->context, stack->bits);
    gpci_free(stack->context, stack->sums);
    gpci_free(stack->context, stack->owners);
    gpci_free(stack->context, stack->holes);
    *stack = (gpci_stack){.context = stack->context};
}

static uint32_t *place_of(uint32_t *places, size_t stride, uint32_t line) {
    return (uint32_t *)(void *)((char *)places + line * stride);
}

void gpci_stack_empty(gpci_stack *s, uint32_t *places, size_t stride) {
    for (uint32_t word = 0; word < (s->next + 63) / 64; word++)
        for (uint64_t left = s->bits[word]; left; left &= left - 1) {
            uint32_t owner = s->owners[word * 64 + gpci_lowest(left)];
            if (owner != GPCI_STACK_NOWHERE)
                *place_of(places, stride, owner) = GPCI_STACK_NOWHERE;
        }
    if (s->words) {
        memset(s->bits, 0, s->words * sizeof *s->bits);
        memset(s->sums, 0, (s->words + 1) * sizeof *s->sums);
    }
    s->next = s->used = s->hole_count = 0;
}

static void add(gpci_stack *stack, uint32_t place, uint32_t change) {
    stack->bits[place / 64] ^= (uint64_t)1 << place % 64;
    for (uint32_t i = place / 64 + 1; i <= stack->words; i += i & (0 - i))
        stack->sums[i] += change;
}

static void take(gpci_stack *stack, uint32_t place) {
    add(stack, place, 1);
    stack->used++;
}

static void leave(gpci_stack *stack, uint32_t place) {
    add(stack, place, UINT32_MAX); /* -1 */
    stack->used--;
}

/* Number of set bits at newer places than `place`. */
static uint32_t depth(const gpci_stack *stack, uint32_t place) {
    uint32_t word = place / 64, through = gpci_popcount(stack->bits[word] & ~(uint64_t)0 >> (63 - place % 64));
    for (uint32_t i = word; i; i &= i - 1)
        through += stack->sums[i];
    return stack->used - through;
}

static void push_hole(gpci_stack *stack, uint32_t place) {
    uint32_t i = stack->hole_count++;
    for (; i && stack->holes[(i - 1) / 2] < place; i = (i - 1) / 2)
        stack->holes[i] = stack->holes[(i - 1) / 2];
    stack->holes[i] = place;
}

static uint32_t pop_hole(gpci_stack *stack) {
    uint32_t top = stack->holes[0], last = stack->holes[--stack->hole_count], i = 0;
    for (uint32_t child = 1; child < stack->hole_count; child = 2 * i + 1) {
        child += child + 1 < stack->hole_count && stack->holes[child + 1] > stack->holes[child];
        if (stack->holes[child] <= last)
            break;
        stack->holes[i] = stack->holes[child];
        i = child;
    }
    stack->holes[i] = last;
    return top;
}

/* Set the bits of places 0 to used - 1, and no others; compute the sums. */
static void fill_prefix(gpci_stack *stack) {
    memset(stack->bits, 0, stack->words * sizeof *stack->bits);
    memset(stack->bits, 0xff, stack->used / 64 * sizeof *stack->bits);
    if (stack->used % 64)
        stack->bits[stack->used / 64] = ((uint64_t)1 << stack->used % 64) - 1;
    for (uint32_t i = 1; i <= stack->words; i++) {
        uint32_t low = (i - (i & (0 - i))) * 64, high = i * 64;
        stack->sums[i] = stack->used <= low ? 0 : (stack->used < high ? stack->used : high) - low;
    }
}

/* Renumber the places with set bits from 0, oldest first; tell the lines their new places. */
static void renumber(gpci_stack *s, uint32_t *places, size_t stride) {
    uint32_t to = 0, holes = 0;
    for (uint32_t word = 0; word < (s->next + 63) / 64; word++)
        for (uint64_t left = s->bits[word]; left; left &= left - 1) {
            uint32_t owner = s->owners[word * 64 + gpci_lowest(left)];
            s->owners[to] = owner;
            if (owner == GPCI_STACK_NOWHERE)
                s->holes[holes++] = to;
            else
                *place_of(places, stride, owner) = to;
            to++;
        }
    s->next = to;
    for (uint32_t i = 0; i < holes / 2; i++) { /* reverse the order: descending numbers are a heap */
        uint32_t other = s->holes[i];
        s->holes[i] = s->holes[holes - 1 - i];
        s->holes[holes - 1 - i] = other;
    }
}

static gpc_status grow(gpci_stack *stack) {
    const uint32_t words = stack->words ? stack->words * 2 : FIRST_WORDS; /* double, to renumber seldom */
    if (words > MOST_WORDS)
        return GPC_ERROR_MEMORY;
    uint32_t *owners = gpci_resize(stack->context, stack->owners, (size_t)words * 64, sizeof *owners);
    if (owners)
        stack->owners = owners;
    uint64_t *bits = owners ? gpci_resize(stack->context, stack->bits, words, sizeof *bits) : NULL;
    if (bits) {
        memset(bits + stack->words, 0, (words - stack->words) * sizeof *bits);
        stack->bits = bits;
    }
    uint32_t *sums = bits ? gpci_resize(stack->context, stack->sums, (size_t)words + 1, sizeof *sums) : NULL;
    if (!sums)
        return GPC_ERROR_MEMORY;
    stack->sums = sums;
    stack->sums[0] = 0;
    stack->words = words;
    return GPC_OK;
}

gpc_status gpci_stack_reserve(gpci_stack *stack, uint32_t *places, size_t stride) {
    if (!GPCI_ARRAY_RESERVE(stack->context, stack->holes, stack->hole_capacity, stack->hole_count, 1))
        return GPC_ERROR_MEMORY;
    if (stack->next < stack->words * 64)
        return GPC_OK;
    if (stack->used >= stack->words * 32) {
        gpc_status status = grow(stack);
        if (status < 0)
            return status;
    }
    renumber(stack, places, stride);
    fill_prefix(stack);
    return GPC_OK;
}

uint64_t gpci_stack_touch(gpci_stack *s, uint32_t line, uint32_t *place) {
    uint32_t old = *place;
    if (old != GPCI_STACK_NOWHERE && old + 1 == s->next)
        return 0; /* already the top */
    uint64_t distance = old == GPCI_STACK_NOWHERE ? GPCI_STACK_FIRST : depth(s, old);
    if (s->hole_count && (old == GPCI_STACK_NOWHERE || s->holes[0] > old)) {
        leave(s, pop_hole(s));
        if (old != GPCI_STACK_NOWHERE) {
            s->owners[old] = GPCI_STACK_NOWHERE;
            push_hole(s, old);
        }
    } else if (old != GPCI_STACK_NOWHERE) {
        leave(s, old);
    }
    s->owners[s->next] = line;
    take(s, s->next);
    *place = s->next++;
    return distance;
}

void gpci_stack_drop(gpci_stack *s, uint32_t *place) {
    if (*place == GPCI_STACK_NOWHERE)
        return;
    s->owners[*place] = GPCI_STACK_NOWHERE;
    push_hole(s, *place);
    *place = GPCI_STACK_NOWHERE;
}

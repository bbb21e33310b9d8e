/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* First-level caches hold one block; lower caches have four sets of two. */

static const uint32_t lows[][6] = {{3, 3, 3}, {3, 3, 3, 4}, {3, 3, 4, 5, 5}};
static const uint32_t counts[] = {4, 5, 6};

void stage_prepare(stage *s, stage_shape shape) {
    uint32_t count = counts[shape];
    *s = (stage){.small = small_open_bare(count), .result = GPC_COHERENCE_RESULT_INIT};
    small *t = s->small;
    t->options.network_count = 4;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t low = lows[shape][i];
        small_link(t, i, low);
        t->modules[i].low_network = t->modules[low].high_network = low - 3;
        if (i >= 3) {
            t->modules[i].sets = 4;
            t->modules[i].ways = 2;
        }
    }
    t->modules[count - 1].memory = true;
    t->modules[count - 1].ways = 0;
}

void stage_make(stage *s, const char *protocol) {
    s->small->options.protocol = protocol;
    s->tree = small_tree(s->small);
}

void stage_open(stage *s, stage_shape shape, const char *protocol) {
    stage_prepare(s, shape);
    stage_make(s, protocol);
}

void stage_close(stage *s) {
    small_close(s->small);
}

static void access_one(stage *s, char act, uint32_t module, uint32_t flags) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint8_t byte = (uint8_t)(0x40 + module);
    request.module = module;
    request.flags = flags;
    request.size = 1;
    request.bytes = &byte;
    /* Every module has a separate byte, as required for non-coherent stores; atomics share one. */
    request.address = STAGE_A + (act == 'N' ? 4 + module : 0);
    request.kind = act == 'S' ? GPC_COHERENCE_STORE : act == 'N' ? GPC_COHERENCE_N_STORE : GPC_COHERENCE_LOAD;
    if (act == 'X')
        request.address = STAGE_A + 0x2040; /* another set below */
    if (act == 'C' || act == 'D')
        request.address = STAGE_A + (act == 'C' ? 0x100 : 0x200);
    cr_assert_eq(gpc_coherence_access(s->tree, &request, &s->result, &s->small->error), GPC_OK, "%c%u: %s", act, module,
                 s->small->error.message);
}

void stage_play(stage *s, const char *play) {
    for (const char *at = play; *at; at += *at == ' ') {
        uint32_t flags = 0;
        for (; *at == 'g' || *at == 's'; at++)
            flags |= *at == 'g' ? GPC_ACCESS_GLC : GPC_ACCESS_SLC;
        cr_assert(strchr("LSNXCDQ", *at) && at[1] >= '0' && at[1] <= '9', "play '%s' at '%s'", play, at);
        uint32_t module = (uint32_t)(at[1] - '0');
        if (*at == 'Q')
            cr_assert_eq(gpc_coherence_acquire(s->tree, module, 0, &s->result, &s->small->error), GPC_OK, "%s",
                         s->small->error.message);
        else
            access_one(s, *at, module, flags);
        at += 2;
    }
}

uint8_t stage_state(const stage *s, uint32_t module) {
    uint32_t set, way;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    if (gpc_coherence_find(s->tree, module, STAGE_A, &set, &way, NULL) != GPC_OK)
        return GPC_LINE_I;
    cr_assert_eq(gpc_coherence_get_block(s->tree, module, set, way, &block, NULL), GPC_OK);
    return (uint8_t)block.state;
}

static void append(char out[128], const char *word) {
    size_t length = strlen(out);
    cr_assert_lt(length + strlen(word) + 2, 128);
    snprintf(out + length, 128 - length, "%s%s", length ? " " : "", word);
}

void stage_transitions(const stage *s, uint32_t module, char out[128]) {
    *out = '\0';
    for (uint32_t i = 0; i < s->result.transition_count; i++) {
        const gpc_coherence_transition *t = &s->result.transitions[i];
        char word[32];
        if (t->module != module || (t->tag != STAGE_A && t->tag_before != STAGE_A))
            continue;
        snprintf(word, sizeof word, "%c>%c@%X", STAGE_STATES[t->from], STAGE_STATES[t->to], t->origin);
        append(out, word);
    }
}

void stage_messages(const stage *s, uint32_t module, char out[128]) {
    *out = '\0';
    for (uint32_t i = 0; i < s->result.message_count; i++) {
        const gpc_coherence_message *m = &s->result.messages[i];
        char word[16], letter = m->kind <= GPC_MESSAGE_WRITE_THROUGH ? "RWpxDaBnct"[m->kind] : '.';
        if (m->from != module || m->address != STAGE_A || strchr("pxa.", letter) ||
            (letter == 'D' && m->to < module && m->to < 3 && module >= 3))
            continue;
        snprintf(word, sizeof word, "%c%u", letter == 'B' && m->masked ? 'b' : letter, m->to);
        append(out, word);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Random walks through states with accesses in flight, for systems too large for exploration. Each walk begins at the
 * first state, takes random steps, then drains without new accesses, and is flushed. After a violation, more walks look
 * for a shorter path to a violation.
 */

/* steps before draining; walks for each length; most choices considered */
enum { WALK = 160, MORE = 400, READY = 128 };

typedef struct random_walk {
    gpci_explorer e;
    gpci_verify_found *found;
    uint64_t random;
    uint16_t path[GPC_VERIFY_STEPS];
    uint32_t length, most; /* steps taken; steps before draining */
} random_walk;

/* Choose a ready choice. A restart of a refused access is chosen mostly if no message is ready. */
static uint16_t choose_ready(random_walk *w) {
    gpc_coherence_choice choice;
    uint16_t messages[READY], others[READY];
    uint32_t message_count = 0, other_count = 0;
    for (uint32_t i = 0; i < READY && gpci_hold_choice(w->e.c->engine, i, &choice); i++) {
        if (choice.ready && choice.kind == GPC_CHOICE_RETRY)
            others[other_count++] = (uint16_t)(GPCI_VERIFY_CHOICE | i);
        else if (choice.ready)
            messages[message_count++] = (uint16_t)(GPCI_VERIFY_CHOICE | i);
    }
    if (other_count && (!message_count || !gpci_random_below(&w->random, 6)))
        return others[gpci_random_below(&w->random, other_count)];
    return message_count ? messages[gpci_random_below(&w->random, message_count)] : GPCI_VERIFY_NO_STEP;
}

/* Choose a step; four times of five not an issue, if possible. */
static uint16_t choose(random_walk *w, bool drains) {
    gpci_explorer *e = &w->e;
    uint16_t issues[GPCI_VERIFY_ACTIONS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->action_count && !drains; i++)
        if (gpci_verify_may_issue(e, &e->actions[i]))
            issues[count++] = (uint16_t)i;
    const uint16_t ready = choose_ready(w);
    if (!count || (ready != GPCI_VERIFY_NO_STEP && gpci_random_below(&w->random, 5)))
        return ready;
    return issues[gpci_random_below(&w->random, count)];
}

/* True if a violation is recorded. */
static bool tell(random_walk *w, gpc_verify_verdict verdict, const char *text) {
    gpci_verify_found *found = w->found;
    if (found->violations && w->length >= found->path_count)
        return true;
    found->violations = 1;
    found->verdict = verdict;
    found->wrong = w->e.wrong;
    snprintf(found->text, sizeof found->text, "%s", text);
    memcpy(found->path, w->path, w->length * sizeof *w->path);
    found->path_count = w->length;
    return true;
}

static bool ends_well(random_walk *w) {
    char text[GPC_VERIFY_TEXT] = "";
    if (!gpci_verify_is_settled(&w->e)) {
        w->e.wrong.known = false;
        return !tell(w, GPC_VERIFY_LIVELOCK, "livelock: an access has not ended, in many random steps");
    }
    if (gpci_verify_nothing_lost(&w->e, text, sizeof text))
        return true;
    return !tell(w, w->e.wrong.known ? GPC_VERIFY_LOST : GPC_VERIFY_REFUSED, text);
}

/* Walk once. False: a violation, or out of memory. */
static bool take(random_walk *w) {
    gpci_explorer *e = &w->e;
    gpc_error error = GPC_ERROR_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    gpci_verify_overlap_load(e, e->base);
    for (w->length = 0; w->length < GPC_VERIFY_STEPS;) {
        const uint16_t how = choose(w, w->length >= w->most);
        if (how == GPCI_VERIFY_NO_STEP)
            break;
        w->path[w->length++] = how;
        w->found->edges++;
        const gpc_status status = gpci_verify_step(e, how, &error);
        if (status == GPC_ERROR_MEMORY) {
            w->found->status = status;
            return false;
        }
        gpc_verify_verdict verdict = GPC_VERIFY_REFUSED;
        if (status != GPC_OK)
            snprintf(text, sizeof text, "refused: %.480s", error.message);
        else
            verdict = gpci_verify_overlap_judge(e, text, sizeof text);
        if (verdict != GPC_VERIFY_PASSED)
            return !tell(w, verdict, text);
    }
    w->found->depth = w->length > w->found->depth ? w->length : w->found->depth;
    return ends_well(w);
}

static void walk_all(random_walk *w, uint64_t count) {
    const gpci_verify_setup *s = w->e.setup;
    for (uint64_t i = 0; i < count && take(w); i++) {
        w->found->states = ++w->found->expanded;
        if (s->progress && !s->progress(s->data, w->found)) {
            w->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
            return;
        }
    }
}

/* Search shorter and shorter paths, as long as found. */
static void shorten(random_walk *w) {
    uint32_t before = 0;
    while (w->found->violations && w->found->status == GPC_OK && w->found->path_count != before) {
        before = w->found->path_count;
        w->most = before > 2 ? before * 3 / 4 : 1;
        for (uint32_t i = 0; i < MORE && w->found->status == GPC_OK; i++)
            (void)take(w);
    }
}

void gpci_verify_walk(const gpci_verify_setup *setup, uint64_t count, gpci_verify_found *found) {
    gpc_error error = GPC_ERROR_INIT;
    random_walk *w = gpci_zalloc(setup->context, 1, sizeof *w);
    if (!w) {
        memset(found, 0, sizeof *found);
        found->status = GPC_ERROR_MEMORY;
        return;
    }
    if (gpci_verify_open(&w->e, setup, found)) {
        w->found = found;
        w->random = setup->context->seed;
        w->most = WALK;
        found->status = gpci_verify_hold(&w->e, &error);
        if (found->status != GPC_OK)
            snprintf(found->text, sizeof found->text, "%.500s", error.message);
        else if (!gpci_verify_image_room(&w->e, &w->e.base, &w->e.base_room, gpci_verify_overlap_bytes(&w->e)))
            found->status = GPC_ERROR_MEMORY;
        else {
            gpci_verify_overlap_save(&w->e, w->e.base);
            walk_all(w, count);
            shorten(w);
        }
        if (found->violations)
            found->limit = GPC_VERIFY_LIMIT_VIOLATION;
        gpci_verify_close(&w->e);
    }
    gpci_free(setup->context, w);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Random walks through states with accesses in flight, for systems too large for exploration. Each walk begins at the
 * first state and takes random steps. Then the walk begins no new accesses until nothing is in flight, and flushes the
 * tree. After a violation, more walks look for a shorter path to a violation.
 */

/*
 * WALK: steps after which a walk begins no new accesses; MORE: walks per length, after a violation; READY: upper bound
 * of the choices considered
 */
enum { WALK = 160, MORE = 400, READY = 128 };

typedef struct random_walk {
    gpci_explorer explorer;
    gpci_verify_found *found;
    uint64_t random;
    uint16_t path[GPC_VERIFY_STEPS];
    uint32_t length, most; /* length: steps taken; most: steps after which the walk begins no new accesses */
} random_walk;

/*
 * Choose among the choices that are ready. The restart of a refused access is chosen mostly if nothing else is ready.
 */
static uint16_t choose_ready(random_walk *walk) {
    gpc_coherence_choice choice;
    uint16_t messages[READY], others[READY];
    uint32_t message_count = 0, other_count = 0;
    for (uint32_t i = 0; i < READY && gpci_hold_choice(walk->explorer.coherence->engine, i, &choice); i++) {
        if (choice.ready && choice.kind == GPC_CHOICE_RETRY)
            others[other_count++] = (uint16_t)(GPCI_VERIFY_CHOICE | i);
        else if (choice.ready)
            messages[message_count++] = (uint16_t)(GPCI_VERIFY_CHOICE | i);
    }
    if (other_count && (!message_count || !gpci_random_below(&walk->random, 6)))
        return others[gpci_random_below(&walk->random, other_count)];
    return message_count ? messages[gpci_random_below(&walk->random, message_count)] : GPCI_VERIFY_NO_STEP;
}

/*
 * Choose a step: in four of five cases a ready choice, if there is one; if not, the issue of an access. `drains`: no
 * issue.
 */
static uint16_t choose(random_walk *walk, bool drains) {
    gpci_explorer *explorer = &walk->explorer;
    uint16_t issues[GPCI_VERIFY_ACTIONS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer->action_count && !drains; i++)
        if (gpci_verify_may_issue(explorer, &explorer->actions[i]))
            issues[count++] = (uint16_t)i;
    const uint16_t ready = choose_ready(walk);
    if (!count || (ready != GPCI_VERIFY_NO_STEP && gpci_random_below(&walk->random, 5)))
        return ready;
    return issues[gpci_random_below(&walk->random, count)];
}

/* Record a violation, unless a path of at most the same length is already recorded. Always returns true. */
static bool tell(random_walk *walk, gpc_verify_verdict verdict, const char *text) {
    gpci_verify_found *found = walk->found;
    if (found->violations && walk->length >= found->path_count)
        return true;
    found->violations = 1;
    found->verdict = verdict;
    found->wrong = walk->explorer.wrong;
    snprintf(found->text, sizeof found->text, "%s", text);
    memcpy(found->path, walk->path, walk->length * sizeof *walk->path);
    found->path_count = walk->length;
    return true;
}

static bool ends_well(random_walk *walk) {
    char text[GPC_VERIFY_TEXT] = "";
    if (!gpci_verify_is_settled(&walk->explorer)) {
        walk->explorer.wrong.known = false;
        return !tell(walk, GPC_VERIFY_LIVELOCK, "livelock: an access has not ended, in many random steps");
    }
    if (gpci_verify_nothing_lost(&walk->explorer, text, sizeof text))
        return true;
    return !tell(walk, walk->explorer.wrong.known ? GPC_VERIFY_LOST : GPC_VERIFY_REFUSED, text);
}

/* Take a walk. False: a violation was found, or out of memory. */
static bool take(random_walk *walk) {
    gpci_explorer *explorer = &walk->explorer;
    gpc_error error = GPC_ERROR_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    gpci_verify_overlap_load(explorer, explorer->base);
    for (walk->length = 0; walk->length < GPC_VERIFY_STEPS;) {
        const uint16_t how = choose(walk, walk->length >= walk->most);
        if (how == GPCI_VERIFY_NO_STEP)
            break;
        walk->path[walk->length++] = how;
        walk->found->edges++;
        const gpc_status status = gpci_verify_step(explorer, how, &error);
        if (status == GPC_ERROR_MEMORY) {
            walk->found->status = status;
            return false;
        }
        gpc_verify_verdict verdict = GPC_VERIFY_REFUSED;
        if (status != GPC_OK)
            snprintf(text, sizeof text, "refused: %.480s", error.message);
        else
            verdict = gpci_verify_overlap_judge(explorer, text, sizeof text);
        if (verdict != GPC_VERIFY_PASSED)
            return !tell(walk, verdict, text);
    }
    walk->found->depth = walk->length > walk->found->depth ? walk->length : walk->found->depth;
    return ends_well(walk);
}

static void walk_all(random_walk *walk, uint64_t count) {
    const gpci_verify_setup *setup = walk->explorer.setup;
    for (uint64_t i = 0; i < count && take(walk); i++) {
        walk->found->states = ++walk->found->expanded;
        if (setup->progress && !setup->progress(setup->data, walk->found)) {
            walk->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
            return;
        }
    }
}

/* Search for a shorter path to a violation, as long as a search finds a shorter path. */
static void shorten(random_walk *walk) {
    uint32_t before = 0;
    while (walk->found->violations && walk->found->status == GPC_OK && walk->found->path_count != before) {
        before = walk->found->path_count;
        walk->most = before > 2 ? before * 3 / 4 : 1;
        for (uint32_t i = 0; i < MORE && walk->found->status == GPC_OK; i++)
            (void)take(walk);
    }
}

void gpci_verify_walk(const gpci_verify_setup *setup, uint64_t count, gpci_verify_found *found) {
    gpc_error error = GPC_ERROR_INIT;
    random_walk *walk = gpci_zalloc(setup->context, 1, sizeof *walk);
    if (!walk) {
        memset(found, 0, sizeof *found);
        found->status = GPC_ERROR_MEMORY;
        return;
    }
    if (gpci_verify_open(&walk->explorer, setup, found)) {
        walk->found = found;
        walk->random = setup->context->seed;
        walk->most = WALK;
        found->status = gpci_verify_hold(&walk->explorer, &error);
        if (found->status != GPC_OK)
            snprintf(found->text, sizeof found->text, "%.500s", error.message);
        else if (!gpci_verify_image_reserve(&walk->explorer, &walk->explorer.base, &walk->explorer.base_capacity,
                                            gpci_verify_overlap_bytes(&walk->explorer)))
            found->status = GPC_ERROR_MEMORY;
        else {
            gpci_verify_overlap_save(&walk->explorer, walk->explorer.base);
            walk_all(walk, count);
            shorten(walk);
        }
        if (found->violations)
            found->limit = GPC_VERIFY_LIMIT_VIOLATION;
        gpci_verify_close(&walk->explorer);
    }
    gpci_free(setup->context, walk);
}

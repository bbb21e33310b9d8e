/* SPDX-License-Identifier: BSD-2-Clause */
#include "rig.h"

#include <stdio.h>

/*
 * The rules of a DRAM, one pair of commands at a time, each from the configuration's numbers. Slow and without state
 * beside the list of commands.
 */

static uint64_t number(const rig *r, const char *parameter) {
    char key[64];
    uint64_t value = 0;
    snprintf(key, sizeof key, "dram.%s", parameter);
    cr_assert_eq(gpc_config_get_u64(r->config, key, &value, NULL), GPC_OK, "%s", key);
    return value;
}

static bool is_column(const gpci_dram_event *e) {
    return e->command == GPCI_DRAM_READ || e->command == GPCI_DRAM_WRITE;
}

/* True if a bank belongs to a refresh of single banks. */
static bool is_of(const rig *r, const gpci_dram_event *e, uint32_t bank) {
    const uint64_t group_banks = number(r, "group_banks");
    return e->token == 1 ? bank == e->bank : bank % group_banks == e->bank % group_banks;
}

/* The least distance between two commands, the first before the second; 0 without a rule. */
static uint64_t least(const rig *r, const gpci_dram_event *a, const gpci_dram_event *b) {
    uint64_t group_banks = number(r, "group_banks"), burst = number(r, "burst_cycles"), need = 0;
    bool same_bank = a->bank == b->bank, same_group = a->bank / group_banks == b->bank / group_banks;
#define RULE(condition, cycles) need = (condition) && (cycles) > need ? (cycles) : need
    bool write_a = a->command == GPCI_DRAM_WRITE, write_b = b->command == GPCI_DRAM_WRITE;
    bool act_a = a->command == GPCI_DRAM_ACTIVATE, act_b = b->command == GPCI_DRAM_ACTIVATE;
    bool pre_a = a->command == GPCI_DRAM_PRECHARGE, pre_b = b->command == GPCI_DRAM_PRECHARGE;
    bool all_a = a->command == GPCI_DRAM_PRECHARGE_ALL, all_b = b->command == GPCI_DRAM_PRECHARGE_ALL;
    bool refresh_b = b->command == GPCI_DRAM_REFRESH;
    bool one_a = a->command == GPCI_DRAM_REFRESH_BANK, one_b = b->command == GPCI_DRAM_REFRESH_BANK;
    bool of_a = one_a && is_of(r, a, b->bank), of_b = one_b && is_of(r, b, a->bank); /* the other's bank is included */
    uint64_t written = number(r, "tcwl") + burst;
    RULE(act_a && act_b, number(r, "trrd_s"));
    RULE(act_a && act_b && same_group, number(r, "trrd_l"));
    RULE(act_a && act_b && same_bank, number(r, "trc"));
    RULE(act_a && refresh_b, number(r, "trc"));
    RULE(act_a && is_column(b) && same_bank, number(r, write_b ? "trcd_write" : "trcd"));
    RULE(act_a && ((pre_b && same_bank) || all_b), number(r, "tras"));
    RULE((pre_a && same_bank && act_b) || (all_a && act_b), number(r, "trp"));
    RULE((pre_a || all_a) && refresh_b, number(r, "trp"));
    RULE(a->command == GPCI_DRAM_REFRESH, act_b ? number(r, "trfc") : 0);
    RULE(of_a && (act_b || of_b), number(r, "trfc_bank"));
    RULE(one_a && (act_b || one_b), number(r, "trrefd"));
    RULE(act_a && one_b, number(r, "trrd_s"));
    RULE(act_a && of_b, number(r, "trc"));
    RULE(pre_a && of_b, number(r, "trp"));
    if (is_column(a) && is_column(b)) {
        RULE(write_a == write_b, burst);
        RULE(write_a == write_b, number(r, same_group ? "tccd_l" : "tccd_s"));
        RULE(write_a && !write_b, written + number(r, same_group ? "twtr_l" : "twtr_s"));
        RULE(!write_a && write_b, number(r, "tcl") + burst + number(r, "trtw") - number(r, "tcwl"));
    }
    RULE(is_column(a) && ((pre_b && same_bank) || all_b), write_a ? written + number(r, "twr") : number(r, "trtp"));
#undef RULE
    return need;
}

/* Cycle at which a read or write with automatic precharge closes the row: the command's distance, and tRAS. */
static uint64_t closes_at(const rig *r, size_t i) {
    const gpci_dram_event *e = &r->events[i];
    gpci_dram_event precharge = {.bank = e->bank, .command = GPCI_DRAM_PRECHARGE};
    uint64_t closes = 0;
    for (size_t k = i + 1; k-- > 0;) {
        const gpci_dram_event *before = &r->events[k];
        if (before->pseudo != e->pseudo || before->bank != e->bank ||
            !(is_column(before) || before->command == GPCI_DRAM_ACTIVATE))
            continue;
        uint64_t end = before->cycle + least(r, before, &precharge);
        closes = end > closes ? end : closes;
        if (before->command == GPCI_DRAM_ACTIVATE)
            break;
    }
    return closes;
}

/* Rows: an activation finds none open, a read or write the right one, a refresh none. */
static size_t row_errors(const rig *r) {
    uint64_t open[16][64], free_from[16][64] = {{0}};
    size_t errors = 0;
    for (int p = 0; p < 16; p++)
        for (int b = 0; b < 64; b++)
            open[p][b] = UINT64_MAX;
    for (size_t i = 0; i < r->event_count; i++) {
        const gpci_dram_event *e = &r->events[i];
        uint64_t *bank = &open[e->pseudo][e->bank];
        for (int b = 0; e->command == GPCI_DRAM_REFRESH && b < 64; b++)
            errors += open[e->pseudo][b] != UINT64_MAX || e->cycle < free_from[e->pseudo][b];
        for (uint32_t b = 0; e->command == GPCI_DRAM_REFRESH_BANK && b < e->banks; b++)
            if (is_of(r, e, b))
                errors += open[e->pseudo][b] != UINT64_MAX || e->cycle < free_from[e->pseudo][b];
        if (e->command == GPCI_DRAM_ACTIVATE) {
            errors += *bank != UINT64_MAX || e->cycle < free_from[e->pseudo][e->bank];
            *bank = e->row;
        } else if (is_column(e)) {
            errors += *bank != e->row;
            if (e->auto_precharge) {
                free_from[e->pseudo][e->bank] = closes_at(r, i) + number(r, "trp");
                *bank = UINT64_MAX;
            }
        } else if (e->command == GPCI_DRAM_PRECHARGE) {
            errors += *bank == UINT64_MAX;
            *bank = UINT64_MAX;
        }
        for (int b = 0; e->command == GPCI_DRAM_PRECHARGE_ALL && b < 64; b++)
            open[e->pseudo][b] = UINT64_MAX;
    }
    return errors;
}

/* No five activations within tFAW, and no two commands of a bus in a cycle. */
static size_t bus_errors(const rig *r, bool dual) {
    size_t errors = 0;
    for (size_t i = 0; i < r->event_count; i++) {
        const gpci_dram_event *e = &r->events[i];
        size_t acts = 0;
        for (size_t k = i; k-- > 0 && acts < 4;) {
            const gpci_dram_event *before = &r->events[k];
            if (before->pseudo != e->pseudo)
                continue;
            errors += before->cycle == e->cycle && (!dual || is_column(before) == is_column(e));
            errors += before->cycle > e->cycle;
            if (e->command != GPCI_DRAM_ACTIVATE || before->command != GPCI_DRAM_ACTIVATE)
                continue;
            errors += ++acts == 4 && e->cycle < before->cycle + number(r, "tfaw");
        }
    }
    return errors;
}

size_t violations(const rig *r) {
    size_t errors = row_errors(r) + bus_errors(r, r->dram->rules.dual);
    for (size_t i = 0; i < r->event_count; i++)
        for (size_t k = i > 120 ? i - 120 : 0; k < i; k++) {
            const gpci_dram_event *a = &r->events[k], *b = &r->events[i];
            if (a->pseudo == b->pseudo && b->cycle < a->cycle + least(r, a, b)) {
                if (!errors)
                    cr_log_info("command %d of bank %u at %llu too soon after %d of bank %u at %llu", b->command,
                                b->bank, (unsigned long long)b->cycle, a->command, a->bank,
                                (unsigned long long)a->cycle);
                errors++;
            }
        }
    return errors;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/tlb.h"

#include <string.h>

static gpc_status refuse(gpci_key key, const gpc_hierarchy *hierarchy, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), why);
}

/* Reject the host's other keys of TLBs if tlb.page is not a size: the keys have no effect. A preset may set some. */
static gpc_status check_absent(const gpc_hierarchy *hierarchy, gpc_error *error) {
    for (uint32_t key = GPCI_KEY_TLB_PAGE + 1; key <= GPCI_KEY_TLB_WALK_LATENCY; key++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(key, &info, NULL);
        if (gpci_config_is_own(hierarchy->config, (gpci_key)key) &&
            strcmp(gpci_config_text(hierarchy->config, (gpci_key)key), info.initial) != 0)
            return refuse((gpci_key)key, hierarchy, "needs tlb.page: there are no TLBs", error);
    }
    return GPC_OK;
}

static gpc_status check(const gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!gpci_power_of_two(gpci_number(hierarchy, GPCI_KEY_TLB_PAGE)))
        return refuse(GPCI_KEY_TLB_PAGE, hierarchy, "pages are a power of two of bytes", error);
    if (hierarchy->lane_packets)
        return refuse(GPCI_KEY_TLB_PAGE, hierarchy, "needs l1.coalescer = warp or sector: lines are translated", error);
    return GPC_OK;
}

/* Set the numbers of sets and ways of a TLB from the keys. */
static gpc_status shape(const gpc_hierarchy *hierarchy, gpci_key entries_key, gpci_key ways_key, gpci_tlb *tlb,
                        gpc_error *error) {
    const uint64_t entries = gpci_number(hierarchy, entries_key), asked = gpci_number(hierarchy, ways_key),
                   ways = asked == GPCI_WORD ? entries : asked;
    if (!entries)
        return GPC_OK;
    if (ways > entries || entries % ways)
        return refuse(ways_key, hierarchy, "must divide the entries", error);
    *tlb = (gpci_tlb){.sets = (uint32_t)(entries / ways), .ways = (uint32_t)ways};
    return GPC_OK;
}

static uint64_t *take_pages(gpci_tlb *tlb, uint64_t *pages) {
    tlb->pages = pages;
    return pages + (size_t)tlb->sets * tlb->ways;
}

static gpc_status make(gpc_hierarchy *hierarchy, const gpci_tlb *l1, const gpci_tlb *l2, gpc_error *error) {
    gpci_tlbs *tlbs = hierarchy->tlbs = gpci_zalloc(hierarchy->context, 1, sizeof *tlbs);
    if (!tlbs)
        return gpci_out_of_memory(error);
    tlbs->shift = gpci_log2(gpci_number(hierarchy, GPCI_KEY_TLB_PAGE));
    tlbs->gpu_sms = hierarchy->sms / hierarchy->gpus;
    tlbs->page_count =
        hierarchy->sms * ((size_t)l1->sets * l1->ways + 1) + hierarchy->gpus * (size_t)l2->sets * l2->ways;
    tlbs->pages = gpci_alloc(hierarchy->context, tlbs->page_count * sizeof *tlbs->pages);
    tlbs->l1 = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *tlbs->l1);
    tlbs->l2 = gpci_zalloc(hierarchy->context, hierarchy->gpus, sizeof *tlbs->l2);
    if (!tlbs->pages || !tlbs->l1 || !tlbs->l2)
        return gpci_out_of_memory(error);
    for (size_t i = 0; i < tlbs->page_count; i++)
        tlbs->pages[i] = GPCI_NO_PAGE;
    uint64_t *pages = tlbs->pages;
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        tlbs->l1[sm] = *l1;
        pages = take_pages(&tlbs->l1[sm], pages);
    }
    for (uint32_t gpu = 0; gpu < hierarchy->gpus; gpu++) {
        tlbs->l2[gpu] = *l2;
        pages = take_pages(&tlbs->l2[gpu], pages);
    }
    tlbs->engine = pages;
    return GPC_OK;
}

gpc_status gpci_tlbs_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpci_tlb l1 = {0}, l2 = {0};
    if (gpci_number(hierarchy, GPCI_KEY_TLB_PAGE) == GPCI_WORD)
        return check_absent(hierarchy, error);
    gpc_status status = check(hierarchy, error);
    if (status == GPC_OK)
        status = shape(hierarchy, GPCI_KEY_TLB_L1_ENTRIES, GPCI_KEY_TLB_L1_WAYS, &l1, error);
    if (status == GPC_OK)
        status = shape(hierarchy, GPCI_KEY_TLB_L2_ENTRIES, GPCI_KEY_TLB_L2_WAYS, &l2, error);
    return status == GPC_OK ? make(hierarchy, &l1, &l2, error) : status;
}

void gpci_tlbs_destroy(gpc_hierarchy *hierarchy) {
    if (!hierarchy->tlbs)
        return;
    gpci_free(hierarchy->context, hierarchy->tlbs->pages);
    gpci_free(hierarchy->context, hierarchy->tlbs->l1);
    gpci_free(hierarchy->context, hierarchy->tlbs->l2);
    gpci_free(hierarchy->context, hierarchy->tlbs);
}

void gpci_tlbs_state(gpci_tlbs *tlbs, gpci_state_fn visit, void *user_data) {
    visit(user_data, tlbs->pages, tlbs->page_count * sizeof *tlbs->pages);
}

/* First way of the page's set. */
static uint64_t *set_of(const gpci_tlb *tlb, uint64_t page) {
    return tlb->pages + (size_t)(tlb->sets > 1 ? page % tlb->sets : 0) * tlb->ways;
}

static uint32_t way_of(const gpci_tlb *tlb, const uint64_t *set, uint64_t page) {
    uint32_t way = 0;
    while (way < tlb->ways && set[way] != page)
        way++;
    return way;
}

/* Put the page into the first place of the set. The pages before `way` move back by one place. */
static void move_up(uint64_t *set, uint32_t way, uint64_t page) {
    memmove(set + 1, set, way * sizeof *set);
    set[0] = page;
}

bool gpci_tlb_look(gpci_tlb *tlb, uint64_t page) {
    if (!tlb->sets)
        return false;
    uint64_t *set = set_of(tlb, page);
    const uint32_t way = way_of(tlb, set, page);
    if (way == tlb->ways)
        return false;
    move_up(set, way, page);
    return true;
}

bool gpci_tlb_has(const gpci_tlb *tlb, uint64_t page) {
    return tlb->sets && way_of(tlb, set_of(tlb, page), page) < tlb->ways;
}

void gpci_tlb_fill(gpci_tlb *tlb, uint64_t page) {
    if (tlb->sets)
        move_up(set_of(tlb, page), tlb->ways - 1, page);
}

static bool lacks(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t page) {
    gpci_tlb *tlb = &hierarchy->tlbs->l1[sm];
    const bool found = gpci_tlb_look(tlb, page);
    gpci_count_l1_tlb(hierarchy, sm, found);
    if (!found)
        gpci_tlb_fill(tlb, page);
    return !found;
}

bool gpci_tlbs_access(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    return lacks(hierarchy, sm, address >> hierarchy->tlbs->shift);
}

bool gpci_tlbs_bulk(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    const uint64_t page = address >> hierarchy->tlbs->shift;
    if (hierarchy->tlbs->engine[sm] == page)
        return false;
    hierarchy->tlbs->engine[sm] = page;
    return lacks(hierarchy, sm, page);
}

void gpci_tlbs_below(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    gpci_tlb *tlb = &hierarchy->tlbs->l2[sm / hierarchy->tlbs->gpu_sms];
    const uint64_t page = address >> hierarchy->tlbs->shift;
    const bool found = gpci_tlb_look(tlb, page);
    gpci_count_l2_tlb(hierarchy, found);
    if (!found) {
        gpci_count_walk(hierarchy);
        gpci_tlb_fill(tlb, page);
    }
}

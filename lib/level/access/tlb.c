/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/tlb.h"

#include <string.h>

static gpc_status refuse(gpci_key key, const gpc_hierarchy *h, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(h->config, key), why);
}

/* Without a page size no other key of TLBs has an effect. */
static gpc_status check_absent(const gpc_hierarchy *h, gpc_error *error) {
    for (uint32_t key = GPCI_KEY_TLB_PAGE + 1; key <= GPCI_KEY_TLB_WALK_LATENCY; key++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(key, &info);
        if (strcmp(gpci_config_text(h->config, (gpci_key)key), info.initial) != 0)
            return refuse((gpci_key)key, h, "needs tlb.page: there are no TLBs", error);
    }
    return GPC_OK;
}

static gpc_status check(const gpc_hierarchy *h, gpc_error *error) {
    if (!gpci_power_of_two(gpci_number(h, GPCI_KEY_TLB_PAGE)))
        return refuse(GPCI_KEY_TLB_PAGE, h, "pages are a power of two of bytes", error);
    if (h->gpus > 1)
        return refuse(GPCI_KEY_TLB_PAGE, h, "needs gpu.count = 1: one L2 TLB is behind all SMs", error);
    if (h->lane_packets)
        return refuse(GPCI_KEY_TLB_PAGE, h, "needs l1.coalescer = warp or sector: lines are translated", error);
    return GPC_OK;
}

/* Read sets and ways; pages are assigned later. */
static gpc_status shape(const gpc_hierarchy *h, gpci_key entries_key, gpci_key ways_key, gpci_tlb *tlb,
                        gpc_error *error) {
    const uint64_t entries = gpci_number(h, entries_key), asked = gpci_number(h, ways_key),
                   ways = asked == GPCI_WORD ? entries : asked;
    if (!entries)
        return GPC_OK;
    if (ways > entries || entries % ways)
        return refuse(ways_key, h, "must divide the entries", error);
    *tlb = (gpci_tlb){.sets = (uint32_t)(entries / ways), .ways = (uint32_t)ways};
    return GPC_OK;
}

static uint64_t *take_pages(gpci_tlb *tlb, uint64_t *pages) {
    tlb->pages = pages;
    return pages + (size_t)tlb->sets * tlb->ways;
}

static gpc_status make(gpc_hierarchy *h, const gpci_tlb *l1, const gpci_tlb *l2, gpc_error *error) {
    gpci_tlbs *tlbs = h->tlbs = gpci_zalloc(h->context, 1, sizeof *tlbs);
    if (!tlbs)
        return gpci_out_of_memory(error);
    tlbs->shift = gpci_log2(gpci_number(h, GPCI_KEY_TLB_PAGE));
    tlbs->l2 = *l2;
    tlbs->page_count = h->sms * ((size_t)l1->sets * l1->ways + 1) + (size_t)l2->sets * l2->ways;
    tlbs->pages = gpci_alloc(h->context, tlbs->page_count * sizeof *tlbs->pages);
    tlbs->l1 = gpci_zalloc(h->context, h->sms, sizeof *tlbs->l1);
    if (!tlbs->pages || !tlbs->l1)
        return gpci_out_of_memory(error);
    for (size_t i = 0; i < tlbs->page_count; i++)
        tlbs->pages[i] = GPCI_NO_PAGE;
    uint64_t *pages = tlbs->pages;
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        tlbs->l1[sm] = *l1;
        pages = take_pages(&tlbs->l1[sm], pages);
    }
    tlbs->engine = take_pages(&tlbs->l2, pages);
    return GPC_OK;
}

gpc_status gpci_tlbs_create(gpc_hierarchy *h, gpc_error *error) {
    gpci_tlb l1 = {0}, l2 = {0};
    if (gpci_number(h, GPCI_KEY_TLB_PAGE) == GPCI_WORD)
        return check_absent(h, error);
    gpc_status status = check(h, error);
    if (status == GPC_OK)
        status = shape(h, GPCI_KEY_TLB_L1_ENTRIES, GPCI_KEY_TLB_L1_WAYS, &l1, error);
    if (status == GPC_OK)
        status = shape(h, GPCI_KEY_TLB_L2_ENTRIES, GPCI_KEY_TLB_L2_WAYS, &l2, error);
    return status == GPC_OK ? make(h, &l1, &l2, error) : status;
}

void gpci_tlbs_destroy(gpc_hierarchy *h) {
    if (!h->tlbs)
        return;
    gpci_free(h->context, h->tlbs->pages);
    gpci_free(h->context, h->tlbs->l1);
    gpci_free(h->context, h->tlbs);
}

void gpci_tlbs_state(gpci_tlbs *tlbs, gpci_state_fn visit, void *user_data) {
    visit(user_data, tlbs->pages, tlbs->page_count * sizeof *tlbs->pages);
}

/* Set of a page. */
static uint64_t *set_of(const gpci_tlb *tlb, uint64_t page) {
    return tlb->pages + (size_t)(tlb->sets > 1 ? page % tlb->sets : 0) * tlb->ways;
}

static uint32_t way_of(const gpci_tlb *tlb, const uint64_t *set, uint64_t page) {
    uint32_t way = 0;
    while (way < tlb->ways && set[way] != page)
        way++;
    return way;
}

/* Move the page to the first place; the pages before `way` move back. */
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

static void translate(gpc_hierarchy *h, uint32_t sm, uint64_t page) {
    gpci_tlbs *tlbs = h->tlbs;
    const bool found = gpci_tlb_look(&tlbs->l1[sm], page);
    gpci_count_l1_tlb(h, sm, found);
    if (found)
        return;
    const bool known = gpci_tlb_look(&tlbs->l2, page);
    gpci_count_l2_tlb(h, known);
    if (!known) {
        gpci_count_walk(h);
        gpci_tlb_fill(&tlbs->l2, page);
    }
    gpci_tlb_fill(&tlbs->l1[sm], page);
}

void gpci_tlbs_access(gpc_hierarchy *h, uint32_t sm, uint64_t address) {
    translate(h, sm, address >> h->tlbs->shift);
}

void gpci_tlbs_bulk(gpc_hierarchy *h, uint32_t sm, uint64_t address) {
    const uint64_t page = address >> h->tlbs->shift;
    if (h->tlbs->engine[sm] == page)
        return;
    h->tlbs->engine[sm] = page;
    translate(h, sm, page);
}

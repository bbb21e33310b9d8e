/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recorded_kernel.h"

#include "base/array.h"
#include "trace/text/opcodes.h"

#include <stdio.h>
#include <string.h>

/*
 * SASS opcodes for a host's calls. An opcode's text expresses as much of the call as SASS can: the text stays right
 * when the trace is converted to text.
 */

static const char *const loads[] = {
    [GPC_SPACE_GLOBAL] = "LDG.E", [GPC_SPACE_LOCAL] = "LDL",   [GPC_SPACE_SHARED] = "LDS",
    [GPC_SPACE_CONSTANT] = "LDC", [GPC_SPACE_TEXTURE] = "TEX", [GPC_SPACE_GENERIC] = "LD.E"};
static const char *const stores[] = {
    [GPC_SPACE_GLOBAL] = "STG.E", [GPC_SPACE_LOCAL] = "STL",    [GPC_SPACE_SHARED] = "STS",
    [GPC_SPACE_CONSTANT] = NULL,  [GPC_SPACE_TEXTURE] = "SUST", [GPC_SPACE_GENERIC] = "ST.E"};
static const char *const atomics[] = {
    [GPC_SPACE_GLOBAL] = "ATOMG.E.ADD", [GPC_SPACE_LOCAL] = NULL,           [GPC_SPACE_SHARED] = "ATOMS.ADD",
    [GPC_SPACE_CONSTANT] = NULL,        [GPC_SPACE_TEXTURE] = "SUATOM.ADD", [GPC_SPACE_GENERIC] = "ATOM.E.ADD"};
static const char *const reductions[] = {
    [GPC_SPACE_GLOBAL] = "REDG.E.ADD", [GPC_SPACE_LOCAL] = NULL,          [GPC_SPACE_SHARED] = NULL,
    [GPC_SPACE_CONSTANT] = NULL,       [GPC_SPACE_TEXTURE] = "SURED.ADD", [GPC_SPACE_GENERIC] = "RED.E.ADD"};
static const char *const prefetches[] = {[GPC_SPACE_GLOBAL] = "CCTL.E.PF2"};

#define NAMES(table) table, sizeof table / sizeof *table

static const char *name_of(const gpci_recorded_form *form) {
    static const struct {
        const char *const *names;
        size_t spaces;
    } kinds[GPC_KIND_COUNT] = {[GPC_LOAD] = {NAMES(loads)},
                               [GPC_STORE] = {NAMES(stores)},
                               [GPC_ATOMIC] = {NAMES(atomics)},
                               [GPC_REDUCTION] = {NAMES(reductions)},
                               [GPC_PREFETCH] = {NAMES(prefetches)}};
    const char *name = form->space < kinds[form->kind].spaces ? kinds[form->kind].names[form->space] : NULL;
    /* NULL: SASS has no opcode for the space; gpci_forms_made sets the instruction's real space */
    return name ? name : kinds[form->kind].names[GPC_SPACE_GLOBAL];
}

static const char *width_of(const gpci_recorded_form *form) {
    static const char *const widths[] = {".U8", ".U16", "", ".64", ".128", ".256"};
    return gpci_power_of_two(form->width) && form->width <= 32 ? widths[gpci_log2(form->width)] : "";
}

static const char *const hints[GPC_HINT_COUNT] = {
    [GPC_HINT_CA] = ".CA", [GPC_HINT_CG] = ".CG", [GPC_HINT_CS] = ".CS",         [GPC_HINT_CV] = ".CV",
    [GPC_HINT_WB] = ".WB", [GPC_HINT_WT] = ".WT", [GPC_HINT_NO_ALLOCATE] = ".NA"};
static const char *const priorities[GPC_PRIORITY_COUNT] = {[GPC_EVICT_FIRST] = ".EF", [GPC_EVICT_LAST] = ".EL"};
static const char *const scopes[GPC_SCOPE_COUNT] = {
    [GPC_SCOPE_CTA] = ".CTA", [GPC_SCOPE_CLUSTER] = ".GPU", [GPC_SCOPE_GPU] = ".GPU", [GPC_SCOPE_SYS] = ".SYS"};

static const char *text_or_none(const char *text) {
    return text ? text : "";
}

/* True for a local access whose addresses are mapped by the host (gpc_warp_access.local_offsets is 0). */
static bool is_mapped(const gpci_recorded_form *form) {
    return form->space == GPC_SPACE_LOCAL && !form->local_offsets;
}

#define FORM_TEXT 64

static int fence_text(const gpci_recorded_form *form, char *text) {
    if (form->order == GPC_ORDER_WEAK)
        return snprintf(text, FORM_TEXT, "CCTL.%s", form->control == GPC_CONTROL_WRITE_BACK_ALL ? "WBALL" : "IVALL");
    return snprintf(text, FORM_TEXT, "MEMBAR.%s%s", form->order == GPC_ORDER_SC ? "SC" : "ALL", scopes[form->scope]);
}

static int form_text(const gpci_recorded_form *form, char *text) {
    const bool strong = form->order != GPC_ORDER_WEAK;
    if (form->fence)
        return fence_text(form, text);
    return snprintf(text, FORM_TEXT, "%s%s%s%s%s%s%s", name_of(form), width_of(form),
                    is_mapped(form) ? "." GPCI_OPCODE_MAPPED : "", text_or_none(hints[form->hint]),
                    text_or_none(priorities[form->priority]), strong ? ".STRONG" : "",
                    strong ? scopes[form->scope] : "");
}

/* Key of a form: all fields except the opcode. */
static uint64_t key_of(const gpci_recorded_form *form) {
    return (uint64_t)form->local_offsets << 44 | (uint64_t)form->kind << 40 | (uint64_t)form->space << 36 |
           (uint64_t)form->hint << 32 | (uint64_t)form->priority << 28 | (uint64_t)form->width << 16 |
           (uint64_t)form->scope << 12 | (uint64_t)form->order << 8 | (uint64_t)form->fence << 4 | form->control;
}

uint32_t gpci_forms_number(gpci_recorded_forms *forms, gpci_opcodes *opcodes, gpci_recorded_form form) {
    const uint64_t key = key_of(&form);
    const gpci_map_entry *known = gpci_map_find(&forms->known, key);
    if (GPCI_LIKELY(known != NULL))
        return (uint32_t)known->value;
    const uint32_t number = forms->known.count;
    char text[FORM_TEXT];
    const int length = form_text(&form, text);
    form.opcode = gpci_opcodes_intern(opcodes, text, (size_t)length);
    if (form.opcode == UINT32_MAX ||
        !GPCI_ARRAY_RESERVE(forms->context, forms->items, forms->capacity, (size_t)number, 1) ||
        !gpci_map_reserve(forms->context, &forms->known, 1))
        return UINT32_MAX;
    forms->items[number] = form;
    gpci_map_add(&forms->known, key, number);
    return number;
}

void gpci_forms_made(const void *data, const gpci_row *row, gpc_instruction *instruction) {
    const gpci_recorded_forms *forms = data;
    const gpci_recorded_form *form = &forms->items[row->form];
    if (form->fence)
        return;
    instruction->kind = form->kind;
    instruction->space = form->space;
    instruction->hint = form->hint;
    instruction->priority = form->priority;
    instruction->width = form->width;
}

void gpci_forms_free(gpci_recorded_forms *forms) {
    gpci_free(forms->context, forms->items);
    gpci_map_free(forms->context, &forms->known);
}

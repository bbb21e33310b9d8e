/* SPDX-License-Identifier: BSD-2-Clause */
/* A protocol of the host: MSI with another table for the first level, registered and used in a tree. */
#include "tree.h"

#include <string.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    const gpc_protocol *msi = gpc_protocol_find(context, "msi");
    expect(msi != NULL && gpc_protocol_find(context, "mis") == NULL, "msi is built in");

    /* The cell of a load in I: the text of every protocol has the same names. */
    char state[16], event[16];
    (void)gpc_protocol_state_name(msi, GPC_LINE_I, state, sizeof state);
    (void)gpc_protocol_event_name(msi, GPC_EVENT_LOAD, event, sizeof event);
    expect(strcmp(event, gpc_coherence_event_name(GPC_EVENT_LOAD)) == 0, "msi has the usual events");
    const gpc_protocol_rule *cell = &(*msi->first)[GPC_LINE_I][GPC_EVENT_LOAD];
    printf("%s in %s: actions %#x, next state %d\n", event, state, (unsigned)cell->actions, (int)cell->next);

    /* A silent eviction: a clean copy leaves, and the directory is not notified. */
    gpc_protocol_rules first;
    memcpy(&first, msi->first, sizeof first);
    first[GPC_LINE_S][GPC_EVENT_EVICTION].actions &= (uint16_t)~GPC_DO_NOTIFY;
    gpc_protocol own = *msi;
    own.name = "msi-silent";
    own.summary = "MSI whose clean copies leave without a notice";
    own.first = (const gpc_protocol_rules *)&first;
    const gpc_status status = gpc_context_register_protocol(context, &own, &error);
    printf("%s %s\n", gpc_status_string(status), error.message);

    gpc_coherence *tree = tree_of_two(context, status == GPC_OK ? "msi-silent" : "msi");
    printf("a tree with %s\n", gpc_coherence_protocol(tree)->name);
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/protocols.h"

#include <stddef.h>

/* The built-in protocols, in the order in which they are listed. */
const gpc_protocol *const gpci_builtin_protocols[] = {
    &gpci_no_coherence,     &gpci_msi, &gpci_mesi,    &gpci_mosi, &gpci_moesi, &gpci_nmoesi,
    &gpci_nmoesi_multi2sim, &gpci_vi,  &gpci_slc_glc, NULL,
};

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_WINDOWS_H
#define GPC_TRACE_WINDOWS_H

#include <gpucache/replay.h>

#include "base/base.h"

/* Windows of a kernel: address ranges through which generic addresses reach shared and local memory; 0: unknown. */
#define GPCI_WINDOW_BYTES (UINT64_C(32) << 20)
typedef struct gpci_windows {
    uint64_t shared, local; /* first bytes */
} gpci_windows;

GPCI_INLINE gpci_windows gpci_windows_of(const gpc_kernel *kernel) {
    return (gpci_windows){kernel->shared_base, kernel->local_base};
}

/*
 * The shared window ends at the local base, or after GPCI_WINDOW_BYTES where the local base lies below; the local
 * window has GPCI_WINDOW_BYTES. Other addresses are global.
 */
GPCI_INLINE gpc_space gpci_window_at(const gpci_windows *windows, uint64_t address) {
    if (!windows->shared || !windows->local)
        return GPC_SPACE_GLOBAL;
    if (address >= windows->shared &&
        (windows->local > windows->shared ? address < windows->local : address - windows->shared < GPCI_WINDOW_BYTES))
        return GPC_SPACE_SHARED;
    return address >= windows->local && address - windows->local < GPCI_WINDOW_BYTES ? GPC_SPACE_LOCAL
                                                                                     : GPC_SPACE_GLOBAL;
}

/* Space of a generic access: MIXED if the lanes are in several windows, GLOBAL without lanes. */
GPCI_INLINE gpc_space gpci_windows_space(const gpci_windows *windows, const uint64_t *addresses, unsigned lanes) {
    gpc_space space = lanes ? gpci_window_at(windows, addresses[0]) : GPC_SPACE_GLOBAL;
    for (unsigned i = 1; i < lanes; i++)
        if (gpci_window_at(windows, addresses[i]) != space)
            return GPC_SPACE_MIXED;
    return space;
}

/* Offset in a thread's local memory, for an address in local space. An address in the window counts from its base. */
GPCI_INLINE uint64_t gpci_window_offset(const gpci_windows *windows, uint64_t address) {
    return windows->local && address - windows->local < GPCI_WINDOW_BYTES ? address - windows->local : address;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CTRL_HOLDERS_H
#define GPC_TIMED_CTRL_HOLDERS_H

#include "timed/core/ctrl.h"

/* Holders of controllers, as gpci_component_class.hold. */
void gpci_l1_hold(const gpci_group *group, uint32_t sm, gpci_holders *holders);
void gpci_slice_hold(const gpci_group *group, uint32_t slice, gpci_holders *holders);
void gpci_coherent_slice_hold(const gpci_group *group, uint32_t slice, gpci_holders *holders);
void gpci_cluster_hold(const gpci_group *group, uint32_t cluster, gpci_holders *holders);
void gpci_l15_hold(const gpci_group *group, uint32_t index, gpci_holders *holders);
void gpci_gl1_hold(const gpci_group *group, uint32_t index, gpci_holders *holders);

/* Holders in front of the tags of an L1, and of a slice's replies. */
void gpci_hold_at_tags(const gpci_ctrl *ctrl, uint64_t count, gpci_holders *holders);
void gpci_hold_replies(const gpci_timed *timed, const gpci_ctrl *slice, const gpci_queue *queue, const char *what,
                       gpci_holders *holders);
/* Name of the holder of packets before the tags; the name tells the resource that the first packet lacks. */
const char *gpci_name_at_tags(const gpci_tag_access *access);
/* Mover of packets before the tags: the controller, or the resource that the first packet lacks. */
gpci_mover gpci_by_tags(const gpci_holders *holders, const gpci_ctrl *ctrl, const gpci_tag_access *access);

#endif

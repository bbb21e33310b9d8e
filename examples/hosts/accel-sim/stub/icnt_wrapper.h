/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ACCEL_SIM_STUB_ICNT_WRAPPER_H
#define ACCEL_SIM_STUB_ICNT_WRAPPER_H

/* Functions of the network, set by icnt_wrapper_init: src/gpgpu-sim/icnt_wrapper.h, where the pointers are extern. */
typedef bool (*icnt_has_buffer_p)(unsigned input, unsigned int size);
typedef void (*icnt_push_p)(unsigned input, unsigned output, void *data, unsigned int size);
typedef void *(*icnt_pop_p)(unsigned output);
typedef void (*icnt_transfer_p)();
typedef bool (*icnt_busy_p)();

enum network_mode { INTERSIM = 1, LOCAL_XBAR = 2, N_NETWORK_MODE };
static unsigned g_network_mode = LOCAL_XBAR;

static icnt_has_buffer_p icnt_has_buffer;
static icnt_push_p icnt_push;
static icnt_pop_p icnt_pop;
static icnt_transfer_p icnt_transfer;
static icnt_busy_p icnt_busy;

#endif

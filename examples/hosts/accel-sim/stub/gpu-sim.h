/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes shader.h, as in the simulator. */
#include "shader.h"

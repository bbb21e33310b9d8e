/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_VERSION_H
#define GPUCACHE_VERSION_H

#include <gpucache/export.h>

/*
 * The library's version. meson.build reads the three lines below. While the major version is 0, the SONAME is
 * libgpucache.so.0.GPC_VERSION_MINOR, because every minor version may break programs. From version 1 on, the SONAME is
 * libgpucache.so.GPC_VERSION_MAJOR.
 */
#define GPC_VERSION_MAJOR 0
#define GPC_VERSION_MINOR 3
#define GPC_VERSION_PATCH 0

/* Version as a comparable number: 0xMMmmpp. */
#define GPC_VERSION_NUMBER ((GPC_VERSION_MAJOR << 16) | (GPC_VERSION_MINOR << 8) | GPC_VERSION_PATCH)

/*
 * Largest number of bytes that a later version adds to a structure of options. A structure with more is refused unread.
 */
#define GPC_STRUCT_GROWTH 1024u

GPC_BEGIN_DECLS

/*
 * Version of the loaded library, as 0xMMmmpp. A binding compares the number with the GPC_VERSION_NUMBER of its headers.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API unsigned gpc_version(void);

/*
 * Version of the loaded library as text, for example "0.3.0". Static storage, never NULL.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_version_string(void);

GPC_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_VERSION_H
#define GPUCACHE_VERSION_H

#include <gpucache/export.h>

/*
 * The library's version. meson.build reads these three lines: the SONAME is
 * libgpucache.so.0.GPC_VERSION_MINOR while the major version is 0, for each minor one may then break what programs
 * rely on; libgpucache.so.GPC_VERSION_MAJOR from 1 on.
 */
#define GPC_VERSION_MAJOR 0
#define GPC_VERSION_MINOR 2
#define GPC_VERSION_PATCH 0

/* One comparable number: 0xMMmmpp. */
#define GPC_VERSION_NUMBER ((GPC_VERSION_MAJOR << 16) | (GPC_VERSION_MINOR << 8) | GPC_VERSION_PATCH)

/* Bytes by which a structure of options is at most larger in any later version; what claims more is refused unread. */
#define GPC_STRUCT_GROWTH 1024u

GPC_BEGIN_DECLS

/*
 * Version of the library that is loaded, as 0xMMmmpp. A binding compares it
 * with the GPC_VERSION_NUMBER it was generated from.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API unsigned gpc_version(void);

/*
 * The same as text, for example "0.2.0". Static storage, never NULL.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_version_string(void);

GPC_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXPORT_H
#define GPUCACHE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define GPC_API __attribute__((visibility("default")))
#else
#define GPC_API
#endif

#ifdef __cplusplus
#define GPC_BEGIN_DECLS extern "C" {
#define GPC_END_DECLS }
#else
#define GPC_BEGIN_DECLS
#define GPC_END_DECLS
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void gpci_check_failed(const char *file, int line, const char *format, ...) {
    va_list list;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    abort();
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "errors/errors.h"

#include <criterion/criterion.h>
#include <string.h>

#define UNWRITTEN "unwritten"

uint32_t counter_id_beyond(void) {
    uint32_t beyond = 0;
    for (int table = 0; table < GPC_TABLE_COUNT; table++)
        for (size_t i = 0; i < gpc_counter_table_count((gpc_counter_table)table); i++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            cr_assert_eq(gpc_counter_table_at((gpc_counter_table)table, i, &info, NULL), GPC_OK);
            beyond = info.id >= beyond ? info.id + 1 : beyond;
        }
    return beyond;
}

gpc_error error_unwritten(void) {
    gpc_error error = GPC_ERROR_INIT;
    error.status = GPC_BUSY;
    memcpy(error.message, UNWRITTEN, sizeof UNWRITTEN);
    return error;
}

void expect_error(const char *function, gpc_status with, gpc_status without, gpc_status expected, const char *part,
                  const gpc_error *error) {
    cr_expect_eq(with, expected, "%s returns %s: %s", function, gpc_status_string(with), error->message);
    cr_expect_eq(without, expected, "%s without an error returns %s", function, gpc_status_string(without));
    cr_expect_eq(error->status, expected, "%s writes %s", function, gpc_status_string(error->status));
    cr_expect(part[0] && strstr(error->message, part), "%s: \"%s\" does not name \"%s\"", function, error->message,
              part);
}

void expect_no_error(const char *function, gpc_status with, gpc_status without, const gpc_error *error) {
    cr_expect_geq(with, 0, "%s: %s", function, error->message);
    cr_expect_geq(without, 0, "%s without an error: %s", function, gpc_status_string(without));
    cr_expect(error->status == GPC_BUSY && !strcmp(error->message, UNWRITTEN), "%s writes \"%s\"", function,
              error->message);
}

gpc_context *made_context(void) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    return context;
}

gpc_config *made_config(gpc_context *context, const char *text) {
    gpc_config *config;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_config_create(context, &config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "kepler", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(config, text, "text", &error), GPC_OK, "%s", error.message);
    return config;
}

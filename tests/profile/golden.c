/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/rig.h"

#include "golden.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Golden digests of profiles, in profiles.golden: of the whole JSON, of the curve, thresholds and classes, of the
 * written file, and of the JSON of the profile read back.
 */

enum { ROOM = 1 << 15 };

static const char machine[] = "sm.count = 2\nsm.blocks = 4\nl2.slices = 2\nl2.size = 32KiB\ndram.channels = 2\n";

static const char *const settings[] = {
    "l1.size = 2KiB\n",
    "l1.size = 8KiB\nl1.ways = 2\nl1.index = xor\n",
    "l1.size = 4KiB\nl1.line = 64B\nl1.sectors = 2\nl1.bypass = random-p\n",
    "l1.size = 4KiB\nl1.replacement = srrip\nl1.write_policy = through\n",
    "l1.size = 1KiB\nl1.ways = 1\nsm.count = 1\n",
    "mode = timed\nl1.size = 2KiB\n",
};

static const char *const sources[] = {"synthetic:bicg:4KiB", "synthetic:gather:16KiB", "synthetic:histogram:4KiB",
                                      "synthetic:transpose-naive:16KiB", "synthetic:vectoradd:2KiB"};

static uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

static uint32_t json_digest(gpc_profile *profile) {
    char *text = rig_json(profile);
    const uint64_t sum = mix(0xcbf29ce484222325u, text, strlen(text));
    free(text);
    return (uint32_t)(sum >> 32);
}

/* Points of the curve for all SMs and for the first, thresholds, and classes above every threshold. */
static uint32_t query_digest(gpc_profile *profile) {
    double values[GPC_PROFILE_CLASSES];
    size_t count = 0;
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint32_t sm = 0; sm < 2; sm++) {
        gpc_profile_point points[12] = {{0, 0, 0}};
        for (unsigned i = 0; i < 12; i++)
            points[i].bytes = 100u << i;
        cr_assert_eq(gpc_profile_curve(profile, sm ? GPC_PROFILE_ALL_SMS : 0, points, 12, NULL), GPC_OK);
        for (unsigned i = 0; i < 12; i++) {
            sum = mix(sum, &points[i].accesses, sizeof points[i].accesses);
            sum = mix(sum, &points[i].hits, sizeof points[i].hits);
        }
    }
    cr_assert_eq(gpc_profile_thresholds(profile, values, GPC_PROFILE_CLASSES, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        uint32_t classes = 0;
        char text[32];
        cr_assert_eq(gpc_profile_classes_above(profile, values[i], &classes, NULL), GPC_OK);
        snprintf(text, sizeof text, "%.9g %" PRIx32, values[i], classes);
        sum = mix(sum, text, strlen(text));
    }
    return (uint32_t)(sum >> 32);
}

/* Digest of the file; the profile read from the file has equal JSON. */
static uint32_t file_digest(gpc_context *context, gpc_profile *profile) {
    char path[] = "/tmp/gpucache-profile-XXXXXX", bytes[4096];
    gpc_profile *again = NULL;
    uint64_t sum = 0xcbf29ce484222325u;
    const int made = mkstemp(path);
    cr_assert_geq(made, 0);
    FILE *file = fdopen(made, "rb");
    cr_assert_eq(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path), NULL, NULL), GPC_OK);
    cr_assert_not_null(freopen(path, "rb", file));
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        sum = mix(sum, bytes, size);
    fclose(file);
    cr_assert_eq(gpc_profile_load(context, &(gpc_stream)GPC_STREAM_FILE(path), &again, NULL), GPC_OK);
    cr_expect_eq(json_digest(again), json_digest(profile));
    cr_expect_eq(query_digest(again), query_digest(profile));
    gpc_profile_destroy(again);
    remove(path);
    return (uint32_t)(sum >> 32);
}

static void put_profile(gpc_context *context, size_t setting, const char *source, char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = NULL;
    gpc_profile *profile = NULL;
    gpc_trace *trace = NULL;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, machine, "machine", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(config, settings[setting], "setting", &error), GPC_OK, "%s", error.message);
    gpc_status status = gpc_profile_create(context, config, &profile, &error);
    cr_assert_eq(status, GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    status = gpc_profile_run(profile, trace, &error);
    cr_assert_eq(status, GPC_OK, "%s", error.message);
    snprintf(text + strlen(text), ROOM - strlen(text), "%zu %s: %08x %08x %08x\n", setting, source,
             json_digest(profile), query_digest(profile), file_digest(context, profile));
    gpc_trace_close(trace);
    gpc_profile_destroy(profile);
    gpc_config_destroy(config);
}

Test(profile, golden) {
    static char text[ROOM];
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t setting = 0; setting < sizeof settings / sizeof *settings; setting++)
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
            put_profile(context, setting, sources[i], text);
    gpc_context_destroy(context);
    expect_golden("tests/profile/profiles.golden", text);
}

# SPDX-License-Identifier: BSD-2-Clause
"""The error rule: each exported function with a gpc_status has `gpc_error *error` last, and a row in tests/errors."""

import re
import unittest

from support import HEADERS, ROOT, without_comments

# Functions without the rule or without a row, to be done.
PENDING = set("""
    gpc_cache_read gpc_coherence_read gpc_config_copy gpc_config_create gpc_config_get gpc_config_get_u64
    gpc_config_import_gpgpusim gpc_config_import_gpgpusim_text gpc_config_load_file gpc_config_load_preset
    gpc_config_load_text gpc_config_set gpc_config_set_pair gpc_context_create gpc_context_register_predictor
    gpc_context_register_prefetcher gpc_context_register_replacement gpc_context_register_scheduler
    gpc_context_register_throttle gpc_counter_by_id gpc_counter_by_name gpc_counter_table_at gpc_counters_csv
    gpc_counters_json gpc_dram_read gpc_hierarchy_access gpc_hierarchy_access_many gpc_hierarchy_add_reply_credits
    gpc_hierarchy_advance gpc_hierarchy_begin_kernel gpc_hierarchy_check_access gpc_hierarchy_check_advance
    gpc_hierarchy_check_miss gpc_hierarchy_check_transactions gpc_hierarchy_copy gpc_hierarchy_create
    gpc_hierarchy_drain gpc_hierarchy_end_kernel gpc_hierarchy_fence gpc_hierarchy_flush gpc_hierarchy_get_config
    gpc_hierarchy_get_shape gpc_hierarchy_load gpc_hierarchy_locate gpc_hierarchy_memory_ready
    gpc_hierarchy_memory_reply gpc_hierarchy_object_name gpc_hierarchy_policy_value gpc_hierarchy_port_stats
    gpc_hierarchy_preload gpc_hierarchy_rank_warps gpc_hierarchy_read gpc_hierarchy_reset_persisting
    gpc_hierarchy_sample gpc_hierarchy_save gpc_hierarchy_set_callbacks gpc_hierarchy_set_reply_credits
    gpc_hierarchy_set_trace gpc_hierarchy_set_window gpc_hierarchy_stages gpc_hierarchy_start_kernel
    gpc_hierarchy_try_fence gpc_hierarchy_try_issue gpc_hierarchy_try_miss gpc_hierarchy_try_port
    gpc_hierarchy_try_transactions gpc_hierarchy_warp_event gpc_key_at gpc_policy_at gpc_policy_cost
    gpc_policy_level_cost gpc_policy_reads gpc_predictor_create gpc_predictor_event gpc_predictor_policy_value
    gpc_predictor_predict gpc_predictor_predict_many gpc_preset_at gpc_profile_access gpc_profile_begin_kernel
    gpc_profile_classes gpc_profile_classes_above gpc_profile_create gpc_profile_curve gpc_profile_get_summary
    gpc_profile_instructions gpc_profile_kernel gpc_profile_lines gpc_profile_load gpc_profile_read_kernel
    gpc_profile_reset gpc_profile_run gpc_profile_save gpc_profile_sms gpc_profile_thresholds
    gpc_replacement_choose gpc_replacement_create gpc_replacement_event gpc_replacement_policy_value
    gpc_replay_copy gpc_replay_create gpc_replay_estimate gpc_replay_get_config gpc_replay_get_sampling
    gpc_replay_keep_objects gpc_replay_kernel gpc_replay_load gpc_replay_on_sample gpc_replay_pause_at
    gpc_replay_policy_value gpc_replay_read gpc_replay_read_total gpc_replay_resume gpc_replay_save
    gpc_replay_streams gpc_scheduler_sample gpc_stats_read gpc_struct_init gpc_synthetic_at gpc_throttle_sample
    gpc_trace_choose gpc_trace_next_block gpc_trace_next_kernel gpc_trace_note gpc_trace_open gpc_trace_ordering
    gpc_trace_writer_accesses gpc_trace_writer_block gpc_trace_writer_create gpc_trace_writer_finish
    gpc_trace_writer_kernel
""".split())


def failing():
    """{function: parameters} of the exported functions that return a gpc_status."""
    text = "\n".join(without_comments(header.read_text()) for header in HEADERS)
    found = re.findall(r"\bGPC_API\s+gpc_status\s+(gpc_\w+)\s*\(([^;]*)\)[^;()]*;", text)
    return {name: " ".join(parameters.split()) for name, parameters in found}


def rows(kind):
    """Functions with a row FAILS or WORKS in tests/errors, also by a macro of rows: STEP(gpc_cache_access)."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "tests" / "errors").glob("*.c")))
    macros = {name for name, body in re.findall(r"#define (\w+)\(function\)((?:.*\\\n)*.*)", text) if f"{kind}(" in body}
    direct = r"FAILS\(\w+, \"[^\"]*\",\s*(gpc_\w+)" if kind == "FAILS" else r"WORKS\((gpc_\w+)"
    found = set(re.findall(direct, text))
    for macro in macros:
        found |= set(re.findall(rf"\b{macro}\((gpc_\w+)\)", text))
    return found


class Errors(unittest.TestCase):
    def test_the_error_is_the_last_parameter(self):
        functions = failing()
        self.assertGreater(len(functions), 150)
        wrong = [name for name, parameters in functions.items() if not parameters.endswith("gpc_error *error")]
        self.assertEqual(sorted(set(wrong) - PENDING), [])

    def test_each_function_has_a_row_of_a_failure(self):
        self.assertEqual(sorted(set(failing()) - rows("FAILS") - PENDING), [])

    def test_pending_functions_lack_something(self):
        functions = failing()
        done = {name for name in rows("FAILS") if functions.get(name, "").endswith("gpc_error *error")}
        self.assertEqual(sorted(PENDING & done), [])
        self.assertEqual(sorted(PENDING - set(functions)), [])

    def test_rows_are_of_exported_functions(self):
        self.assertEqual(sorted((rows("FAILS") | rows("WORKS")) - set(failing())), [])


if __name__ == "__main__":
    unittest.main()

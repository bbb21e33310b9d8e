# SPDX-License-Identifier: BSD-2-Clause
"""The public headers seen by a C or a C++ program."""

import pathlib
import re
import tempfile
import unittest

from support import (
    BUILD,
    HEADERS,
    INCLUDE,
    INCLUDES,
    LIBRARY,
    ROOT,
    STRICT,
    compilers,
    declared_functions,
    inline_functions,
    run,
    symbols,
    without_comments,
)


def text_of_all():
    return "\n".join(without_comments(header.read_text()) for header in HEADERS)


def initialisers():
    """{struct: macro} of every GPC_<NAME>_INIT."""
    macros = re.findall(r"#define (GPC_\w+_INIT)\b", text_of_all())
    return {macro[: -len("_INIT")].lower(): macro for macro in macros}


class Headers(unittest.TestCase):
    def test_each_compiles_alone(self):
        for header in HEADERS:
            for name, language in compilers():
                with self.subTest(header=header.name, compiler=name):
                    program = f"#include <{header.relative_to(INCLUDE)}>\nextern int not_empty;\n"
                    run(name, *language, *STRICT, "-DGPC_EXPERIMENTAL", "-fsyntax-only", "-I", INCLUDE, "-", input=program)

    def test_umbrella_includes_the_core(self):
        program = "#include <gpucache/gpucache.h>\n"
        told = run("cc", "-std=c11", "-M", "-I", INCLUDE, "-x", "c", "-", input=program)
        included = {header for header in HEADERS if str(header) in told}
        self.assertEqual(included, {header for header in HEADERS if header.parent == INCLUDE / "gpucache"})

    def test_all_are_installed(self):
        listed = set(re.findall(r"'([\w/]+\.h)'", (INCLUDE / "gpucache/meson.build").read_text()))
        self.assertEqual(listed, {str(header.relative_to(INCLUDE / "gpucache")) for header in HEADERS})

    def test_macros_and_types_have_the_prefix(self):
        defined = re.findall(r"#define (\w+)", text_of_all())
        strangers = [name for name in defined if not name.startswith(("GPC_", "GPUCACHE_")) and name not in {"X", *symbols()}]
        self.assertEqual(strangers, [])
        text = text_of_all()
        self.assertEqual(text.count("#define X("), text.count("#undef X"))


class Structures(unittest.TestCase):
    """Sizes and initialisers, by a program that is generated from the headers and linked with the library."""

    # Plain records that callers keep in arrays, by hand from the declarations.
    FIXED = {"gpc_request": 128, "gpc_instruction": 56, "gpc_eviction": 40, "gpc_access_result": 80, "gpc_line": 48}

    def program(self):
        lines = [*INCLUDES, "#include <stdio.h>", "#include <string.h>", "int main(void) {"]
        for name, size in self.FIXED.items():
            lines.append(f'if (sizeof({name}) != {size}) printf("{name} has %zu bytes\\n", sizeof({name}));')
        for name, macro in initialisers().items():
            lines.append(f"static {name} {name}_macro = {macro};")
            lines.append(f'if ({name}_macro.struct_size != sizeof({name})) printf("{macro}: wrong struct_size\\n");')
            lines.append(f"static {name} {name}_named; memset(&{name}_named, 0x5a, sizeof {name}_named);")
            lines.append(f'if (gpc_struct_init("{name}", sizeof({name}), &{name}_named, NULL) ||')
            lines.append(f"memcmp(&{name}_macro, &{name}_named, sizeof({name})))")
            lines.append(f'printf("{macro} and gpc_struct_init differ\\n");')
        structs = re.findall(r"typedef struct (gpc_\w+) \{(\s*size_t struct_size;)?", text_of_all())
        for name, size in structs:
            if name in initialisers() or name in self.HANDED:
                continue
            # Without a macro: zero, except struct_size.
            lines.append(f"static {name} {name}_zero, {name}_by_name; memset(&{name}_by_name, 0x5a, sizeof({name}));")
            if size:
                lines.append(f"{name}_zero.struct_size = sizeof({name});")
            lines.append(f'if (gpc_struct_init("{name}", sizeof({name}), &{name}_by_name, NULL) ||')
            lines.append(f"memcmp(&{name}_zero, &{name}_by_name, sizeof({name})))")
            lines.append(f'printf("{name} is not zero\\n");')
        return "\n".join([*lines, 'puts("compared");', "return 0;", "}", ""])

    def test_sizes_and_initialisers(self):
        self.assertIn("gpc_cache_options", initialisers())
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "structures.c")
            source.write_text(self.program())
            for name, language in compilers():
                with self.subTest(compiler=name):
                    program = pathlib.Path(folder, "structures")
                    rpath = f"-Wl,-rpath,{LIBRARY.parent}"
                    run(name, *language, *STRICT, "-I", INCLUDE, source, "-x", "none", LIBRARY, rpath, "-o", program)
                    self.assertEqual(run(program, cwd=BUILD), "compared\n")

    def test_every_option_struct_has_an_initialiser(self):
        # A structure to be filled by a caller begins with struct_size and has a macro or a function for filling.
        structs = re.findall(r"typedef struct (gpc_\w+) \{\s*size_t struct_size;", text_of_all())
        self.assertGreater(len(structs), 10)
        # Tables are written out by name; the library fills the others for a callback.
        tables = {"gpc_replacement_ops", "gpc_predictor_ops", "gpc_scheduler_ops", "gpc_throttle_ops",
                  "gpc_prefetcher_ops", "gpc_protocol"}
        exempt = tables | {"gpc_policy_env", "gpc_scheduler_env", "gpc_progress", "gpc_throttle_view",
                           "gpc_coherence_completion", "gpc_kernel_result"}
        functions = declared_functions() | inline_functions()
        known = set(initialisers()) | {name[: -len("_init")] for name in functions if name.endswith("_init")}
        self.assertEqual(set(structs) - exempt - known, set())

    # Records that callbacks get from the library.
    HANDED = {
        "gpc_completion", "gpc_coherence_message", "gpc_coherence_transition", "gpc_event", "gpc_import_option",
        "gpc_memory_request", "gpc_prefetch_access", "gpc_stage_row", "gpc_verify_progress",
    }  # fmt: skip

    def test_every_struct_can_be_made_by_name(self):
        """Rust, Go and Julia have no macros: all with struct_size, and all records that a caller fills in."""
        structs = re.findall(r"typedef struct (gpc_\w+) \{(\s*size_t struct_size;)?", text_of_all())
        sized = {name for name, size in structs if size}
        plain = {name for name, size in structs if not size} - self.HANDED
        rows = re.findall(r"X\((gpc_\w+)", (ROOT / "lib/base/struct_init.c").read_text())
        self.assertEqual(sorted(set(rows)), sorted(sized | plain))
        self.assertEqual(len(rows), len(set(rows)))
        self.assertLessEqual({"gpc_request", "gpc_replacement_ops", "gpc_predictor_ops", "gpc_scheduler_ops",
                              "gpc_throttle_ops", "gpc_prefetcher_ops"}, set(rows))


if __name__ == "__main__":
    unittest.main()

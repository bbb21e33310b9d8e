# SPDX-License-Identifier: BSD-2-Clause
"""The generated declarations: up to date, and equal to a C compiler's view of the same headers."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest

from harness import CC, INCLUDE, PACKAGE, PYTHON, needs_compiler, python

import declarations as c  # noqa: E402: harness makes it importable
import generate
import gpucache
from gpucache import _constants, _generated
from support import HEADERS, INCLUDES, symbols


def c_type(declared, name=""):
    """C text of a type from the parser."""
    if isinstance(declared, c.FunctionType):
        return c_function(declared, f"(*{name})")
    text = ("const " if declared.const else "") + declared.base + " "
    return text + "".join("*const " if const else "*" for const in declared.pointers) + name


def c_function(declared, name):
    parameters = ", ".join(c_type(each.type, each.name) for each in declared.parameters) or "void"
    return f"{c_type(declared.result, name)}({parameters})"


def probe(declared):
    """A C program that prints the compiler's values, and does not compile with a differing signature."""
    lines = [*INCLUDES, "#include <stdio.h>"]
    checks, prints = [], []
    structs = {struct.name for struct in declared.of(c.Struct)}

    def show(what, value):
        prints.append(f'    printf("{what} %lld\\n", (long long)({value}));')

    for function in declared.of(c.Function):
        # A second declaration must be compatible with the first.
        lines.append(c_function(function.type, function.name) + ";")
        for number, parameter in enumerate(function.type.parameters):
            show(f"parameter {function.name} {number}", f"sizeof({c_type(parameter.type)})")
        if c_type(function.type.result).strip() != "void":
            show(f"result {function.name}", f"sizeof({c_type(function.type.result)})")
    for callback in declared.of(c.Callback):
        checks.append((callback.name, c_type(callback.type)))
    for array in declared.of(c.Array):
        show(f"sizeof {array.name}", f"sizeof({array.name})")
        checks.append((array.name, c_type(array.type) + "".join(f"[{length}]" for length in array.lengths)))
    for struct in declared.of(c.Struct):
        show(f"sizeof {struct.name}", f"sizeof({struct.name})")
        for field in struct.fields:
            show(f"offsetof {struct.name} {field.name}", f"offsetof({struct.name}, {field.name})")
            member = f"(({struct.name} *)0)->{field.name}"
            show(f"size {struct.name} {field.name}", f"sizeof({member})")
            dimensions = "".join(f"[{length}]" for length in field.lengths)
            checks.append((f"__typeof__({member})", c_type(field.type) + dimensions))
        if struct.name in declared.initials:
            lines.append(f"static const {struct.name} initial_{struct.name} = {struct.name.upper()}_INIT;")
            for field in struct.fields:
                value = f"initial_{struct.name}.{field.name}"
                if not field.lengths and c_type(field.type).strip() in structs:  # zero or not
                    value = f"__builtin_memcmp(&{value}, &({c_type(field.type)}){{0}}, sizeof {value}) != 0"
                if not field.lengths:
                    show(f"initial {struct.name} {field.name}", value)
    for name in declared.enumerators():
        show(f"enumerator {name}", name)
    for name in declared.constants:
        show(f"constant {name}", name)
    lines += [f'_Static_assert(__builtin_types_compatible_p({one}, {other}), "{other}");' for one, other in checks]
    return "\n".join(lines + ["int main(void) {", *prints, "    return 0;", "}", ""])


@needs_compiler
class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.declared = c.read(INCLUDE)
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "probe.c"), os.path.join(folder, "probe")
            with open(source, "w", encoding="utf-8") as file:
                file.write(probe(cls.declared))
            subprocess.run([*CC, "-std=gnu11", "-I", INCLUDE, "-o", program, source], check=True)
            output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        cls.found = {}
        for line in output.splitlines():
            words = line.split()
            cls.found.setdefault(words[0], {})[tuple(words[1:-1])] = int(words[-1])

    def test_structures(self):
        for struct in self.declared.of(c.Struct):
            mirror = getattr(_generated, struct.name)
            self.assertEqual(ctypes.sizeof(mirror), self.found["sizeof"][struct.name,], struct.name)
            self.assertEqual([name for name, _ in mirror._fields_], [field.name for field in struct.fields])
            for name, _ in mirror._fields_:
                place = getattr(mirror, name)
                self.assertEqual(place.offset, self.found["offsetof"][struct.name, name], (struct.name, name))
                self.assertEqual(place.size, self.found["size"][struct.name, name], (struct.name, name))

    def test_initialisers(self):
        """A fresh structure equals the _INIT macro's."""
        for struct in self.declared.of(c.Struct):
            if struct.name not in self.declared.initials:
                continue
            fresh = getattr(_generated, struct.name)()
            for field in struct.fields:
                if not field.lengths:
                    value = getattr(fresh, field.name)
                    if isinstance(value, ctypes.Structure):
                        value = any(bytes(value))
                    number = int(value if isinstance(value, (int, float)) else bool(value))  # a pointer is NULL or not
                    found = self.found["initial"][struct.name, field.name]
                    self.assertEqual(number % 2**64, found % 2**64, (struct.name, field.name))

    def test_enumerations(self):
        for enum in self.declared.of(c.Enum):
            mirror = getattr(_constants, generate.class_name(enum.name))
            names = generate.member_names(enum)
            self.assertEqual(len(mirror), len(names))
            for member in enum.members:
                found = getattr(_constants, member.name) if member.sentinel else mirror[names[member.name]]
                self.assertEqual(found, self.found["enumerator"][member.name,], member.name)

    def test_bits(self):
        for bits in self.declared.of(c.Bits):
            mirror = getattr(_constants, generate.bits_name(bits))
            self.assertEqual(len(mirror), len(bits.members))
            for member in bits.members:
                found = mirror[member.name.removeprefix(bits.prefix + "_")]
                self.assertEqual(found, self.found["enumerator"][member.name,], member.name)

    def test_arrays(self):
        for array in self.declared.of(c.Array):
            mirror = getattr(_generated, array.name)
            self.assertEqual(ctypes.sizeof(mirror), self.found["sizeof"][array.name,], array.name)

    def test_constants(self):
        for name in self.declared.constants:
            # The program prints signed values.
            self.assertEqual(getattr(_constants, name) % 2**64, self.found["constant"][name,] % 2**64, name)

    def test_functions(self):
        self.assertEqual(list(_generated.FUNCTIONS), [function.name for function in self.declared.of(c.Function)])
        for name, (result, arguments) in _generated.FUNCTIONS.items():
            sizes = [self.found["parameter"][name, str(number)] for number in range(len(arguments))]
            self.assertEqual([ctypes.sizeof(argument) for argument in arguments], sizes, name)
            self.assertNotIn((name, str(len(arguments))), self.found["parameter"])
            self.assertEqual(ctypes.sizeof(result) if result else None, self.found["result"].get((name,)), name)


class Generator(unittest.TestCase):
    def test_committed_files_are_what_the_headers_say(self):
        for name, text in generate.generate().items():
            with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, f"{name}: run bindings/python/generate.py")

    def test_check_tells_stale_files(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(PYTHON, "generate.py")
            self.assertEqual(python(program, "--output", folder).returncode, 0)
            self.assertEqual(python(program, "--output", folder, "--check").returncode, 0)
            with open(os.path.join(folder, "_generated.py"), "a", encoding="utf-8") as file:
                file.write("#\n")
            done = python(program, "--output", folder, "--check")
            self.assertEqual(done.returncode, 1)
            self.assertIn("_generated.py is not what the headers say", done.stderr)
            self.assertNotIn("_constants.py", done.stderr)

    def test_every_function_is_declared(self):
        """Compared with a search for the marker of public functions, without the parser."""
        names = set()
        for path in HEADERS:
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            names |= set(re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(", text))
        named = symbols()
        self.assertEqual(set(_generated.FUNCTIONS), {named.get(name, name) for name in names})


class Parser(unittest.TestCase):
    """The header reader on small test texts."""

    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "gpucache"))
            with open(os.path.join(folder, "gpucache", "gpucache.h"), "w", encoding="utf-8") as file:
                file.write(text)
            return c.read(folder)

    def test_macro_table(self):
        declared = self.read(
            "#define T(X) /* twice */ X(a, 1) \\\n    X(b, 2)\n"
            "typedef struct gpc_s {\n#define X(name, n) uint8_t name[n];\nT(X)\n#undef X\n} gpc_s;\n"
        )
        fields = declared.of(c.Struct)[0].fields
        self.assertEqual([(field.name, field.lengths) for field in fields], [("a", [1]), ("b", [2])])

    def test_conditions(self):
        declared = self.read(
            "#define GPC_YES 1\n#ifdef GPC_YES\n#define GPC_A 1u\n#else\n#define GPC_A 2u\n#endif\n"
            "#if defined(GPC_NO) || !defined(GPC_YES)\n#define GPC_B (1u << 4)\n"
            "#else\n#define GPC_B UINT32_MAX\n#endif\n"
        )
        self.assertEqual(declared.constants, {"GPC_YES": 1, "GPC_A": 1, "GPC_B": 2**32 - 1})

    def test_enumerators_count_on(self):
        enum = self.read("typedef enum gpc_e { GPC_E_A = 3, GPC_E_B, GPC_E_C = -1, GPC_E_COUNT } gpc_e;").of(c.Enum)[0]
        self.assertEqual([member.value for member in enum.members], [3, 4, -1, 0])
        self.assertEqual([member.sentinel for member in enum.members], [False, False, False, True])
        self.assertEqual(generate.member_names(enum), {"GPC_E_A": "A", "GPC_E_B": "B", "GPC_E_C": "C"})

    def test_count_with_a_value(self):
        """A _COUNT equal to the largest value plus one is not a value, although spelt out."""
        enum = self.read("typedef enum gpc_e { GPC_E_A = 0, GPC_E_B = 1, GPC_E_COUNT = 2 } gpc_e;").of(c.Enum)[0]
        self.assertEqual([member.sentinel for member in enum.members], [False, False, True])
        enum = self.read("typedef enum gpc_e { GPC_E_A = 0, GPC_E_B = 1, GPC_E_COUNT = 8 } gpc_e;").of(c.Enum)[0]
        self.assertEqual([member.sentinel for member in enum.members], [False, False, False])

    def test_pasted_names(self):
        declared = self.read(
            "#define T(X) X(A, 1, \"one, (two)\") X(B, 2, \"\")\n"
            "typedef enum gpc_e {\n#define X(id, bit, text) GPC_E_##id = bit,\nT(X)\n#undef X\n} gpc_e;\n"
        )
        self.assertEqual(declared.enumerators(), {"GPC_E_A": 1, "GPC_E_B": 2})

    def test_bits_without_a_name(self):
        declared = self.read("enum { GPC_DO_ONE = 1 << 0, GPC_DO_ONE_MORE = 1 << 1 };\n")
        bits = declared.of(c.Bits)[0]
        self.assertEqual((bits.prefix, generate.bits_name(bits)), ("GPC_DO", "DoBits"))
        self.assertEqual([member.value for member in bits.members], [1, 2])

    def test_array_types(self):
        declared = self.read(
            "#define GPC_N 2\ntypedef struct gpc_s { int a; } gpc_s;\ntypedef gpc_s gpc_t[GPC_N][3];\n"
            "typedef struct gpc_u { const gpc_t *one, *two; } gpc_u;\n"
        )
        self.assertEqual(declared.of(c.Array)[0].lengths, [2, 3])
        text = generate.Generator(declared).generated()
        self.assertIn("gpc_t = gpc_s * 3 * 2\n", text)
        self.assertIn('("one", POINTER(gpc_t)), ("two", POINTER(gpc_t))', text)

    def test_structures_in_an_initialiser(self):
        declared = self.read(
            "typedef struct gpc_t { uint64_t many[2]; uint64_t one; } gpc_t;\n"
            "typedef struct gpc_s { size_t struct_size; gpc_t counts; } gpc_s;\n"
            "#define GPC_S_INIT {sizeof(gpc_s), {{0}, 0}}\n"
        )
        self.assertEqual(declared.initials, {"gpc_s": {}})

    def test_true_in_an_initialiser(self):
        declared = self.read(
            "typedef struct gpc_s { size_t struct_size; bool a, b; } gpc_s;\n"
            "#define GPC_S_INIT {sizeof(gpc_s), true, false}\n"
        )
        self.assertEqual(declared.initials, {"gpc_s": {"a": True}})

    def test_function_pointers(self):
        declared = self.read("typedef const char *(*gpc_f)(void *const *a, void (*done)(void), uint64_t);")
        function = declared.of(c.Callback)[0].type
        self.assertEqual(c_type(function, "f"), "const char *(*f)(void *const *a, void (*done)(void), uint64_t )")

    def test_refuses_what_it_does_not_know(self):
        for text, message in (
            ("typedef union gpc_u { int a; } gpc_u;", "a type expected, 'union'"),
            ("int gpc_f(wchar_t c);", "a type expected, 'wchar_t'"),
            ("int gpc_f(int a[4]);", "an array as a parameter"),
            ("#pragma once\n", "#pragma is not understood"),
            ("#if GPC_A > 3\n#endif\n", "condition not understood"),
            ("#ifdef A\n", "#if without #endif"),
            ("#define X(a) ## a\nX(int)", "## of nothing in X"),
            ("#define X(a) #a\nX(int)", "# in a macro is not understood"),
            ("enum { GPC_A, OTHER };", "whose members share no prefix"),
            ("typedef int gpc_int;", "typedef gpc_int is no enum, struct, array or pointer"),
            ("typedef struct gpc_s { int a", "';' expected"),
            ("typedef struct gpc_s { int a[n]; } gpc_s;", "no constant expression: n"),
            ("#define X(a, b) a\nX(int)", "X takes 2 arguments, not 1"),
            ("typedef struct gpc_s { size_t struct_size; int a; } gpc_s;\n#define GPC_S_INIT {sizeof(gpc_s), 1, 2}\n",
             "too many values for gpc_s"),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaises(c.HeaderError) as caught:
                self.read(text)
            self.assertIn(message, str(caught.exception))
            self.assertRegex(str(caught.exception), r"gpucache\.h|end of the headers")


class Records(unittest.TestCase):
    """An unknown field is an error: ctypes takes any name for a further attribute."""

    def records(self):
        return [kind for name, kind in vars(_generated).items()
                if name.startswith("gpc_") and isinstance(kind, type) and issubclass(kind, ctypes.Structure)]  # fmt: skip

    def test_no_record_takes_another_name(self):
        self.assertGreater(len(self.records()), 60)
        for kind in self.records():
            for wrong in (lambda kind=kind: kind(thread_s=4), lambda kind=kind: setattr(kind(), "thread_s", 4)):
                with self.subTest(kind=kind.__name__), self.assertRaisesRegex((TypeError, AttributeError), "thread_s"):
                    wrong()

    def test_what_was_meant_is_named(self):
        with self.assertRaisesRegex(TypeError, "gpc_launch has no field 'thread'; did you mean 'threads'"):
            gpucache.Launch(thread=4)
        with gpucache.Context() as context:
            with gpucache.Cache(context) as cache:
                with self.assertRaisesRegex(TypeError, "gpc_request has no field 'warpp'; did you mean 'warp'"):
                    cache.access(0, warpp=3)
                with self.assertRaisesRegex(TypeError, "gpc_warp_event has no field 'warpp'"):
                    cache.warp_event(gpucache.WarpEventKind.WARP_EXIT, warpp=3)
                self.assertEqual(cache.stats(), gpucache.Cache(context).stats())
            with gpucache.Hierarchy(context, gpucache.Config(context, preset="gtx480")) as memory:
                with self.assertRaisesRegex(TypeError, "'warpp'"):
                    memory.access([0], warpp=3)
                with self.assertRaisesRegex(TypeError, "'scop'"):
                    memory.fence(scop="gpu")
                with self.assertRaisesRegex(TypeError, "'thread'"):
                    memory.begin_kernel(thread=4)


if __name__ == "__main__":
    unittest.main()

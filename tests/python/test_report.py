# SPDX-License-Identifier: BSD-2-Clause
"""Reports: a page's contents, the results on the page, and the look in Chromium, if installed."""

import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree as xml
import zlib
from html.parser import HTMLParser

from harness import ROOT, TemporaryCase, command, write_trace

from gpucache.heat import Heat
from gpucache.report import ReportError, _figures, _plot, _svg, energy, heat, memory, of_document, report, series, trees

CHROMIUM = shutil.which("chromium")
VOID = {"meta", "br", "circle", "rect", "path", "line", "image"}


class Balanced(HTMLParser):
    """Raises for an unbalanced element."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag in VOID and tag != "rect":
            return
        assert self.open and self.open[-1] == tag, f"</{tag}> within {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def words(svg):
    """All texts of an SVG."""
    return ["".join(node.itertext()) for node in xml.fromstring(svg).iter() if node.tag.endswith("text")]


def decoded(path):
    """Rows of (red, green, blue) of a PNG of 8 bits a channel."""
    with open(path, "rb") as file:
        data = file.read()
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            body += data[at + 8:at + 8 + length]
        at += 12 + length
    assert depth == 8 and colour in (2, 6)
    size = 3 if colour == 2 else 4
    raw, before = zlib.decompress(body), bytes(width * size)
    for row in range(height):
        at = row * (width * size + 1)
        before = _unfiltered(raw[at], raw[at + 1:at + 1 + width * size], before, size)
        yield [tuple(before[n:n + 3]) for n in range(0, len(before), size)]


def _unfiltered(method, line, before, size):
    """A row of a PNG, from the differences to the bytes at the left and above."""
    if method in (0, 2):
        return line if method == 0 else bytes(map(lambda value, above: (value + above) & 255, line, before))
    line = bytearray(bytes(size) + line)
    before = bytes(size) + before
    for n in range(size, len(line)):
        left, above, corner = line[n - size], before[n], before[n - size]
        if method == 1:
            add = left
        elif method == 3:
            add = (left + above) // 2
        else:
            near, over, far = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
            add = left if near <= over and near <= far else above if over <= far else corner
        line[n] = (line[n] + add) & 255
    return bytes(line[size:])


class Pictures(unittest.TestCase):
    def test_ticks_are_round_and_within(self):
        self.assertEqual(_svg.ticks(0, 6526, 6), [0, 2000, 4000, 6000])
        self.assertEqual(_svg.ticks(0, 1, 4), [0, 0.5, 1])
        self.assertEqual(_svg.ticks(-7, 8, 5), [-5, 0, 5])
        self.assertEqual(_svg.ticks(3, 3), [3])

    def test_numbers(self):
        self.assertEqual([_figures.count(value) for value in (None, 0, 9999, 12345678, 0.1234)],
                         ["-", "0", "9,999", "12.3 M", "0.123"])  # fmt: skip
        self.assertEqual([_figures.size(value) for value in (0, 512, 1044480, 10869120)],
                         ["0 B", "512 B", "1,020 KiB", "10.4 MiB"])  # fmt: skip
        config = {"a": "72B", "b": "2KiB", "c": "5", "d": "auto"}
        self.assertEqual([_figures.number(config, key) for key in "abcde"], [72, 2048, 5, None, None])

    def test_text_is_escaped(self):
        picture = _svg.Svg(10, 10, 'a"<b')
        picture.text(1, 2, "x < y & z")
        self.assertEqual(words(picture.render(alone=True)), ["x < y & z"])

    def test_memory_chart_shows_peak_hardware_and_what_is_not_measured(self):
        # 1,000 sectors of 32 bytes in 100 cycles of 2 ports of 320 bytes: half of the peak.
        stats = {"cycles": 100, "l1.load_sectors": 1000, "l1.load_hit_rate": 0.25, "warp_instructions": 7}
        config = {"sm.count": "2", "l1.data_width": "320B"}
        found = memory.boxes(stats, config)
        self.assertAlmostEqual({line.label: line.value for line in found[1].lines}["of peak"], 0.5)
        shown = words(memory.chart(stats, config, "t", {"load_sector_hit_rate": 0.3, "load_sectors": 900}).render(True))
        for text in ("25.0 %", "hw 30.0 %", "loaded 31.2 KiB", "hw 28.1 KiB", "50.0 %"):
            self.assertIn(text, shown)
        self.assertNotIn("0.0 %", shown)  # L2's hit rate is unknown, not zero
        self.assertNotIn("far partition", shown)  # one value is present
        beside = words(memory.chart(stats, config, "t", baseline={**stats, "l1.load_hit_rate": 0.2}).render(True))
        self.assertIn("+5.0 points", beside)
        same = words(memory.chart(stats, config, "t", baseline={**stats, "l1.load_hit_rate": 0.25001}).render(True))
        self.assertIn("0.0 points", same)  # without a sign

    def test_energy_is_what_is_known(self):
        """1,000 reads of 2.5 nJ, 50 W for 100 cycles of 1 GHz; and beside a run with twice the reads."""
        stats = {"energy.dram_read": 2_500_000, "energy.static": 5_000_000, "energy.dynamic": 2_500_000,
                 "energy.total": 7_500_000, "energy.per_instruction": 750_000.0, "energy.per_cycle": 75_000.0}  # fmt: skip
        config = {"energy.dram_read": "2500", "energy.static": "50", "clock.core": "1000", "energy.l1_read": "none"}
        found = list(energy.rows(stats, config))
        self.assertEqual(found[0], ("DRAM read", "2.5 µJ", "33.3 %", "2,500", "1,000"))
        self.assertEqual(found[1], ("static", "5 µJ", "66.7 %", "-", "-"))
        self.assertEqual([row[:2] for row in found[2:]], [("dynamic", "2.5 µJ"), ("with static", "7.5 µJ"),
                         ("of a warp instruction", "750 nJ"), ("power", "75.0 W")])  # fmt: skip
        twice = {**stats, "energy.dram_read": 5_000_000, "energy.total": 10_000_000}
        self.assertEqual([row[-1] for row in energy.rows(stats, config, twice)][:4],
                         ["-50.0 %", "+0.0 %", "+0.0 %", "-25.0 %"])  # fmt: skip
        self.assertEqual(energy.beside(stats, {"stats": twice}), 0.75)
        self.assertIsNone(energy.beside(stats, {"stats": {}}))
        self.assertIsNone(energy.beside({}, {"stats": stats}))
        self.assertEqual(list(energy.rows({"cycles": 3}, config)), [])
        self.assertEqual([_figures.energy(value) for value in (None, 0, 12.5, 4000, 3e12)],
                         ["-", "0 pJ", "12.5 pJ", "4 nJ", "3 J"])  # fmt: skip

    def test_stalls_fill_the_plot(self):
        values = {key: [1, 3] for key, *_ in series.STALLS}
        plot, shares = series.stalls({"interval": 5, "cycle": [5, 10], "values": values})
        self.assertEqual(set(shares["issued"]), {"12.5 %"})
        area = [node.get("d") for node in xml.fromstring(plot.render()).iter() if node.get("class") == "f8"]
        top = min(float(y) for y in re.findall(r"[\d.]+ ([\d.]+)", area[-1]))
        self.assertAlmostEqual(top, plot.top, delta=0.1)

    def test_curves_stay_in_their_frame(self):
        """An interval may have more hits than loads: hits of the previous interval's loads."""
        values = {"l1.load_hit_rate": [0.9, 1.6, None, 0.5]}
        (plot, shown), = series.rates({"interval": 5, "cycle": [5, 10, 15, 20], "values": values})  # fmt: skip
        self.assertIn("160.0 %", shown["L1 load hits"])
        drawn = xml.fromstring(plot.render()).iter()
        paths = [node.get("d") for node in drawn if "s0" in node.get("class", "").split()]
        heights = [float(y) for path in paths for y in re.findall(r"[\d.]+ ([\d.]+)", path)]
        self.assertAlmostEqual(min(heights), plot.top, delta=0.1)

    def test_heat_map_is_a_mask_of_its_values(self):
        image = heat.png([[0, 255], [128, 7]])
        self.assertEqual(struct.unpack(">II", image[16:24]), (2, 2))
        at = image.index(b"IDAT")
        heat_of = bytes(_svg.light("heat"))
        cells = [heat_of + bytes((value,)) for value in (0, 255, 128, 7)]
        self.assertEqual(zlib.decompress(image[at + 4:-16]), b"\0" + cells[0] + cells[1] + b"\0" + cells[2] + cells[3])
        large = heat.png([[0, 255], [128, 7]], 5, 3)  # 3 by 2 pixels a cell
        self.assertEqual(struct.unpack(">II", large[16:24]), (6, 4))
        rows = zlib.decompress(large[large.index(b"IDAT") + 4:-16])
        self.assertEqual([rows[n] for n in range(0, len(rows), 25)], [0, 2, 0, 2])
        self.assertEqual(rows[:50], b"\0" + 3 * cells[0] + 3 * cells[1] + b"\2" + bytes(24))
        self.assertEqual(heat.folded([[1], [2], [3]], 2), [(0, 1, [3]), (2, 2, [3])])

    def test_labels_of_a_heat_map_have_room(self):
        rows = [hex(0x7F53C7E00000 + row) for row in range(400)]
        values = [[row] for row in range(400)]
        found = {"title": "t", "unit": "lookups", "cycles": 100, "rows": rows, "values": values}
        drawn = xml.fromstring(heat.chart(found).render(True)).iter()
        labels = [node for node in drawn if (node.text or "").startswith("0x")]
        self.assertEqual([node.text for node in labels][:1], ["0x7f53c7e00000 …"])
        for node in labels:
            self.assertGreaterEqual(float(node.get("x")), 6 * len(node.text))

    def test_sequence_of_messages(self):
        text = ("# x\n 31 message l1 0 packet=65 address=0x80 outcome=read-request sender=0 receiver=18\n"
                " 40 message l1 1 packet=66 outcome=data sender=1 receiver=0\n"
                " 44 arrive l2 0 packet=65 sender=0\n")  # fmt: skip
        modules, steps = trees.steps_of_events(text)
        self.assertEqual(steps, [trees.Step(31, "module 0", "read-request 0x80", "module 18", 44)])
        self.assertEqual(modules, ["module 0", "module 18"])


class Results(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_Z4oncePf", 2)))

    def made(self, name, *arguments):
        found = command(*arguments, "--json", self.path(name))
        self.assertEqual(found.returncode, 0, found.stderr)
        return self.path(name)

    def of_each_command(self):
        timed = "--mode", "timed", "--preset", "gtx480"
        few = "--preset", "gtx480", "--set", "sm.count=1"
        reuse = "synthetic:warp-reuse:16KiB"
        cache = "--cache", self.path("runs.jsonl")
        scenarios = os.path.join(ROOT, "examples", "coherence.json")
        return [
            self.made("compare.json", "compare", self.source, "--policies", "lru,drrip", *timed),
            self.made("tune.json", "tune", reuse, *few, "--what", "warps", *cache),
            self.made("explain.json", "explain", reuse, *few),
            self.made("bottleneck.json", "bottleneck", reuse, *few),
            self.made("profile.json", "profile", self.source, "--mrc"),
            self.made("coherence.json", "coherence", scenarios),
            self.made("tree.json", "run", self.source, *few, "--mode", "timed", "--set", "coherence=nmoesi"),
        ]


LIGHT = {name: _svg.light(name) for name in _svg._LIGHT}


class Alone(Results):
    """Figures as separate files, shown by other programs than a browser."""

    def setUp(self):
        super().setUp()
        timed = "--mode", "timed", "--preset", "gtx480"
        events = "--set", "coherence=nmoesi", "--events", self.path("events.txt")
        self.made("run.json", "run", self.source, *timed, "--sample", "100", "--heat")
        self.made("events.json", "run", self.source, *timed, *events)
        paths = [self.path("run.json"), self.path("events.txt"), *self.of_each_command()]
        self.figures = report(paths).named()
        kinds = {re.sub(r".*-", "", name) for name in self.figures}
        self.assertLessEqual({"memory", "steps", "states", "messages", "reuse", "hits", "sm"}, kinds)

    def test_colours_are_resolved(self):
        for name, figure in self.figures.items():
            text = figure.svg()
            for part in ("var(", "class=", "<style"):
                self.assertNotIn(part, text, name)
            for node in xml.fromstring(text).iter():
                if node.tag.split("}")[1] in ("rect", "path", "circle", "line", "text"):
                    colours = {node.get("fill"), node.get("stroke")} - {None, "none"}
                    self.assertTrue(colours, f"{name}: {node.attrib} is black")
                    self.assertLessEqual(colours, set(_svg._LIGHT.values()), name)

    @unittest.skipUnless(shutil.which("rsvg-convert"), "no rsvg-convert")
    def test_colours_of_the_pixels(self):
        for name, figure in self.figures.items():
            picture = figure.picture
            svg = self.write("figure.svg", figure.svg())
            subprocess.run(["rsvg-convert", "-o", self.path("figure.png"), svg], check=True, timeout=120)
            rows = list(decoded(self.path("figure.png")))
            self.assertEqual((len(rows[0]), len(rows)), (round(picture.width), round(picture.height)), name)
            pixels = set().union(*rows)
            self.assertEqual(rows[-1][-1], LIGHT["card"], name)
            for pixel in pixels:
                self.assertTrue(any(map(int.__ge__, pixel, LIGHT["ink"])), f"{name}: {pixel} is darker than text")
            for node in xml.fromstring(picture.render()).iter():
                self.check_shape(name, node, pixels)

    def check_shape(self, name, node, pixels):
        """The color of a shape large enough for a whole pixel is in the picture."""
        kind = (node.get("class") or "").split()[-1:]
        if node.tag == "rect" and min(float(node.get(side)) for side in ("width", "height")) < 2:
            return
        if node.tag in ("rect", "circle") and not node.get("fill-opacity"):
            (word,) = kind
            self.assertTrue(LIGHT[re.sub("^f", "c", word)] in pixels, f"{name}: {node.attrib}")
        elif node.tag == "path" and re.fullmatch(r"s\d", "".join(kind)):
            wanted = LIGHT["c" + kind[0][1:]]
            far = min(max(abs(one - other) for one, other in zip(pixel, wanted)) for pixel in pixels)
            self.assertLess(far, 32, f"{name}: {node.attrib}")


class Pages(Results):
    def html(self, *results, **options):
        text = report(results, **options).html()
        page = Balanced()
        page.feed(text)
        self.assertEqual(page.open, [])
        self.assertIsNone(re.search(r'(?:src|href)="(?!data:)', text), "a page loads nothing")
        return " ".join(page.text)

    def test_run(self):
        timed = "--mode", "timed", "--preset", "gtx480"
        path = self.made("run.json", "run", self.source, *timed, "--sample", "100", "--heat")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        kernel = document["kernels"][0]
        instructions = next(each for each in kernel["heat"] if each["name"] == "sm")
        self.assertEqual(sum(map(sum, instructions["values"])), kernel["stats"]["accepted"])
        sets = next(each for each in kernel["heat"] if each["name"] == "set")
        self.assertTrue(all(0 <= int(row) < 32 for row in sets["rows"]))  # 16 KiB, 4 ways
        text = self.html(path)
        for part in ("twice", "once", "All 2 kernels", "Cycles of the warp schedulers", "Lookups by L1 set", "gtx480",
                     "DRAM read", energy.NOTE):  # fmt: skip
            self.assertIn(part, text)
        self.assertNotIn("with static", text)  # a power absent from the preset
        self.assertNotIn(energy.NOTE, self.html(self.made("none.json", "run", self.source, "--preset", "rtx2060")))

    def test_the_picture_of_the_readme_is_what_the_command_makes(self):
        trace = os.path.join(ROOT, "examples", "traces", "conv2d")
        run = self.made("run.json", "run", trace, "--mode", "timed")
        with open(os.path.join(ROOT, "examples", "conv2d-memory.svg"), encoding="utf-8") as file:
            self.assertEqual(report([run]).named()["conv2d-memory"].svg(), file.read())

    def test_the_policies_of_the_readme_are_what_the_command_makes(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            shown = re.search(r"^python3 -m gpucache (compare (?:.*\\\n)*) +--json policies.json$", file.read(), re.M)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        found = report([self.made("policies.json", *shlex.split(shown[1].replace("\\\n", " ")))])
        with open(os.path.join(ROOT, "examples", "policies-speed-up.svg"), encoding="utf-8") as file:
            self.assertEqual(found.named()["speed-up"].svg(), file.read())

    def test_speed_ups_go_to_both_sides_of_one(self):
        stats = {"l1.load_hit_rate": 0.5}
        runs = [{"trace": "t", "policy": policy, "stats": stats, "speedup": speedup}
                for policy, speedup in (("a", 1.0), ("b", 0.5), ("c", 1.5), ("d", None))]  # fmt: skip
        document = {"runs": runs, "policies": list("abcd"), "over": "a", "config": {},
                    "geometric_means": [{"policy": "b", "speedup": 0.5}, {"policy": "c", "speedup": 1.5}]}  # fmt: skip
        svg = report([document]).named()["speed-up"].svg()
        self.assertNotIn("a", words(svg))  # the base of the comparison
        bars = {node.find("{*}title").text: node for node in xml.fromstring(svg).iter()
                if node.tag.endswith("rect") and node.find("{*}title") is not None}  # fmt: skip
        self.assertEqual(set(bars), {"b: 0.500", "c: 1.500"})
        low, high = bars["b: 0.500"], bars["c: 1.500"]
        self.assertAlmostEqual(float(low.get("x")) + float(low.get("width")), float(high.get("x")), delta=0.2)
        self.assertAlmostEqual(float(low.get("width")), float(high.get("width")), delta=0.2)

    def test_a_percent_does_not_fill_the_picture(self):
        widths = []
        for value in (0.99, 0.9, 0.8):
            svg = _plot.bars("Speed-up", {"t": [value]}, ["p"], lambda each: f"{each:.3f}", base=1.0).render(True)
            bar = [node for node in xml.fromstring(svg).iter() if node.find("{*}title") is not None][0]
            widths.append(float(bar.get("width")))
        self.assertAlmostEqual(widths[0] * 10, widths[1], delta=2)
        self.assertAlmostEqual(widths[1], widths[2], delta=0.2)

    def test_heat_counts_all_however_long(self):
        class Event:
            what, component, index, sm, address, bank = 0, 0, 0, 3, 0, 0

        counts = Heat()
        for Event.cycle in (10, 11, 5000, 123456):
            counts(Event)

        class Nothing:
            @staticmethod
            def cache(*_):
                return None

        (found,) = counts.take(Nothing)
        self.assertEqual(found["rows"], ["3"])
        self.assertEqual(sum(found["values"][0]), 4)
        self.assertGreater(len(found["values"][0]) * found["cycles"], 123456 - 10)
        self.assertLessEqual((len(found["values"][0]) - 1) * found["cycles"], 123456 - 10)

    def test_hardware_stands_beside(self):
        entry = {"trace": "t/kernel-1.traceg", "name": "_Z5twicePfS_", "hardware": {"cycles": 777}}
        run = {"kernels": [{"name": "_Z5twicePfS_", "trace": self.path("t", "kernel-1.traceg"),
                            "stats": {"cycles": 700, "warp_instructions": 1}}], "total": {}, "config": {}}  # fmt: skip
        self.assertNotIn("hw 777", self.html(run))
        self.write("hardware.json", json.dumps([entry]))
        self.assertIn("hw 777", self.html(run))
        other = self.write("other.json", json.dumps([{**entry, "hardware": {"cycles": 778}}]))
        self.assertIn("hw 778", self.html(run, hardware=other))

    def test_the_other_results(self):
        paths = self.of_each_command()
        text = self.html(*paths)
        for part in ("geometric mean", "best:", "most that fit", "Miss-ratio curve", "by-hand", "from row to column"):
            self.assertIn(part, text)
        names = sorted(os.path.basename(path) for path in report(paths).write_figures(self.path("figures")))
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            with open(self.path("figures", name), encoding="utf-8") as file:
                xml.fromstring(file.read())  # each is a separate file

    def test_command(self):
        run = self.made("run.json", "run", self.source)
        done = command("report", run, "-o", self.path("page.html"), "--figures", self.path("f"), "--baseline", run)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("how far it is from that of run.json", file.read())
        self.assertIn("total-memory.svg", os.listdir(self.path("f")))

    def test_what_is_refused(self):
        run = self.made("run.json", "run", self.source)
        cases = (
            ((self.write("a", "{"), "-o", "-"), f"{self.path('a')}:1: "),
            ((self.write("b", '{"x": 1}'), "-o", "-"), f"{self.path('b')}: not the JSON of run"),
            ((self.write("c", "hello"), "-o", "-"), f"{self.path('c')}: neither JSON nor the text of --events"),
            ((self.write("d", '{"kernels": [{"stats": {}}], "total": {}}'), "-o", "-"), f"{self.path('d')}: not what"),
            ((self.write("e", "# nothing\n"), "-o", "-"), f"{self.path('e')}: there is no coherence message"),
            ((run, "-o", "-", "--hardware", self.path("b")), f"{self.path('b')}: not a list of launches"),
            ((run, "-o", "-", "--baseline", self.path("b")), f"{self.path('b')}: not the JSON"),
            ((self.path("none"), "-o", "-"), f"{self.path('none')}: No such file"),
        )
        for arguments, message in cases:
            done = command("report", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(command("report", run).returncode, 2)
        self.assertEqual(command("run", self.source, "--heat").returncode, 2)
        done = command("run", self.source, "--heat", "--json", "-")
        self.assertIn("--heat needs a clock", done.stderr)
        with self.assertRaises(ReportError):
            of_document({})

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_how_it_looks(self):
        timed = "--mode", "timed", "--preset", "gtx480"
        run = self.made("run.json", "run", self.source, *timed, "--sample", "100", "--heat")
        page = report([run]).html()
        wide = page.replace("</body>", "<script>document.title=document.documentElement.scrollWidth</script></body>")
        for dark in (False, True):
            # The style of dark screens, on any screen: the option for Chromium differs between versions.
            text = wide.replace("@media(prefers-color-scheme:dark)", "@media all") if dark else wide
            path = self.write("page.html", text)
            for width in (500, 1400):
                image = self.path("page.png")
                flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                         "--disable-background-networking", f"--user-data-dir={self.path('chromium')}",
                         f"--window-size={width},500")  # fmt: skip
                subprocess.run((CHROMIUM, *flags, f"--screenshot={image}", f"file://{path}"), capture_output=True,
                               timeout=120, check=True)  # fmt: skip
                pixels = [pixel for row in decoded(image) for pixel in row[::4]]
                mean = sum(map(sum, pixels)) / len(pixels) / 3
                self.assertTrue(mean < 80 if dark else mean > 200, f"mean brightness {mean} at {width}")
                self.assertGreater(len(set(pixels)), 30, "pictures have colours")
                dom = subprocess.run((CHROMIUM, *flags, "--dump-dom", f"file://{path}"), capture_output=True, text=True,
                                     timeout=120, check=True).stdout  # fmt: skip
                self.assertLessEqual(int(re.search(r"<title>(\d+)</title>", dom)[1]), width, "it scrolls sideways")


if __name__ == "__main__":
    unittest.main()

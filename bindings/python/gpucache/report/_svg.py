# SPDX-License-Identifier: BSD-2-Clause
"""Pictures as SVG, of shapes and text. Colours are names of the page's style, so that a picture follows light and dark;
a separate picture has the light colours."""

import math
from html import escape

# The style of page and pictures. Text and lines have a contrast of 4.5 and 3 to 1 in light and dark.
_LIGHT = {
    "page": "#f4f6f8", "card": "#ffffff", "ink": "#1a2027", "muted": "#586370", "rule": "#d5dbe1", "box": "#eef2f7",
    "heat": "#b03a12",
    "c0": "#2d6cc8", "c1": "#c7701c", "c2": "#2c8a52", "c3": "#b8403f", "c4": "#7b57b5", "c5": "#1e8a96",
    "c6": "#8a6540", "c7": "#b6508f", "c8": "#7a848e", "c9": "#8f8a1c",
}  # fmt: skip
_DARK = {
    "page": "#12161b", "card": "#1b2027", "ink": "#e7ebef", "muted": "#a3aeb9", "rule": "#3a434d", "box": "#262d36",
    "heat": "#ff9160",
    "c0": "#6ea5f5", "c1": "#eda457", "c2": "#63c08a", "c3": "#ee8380", "c4": "#b497e8", "c5": "#5bc4cf",
    "c6": "#c9a17a", "c7": "#e68fc3", "c8": "#a3adb7", "c9": "#c9c456",
}  # fmt: skip
COLOURS = 10

# Properties of an element or a class; a later entry wins. --NAME is a colour of the two tables.
_SHAPES = {
    "text": {"fill": "--ink"},
    ".muted": {"fill": "--muted"},
    ".small": {"font-size": "11px"},
    ".strong": {"font-weight": "600"},
    ".rule": {"stroke": "--rule", "fill": "none"},
    ".axis": {"stroke": "--muted", "fill": "none"},
    ".box": {"fill": "--box", "stroke": "--rule"},
    ".arrow": {"stroke": "--muted", "stroke-width": "1.5", "fill": "none"},
    ".head": {"fill": "--muted"},
    ".curve": {"fill": "none", "stroke-width": "2", "stroke-linejoin": "round"},
    ".card": {"fill": "--card"},
    ".heat": {"fill": "--heat"},
    **{f".f{n}": {"fill": f"--c{n}"} for n in range(COLOURS)},
    **{f".s{n}": {"stroke": f"--c{n}"} for n in range(COLOURS)},
}
_FONT = {"font-family": "system-ui,sans-serif", "font-size": "13px"}


def _rules(properties):
    return ";".join(f"{name}:{f'var({value})' if value.startswith('--') else value}"
                    for name, value in properties.items())  # fmt: skip


def style():
    """CSS shared by a page and its pictures."""
    light, dark = ("".join(f"--{name}:{value};" for name, value in colours.items()) for colours in (_LIGHT, _DARK))
    shapes = "".join(f"svg {name}{{{_rules(properties)}}}\n" for name, properties in _SHAPES.items())
    return (f":root{{{light}}}\n@media(prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
            f"svg{{{_rules(_FONT)};display:block;max-width:100%;height:auto}}\n{shapes}")  # fmt: skip


def light(name):
    """(red, green, blue) of a colour on light screens."""
    return tuple(bytes.fromhex(_LIGHT[name][1:]))


def _resolved(tag, classes):
    """Attributes of an element with the values of the page's CSS, in the light colours: every renderer knows
    attributes."""
    found = {}
    for name, properties in _SHAPES.items():
        if name == tag or name[1:] in classes:
            found.update(properties)
    return {name: _LIGHT[value[2:]] if value.startswith("--") else value for name, value in found.items()}


def _attributes(values):
    names = ((name.rstrip("_").replace("_", "-"), value) for name, value in values.items() if value is not None)
    return "".join(f' {name}="{escape(_short(value))}"' for name, value in names)


def _short(value):
    """Coordinates to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def _element(tag, attributes, inner, alone):
    if alone:
        classes = (attributes.get("class_") or "").split()
        kept = {name: value for name, value in attributes.items() if name != "class_"}
        attributes = {**_resolved(tag, classes), **kept}
    head = f"<{tag}{_attributes(attributes)}"
    return f"{head}>{inner}</{tag}>" if inner else f"{head}/>"


class Svg:
    """A picture with a size in pixels; screen readers read `title`."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self._parts = []  # (in a page, in a separate file)

    def add(self, tag, text=None, tip=None, **attributes):
        """An element: attributes by name, class_ and stroke_width for class and stroke-width; `tip` is shown under the
        pointer."""
        inner = (f"<title>{escape(tip)}</title>" if tip else "") + ("" if text is None else escape(text))
        self._parts.append(tuple(_element(tag, attributes, inner, alone) for alone in (False, True)))

    def text(self, x, y, text, class_=None, anchor=None, **more):
        self.add("text", text, x=x, y=y, class_=class_, text_anchor=anchor, **more)

    def line(self, x1, y1, x2, y2, class_="rule"):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)

    def rect(self, x, y, width, height, class_, tip=None, **more):
        self.add("rect", tip=tip, x=x, y=y, width=max(0.0, width), height=max(0.0, height), class_=class_, **more)

    def path(self, points, class_, closed=False):
        steps = "L".join(f"{_short(float(x))} {_short(float(y))}" for x, y in points)
        self.add("path", d=f"M{steps}{'Z' if closed else ''}", class_=class_)

    def arrow(self, x1, y1, x2, y2):
        """An arrow along an axis, with its head at the second end."""
        self.line(x1, y1, x2, y2, "arrow")
        if y1 == y2:
            back = 8 if x2 > x1 else -8
            head = [(x2, y2), (x2 - back, y2 - 4), (x2 - back, y2 + 4)]
        else:
            back = 8 if y2 > y1 else -8
            head = [(x2, y2), (x2 - 4, y2 - back), (x2 + 4, y2 - back)]
        self.path(head, "head", closed=True)

    def place(self, picture, x, y):
        """Add a picture, its upper left corner at x and y."""
        self._parts.append(tuple(picture.render(alone, x=x, y=y) for alone in (False, True)))

    def shade(self, name, image, x, y, width, height, tip):
        """Add an image of the light heat colour with alpha as the value; a page gives its own colour.

        `name` is the name of the mask in a page. A separate file has no mask, because some renderers lack alpha masks.
        """
        place = {"x": x, "y": y, "width": width, "height": height}
        shape = {"href": image, **place, "preserveAspectRatio": "none", "style": "image-rendering:pixelated"}
        title = f"<title>{escape(tip)}</title>"
        mask = f'<mask id="{name}" style="mask-type:alpha">{_element("image", shape, "", False)}</mask>'
        masked = _element("rect", {**place, "class_": "heat", "mask": f"url(#{name})"}, title, False)
        self._parts.append((mask + masked, _element("image", shape, title, True)))

    def render(self, alone=False, **more):
        """The element; `alone`: a separate file with its colours. Otherwise the element takes the page's colours."""
        size = {"viewBox": f"0 0 {self.width} {self.height}", "width": self.width, "height": self.height}
        background = ""
        if alone:
            size = {"xmlns": "http://www.w3.org/2000/svg", **size, **_FONT}
            background = _element("rect", {"width": "100%", "height": "100%", "class_": "card"}, "", True)
        head = f"<svg{_attributes({**size, 'role': 'img', 'aria-label': self.title, **more})}>"
        return f"{head}{background}{''.join(part[alone] for part in self._parts)}</svg>"


def ticks(low, high, count=5):
    """At most `count` round numbers from low to high, and a further number."""
    span = high - low
    if span <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / count))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * count >= span * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]

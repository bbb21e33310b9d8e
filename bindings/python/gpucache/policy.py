# SPDX-License-Identifier: BSD-2-Clause
"""Replacement policies and bypass predictors written in Python; scheduler.py, throttle.py and prefetcher.py add more.

Subclass ReplacementPolicy or Predictor, set `name`, and pass the class to Context.register(). Configuration text can
then use the name. The library makes an instance per cache. The library calls only methods defined by the subclass.
register() refuses an unknown method with a name that begins with on_, or that differs by a letter from a known name. No
method may call into the library. An exception ends the access as soon as possible, and is raised by the call that made
the access.

Arguments live for the call only:

    request   of gpucache/types.h: address, pc, sm, warp, warp_age (0 = the SM's oldest), block, kernel, kind (a Kind),
              space, hint, priority, transactions (lines of its warp instruction), bytes_used, sector_mask, cycle, ...;
              and request.policy: token, policy_word (of the predictor above), next_use (with l1.future), admitted
    eviction  line_address, set, way, reuse_count, valid_sectors, dirty_sectors, forced
    event     kind (a WarpEventKind), sm, warp, block, kernel, cycle
    sample    of one SM in a period: cycle, cycles, active_cycles, instructions, reads, read_hits
"""

import ctypes
import difflib
import operator
from collections import namedtuple
from typing import Dict, Optional, Sequence, Tuple, Union

from . import _generated as g
from ._constants import GPC_WAY_BYPASS, Busy, Decision, PolicyKind, Status
from ._native import always, decoded, drop, held, hold, strict, text

# choose_victim's answer for "change nothing and bypass the request".
BYPASS_WAY = GPC_WAY_BYPASS

# Arguments of methods; the fields are above.
Request, Eviction, WarpEvent, SmSample = g.gpc_request, g.gpc_eviction, g.gpc_warp_event, g.gpc_sample

_NO_WAY = GPC_WAY_BYPASS - 1  # never a way: the library refuses the value, and the access ends


class Parameter(namedtuple("Parameter", "name initial minimum maximum whole meaning")):
    """A number in configuration text: `name(parameter=value)`."""

    def __new__(cls, name, initial, minimum, maximum, whole=False, meaning=""):
        return super().__new__(cls, name, initial, minimum, maximum, whole, meaning)


class TextParameter(namedtuple("TextParameter", "name initial choices meaning")):
    """A word or text in configuration text: `name(parameter=word)`.

    choices  allowed words; () = any text
    The name "" stands for the list of arguments without a `=`: `name(lru, age-lru(bypass=1))`.
    """

    def __new__(cls, name, initial="", choices=(), meaning=""):
        return super().__new__(cls, name, initial, tuple(choices), meaning)


def parameter_values(raw, registered):
    """{name: value} of an environment's numbers."""
    values = zip(registered.parameters, raw.parameters if registered.parameters else ())
    return {each.name: int(value) if each.whole else value for each, value in values}


def text_values(raw, registered):
    """{name: text} of the text parameters; the list, "", is split."""
    values = zip(registered.texts, raw.texts if registered.texts else ())
    return {each.name: decoded(value) if each.name else items(decoded(value)) for each, value in values}


def items(text):
    """Split a text at commas outside parentheses."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [item.strip() for item in found if item.strip()]


class PolicyCounter(namedtuple("PolicyCounter", "value unit meaning level")):
    """A counter published by a policy. With `level`, a state or a peak: the largest value of all instances counts.
    Otherwise instances add up."""

    def __new__(cls, value, unit="", meaning="", level=False):
        return super().__new__(cls, value, unit, meaning, level)


class Environment:
    """The cache of an instance."""

    def __init__(self, raw, registered) -> None:
        self.sets = raw.sets
        self.ways = raw.ways
        self.line_bytes = raw.line_bytes
        self.sectors = raw.sectors  # per line; 1 = not sectored
        self.index = raw.index  # number of the cache within its level
        self.count = raw.count  # caches of the level
        self.seed = raw.seed  # differs per cache
        self.arguments = decoded(raw.arguments)  # the text between the parentheses
        self.parameters = parameter_values(raw, registered)  # {name: number}
        self.texts = text_values(raw, registered)  # {name: text}; of "" the list
        self.shared = None  # what share() made


class _Policy:
    name = ""
    summary = ""
    source = ""
    parameters = ()  # of Parameter
    texts = ()  # of TextParameter

    def __init__(self, env: Environment) -> None:
        """`env` is an Environment. An exception refuses the cache."""

    @classmethod
    def share(cls, env: Environment) -> object:
        """Make the shared object of a level's caches (an L1 per SM); instances read env.shared.

        Called before the first instance. A single cache is a level with one cache.
        """

    def finish(self) -> None:
        """The cache goes."""

    def on_hit(self, set: int, way: int, request: Request) -> None:
        """`way` of `set` served the request."""

    def on_sector_miss(self, set: int, way: int, request: Request) -> None:
        """The line is in `way` of `set`, without a sector of the request: neither hit nor reuse."""

    def on_fill(self, set: int, way: int, request: Request) -> None:
        """`way` of `set` now belongs to the request's line."""

    def on_evict(self, set: int, way: int, eviction: Eviction, request: Optional[Request]) -> None:
        """The line of `way` leaves to make room for the request's."""

    def on_invalidate(self, set: int, way: int) -> None:
        """The line of `way` was invalidated."""

    def on_warp_event(self, event: WarpEvent) -> None:
        """A warp of this SM started, reached a barrier or ended."""

    def on_sample(self, sample: SmSample) -> None:
        """A period ended (the key sample.period). Called for the caches of a level in turn, in order of env.index."""

    def counters(self) -> Dict[str, Union[int, PolicyCounter]]:
        """Counters of the policy, {name: number or PolicyCounter}; names of a-z, 0-9 and _, always the same."""
        return {}

    @classmethod
    def cost_bits(cls, env: Environment) -> int:
        """Storage in hardware, in bits, of cache env.index; shared storage counts in cache 0."""
        return 0


class ReplacementPolicy(_Policy):
    """Which line leaves."""

    reads = 0  # ReadsBits: inputs read by the policy. 0: not stated, taken for every input

    needs_future = False  # reads request.policy.next_use: refused without l1.future

    def on_miss(self, set: int, request: Request) -> None:
        """No way of `set` holds the line."""

    def choose_victim(self, set: int, candidates: Sequence[int], request: Request) -> int:
        """A way of `candidates`, ascending; or BYPASS_WAY. Free ways are taken without a call. Required."""
        raise NotImplementedError(f"{type(self).__name__} has no choose_victim")

    def declines(self, set: int, candidates: Sequence[int], request: Request) -> bool:
        """Decide on a bypass for a miss in a full set, if data are requested before a way is chosen.

        True: the miss moves as little data as a bypass. False: choose_victim is called when the data arrive, with
        request.policy.admitted = 1. Without this method, choose_victim alone decides.
        """


class Predictor(_Policy):
    """Decides which misses may allocate."""

    reads = 0  # as in ReplacementPolicy

    before_lookup = False  # predict before the tags are looked up, for hits too
    below = ""  # name of the predictor in the level below that keeps this predictor's bits, and responds

    def predict(self, set: int, request: Request) -> Union[Decision, Tuple[Decision, int], None]:
        """Decision.CACHE or Decision.BYPASS, or (decision, word for the level below). Required."""
        raise NotImplementedError(f"{type(self).__name__} has no predict")

    def on_reply(self, request: Request, predicted: Decision, word: int) -> Decision:
        """The reply brought `word`; returns the final decision."""
        return predicted

    def respond(self, set: int, way: Optional[int], request: Request) -> int:
        """This level served a request from above; returns the word for the reply. `way` is None if not resident."""
        return 0

    def on_stall(self, request: Request, reason: Busy) -> Decision:
        """A timed L1 holds a load up, for a Busy reason: Decision.BYPASS sends the load below, past L1."""
        return Decision.CACHE


# Trampolines. The state's address in the library identifies an instance, a token identifies a class.

instances = {}
_levels = {}  # address of a level's shared state: [result of share(), instances]


class _Instance:
    __slots__ = ("policy", "ways", "level")

    def __init__(self, policy, env) -> None:
        self.policy = policy
        self.ways = range(env.ways)
        self.level = env.shared_state


def number(value, limit, what):
    found = operator.index(value)
    if not 0 <= found <= limit:
        raise ValueError(f"{what} returned {found}, not 0 to {limit}")
    return found


def _seen(pointer):
    """Target of a pointer, None for NULL."""
    return pointer.contents if pointer else None


def _init(environment, instance):
    """The `init` of a kind of policy with an `environment`, kept in an `instance`."""

    def made(registered, raw):
        env = environment(raw, registered)
        address = getattr(raw, "shared_state", None)
        if not address:
            return registered(env)
        level = _levels.get(address) or [registered.share(env), 0]
        env.shared = level[0]
        policy = registered(env)
        level[1] += 1
        _levels[address] = level
        return policy

    def init(pointer, env, message):
        registered = held(env.contents.user_data)
        try:
            policy = made(registered, env.contents)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:255]
            ctypes.memmove(message, reason + b"\0", len(reason) + 1)
            raise
        instances[pointer] = instance(policy, env.contents)
        return Status.OK

    return init


def _finish(pointer):
    instance = instances.pop(pointer)
    _published.pop(pointer, None)
    address = getattr(instance, "level", None)
    if address:
        _levels[address][1] -= 1
        if not _levels[address][1]:
            del _levels[address]
    instance.policy.finish()


def _on_hit(pointer, set, way, request):
    instances[pointer].policy.on_hit(set, way, request.contents)


def _on_sector_miss(pointer, set, way, request):
    instances[pointer].policy.on_sector_miss(set, way, request.contents)


def _on_miss(pointer, set, request):
    instances[pointer].policy.on_miss(set, request.contents)


def _ways(instance, candidates):
    """Ways with their bit set, ascending; all for NULL."""
    if not candidates:
        return instance.ways
    return [way for way in instance.ways if candidates[way >> 6] >> (way & 63) & 1]


def _choose_victim(pointer, set, candidates, request):
    instance = instances[pointer]
    victim = instance.policy.choose_victim(set, _ways(instance, candidates), request.contents)
    return number(victim, GPC_WAY_BYPASS, "choose_victim")


def _declines(pointer, set, candidates, request):
    instance = instances[pointer]
    return bool(instance.policy.declines(set, _ways(instance, candidates), request.contents))


def _on_fill(pointer, set, way, request):
    instances[pointer].policy.on_fill(set, way, request.contents)


def _on_evict(pointer, set, way, eviction, request):
    instances[pointer].policy.on_evict(set, way, eviction.contents, _seen(request))


def _on_invalidate(pointer, set, way):
    instances[pointer].policy.on_invalidate(set, way)


def _on_warp_event(pointer, event):
    instances[pointer].policy.on_warp_event(event.contents)


def _on_sample(pointer, sample):
    instances[pointer].policy.on_sample(sample.contents)


def _on_stall(pointer, request, reason):
    answer = instances[pointer].policy.on_stall(request.contents, Busy(reason))
    return Decision(0 if answer is None else answer)


def _cost_bits(env):
    registered = held(env.contents.user_data)
    return number(registered.cost_bits(Environment(env.contents, registered)), 2**64 - 1, "cost_bits")


def _predict(pointer, set, request, prediction):
    answer = instances[pointer].policy.predict(set, request.contents)
    word = 0
    if isinstance(answer, tuple):
        answer, word = answer
    prediction.contents.decision = Decision(0 if answer is None else answer)
    prediction.contents.policy_word = number(word, 2**32 - 1, "predict")


def _on_reply(pointer, request, predicted, word):
    return Decision(instances[pointer].policy.on_reply(request.contents, Decision(predicted), word))


def _respond(pointer, set, way, request):
    answer = instances[pointer].policy.respond(set, None if way == GPC_WAY_BYPASS else way, request.contents)
    return number(answer, 2**32 - 1, "respond")


_published = {}  # address of an instance's state: texts in use by the library


def _counter(pointer, index, out):
    found = list(instances[pointer].policy.counters().items())
    if index >= len(found):
        return False
    name, value = found[index]
    value = value if isinstance(value, PolicyCounter) else PolicyCounter(value)
    kept = _published.setdefault(pointer, {})
    for field, words in (("name", name), ("unit", value.unit), ("meaning", value.meaning)):
        setattr(out.contents, field, kept.setdefault(words, text(words, field)))
    out.contents.is_level = bool(value.level)
    out.contents.value = number(value.value, 2**64 - 2, f"counters: {name}")
    return True


COST = (_cost_bits, 0)
COUNTER = (_counter, False)
_COMMON = {
    "on_hit": (_on_hit, None), "on_sector_miss": (_on_sector_miss, None), "on_fill": (_on_fill, None), "on_evict":
    (_on_evict, None), "on_invalidate": (_on_invalidate, None), "on_warp_event": (_on_warp_event, None), "cost_bits":
    COST, "on_sample": (_on_sample, None), "counter": COUNTER,
}  # fmt: skip
_REPLACEMENT = {
    **_COMMON, "on_miss": (_on_miss, None), "choose_victim": (_choose_victim, _NO_WAY), "declines": (_declines, False),
}  # fmt: skip
_PREDICTOR = {
    **_COMMON, "predict": (_predict, None), "on_reply": (_on_reply, 0), "respond": (_respond, 0),
    "on_stall": (_on_stall, 0),
}  # fmt: skip


# `table` is the class of the library's table, `made` the functions by field, `register` the name of the registering
# function.
_Kind = namedtuple("_Kind", "kind table made required register")
_kinds = {}  # by base class


def add_kind(kind, base, table, required, *, lib_name, environment, instance, methods):
    """Add a kind of policy. `methods`: {field of its table: (function, answer after a failure)}."""
    prototypes = {name: kind for name, kind in table._fields_ if isinstance(kind, type)}
    made = {name: strict(prototypes[name], answer)(function) for name, (function, answer) in methods.items()}
    made["init"] = strict(prototypes["init"], Status.ERROR_CALLBACK)(_init(environment, instance))
    made["finish"] = always(prototypes["finish"])(_finish)
    _kinds[base] = _Kind(kind, table, made, required, lib_name)


add_kind(
    PolicyKind.REPLACEMENT, ReplacementPolicy, g.gpc_replacement_ops, "choose_victim",
    lib_name="gpc_context_register_replacement", environment=Environment, instance=_Instance, methods=_REPLACEMENT,
)  # fmt: skip
add_kind(
    PolicyKind.PREDICTOR, Predictor, g.gpc_predictor_ops, "predict",
    lib_name="gpc_context_register_predictor", environment=Environment, instance=_Instance, methods=_PREDICTOR,
)  # fmt: skip


@always(ctypes.CFUNCTYPE(None, ctypes.c_void_p))
def forget(token):
    """The library's `destroy`: the registration is gone."""
    drop(token)


def _base_of(policy):
    for base in _kinds:
        if isinstance(policy, type) and issubclass(policy, base):
            return base
    raise TypeError(f"{policy!r} is no subclass of {' or '.join(base.__name__ for base in _kinds)}")


def registrar_of(policy):
    """Name of the library's registering function."""
    return _kinds[_base_of(policy)].register


def kind_of(policy):
    """The PolicyKind of a class."""
    return _kinds[_base_of(policy)].kind


def name_of(policy):
    """Registered name of a class."""
    return policy.name or policy.__name__.lower()


def _declare(ops, policy):
    """The parameters, into a table."""
    numbers = [
        g.gpc_parameter(
            text(each.name, "parameter"), each.initial, each.minimum, each.maximum, each.whole,
            text(each.meaning, "meaning"),
        )
        for each in policy.parameters
    ]  # fmt: skip
    texts = [
        g.gpc_text_parameter(
            text(each.name, "parameter"), text(each.initial, "initial"),
            text("|".join(each.choices), "choices") if each.choices else None, text(each.meaning, "meaning"),
        )
        for each in policy.texts
    ]  # fmt: skip
    ops.parameter_count, ops.text_count = len(numbers), len(texts)
    if numbers:
        ops.parameters = (g.gpc_parameter * len(numbers))(*numbers)
    if texts:
        ops.texts = (g.gpc_text_parameter * len(texts))(*texts)


def _one_edit(given, name):
    """True if a letter added, removed or changed, or two exchanged letters, turn one name into the other, case aside.
    """
    given, name = given.lower(), name.lower()
    short, long = sorted((given, name), key=len)
    at = next((n for n, pair in enumerate(zip(short, long)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1:]
    exchanged = short[at + 1:at + 2] + short[at:at + 1] + short[at + 2:]
    return short[at + 1:] == long[at + 1:] or exchanged == long[at:]


def _own(policy, base, name):
    """True if a class overrides a method of its base."""
    mine, theirs = (getattr(getattr(each, name), "__func__", getattr(each, name)) for each in (policy, base))
    return mine is not theirs


def _check_methods(policy, base):
    """Refuse a method that would never be called: a name with on_, or a letter off a known name."""
    known = [name for name in dir(base) if not name.startswith("_") and callable(getattr(base, name))]
    for name in dir(policy):
        found = getattr(policy, name)
        if name.startswith("_") or hasattr(base, name) or isinstance(found, type) or not callable(found):
            continue
        missed = [each for each in known if _one_edit(name, each) and not _own(policy, base, each)]
        if missed or name.startswith("on_"):
            near = missed or difflib.get_close_matches(name, known, 1)
            raise TypeError(
                f"{policy.__name__}.{name} would never be called: {base.__name__} has no such method"
                + (f"; did you mean {near[0]}?" if near else f"; it has {', '.join(known)}.")
                + f" If it is your own, begin its name with _: _{name}"
            )  # fmt: skip


def table_of(policy):
    """(table for the registration, token of the class). The table keeps its targets alive."""
    base = _base_of(policy)
    _, table, trampolines, required, _ = _kinds[base]
    _check_methods(policy, base)

    def own(field):
        return _own(policy, base, "counters" if field == "counter" else field)

    if not own(required):
        raise TypeError(f"{policy.__name__} has no {required}")
    used = {name: made for name, made in trampolines.items() if name in ("init", "finish") or own(name)}
    ops = table(
        name=text(name_of(policy), "name"), summary=text(policy.summary, "summary"),
        source=text(policy.source, "source"), instance_bytes=8, **used,
    )  # fmt: skip
    _declare(ops, policy)
    if hasattr(base, "share") and own("share"):
        ops.shared_bytes = 8
    if base is ReplacementPolicy:
        ops.needs_future = policy.needs_future
    if base in (ReplacementPolicy, Predictor):
        ops.reads = operator.index(policy.reads)
    if base is Predictor:
        ops.before_lookup = policy.before_lookup
        ops.below = text(policy.below, "below") if policy.below else None
    return ops, hold(policy)

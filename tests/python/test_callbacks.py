# SPDX-License-Identifier: BSD-2-Clause
"""Callbacks: the arguments, the allowed calls, and that an exception in a callback is never lost."""

import gc
import os
import signal
import sys
import threading
import traceback
import unittest

from harness import PYTHON, TemporaryCase, python

import gpucache
from gpucache import Kind, _native
from test_policy import PythonLru

LINE = 128


class Boom(Exception):
    """Raised by the callbacks."""


def raising(*_):
    raise Boom("from a callback")


class CacheCallbacks(TemporaryCase):
    def test_fill_and_evict(self):
        fills, evictions = [], []
        with gpucache.Cache(
            self.context, sets=1, ways=1, sectors=4,
            on_fill=lambda line, set, way, sectors, request: fills.append((line, set, way, sectors, request.pc)),
            on_evict=lambda gone, request: evictions.append(
                (gone.line_address, gone.dirty_sectors, gone.forced, request.address if request else None)
            ),
        ) as cache:  # fmt: skip
            cache.access(32, size=32, pc=1)
            cache.access(64, size=32, pc=2)
            cache.access(64, size=32, kind=Kind.STORE)
            cache.access(LINE, pc=3)
            cache.access(LINE, kind=Kind.STORE)
            cache.flush()
            cache.invalidate()
        self.assertEqual(fills, [(0, 0, 0, 0b0010, 1), (0, 0, 0, 0b0100, 2), (LINE, 0, 0, 0b1111, 3)])
        self.assertEqual(evictions, [(0, 0b0100, 0, LINE), (LINE, 0b1111, 1, None), (LINE, 0, 1, None)])

    def test_levels_by_hand(self):
        """A callback may call into another cache."""
        below = gpucache.Cache(self.context)
        with gpucache.Cache(
            self.context, sets=1, ways=1, on_evict=lambda gone, _: below.access(gone.line_address, kind=Kind.STORE)
        ) as above:
            above.access(0)
            above.access(LINE)
        self.assertEqual(below.stats()["writes"], 1)
        below.close()

    def test_index_function(self):
        with gpucache.Cache(self.context, sets=4, ways=1, index_fn=lambda number, sets: number // 2 % sets) as cache:
            self.assertEqual(cache.access(2 * LINE).set, 1)
            self.assertEqual(cache.access(3 * LINE).set, 1)

    def test_exceptions(self):
        for name in ("on_fill", "on_evict", "index_fn"):
            with self.subTest(name), gpucache.Cache(self.context, sets=1, ways=1, **{name: raising}) as cache:
                try:
                    cache.access(0)
                    cache.access(LINE)
                except Boom as error:
                    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                self.assertEqual(frames[-1], "raising")
                self.assertIn("access", frames)
                cache.stats()  # and that was all

    def test_exception_of_a_batch(self):
        with gpucache.Cache(self.context, sets=1, ways=1, on_evict=raising) as cache:
            with self.assertRaises(Boom) as caught:
                cache.access_many([0, LINE, 2 * LINE])
            self.assertGreaterEqual(caught.exception.done, 1)

    def test_index_out_of_range(self):
        with gpucache.Cache(self.context, sets=4, index_fn=lambda number, sets: sets) as cache:
            with self.assertRaisesRegex(ValueError, "returned set 4 of 4"):
                cache.access(0)

    def test_own_cache_is_refused(self):
        def call_back(*_):
            cache.access(0)

        with gpucache.Cache(self.context, on_fill=call_back) as cache:
            with self.assertRaisesRegex(gpucache.StateError, "may not call into its object"):
                cache.access(0)
            with self.assertRaises(gpucache.StateError):
                cache.access(LINE)

    def test_close_in_its_own_callback_is_refused(self):
        with gpucache.Cache(self.context, on_fill=lambda *_: cache.close()) as cache:
            with self.assertRaises(gpucache.StateError):
                cache.access(0)
            self.assertFalse(cache.closed)

    def test_nested(self):
        """An exception passes through the callback of another cache, where a handler may catch the exception."""
        caught = []

        def through(*_):
            try:
                inner.access(0)
            except Boom as error:
                caught.append(error)

        with gpucache.Cache(self.context, on_fill=raising) as inner:
            with gpucache.Cache(self.context, on_fill=through) as outer:
                outer.access(0)
            with gpucache.Cache(self.context, on_fill=lambda *_: inner.access(LINE)) as outer:
                with self.assertRaises(Boom):
                    outer.access(0)
        self.assertEqual(len(caught), 1)


class PolicyCallbacks(TemporaryCase):
    def failing(self, *names, base=PythonLru):
        kind = type("Failing", (base,), {"name": "failing", **{name: raising for name in names}})
        return self.context.register(kind)

    def test_exceptions(self):
        for method in ("on_hit", "on_miss", "choose_victim", "on_fill", "on_evict", "on_invalidate", "on_warp_event"):
            with self.subTest(method), gpucache.Context() as context:
                context.register(type("Failing", (PythonLru,), {"name": "failing", method: raising}))
                with gpucache.Cache(context, sets=1, ways=1, replacement="failing") as cache:
                    with self.assertRaises(Boom):
                        cache.access(0)
                        cache.access(0)
                        cache.access(LINE)
                        cache.invalidate()
                        cache.warp_event(gpucache.WarpEventKind.WARP_EXIT)
                    cache.stats()

    def test_exceptions_of_a_predictor(self):
        for method in ("predict", "on_reply", "respond", "on_hit", "on_fill"):
            with self.subTest(method), gpucache.Context() as context:
                methods = {"predict": lambda self, set, request: None, method: raising}
                context.register(type("Failing", (gpucache.Predictor,), {"name": "failing", **methods}))
                with gpucache.Cache(context, predictor="failing") as cache:
                    with self.assertRaises(Boom):
                        cache.access(0)
                        cache.access(0)
                        cache.reply("cache", 0, 0)
                        cache.respond(0)
                    cache.stats()

    def test_a_batch_stops_at_the_failed_choice(self):
        self.failing("choose_victim")
        with gpucache.Cache(self.context, sets=1, ways=2, replacement="failing") as cache:
            with self.assertRaises(Boom) as caught:
                cache.access_many([0, LINE, 0, 2 * LINE, 0])
            self.assertEqual(caught.exception.done, 3)
            self.assertEqual([line.line_address for line in cache.lines()], [0, LINE])

    def test_init(self):
        self.failing("__init__")
        with self.assertRaises(Boom):
            gpucache.Cache(self.context, replacement="failing")
        with gpucache.Cache(self.context) as cache:
            with self.assertRaises(Boom):
                cache.set_replacement("failing")
            cache.access(0)
            self.assertTrue(cache.access(0).hit)  # the old one stayed

    def test_cost(self):
        self.context.register(type("Failing", (PythonLru,), {"name": "failing", "cost_bits": classmethod(raising)}))
        with self.assertRaises(Boom):
            self.context.policy_cost("replacement", "failing", sets=1, ways=1)

    def test_finish_raises_from_close(self):
        self.failing("finish")
        cache = gpucache.Cache(self.context, replacement="failing")
        with self.assertRaises(Boom):
            cache.close()
        self.assertTrue(cache.closed)

    def unseen(self):
        """Exceptions without a possible handler."""
        seen = []
        before = sys.unraisablehook
        sys.unraisablehook = lambda found: seen.append(found.exc_value)
        self.addCleanup(setattr, sys, "unraisablehook", before)
        return seen

    def test_finish_from_the_garbage_collector(self):
        seen = self.unseen()
        self.failing("finish")
        cache = gpucache.Cache(self.context, replacement="failing")
        del cache
        gc.collect()
        self.assertEqual([type(error) for error in seen], [Boom])

    def test_unseen_on_stderr(self):
        """Without the caller's hook."""
        found = python(
            "-c", "import gpucache, test_policy\n"
            "class Failing(test_policy.PythonLru):\n    name = 'failing'\n"
            "    def finish(self): raise KeyError('lost')\n"
            "context = gpucache.Context()\ncontext.register(Failing)\n"
            "cache = gpucache.Cache(context, replacement='failing')\ndel cache\nprint('on')\n",
            PYTHONPATH=os.pathsep.join([PYTHON, os.path.dirname(os.path.abspath(__file__))]),
        )  # fmt: skip
        self.assertEqual((found.returncode, found.stdout), (0, "on\n"))
        self.assertIn("Exception in a gpucache callback:\nTraceback", found.stderr)
        self.assertIn("KeyError: 'lost'", found.stderr)

    def test_second_exception_is_reported(self):
        """The policy and the predictor both fail in finish: one is raised, the other shown."""
        seen = self.unseen()

        def other(*_):
            raise KeyError("the predictor's")

        self.failing("finish")
        methods = {"name": "failing", "finish": other, "predict": raising}
        self.context.register(type("FailingToo", (gpucache.Predictor,), methods))
        cache = gpucache.Cache(self.context, replacement="failing", predictor="failing")
        with self.assertRaises((Boom, KeyError)) as caught:
            cache.close()
        self.assertEqual(len(seen), 1)
        self.assertEqual({type(caught.exception), type(seen[0])}, {Boom, KeyError})

    def test_impossible_victims(self):
        class Wrong(PythonLru):
            name = "wrong"
            answer = None

            def choose_victim(self, set, candidates, request):
                return self.answer

        self.context.register(Wrong)
        for answer, error in ((7, gpucache.CallbackError), (None, TypeError), ("0", TypeError), (-1, ValueError),
                              (2**32, ValueError)):  # fmt: skip
            Wrong.answer = answer
            with self.subTest(answer=answer):
                with gpucache.Cache(self.context, sets=1, ways=1, replacement="wrong") as cache:
                    cache.access(0)
                    with self.assertRaises(error):
                        cache.access(LINE)
                    self.assertTrue(cache.access(0).hit)

    def test_may_not_call_the_library(self):
        other = gpucache.Cache(self.context)
        context = self.context

        class Curious(PythonLru):
            name = "curious"
            calls = (lambda: other.access(0), other.close, lambda: gpucache.Cache(context), context.close)

            def on_fill(self, set, way, request):
                self.calls[request.pc]()

        context.register(Curious)
        for number in range(len(Curious.calls)):
            with gpucache.Cache(context, replacement="curious") as cache:
                with self.assertRaisesRegex(gpucache.StateError, "a callback may not call"):
                    cache.access(0, pc=number)
        self.assertFalse(other.closed or context.closed)
        other.close()

    def test_garbage_inside_a_policy_waits(self):
        """An object that dies inside a policy's method is given back after the call."""
        given_back = []

        class Noted(PythonLru):
            name = "noted"

            def finish(self):
                given_back.append("finish")

        class Dropping(PythonLru):
            name = "dropping"

            def on_fill(self, set, way, request):
                victims.clear()
                given_back.append("on_fill")

        self.context.register(Noted)
        self.context.register(Dropping)
        victims = [gpucache.Cache(self.context, replacement="noted")]
        with gpucache.Cache(self.context, replacement="dropping") as cache:
            cache.access(0)
            self.assertEqual(given_back, ["on_fill", "finish"])

    def test_interrupt(self):
        """Ctrl-C in a policy reaches the caller."""

        def interrupt(*_):
            raise KeyboardInterrupt

        self.context.register(type("Failing", (PythonLru,), {"name": "failing", "on_hit": interrupt}))
        with gpucache.Cache(self.context, replacement="failing") as cache:
            with self.assertRaises(KeyboardInterrupt):
                cache.access_many([0, 0])


class Signals(TemporaryCase):
    """A signal's handler runs at the beginning of a Python function: mostly at the beginning of a callback."""

    def setUp(self):
        super().setUp()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def cache(self, action):
        kind = {"name": "signalling", "on_fill": lambda *_: action(), "on_hit": lambda *_: self.hits.append(1)}
        self.hits = []
        self.context.register(type("Signalling", (PythonLru,), kind))
        made = gpucache.Cache(self.context, replacement="signalling")
        self.addCleanup(made.close)
        return made

    def test_interrupt(self):
        cache = self.cache(lambda: os.kill(os.getpid(), signal.SIGINT))
        for access in (lambda: cache.access_many([0, 0, 0]), lambda: cache.access(LINE)):
            with self.assertRaises(KeyboardInterrupt):
                access()
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertEqual(self.hits, [], "callbacks that ran after the interrupt")
        cache.access_many([0, 0])
        self.assertEqual(self.hits, [1, 1])

    def test_handler_of_the_caller(self):
        seen = []

        def note(number, frame):
            seen.append(number)

        signal.signal(signal.SIGINT, note)
        cache = self.cache(lambda: os.kill(os.getpid(), signal.SIGINT))
        cache.access(0)
        self.assertEqual(seen, [signal.SIGINT])
        self.assertIs(signal.getsignal(signal.SIGINT), note)

    def test_ignored_stays_ignored(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.cache(lambda: os.kill(os.getpid(), signal.SIGINT)).access(0)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.SIG_IGN)


class Threads(unittest.TestCase):
    def test_each_thread_gets_its_own_exceptions(self):
        found = {}

        def work(name):
            def fail(*_):
                raise Boom(name)

            with gpucache.Context() as context, gpucache.Cache(context, on_fill=fail) as cache:
                messages = set()
                for number in range(300):
                    try:
                        cache.access(number * LINE)
                    except Boom as error:
                        messages.add(str(error))
                found[name] = messages

        threads = [threading.Thread(target=work, args=(f"thread {number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {f"thread {number}": {f"thread {number}"} for number in range(4)})


class Log(TemporaryCase):
    """Nothing in the library is sure to log, so the test calls the trampoline like the library."""

    def test_messages_and_exceptions(self):
        from gpucache.context import _log

        said = []
        token = _native.hold(lambda: context)
        with gpucache.Context(log=lambda level, message: said.append((level, message))) as context:
            _log(token, 1, b"hello")
            self.assertEqual(said, [(gpucache.LogLevel.INFO, "hello")])
            context.log = raising
            _log(token, 0, b"again")
            with self.assertRaises(Boom):
                _native.settle()
        _native.drop(token)
        _log(token, 0, b"to nobody")
        _native.settle()

    def test_log_needs_no_closing(self):
        gc.collect()
        tokens = len(_native._tokens)
        context = gpucache.Context(log=print)
        self.assertEqual(len(_native._tokens), tokens + 1)
        del context
        gc.collect()
        self.assertEqual(len(_native._tokens), tokens)


if __name__ == "__main__":
    unittest.main()

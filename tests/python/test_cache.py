# SPDX-License-Identifier: BSD-2-Clause
"""The cache object through the bindings: options, accesses, batches, the three steps, lines, statistics."""

import array
import ctypes
import gc
import mmap
import random
import sys
import unittest
import weakref

from harness import TemporaryCase

import gpucache
from gpucache import Kind, Outcome, Status, _native

LINE = 128


def addresses(count, lines, seed=1):
    draw = random.Random(seed)
    return array.array("Q", [LINE * draw.randrange(lines) for _ in range(count)])


class Options(TemporaryCase):
    def test_defaults_are_those_of_the_header(self):
        with gpucache.Cache(self.context) as cache:
            # 32 sets x 4 ways: of 5 lines of one set the first is evicted.
            for number in range(5):
                cache.access(number * 32 * LINE)
            self.assertEqual(cache.probe(0).outcome, Outcome.MISS)
            self.assertEqual(cache.probe(32 * LINE).outcome, Outcome.HIT)

    def test_enumerations_by_name(self):
        for value in (gpucache.WritePolicy.THROUGH, "through", 1):
            with gpucache.Cache(self.context, write_policy=value, write_allocate="no-allocate") as cache:
                self.assertEqual(cache.access(0, kind=Kind.STORE).write_sectors, 1)
        message = "write_policy is 'sideways', not one of back, through, evict"
        with self.assertRaisesRegex(gpucache.ArgumentError, message):
            gpucache.Cache(self.context, write_policy="sideways")

    def test_unknown_option(self):
        with self.assertRaisesRegex(TypeError, "'colour' is no option of a cache: .*ways"):
            gpucache.Cache(self.context, colour=3)

    def test_library_names_the_field(self):
        with self.assertRaisesRegex(gpucache.GpucacheError, "line_bytes") as caught:
            gpucache.Cache(self.context, line_bytes=100)
        self.assertLess(caught.exception.status, 0)
        with self.assertRaisesRegex(gpucache.NotFoundError, "lur.*lru"):
            gpucache.Cache(self.context, replacement="lur")

    def test_text_with_nul(self):
        with self.assertRaisesRegex(gpucache.ArgumentError, "replacement holds a NUL"):
            gpucache.Cache(self.context, replacement="lru\0")
        with self.assertRaises(TypeError):
            gpucache.Cache(self.context, replacement=3)


class Accesses(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.cache = gpucache.Cache(self.context, sets=2, ways=2, line_bytes=LINE, sectors=4)
        self.addCleanup(self.cache.close)

    def test_result(self):
        first = self.cache.access(32, size=32)
        self.assertEqual((first.outcome, first.needed_sectors, first.fetch_sectors), (Outcome.MISS, 0b10, 0b10))
        self.assertFalse(first.hit)
        self.assertTrue(self.cache.access(33, size=1).hit)
        again = self.cache.access(64, size=32)
        self.assertEqual((again.outcome, again.fetch_sectors), (Outcome.SECTOR_MISS, 0b100))

    def test_request_object(self):
        request = gpucache.Request(address=LINE, kind=Kind.STORE, size=32)
        self.assertFalse(self.cache.access(request).hit)
        self.assertTrue(self.cache.access(request).hit)

    def test_refused_request(self):
        with self.assertRaises(gpucache.ArgumentError) as caught:
            self.cache.access(120, size=16)
        self.assertEqual(caught.exception.status, Status.ERROR_ARGUMENT)
        self.assertIn("gpc_request.size", str(caught.exception))

    def test_steps(self):
        self.assertEqual(self.cache.lookup(0).outcome, Outcome.MISS)
        self.assertEqual(self.cache.reserve(0b1111, 0).fetch_sectors, 0b1111)
        self.assertEqual(self.cache.lookup(0).outcome, Outcome.PENDING_HIT)
        self.assertEqual([line.pending_sectors for line in self.cache.lines()], [0b1111])
        self.cache.fill(0b1111, 0)
        self.assertEqual(self.cache.lookup(0).outcome, Outcome.HIT)
        self.assertEqual(self.cache.reply("cache", 0, 0), gpucache.Decision.CACHE)
        self.assertEqual(self.cache.respond(0), 0)

    def test_lines_flush_and_invalidate(self):
        for number in range(4):
            self.cache.access(number * LINE, kind=Kind.STORE if number % 2 else Kind.LOAD)
        lines = {line.line_address: line.dirty_sectors for line in self.cache.lines()}
        self.assertEqual(lines, {0: 0, LINE: 0b1111, 2 * LINE: 0, 3 * LINE: 0b1111})
        self.assertEqual(self.cache.flush(), 8)
        self.cache.invalidate(0)
        self.cache.invalidate(LINE, LINE + 1)
        self.assertEqual([line.line_address for line in self.cache.lines()], [3 * LINE])
        self.cache.invalidate()
        self.assertEqual(list(self.cache.lines()), [])

    def test_statistics(self):
        self.cache.access(0)
        self.cache.access(0)
        stats = self.cache.stats()
        self.assertEqual((stats["reads"], stats["read_hits"], stats["line_misses"]), (2, 1, 1))
        self.assertEqual(set(stats), {counter.name for counter in gpucache.cache_counters()})
        self.cache.reset_stats()
        self.assertEqual(self.cache.stats()["reads"], 0)

    def test_victims_and_shapes(self):
        with gpucache.Cache(self.context, sets=1, ways=2, replacement="random") as cache:
            for number in range(2):
                cache.access(number * LINE, kind=Kind.STORE)
            self.assertEqual(cache.probe_victim(0).outcome, Outcome.HIT)
            said = cache.probe_victim(2 * LINE)
            self.assertEqual((said.outcome, said.evicted), (Outcome.MISS, 1))
            did = cache.access(2 * LINE)
            self.assertEqual((did.way, did.eviction.line_address), (said.way, said.eviction.line_address))
            cache.resize(2, 4)
            self.assertEqual((list(cache.lines()), cache.stats()["reads"]), ([], 1))
            with self.assertRaisesRegex(gpucache.RangeError, "ways"):
                cache.resize(2, 0)

    def loop(self, cache):
        """Three lines round and round in two ways, where LRU never hits: the number of hits."""
        return sum(cache.access(i % 3 * 128).outcome == Outcome.HIT for i in range(30))

    def test_samples(self):
        cache = gpucache.Cache(self.context, replacement="vote(lru, mru, periods=1)", sets=1, ways=2)
        self.assertIn(gpucache.ReadsBits.SAMPLES, cache.lacks)
        for _ in range(8):
            hits = self.loop(cache)
            cache.sample(active_cycles=100, instructions=hits)
        self.assertEqual(hits, 15)
        self.assertFalse(cache.lacks)
        with self.assertRaisesRegex(TypeError, "no field 'instruction'; did you mean 'instructions'"):
            cache.sample(instruction=1)

    def test_caches_that_share(self):
        first = gpucache.Cache(self.context, replacement="vote(lru, mru, periods=1)", sets=1, ways=2, instances=2)
        second = gpucache.Cache(self.context, replacement="vote(lru, mru, periods=1)", sets=1, ways=2, instances=2,
                                instance=1, share_with=first)  # fmt: skip
        for _ in range(8):
            hits = self.loop(first), self.loop(second)
            for cache, n in zip((first, second), hits):
                cache.sample(active_cycles=100, instructions=n)
        self.assertEqual(hits, (15, 15))
        with self.assertRaisesRegex(gpucache.ArgumentError, "ways = 4 cannot share with one of 2"):
            gpucache.Cache(self.context, sets=1, ways=4, instances=2, instance=1, share_with=first)

    def test_what_is_not_told(self):
        tells = gpucache.GPC_READS_OF_REQUESTS
        with self.assertRaisesRegex(gpucache.UnsupportedError, "'vote' reads what its host does not tell"):
            gpucache.Cache(self.context, replacement="vote", tells=tells)
        gpucache.Cache(self.context, replacement="vote(lru, mru)", tells=tells | gpucache.ReadsBits.SAMPLES)

    def test_stalls(self):
        cache = gpucache.Cache(self.context, predictor="mrpb(mshr=0)")
        self.assertEqual(cache.stall("line", 0), gpucache.Decision.BYPASS)
        self.assertEqual(cache.stall(gpucache.Busy.MSHR, 0), gpucache.Decision.CACHE)

    def test_policies_of_a_live_cache(self):
        self.cache.set_replacement("fifo")
        with self.assertRaises(gpucache.NotFoundError):
            self.cache.set_replacement("none-such")
        self.cache.set_predictor("always-bypass")
        self.assertEqual(self.cache.access(0).outcome, Outcome.BYPASSED)
        self.cache.warp_event(gpucache.WarpEventKind.WARP_EXIT, warp=3)


class Batches(TemporaryCase):
    def cache(self, **options):
        made = gpucache.Cache(self.context, sets=8, ways=4, **options)
        self.addCleanup(made.close)
        return made

    def singly(self, stream, kinds):
        """Flags and evicted lines by calls of access()."""
        cache = self.cache()
        flags, evicted = bytearray(), []
        for address, kind in zip(stream, kinds):
            result = cache.access(address, kind=kind)
            flag = gpucache.GPC_BATCH_HIT if result.hit else 0
            flag |= gpucache.GPC_BATCH_EVICTED if result.evicted else 0
            flag |= gpucache.GPC_BATCH_WRITE_BACK if result.evicted and result.eviction.dirty_sectors else 0
            flags.append(flag)
            evicted.append(result.eviction.line_address if result.evicted else gpucache.NO_LINE)
        return flags, evicted, cache.stats()

    def test_as_single_accesses(self):
        stream = addresses(5000, 100)
        draw = random.Random(2)
        kinds = bytes(draw.randrange(2) for _ in stream)
        cache = self.cache()
        batch = cache.access_many(stream, kinds, results=True, evicted=True)
        flags, evicted, stats = self.singly(stream, kinds)
        self.assertEqual(batch.done, 5000)
        self.assertEqual(batch.results, flags)
        self.assertEqual(list(batch.evicted), evicted)
        self.assertEqual(cache.stats(), stats)
        self.assertGreater(stats["write_backs"], 0)

    def forms(self, stream):
        raw = stream.tobytes()
        with_copy = mmap.mmap(-1, len(raw))
        with_copy[:] = raw
        padded = array.array("Q", [value for address in stream for value in (address, 1)])
        yield "list", list(stream)
        yield "tuple", tuple(stream)
        yield "generator", (address for address in stream)
        yield "bytes", raw
        yield "bytearray", bytearray(raw)
        yield "mmap", with_copy
        yield "array of signed", array.array("q", stream)
        yield "array of unsigned long", array.array("L", stream)
        yield "array of 32 bits", array.array("I", stream)
        yield "memoryview", memoryview(stream)
        yield "read-only memoryview", memoryview(stream).toreadonly()
        yield "strided memoryview", memoryview(padded)[::2]
        yield "ctypes array", (ctypes.c_uint64 * len(stream))(*stream)

    def test_every_form_of_array(self):
        stream = addresses(300, 60)
        expected = self.cache().access_many(stream, results=True).results
        for name, form in self.forms(stream):
            with self.subTest(name):
                self.assertEqual(self.cache().access_many(form, results=True).results, expected)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy")
        stream = addresses(300, 60)
        expected = self.cache().access_many(stream, results=True, evicted=True)
        for kind in (numpy.uint64, numpy.int64, numpy.uint32):
            results, evicted = numpy.zeros(300, numpy.uint8), numpy.zeros(300, numpy.uint64)
            self.cache().access_many(numpy.array(stream, kind), results=results, evicted=evicted)
            self.assertEqual(results.tobytes(), bytes(expected.results))
            self.assertEqual(evicted.tolist(), list(expected.evicted))

    def test_no_copy(self):
        """The library reads and writes the caller's memory directly."""
        from gpucache import _buffers

        for code, values in (("Q", array.array("Q", [1, 2])), ("Q", array.array("q", [1, 2])), ("B", bytearray(b"12"))):
            pointer, count = _buffers.source(values, code, "x")
            self.assertEqual(count, 2)
            pointer[0] = 7
            self.assertEqual(values[0], 7)

    def test_caller_buffers(self):
        stream = addresses(100, 10)
        results, evicted = bytearray(200), array.array("Q", [5]) * 150
        batch = self.cache().access_many(stream, results=results, evicted=evicted)
        self.assertIs(batch.results, results)
        self.assertIs(batch.evicted, evicted)
        self.assertEqual(set(results[100:]), {0})
        self.assertEqual(set(evicted[100:]), {5})
        self.assertEqual(results.count(0), 110)  # 10 first touches, and accesses beyond the stream
        results.append(0)  # the buffers are free again
        evicted.append(0)

    def test_arrays_are_let_go(self):
        """Without the garbage collector: a batch may be large."""
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)

        class Numbers(array.array):
            """Numbers that can be referred to weakly."""

        stream = Numbers("Q", [0, LINE])
        raw = bytes(stream) + b""
        count = sys.getrefcount(raw)
        cache = self.cache()
        cache.access_many(raw, raw[:2])
        self.assertEqual(sys.getrefcount(raw), count)
        cache.access_many(stream)
        gone = weakref.ref(stream)
        del stream
        self.assertIsNone(gone())

    def test_not_wanted(self):
        batch = self.cache().access_many(addresses(10, 3))
        self.assertEqual(batch, (10, None, None))

    def test_empty(self):
        self.assertEqual(self.cache().access_many([]).done, 0)
        self.assertEqual(self.cache().access_many(b"", results=True).done, 0)

    def test_refusals(self):
        cache = self.cache()
        for arguments, options, message in (
            (([1.5],), {}, "addresses: .*(float|integer)"),
            (([-1],), {}, "addresses: "),
            ((b"1234567",), {}, "addresses: 7 bytes are no whole number of 8-byte"),
            ((3,), {}, "addresses: .*int"),
            ((memoryview(bytes(64)).cast("Q", (2, 4)),), {}, "addresses: 2 dimensions"),
            (([0, 0],), {"results": bytearray(1)}, "results: room for 1 elements, 2 are needed"),
            (([0],), {"results": bytes(1)}, "results: the buffer is read-only"),
            (([0],), {"results": [0]}, "results: no contiguous buffer"),
            (([0],), {"evicted": array.array("I", [0])}, "evicted: no contiguous buffer of 8-byte"),
            (([0], [0, 0]), {}, "kinds: 2 elements for 1 addresses"),
        ):  # fmt: skip
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                cache.access_many(*arguments, **options)
        self.assertEqual(cache.stats()["reads"], 0)

    def test_stops_at_the_first_that_fails(self):
        cache = self.cache()
        with self.assertRaises(gpucache.ArgumentError) as caught:
            cache.access_many([0, LINE, 2 * LINE], bytes([0, 0, 99]))
        self.assertEqual(caught.exception.done, 2)
        self.assertIn("access 2 of the batch", str(caught.exception))
        self.assertEqual(cache.stats()["reads"], 2)

    def test_other_arrays(self):
        cache = self.cache(track_warps=1)
        cache.access_many([0, 0, 0], pcs=[8, 8, 8], warps=[1, 1, 2])
        stats = cache.stats()
        self.assertEqual((stats["intra_warp_hits"], stats["inter_warp_hits"]), (1, 1))

    def test_next_uses(self):
        never = 2**64 - 1
        stream = [0, LINE, 5, 2 * LINE, LINE + 1]
        self.assertEqual(list(gpucache.next_uses(self.context, stream, LINE)), [2, 4, never, never, never])

    def test_optimum(self):
        """A loop over 3 lines in 2 ways: LRU never hits, the optimum on every second access."""
        stream = [number % 3 * LINE for number in range(3 * 20)]
        hits = {}
        for name, uses in (("lru", None), ("opt", gpucache.next_uses(self.context, stream, LINE))):
            with gpucache.Cache(self.context, sets=1, ways=2, replacement=name) as cache:
                cache.access_many(stream, next_uses=uses)
                hits[name] = cache.stats()["read_hits"]
        self.assertEqual(hits["lru"], 0)
        self.assertEqual(hits["opt"], 29)  # accesses 3, 5, ..., 59


class Lifetime(TemporaryCase):
    def test_closed(self):
        cache = gpucache.Cache(self.context)
        with cache as same:
            self.assertIs(cache, same)
        self.assertTrue(cache.closed)
        cache.close()
        for call in (lambda: cache.access(0), lambda: cache.stats(), lambda: cache.access_many([0]), cache.flush):
            with self.assertRaisesRegex(gpucache.StateError, "Cache is closed"):
                call()

    def test_context_may_go_first(self):
        cache = gpucache.Cache(self.context)
        self.context.close()
        cache.access(0)
        self.assertTrue(cache.access(0).hit)
        with self.assertRaisesRegex(gpucache.StateError, "Context is closed"):
            gpucache.Cache(self.context)
        cache.close()

    def test_garbage(self):
        gc.collect()
        tokens = len(_native._tokens)
        left = []
        cache = gpucache.Cache(self.context, on_evict=lambda *_: left.append(cache))  # noqa: F821: a cycle
        gone = weakref.ref(cache)
        del cache
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(len(_native._tokens), tokens)

    def test_a_cache_keeps_its_context(self):
        context = gpucache.Context()
        gone = weakref.ref(context)
        cache = gpucache.Cache(context)
        del context
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertFalse(cache.access(0).hit)
        del cache
        gc.collect()
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main()

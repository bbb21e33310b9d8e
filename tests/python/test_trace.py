# SPDX-License-Identifier: BSD-2-Clause
"""Traces through the bindings: reading, views, writing."""

import gc
import os
import unittest

from harness import BASE, TemporaryCase, traceg, write_trace

import gpucache
from gpucache import Control, Kind, OpClass, Order, Scope, Space, Status


class Reading(TemporaryCase):
    def trace(self, source=None, **options):
        found = gpucache.Trace(self.context, source or self.write("kernel-1.traceg", traceg()), **options)
        self.addCleanup(found.close)
        return found

    def test_kernel(self):
        trace = self.trace(self.write("kernel-1.traceg", traceg(shared=2048)))
        (kernel,) = trace
        self.assertEqual(kernel.name, "_Z5twicePfS_")
        self.assertTrue(kernel.file.endswith("kernel-1.traceg"))
        self.assertEqual((kernel.grid, kernel.block, kernel.block_count), ((4, 1, 1), (64, 1, 1), 4))
        self.assertEqual((kernel.id, kernel.index, kernel.shared_bytes, kernel.registers), (1, 0, 2048, 16))
        self.assertEqual((kernel.binary_version, kernel.tracer_version, kernel.warp_lanes), (90, 4, 32))
        self.assertEqual((kernel.shared_base, kernel.local_base), (0x7E0000000000, 0x7D0000000000))
        self.assertIsNone(kernel.placement)
        self.assertEqual(trace.progress, 1)

    def test_instructions(self):
        for kernel in self.trace():
            for number, block in enumerate(kernel):
                self.assertEqual((block.position, block.index, len(block)), ((number, 0, 0), number, 2))
                self.assertEqual(block.instruction_count, 10)
                for index, warp in enumerate(block):
                    self.assertEqual((warp.index, len(warp)), (index, 5))
                    self.assertEqual([each.opcode for each in warp], ["S2R", "LDG.E", "LDG.E", "STG.E", "EXIT"])
                    load, store = warp[1], warp[-2]
                    first = BASE + 128 * (2 * number + index)
                    self.assertEqual(load.addresses, tuple(range(first, first + 128, 4)))
                    self.assertEqual((load.pc, load.mask, load.width), (0x10, 0xFFFFFFFF, 4))
                    self.assertEqual((load.op_class, load.kind, load.space), (OpClass.MEMORY, Kind.LOAD, Space.GLOBAL))
                    self.assertEqual(load.registers, ([2], [4]))
                    self.assertEqual((store.kind, store.registers), (Kind.STORE, ([], [6, 3])))
                    self.assertEqual(store.hint, gpucache.Hint.NONE)
                    self.assertEqual(store.priority, gpucache.Priority.NORMAL)
                    self.assertEqual(store.ordering, (Scope.CTA, Order.WEAK, Control.NONE))
                    self.assertEqual(warp[0].addresses, ())
        self.assertEqual(number, 3)

    def test_columns(self):
        trace = self.trace()
        kernel = trace.next_kernel()
        with kernel.next_block() as block:
            warp = block[0]
            for field in ("pc", "mask", "opcode", "op_class", "kind", "space", "width", "destinations"):
                self.assertEqual(warp.column(field), [getattr(each._raw, field) for each in warp], field)
            self.assertEqual([trace.opcode(number) for number in warp.column("opcode")[1:3]], ["LDG.E"] * 2)
        self.assertEqual(trace.opcode(10**6), "")

    def test_list_placement_and_copies(self):
        copies = []
        folder = write_trace(self.path("t"), (("_Z1av", 2), ("_Z1bv", 3)), placement=[5, 9])
        trace = self.trace(folder, on_memcpy=lambda address, size: copies.append((address, size)))
        kernels = list(trace)
        self.assertEqual([(kernel.name, kernel.index, kernel.block_count) for kernel in kernels],
                         [("_Z1av", 0, 2), ("_Z1bv", 1, 3)])  # fmt: skip
        self.assertEqual(list(kernels[0].placement), [5, 9])
        self.assertIsNone(kernels[1].placement)
        self.assertEqual(copies, [(BASE, 4096)])
        self.assertEqual(trace.kernel_count, 2)

    def test_exception_of_the_copy_callback(self):
        def refuse(address, size):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            list(self.trace(write_trace(self.path("t")), on_memcpy=refuse))

    def test_blocks_held(self):
        kernel = self.trace().next_kernel()
        held = [kernel.next_block() for _ in range(4)]
        self.assertIsNone(kernel.next_block())
        self.assertEqual([block[1][1].addresses[0] for block in held], [BASE + 128 * (2 * n + 1) for n in range(4)])
        warp = held[0][0]
        instruction = warp[1]
        held[0].release()
        held[0].release()
        for use in (lambda: len(held[0]), lambda: warp[0], lambda: instruction.pc, lambda: instruction.addresses,
                    lambda: warp.column("pc"), lambda: instruction.opcode):  # fmt: skip
            with self.assertRaisesRegex(gpucache.StateError, "block 0 has been released"):
                use()
        self.assertEqual(held[1][0][0].pc, 0)
        with self.assertRaises(IndexError):
            held[1][2]
        with self.assertRaises(IndexError):
            held[1][0][5]

    def test_views_end_with_the_trace(self):
        trace = self.trace()
        block = trace.next_kernel().next_block()
        trace.close()
        with self.assertRaises(gpucache.StateError):
            len(block)
        del block
        gc.collect()

    def test_left_kernel(self):
        trace = self.trace(write_trace(self.path("t"), (("_Z1av", 2), ("_Z1bv", 3))))
        first = trace.next_kernel()
        second = trace.next_kernel()
        with self.assertRaisesRegex(gpucache.StateError, "the trace has left kernel 0"):
            first.next_block()
        self.assertEqual(sum(1 for _ in second), 3)

    def test_errors(self):
        with self.assertRaises(gpucache.GpucacheError) as caught:
            gpucache.Trace(self.context, self.path("none.traceg"))
        self.assertIn("none.traceg", str(caught.exception))
        self.assertIn(caught.exception.status, (Status.ERROR_NOT_FOUND, Status.ERROR_IO))
        text = traceg().replace("STG.E 2 R6 R3 4 1 0x", "STG.E 2 R6 R3 4 1 nonsense", 1)
        line = 1 + text[:text.index("nonsense")].count("\n")
        trace = self.trace(self.write("bad.traceg", text))
        with self.assertRaisesRegex(gpucache.FormatError, f"bad.traceg:{line}: "):
            for kernel in trace:
                for _block in kernel:
                    pass
        with self.assertRaises(gpucache.NotFoundError):
            gpucache.Trace(self.context, "synthetic:none-such")

    def test_synthetic(self):
        names = [each.name for each in gpucache.synthetics()]
        self.assertIn("vectoradd", names)
        kernel = self.trace("synthetic:vectoradd:64KiB").next_kernel()
        self.assertGreater(sum(block.instruction_count for block in kernel), 0)


class Writing(TemporaryCase):
    def contents(self, source):
        """The whole content of a trace, told by a reader."""
        found = []
        with gpucache.Trace(self.context, source) as trace:
            for kernel in trace:
                shape = (kernel.name, kernel.grid, kernel.block, kernel.shared_bytes, kernel.registers,
                         list(kernel.placement) if kernel.placement is not None else None)  # fmt: skip
                blocks = [
                    [[(each.pc, each.mask, each.opcode, each.addresses, each.width) for each in warp] for warp in block]
                    for block in kernel
                ]
                found.append((shape, blocks))
        return found

    def copy(self, source, target, format):
        with gpucache.Trace(self.context, source) as trace:
            with gpucache.TraceWriter(self.context, target, format) as writer:
                for kernel in trace:
                    writer.kernel(kernel)
                    for block in kernel:
                        writer.block(block)

    def test_round_trip(self):
        source = write_trace(self.path("t"), (("_Z1av", 2), ("_Z1bv", 3)), placement=[1, 0])
        binary, text = self.path("t.gct"), self.path("again")
        self.copy(source, binary, "binary")
        self.copy(binary, text, gpucache.TraceFormat.TEXT)
        expected = self.contents(source)
        self.assertEqual(len(expected), 2)
        self.assertEqual(self.contents(binary), expected)
        self.assertEqual(self.contents(text), expected)

    def test_nothing_is_left_without_finish(self):
        source = write_trace(self.path("t"))
        target = self.path("t.gct")
        with self.assertRaises(ZeroDivisionError):
            with gpucache.Trace(self.context, source) as trace:
                with gpucache.TraceWriter(self.context, target) as writer:
                    writer.kernel(trace.next_kernel())
                    raise ZeroDivisionError
        self.assertEqual(os.listdir(self.folder), ["t"])

    def test_order_is_checked(self):
        source = write_trace(self.path("t"))
        with gpucache.Trace(self.context, source) as trace:
            writer = gpucache.TraceWriter(self.context, self.path("t.gct"))
            block = trace.next_kernel().next_block()
            with self.assertRaises(gpucache.StateError):
                writer.block(block)
            writer.close()
        self.assertEqual(os.listdir(self.folder), ["t"])


if __name__ == "__main__":
    unittest.main()

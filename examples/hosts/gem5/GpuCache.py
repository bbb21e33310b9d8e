# SPDX-License-Identifier: BSD-2-Clause
# The SimObject's parameters; SConscript: SimObject("GpuCache.py", sim_objects=["GpuCache"]); Source("gpu_cache.cc")
from m5.objects.ClockedObject import ClockedObject
from m5.params import Param, RequestPort, VectorParam, VectorResponsePort


class GpuCache(ClockedObject):
    type = "GpuCache"
    cxx_header = "gpucache/gpu_cache.hh"
    cxx_class = "gem5::GpuCache"

    cpu_side_ports = VectorResponsePort("lanes of compute units: ComputeUnit.memory_port, a CU's one after another")
    token_ports = VectorResponsePort("one a compute unit: ComputeUnit.gmTokenPort")
    mem_side_port = RequestPort("where the bytes are: functional accesses")
    lanes = Param.Unsigned(64, "memory ports of a compute unit: its wavefront")
    preset = Param.String("h100", "of the library")
    settings = VectorParam.String([], "KEY=VALUE, over the preset; sm.count is the number of compute units")

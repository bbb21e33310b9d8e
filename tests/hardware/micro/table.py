# SPDX-License-Identifier: BSD-2-Clause
"""Measurements of run.sh, a line a launch: the program's own line, and the launch's counters other than 0.

    python3 tests/hardware/micro/table.py FOLDER PROGRAM [COUNTER...]

COUNTER is a part of a counter's name (default: the counters named in README.md). Output of programs without a profile
is printed unchanged.
"""

import csv
import pathlib
import sys

NAMES = {
    "L1 store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "L1 load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "L1 load hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "sent": "l1tex__m_l1tex2xbar_write_sectors.sum",
    "L2 write requests": "lts__t_requests_srcunit_tex_op_write.sum",
    "L2 write sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "L2 read requests": "lts__t_requests_srcunit_tex_op_read.sum",
    "L2 read sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "L2 read hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "L2 reductions": "lts__t_sectors_srcunit_tex_op_red.sum",
    "L2 atomics": "lts__t_sectors_srcunit_tex_op_atom.sum",
    "DRAM sectors read": "dram__sectors_read.sum",
    "cycles": "sm__cycles_elapsed.max",
    "active": "sm__cycles_active.sum",
}


def launches(folder, program):
    """(the program's line, counters of the launch) for every launch."""
    text = (folder / f"{program}.profiled.txt").read_text().splitlines()
    lines = [line.removeprefix("LAUNCH ") for line in text if line.startswith("LAUNCH ")]
    with open(folder / f"{program}.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if not line.startswith("==")) if row["ID"]]
    # A run ended by the time limit lacks the last.
    return zip(lines, rows)


def main():
    folder, program, *wanted = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    if not (folder / f"{program}.csv").exists():
        sys.stdout.write((folder / f"{program}.txt").read_text())
        return
    for line, row in launches(folder, program):
        names = {column: column for column in row if any(word in column for word in wanted)} if wanted else NAMES
        counts = {name: row[column].split(".")[0] for name, column in names.items() if row.get(column) not in (None, "")}
        print(line + ": " + ", ".join(f"{name} {count}" for name, count in counts.items() if count != "0"))


if __name__ == "__main__":
    main()

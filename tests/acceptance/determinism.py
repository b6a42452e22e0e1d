"""Same inputs, same bytes: any number of threads, any repeat, any compiler.

    determinism.py threads      the program under test
    determinism.py compilers    gcc and clang, -O0, -O2, -O3 for this very
                                processor (slow)
    determinism.py aarch64      another machine's program under qemu-user (slow)
    determinism.py s390x        the same, and big-endian (slow)
"""
import gzip
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

import cases
import wm

THREADS = (1, 2, 3, 8, 64)
LEVELS = {"-O0": [], "-O2": [], "-O3": ["-DWM_NATIVE=ON"]}


def traces(folder):
    """A made one, a native one long enough to be read ahead, and a real run
    of 16 kernels where it is at hand."""
    paths = [cases.mixed_kernel(folder, "mixed.traceg"),
             os.path.join(folder, "copy.wmt")]
    made = wm.run("trace", "gen", "copy", "--ctas", 400, "--accesses", 16,
                  "-o", paths[-1])
    wm.check(made.code == 0, made.err)
    real = os.path.join(wm.SHARED, "traces", "rodinia-bfs", "kernelslist.g")
    if os.path.exists(real):
        paths.append(real)
    return paths


def report(program, mode, form, jobs, path, *more):
    done = wm.run("run", "-c", "v100", "-m", mode, "-f", form, "-j", jobs,
                  "--no-host", *more, path, program=program)
    wm.check(done.code == 0, done.err)
    return done.out


def threads():
    with tempfile.TemporaryDirectory() as folder:
        for path in traces(folder):
            for mode in ("timing", "counts"):
                for form in ("text", "json", "csv"):
                    first = report(None, mode, form, 1, path)
                    for jobs in THREADS:
                        wm.check(report(None, mode, form, jobs, path) == first,
                                 "-m %s -f %s -j %d differs on %s"
                                 % (mode, form, jobs, path))


def build(target, *options):
    """A program built from this source tree, and nothing but it."""
    for command in (
            ["cmake", "-S", wm.ROOT, "-B", target, "-DWM_TESTS=OFF",
             "-DWM_WERROR=OFF", *options],
            ["cmake", "--build", target, "--target", "warpmem", "--parallel",
             str(os.cpu_count() or 1)]):
        done = subprocess.run(command, capture_output=True, text=True)
        wm.check(done.returncode == 0, "%s\n%s" % (
            " ".join(command), done.stdout[-2000:] + done.stderr[-2000:]))
    return os.path.join(target, "bin", "warpmem")


def compilers():
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                print("no %s here" % compiler)
                continue
            for level, more in LEVELS.items():
                programs[compiler + " " + level] = build(
                    os.path.join(folder, compiler + level),
                    "-DCMAKE_C_COMPILER=" + compiler,
                    "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=" + level,
                    *more)
        if len(programs) <= len(LEVELS):
            sys.exit(wm.SKIP)
        for path in traces(folder):
            for mode in ("timing", "counts"):
                for form in ("text", "json", "csv"):
                    outputs = {name: report(program, mode, form, 2, path)
                               for name, program in programs.items()}
                    first = next(iter(outputs.values()))
                    differ = [name for name, out in outputs.items()
                              if out != first]
                    wm.check(not differ, "-m %s -f %s on %s differs: %s" % (
                        mode, form, path, ", ".join(differ)))
        print("%s give the same bytes" % ", ".join(programs))


class Foreign:
    """A program for another machine, and what starts it."""

    def __init__(self, folder, machine):
        emulator = "qemu-" + machine
        if (shutil.which(emulator) is None or
                shutil.which(machine + "-linux-gnu-gcc") is None or
                not os.path.exists(os.path.join(wm.ROOT, "build", "cross",
                                                machine, "whole"))):
            print("skipped: nothing to build for %s with, or to run it "
                  "(tools/install_deps.sh cross)" % machine)
            sys.exit(wm.SKIP)
        program = build(os.path.join(folder, machine),
                        "-DWM_MACHINE=" + machine,
                        "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(
                            wm.ROOT, "tools", "cross.cmake"),
                        "-DCMAKE_BUILD_TYPE=Release")
        self.path = os.path.join(folder, "foreign")
        with open(self.path, "w") as script:
            script.write("#!/bin/sh\nexec %s %s \"$@\"\n" % (
                emulator, program))
        os.chmod(self.path, 0o755)


def of_every_format(folder):
    """Traces of each format that is read, plain and compressed."""
    data = os.path.join(wm.ROOT, "tests", "data")
    paths = [cases.mixed_kernel(folder, "mixed.traceg")]
    paths += [os.path.join(data, name) for name in (
        "golden_tiny.txt", "golden_shared.txt", "golden_table.csv",
        "golden_nvbit_rs.json", "golden_macsim/trace.txt",
        "golden_ppt_block_0.mem")]
    plain = open(os.path.join(data, "golden_tiny.txt"), "rb").read()
    for name, pack in (("t.gz", gzip.compress), ("t.xz", lzma.compress)):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as out:
            out.write(pack(plain))
    paths.append(os.path.join(folder, "memtrace.txt"))
    with open(paths[-1], "w") as out:
        out.write(cases.MEM_TRACE % " ".join(
            "0x%016x" % (cases.BASE + 4 * i) for i in range(32)))
    for pattern in ("copy", "gather"):
        paths.append(os.path.join(folder, pattern + ".wmt"))
        made = wm.run("trace", "gen", pattern, "--ctas", 40, "-o", paths[-1])
        wm.check(made.code == 0, made.err)
    return paths


def content(path):
    with open(path, "rb") as data:
        return data.read()


def written(program, path, target):
    """The bytes of the .wmt that a program makes of a trace."""
    done = wm.run("trace", "convert", "-q", path, "-o", target,
                  program=program)
    wm.check(done.code == 0, done.err)
    return content(target)


def foreign(machine):
    """Every golden case, every format, every report, and native files that
    one machine writes and the other reads: the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        other = Foreign(folder, machine).path
        golden = subprocess.run(
            [os.path.join(wm.ROOT, "tests", "golden", "run.sh"), other],
            capture_output=True, text=True)
        print(golden.stdout.splitlines()[-1])
        wm.check(golden.returncode == 0, golden.stdout[-2000:])
        n_reports = 0
        for path in of_every_format(folder):
            native = os.path.join(folder, "native.wmt")
            wm.check(written(None, path, native) ==
                     written(other, path, os.path.join(folder, "other.wmt")),
                     "another .wmt of " + path)
            for one in (path, os.path.join(folder, "other.wmt")):
                for more in ((), ("-s", "dram.model=banked")):
                    for mode in ("timing", "counts"):
                        for form in ("text", "json", "csv"):
                            n_reports += 1
                            wm.check(report(other, mode, form, 2, one, *more)
                                     == report(None, mode, form, 1, one,
                                               *more),
                                     "-m %s -f %s %s of %s differs" % (
                                         mode, form, " ".join(more), one))
        print("%d reports of %s have the bytes of this machine's" % (
            n_reports, machine))


if __name__ == "__main__":
    wm.main({"threads": threads, "compilers": compilers,
             "aarch64": lambda: foreign("aarch64"),
             "s390x": lambda: foreign("s390x")})

"""Same inputs, same bytes: any number of threads, any repeat, any compiler.

    determinism.py threads      the program under test
    determinism.py compilers    builds with gcc and clang, -O0 and -O3 (slow)
"""
import os
import shutil
import subprocess
import sys
import tempfile

import cases
import wm


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


def report(program, mode, form, jobs, path):
    done = wm.run("run", "-c", "v100", "-m", mode, "-f", form, "-j", jobs,
                  "--no-host", path, program=program)
    wm.check(done.code == 0, done.err)
    return done.out


def threads():
    with tempfile.TemporaryDirectory() as folder:
        for path in traces(folder):
            for mode in ("timing", "counts"):
                for form in ("text", "json", "csv"):
                    first = report(None, mode, form, 1, path)
                    for jobs in (1, 2, 8):
                        wm.check(report(None, mode, form, jobs, path) == first,
                                 "-m %s -f %s -j %d differs on %s"
                                 % (mode, form, jobs, path))


def build(folder, compiler, level):
    """A program built from this source tree."""
    target = os.path.join(folder, compiler + level)
    for command in (
            ["cmake", "-S", wm.ROOT, "-B", target, "-DWM_TESTS=OFF",
             "-DWM_WERROR=OFF",
             "-DCMAKE_C_COMPILER=" + compiler, "-DCMAKE_BUILD_TYPE=None",
             "-DCMAKE_C_FLAGS=-" + level],
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
            for level in ("O0", "O3"):
                programs[compiler + " -" + level] = build(folder, compiler,
                                                          level)
        if len(programs) < 2:
            sys.exit(wm.SKIP)
        for path in traces(folder):
            for mode in ("timing", "counts"):
                outputs = {name: report(program, mode, "json", 2, path)
                           for name, program in programs.items()}
                first = next(iter(outputs.values()))
                differ = [name for name, out in outputs.items()
                          if out != first]
                wm.check(not differ, "-m %s on %s differs: %s" % (
                    mode, path, ", ".join(differ)))
        print("%s give the same bytes" % ", ".join(programs))


if __name__ == "__main__":
    wm.main({"threads": threads, "compilers": compilers})

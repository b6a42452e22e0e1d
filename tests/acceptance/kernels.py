"""The traced kernels of traces/kernels against the counts that theory gives.

NAME.counts lists, for each memory access of NAME.yaml, its source line, its
kind, its requests, and its sectors (shared memory: wavefronts), as sums over
all launches.  Accesses of one line and kind are added up: a compiler may make
several instructions of one.

    kernels.py counts       the bundled traces give the counts of theory
    kernels.py rebuild      tracing again gives equal traces (needs clang)
    kernels.py errors       what the tracer says of broken kernels
    kernels.py language     what kernels may use, in kernels that check themselves
    kernels.py copies       asynchronous copies are waited for group by group
    kernels.py paths        lanes that part meet again where the code does
"""
import functools
import glob
import os
import re
import sys

import wm

TRACES = os.path.join(wm.ROOT, "traces")
KERNELS = os.path.join(TRACES, "kernels")
TRACER = os.path.abspath(os.environ.get(
    "WARPMEM_TRACE", os.path.join(os.path.dirname(wm.WARPMEM),
                                  "warpmem-trace")))
BUNDLED_CLANG = "14"  # made the bundled traces
TWICE = ("bfs", "reduce_interleaved", "softmax", "stencil")
NAMES = sorted(os.path.basename(path)[:-len(".yaml")]
               for path in glob.glob(os.path.join(KERNELS, "*.yaml")))


def product(text):
    """The value of an expression of whole numbers, + * / and brackets."""
    wm.check(re.fullmatch(r"[0-9+*/()]+", text), "not a count: " + text)
    value = eval(text, {"__builtins__": {}})
    wm.check(value == int(value), "not whole: " + text)
    return int(value)


def theory(name):
    counts = {}
    path = os.path.join(KERNELS, name + ".counts")
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            words = text.split("#")[0].split()
            if not words:
                continue
            wm.check(len(words) == 4, "%s:%d: found %d words, wanted 4" % (
                path, number, len(words)))
            add(counts, (int(words[0]), words[1]), product(words[2]),
                product(words[3]))
    return counts


def add(counts, place, requests, moved):
    before = counts.get(place, (0, 0))
    counts[place] = before[0] + requests, before[1] + moved


def measured(trace):
    """(line, kind) -> (requests, sectors or wavefronts)."""
    result = wm.result("-m", "counts", "--instructions", trace)
    counts = {}
    for kernel in result["kernels"]:
        for item in kernel["instructions"]:
            if item["requests"]:
                moved = "wavefronts" if "shared" in item["kind"] else "sectors"
                add(counts, (item["line"], item["kind"]), item["requests"],
                    item[moved])
    return counts


def compare(name, trace):
    wanted, found = theory(name), measured(trace)
    wrong = ["%s.counts: line %s %s: found %s, wanted %s" % (
        name, place[0], place[1], found.get(place), wanted.get(place))
        for place in sorted(set(wanted) | set(found), key=str)
        if found.get(place) != wanted.get(place)]
    return wrong


def check_counts(folder):
    wrong = []
    for name in NAMES:
        wrong += compare(name, os.path.join(folder, name + ".wmt"))
    wm.check(not wrong, "\n".join(wrong))


def counts():
    wm.check(len(NAMES) >= 19, "the gallery has shrunk: %s" % NAMES)
    check_counts(TRACES)


def trace(launch, output, *args, cwd=None):
    return wm.Run(["-q", launch, "-o", output, *args], cwd=cwd, program=TRACER)


def need_clang(folder):
    """Skips the test where the tracer finds no clang."""
    done = trace(os.path.join(KERNELS, "saxpy.yaml"),
                 os.path.join(folder, "probe.wmt"))
    if done.code == 3 and "found no" in done.err:
        print("skipped: " + done.err.strip())
        sys.exit(wm.SKIP)


@wm.in_folder
def rebuild(folder):
    """Tracing again gives the same bytes, and the counts hold for the new
    traces.  Against the bundled ones records are compared, not bytes (another
    zlib packs differently), and only where the same clang made them: another
    may compile another program."""
    need_clang(folder)
    again = os.path.join(folder, "again.wmt")
    for name in NAMES:
        path = os.path.join(folder, name + ".wmt")
        launch = os.path.join(KERNELS, name + ".yaml")
        done = trace(launch, path)
        wm.check(done.code == 0, name + ": " + done.err)
        if name in TWICE:
            wm.check(trace(launch, again).code == 0, name)
            wm.check(read(path) == read(again), name + ": two traces differ")
        if clang_version() == BUNDLED_CLANG:
            texts = [wm.run("trace", "cat", one).out for one in (
                path, os.path.join(TRACES, name + ".wmt"))]
            wm.check(texts[0] == texts[1],
                     name + ": not the bundled trace; traces/rebuild.sh")
    check_counts(folder)


def read(path):
    with open(path, "rb") as file:
        return file.read()


@functools.lru_cache(None)
def clang_version():
    program = os.environ.get("WARPMEM_CLANG", "clang")
    done = wm.Run(["--version"], program=program)
    found = re.search(r"clang version (\d+)", done.out.decode())
    return found.group(1) if found else ""


# (what, source, launch, exit code, parts of the message)
LAUNCH = """kernel: k
source: k.cu
grid: [2]
block: [64]
args:
  p: {type: float, count: 128, fill: 0}
  n: 64
"""
BROKEN = [
    ("out of bounds", "__global__ void k(float *p, int n) {\n"
     "    p[blockIdx.x * n + threadIdx.x + 1] = 0;\n}\n", LAUNCH, 1,
     ["k.cu:2: found a store of 4 bytes at byte 512 of buffer 'p'",
      "512 bytes", "lane 31 of warp 1", "thread 63,0,0 of block 1,0,0"]),
    ("before the start", "__global__ void k(float *p, int n) {\n"
     "    p[int(threadIdx.x) - 1] = 0;\n}\n", LAUNCH, 1,
     ["k.cu:2: found a store", "byte -4 of buffer 'p'"]),
    ("null pointer", "__global__ void k(float *p, int n) {\n"
     "    p = (float *)(size_t)n;\n    p[0] = 1;\n}\n", LAUNCH, 1,
     ["k.cu:3: found a store of 4 bytes at address 0x40, in no buffer"]),
    ("past shared memory", "__global__ void k(float *p, int n) {\n"
     "    extern __shared__ float s[];\n    s[n] = 1;\n    p[0] = s[0];\n"
     "}\n", LAUNCH, 1, ["k.cu:3: found a store"]),
    ("two barriers", "__global__ void k(float *p, int n) {\n"
     "    if (threadIdx.x < 5) {\n        __syncthreads();\n"
     "        p[0] = 1;\n    } else {\n        __syncthreads();\n"
     "        p[1] = 1;\n    }\n}\n", LAUNCH, 1,
     ["k.cu:3: found 5 of 64 threads of block 0,0,0 at this barrier, wanted "
      "all: thread 5,0,0 waits at line 6"]),
    ("an early return", "__global__ void k(float *p, int n) {\n"
     "    if (threadIdx.x >= 40) {\n        return;\n    }\n"
     "    __syncthreads();\n    p[0] = 1;\n}\n", LAUNCH, 1,
     ["k.cu:5: found 40 of 64 threads", "thread 40,0,0 ended without it"]),
    ("a shuffle alone", "__global__ void k(float *p, int n) {\n"
     "    if (threadIdx.x == 3) {\n        __syncthreads();\n    }\n"
     "    p[0] = __shfl_sync(0xffffffff, 1.0f, 0);\n}\n", LAUNCH, 1,
     ["k.cu:5: found lanes of warp 0", "wanted every lane of mask 0xffffffff"]),
    ("an endless loop", "__global__ void k(volatile float *p, int n) {\n"
     "    while (p[0] == 0) {\n    }\n}\n", LAUNCH, 1,
     ["k.cu:2: found over 1048576 accesses of one thread"]),
    ("division by zero", "__global__ void k(int *p, int n) {\n"
     "    p[1] = 2;\n    p[0] = n / p[2];\n}\n", LAUNCH, 1,
     ["k.cu:3: found a division by zero", "thread 0,0,0 of block 0,0,0"]),
    ("a wild jump", "__global__ void k(int *p, int n) {\n"
     "    p[1] = 2;\n    ((void (*)())(size_t)p[2])();\n}\n", LAUNCH, 1,
     ["k.cu:3: found a crash"]),
    ("no such kernel", "__global__ void __launch_bounds__(64) kk(float *p, "
     "int n) {}\ntemplate <int N>\n__global__\nvoid other(float *p) {}\n",
     LAUNCH, 1, ["launch.yaml:1", "undeclared identifier 'k'",
                 "k.cu: found no kernel 'k', wanted one of: kk, other"]),
    ("a syntax error", "__global__ void k(float *p, int n) { p[0] = }\n",
     LAUNCH, 1, ["k.cu:1:", "expected expression"]),
    ("too few arguments", "__global__ void k(float *p, int n, int m) {}\n",
     LAUNCH, 2, ["launch.yaml:5:1: found 2 arguments, wanted those of k(",
                 " p, i32 n, i32 m)"]),
    ("another order", "__global__ void k(int n, float *p) {}\n", LAUNCH, 2,
     ["launch.yaml:6:3: found 'p' as argument 1, wanted those of k(i32 n, "]),
    ("a number for a buffer", "__global__ void k(float *p, float *n) {}\n",
     LAUNCH, 2, ["launch.yaml:7:3: found a number for 'n'"]),
    ("a real for an integer", "__global__ void k(float *p, int n) {}\n",
     LAUNCH.replace("n: 64", "n: 6.5"), 2,
     ["launch.yaml:7:3: args.n: found '6.5', wanted a number of LLVM type "
      "i32"]),
    ("a struct by value", "struct s { int a[9]; };\n"
     "__global__ void k(float *p, s n) {}\n", LAUNCH, 1,
     ["kernel 'k': parameter 2 is", "pass a struct by pointer"]),
    ("an unknown function", "extern \"C\" float magic(float);\n"
     "__global__ void k(float *p, int n) { p[0] = magic(1); }\n", LAUNCH, 1,
     ["k.cu: found a call of 'magic', which the tracer does not have"]),
    ("an unknown key", "", LAUNCH + "gird: [1]\n", 2,
     ["launch.yaml:8:1: found unknown key 'gird'", "nearest is 'grid'"]),
    ("no size", "", LAUNCH.replace("count: 128, ", ""), 2,
     ["launch.yaml:6:3: args.p: found no size"]),
    ("a bad fill", "", LAUNCH.replace("fill: 0", "fill: ramp 1"), 2,
     ["launch.yaml:6:", "args.p.fill: found 'ramp 1', wanted a number"]),
    ("too many threads", "", LAUNCH.replace("[64]", "[64, 32]"), 2,
     ["block: found 2048 threads, wanted at most 1024"]),
    ("no block", "", LAUNCH.replace("block: [64]\n", ""), 2,
     ["launch.yaml:1:1: found no 'block'"]),
    ("no source", None, LAUNCH, 2, ["k.cu: No such file", "launch.yaml"]),
]
OPENCL = """kernel: k
source: k.cl
grid: [1]
block: [32]
args:
  p: {type: float, count: 32}
"""
BROKEN_OPENCL = [
    ("no such kernel", "__kernel void kk(__global float *p) { p[0] = 1; }\n",
     OPENCL, 1, ["k.cl: found no kernel 'k', wanted one of: kk"]),
    ("a buffer for local memory", "__kernel void k(__local float *p) {}\n",
     OPENCL, 2, ["launch.yaml:6:3: found a buffer for 'p'"]),
    ("local memory for a buffer", "__kernel void k(__global float *p) {}\n",
     OPENCL.replace("{type: float, count: 32}", "{local: 128 B}"), 2,
     ["launch.yaml:6:3: found {local: ...} for 'p'"]),
]


# One warp.  "= N" is how many records the line makes, "= N L" with L lanes in
# all of them.  a[i] = i.  A `break` leads out of the loop: what stands before
# it is done by all who leave, together.  volatile: no store is dropped or moved.
PATHS = """
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int *a, volatile int *b, int n)
{
    int i = threadIdx.x;
    if (i < 5) {
        b[i] = 1; // = 1 5
    } else {
        b[i] = 2; // = 1 27
    }
    b[i] = 3; // = 1 32
    for (int k = 0; k < a[i] % 8; k++) { // = 8 144
        b[k] = 4; // = 7 112
    }
    b[i] = 5; // = 1 32
    for (int k = 0; k < 6; k++) {
        if ((i + k) % 2) {
            b[i + 32] = 6; // = 6 96
        }
        b[i + 64 + k % 2] = 7; // = 6 192
    }
    for (int k = 0; k < 4; k++) {
        for (int m = 0; m <= i % 4; m++) {
            b[i + 32 * m] = 8; // = 16 320
        }
        b[i] = 9; // = 4 128
    }
    for (int k = 0; k < 10; k++) {
        if (k == i) {
            b[k] = 10; // = 1 10
            break;
        }
        if (k % 3 == 1) {
            continue;
        }
        b[i + 32] = 11; // = 7 184
    }
    switch (i % 3) {
    case 0:
        b[i] = 12; // = 1 11
        break;
    case 1:
        b[i + 32] = 13; // = 1 11
        break;
    default:
        b[i + 64] = 14; // = 1 10
    }
    if (i & 1) {
        if (i & 2) {
            b[i] = twice(a[i]); // = 2 16
        }
        b[i + 32] = 15; // = 1 16
    }
    if (i >= 20) {
        return;
    }
    b[i] = 16; // = 1 20
    int steps = i % 5;
    while (steps > 0) {
        int odd = a[steps] & 1; // = 4 40
        if (odd) {
            b[i + 64] = steps; // = 4 24
        }
        steps--;
    }
    b[i + 96] = 17; // = 1 20
}
"""


@wm.in_folder
def language(folder):
    need_clang(folder)
    for name in ("language_cuda", "language_opencl"):
        done = trace(os.path.join(wm.ROOT, "tests", "data", name + ".yaml"),
                     os.path.join(folder, name + ".wmt"))
        wm.check(done.code == 0, done.err)


# Two buffers, one copy ahead: each round waits for the copy before the youngest.
COPIES = """
#include <cuda_pipeline.h>
__global__ void k(const float4 *in, float *out, int n)
{
    __shared__ float4 buffer[2][32];
    int i = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&buffer[0][i], &in[i], 16);
    __pipeline_commit();
    for (int t = 0; t < n; t++) {
        if (t + 1 < n) {
            __pipeline_memcpy_async(&buffer[(t + 1) & 1][i],
                                    &in[(t + 1) * 32 + i], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += buffer[t & 1][31 - i].x;
        __syncthreads();
    }
    out[i] = sum;
}
"""


@wm.in_folder
def copies(folder):
    need_clang(folder)
    with open(os.path.join(folder, "k.cu"), "w", encoding="utf-8") as file:
        file.write(COPIES)
    launch = os.path.join(folder, "launch.yaml")
    with open(launch, "w", encoding="utf-8") as file:
        file.write("kernel: k\nsource: k.cu\ngrid: [1]\nblock: [32]\nargs:\n"
                   "  in: {type: float, count: 512, fill: ramp 0 1}\n"
                   "  out: {type: float, count: 32}\n  n: 4\n")
    path = os.path.join(folder, "k.wmt")
    done = trace(launch, path)
    wm.check(done.code == 0, done.err)
    text = wm.run("trace", "cat", path).out.decode()
    kinds = dict(re.findall(r"^static (\d+) (\w+)", text, re.M))
    seen = [kinds[number] + (wait and " " + wait) for number, wait in
            re.findall(r"^  (\d+) [0-9a-f]+.*?(?:wait (0x\w+).*)?$", text, re.M)]
    # Loads in flight, the youngest first: copy t + 1, the shared load of the
    # round before, copy t.
    rounds = [["async_copy", "barrier 0x2", "shared_load", "barrier 0x1"]]
    rounds += 2 * [["async_copy", "barrier 0x4", "shared_load", "barrier 0x1"]]
    rounds += [["barrier 0x2", "shared_load", "barrier 0x1"]]
    wanted = ["async_copy"] + sum(rounds, []) + ["global_store", "exit"]
    wm.check(seen == wanted, "found %s, wanted %s" % (seen, wanted))
    wm.equal(wm.total("-m", "counts", path), l1__async_copy__requests=4,
             l1__async_copy__sectors=4 * 16)


@wm.in_folder
def paths(folder):
    need_clang(folder)
    wanted = {}
    for number, text in enumerate(PATHS.splitlines(), 1):
        found = re.search(r"// = (\d+) (\d+)$", text)
        if found:
            wanted[number] = int(found.group(1)), int(found.group(2))
    with open(os.path.join(folder, "k.cu"), "w", encoding="utf-8") as file:
        file.write(PATHS)
    launch = os.path.join(folder, "launch.yaml")
    with open(launch, "w", encoding="utf-8") as file:
        file.write("kernel: k\nsource: k.cu\ngrid: [1]\nblock: [32]\nargs:\n"
                   "  a: {type: int, count: 32, fill: ramp 0 1}\n"
                   "  b: {type: int, count: 128}\n  n: 1\n")
    path = os.path.join(folder, "k.wmt")
    done = trace(launch, path)
    wm.check(done.code == 0, done.err)
    counts = {}
    for item in wm.result("-m", "counts", "--instructions",
                          path)["kernels"][0]["instructions"]:
        if item["requests"]:
            add(counts, item["line"], item["requests"], item["lanes"])
    wrong = ["line %d, %s: found %s, wanted %s" % (
        line, PATHS.splitlines()[line - 1].strip(), counts.get(line),
        wanted.get(line))
        for line in sorted(set(counts) | set(wanted))
        if counts.get(line) != wanted.get(line)]
    wm.check(not wrong, "\n".join(wrong))


@wm.in_folder
def errors(folder):
    need_clang(folder)
    wrong = []
    for extension, cases in (("cu", BROKEN), ("cl", BROKEN_OPENCL)):
        for what, source, launch, code, parts in cases:
            path = os.path.join(folder, "k." + extension)
            if source is None:
                os.remove(path)
            else:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(source)
            with open(os.path.join(folder, "launch.yaml"), "w",
                      encoding="utf-8") as file:
                file.write(launch)
            done = trace("launch.yaml", "out.wmt", cwd=folder)
            lacks = [part for part in parts if part not in done.err]
            if done.code != code or lacks:
                wrong.append("%s: exit %d, wanted %d; lacks %s: %s" % (
                    what, done.code, code, lacks, done.err))
            output = os.path.join(folder, "out.wmt")
            if os.path.exists(output):
                wrong.append(what + ": left a trace behind")
                os.remove(output)
    wm.check(not wrong, "\n".join(wrong))


if __name__ == "__main__":
    wm.main({"counts": counts, "rebuild": rebuild, "errors": errors,
             "language": language, "copies": copies, "paths": paths})

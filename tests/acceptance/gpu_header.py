"""warpmem_trace.cuh and its example are compiled as users would.

    gpu_header.py nvcc      compiled and linked for sm_75, sm_80 and sm_90
    gpu_header.py syntax    checked by clang against a stub, where there is no
                            CUDA; host and device side

No GPU is needed; where the program finds one, it is run as well and its trace
is held to what the kernels do.
"""
import os
import shutil
import subprocess
import sys

import wm

HEADER = os.path.join(wm.ROOT, "tools", "trace-gpu")
EXAMPLE = os.path.join(HEADER, "example.cu")
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(wm.WARPMEM)), "lib")
LINE = """#include "warpmem_trace.cuh"
__host__ __device__ constexpr unsigned line_of(warpmem::index i)
{
    return i.line;
}
static_assert(line_of(5) == __LINE__, "an index knows its line");
"""


def skip(why):
    print("skipped: " + why)
    sys.exit(wm.SKIP)


def call(*command, **keywords):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=600, **keywords)
    wm.check(done.returncode == 0, "%s\n%s%s" % (" ".join(command), done.stdout,
                                                 done.stderr))
    return done


def find_nvcc():
    for program in ("nvcc", "/usr/local/cuda/bin/nvcc"):
        if shutil.which(program):
            return program
    return skip("nvcc is not here (CUDA's toolkit)")


def libraries():
    with open(os.path.join(os.path.dirname(LIBRARY), "CMakeCache.txt"),
              encoding="utf-8") as file:
        has_deflate = "LIBDEFLATE_LIBRARY:FILEPATH=/" in file.read()
    return ["-lwarpmem_drain"] + ["-ldeflate"] * has_deflate + ["-lz", "-llzma"]


@wm.in_folder
def nvcc(folder):
    program = find_nvcc()
    example = os.path.join(folder, "example")
    line = os.path.join(folder, "line.cu")
    flags = os.environ.get("WM_NVCC_FLAGS", "").split()
    with open(line, "w", encoding="utf-8") as file:
        file.write(LINE)
    call(program, "-std=c++17", "-I", HEADER, "-arch=sm_80", "-ptx", line, "-o",
         os.path.join(folder, "line.ptx"))
    targets = [word for sm in (75, 80, 90) for word in (
        "-gencode", "arch=compute_%d,code=sm_%d" % (sm, sm))]
    call(program, "-std=c++17", "-Xcompiler", "-Wall,-Wextra,-Werror",
         *targets, *flags, "-I", HEADER, EXAMPLE, "-o", example, "-L", LIBRARY,
         *libraries())
    if not shutil.which("nvidia-smi"):
        print("no GPU here: compiled, not run")
        return
    call(example, cwd=folder)
    total = wm.total("-m", "counts", os.path.join(folder, "example.wmt"))
    # 100,000 elements, 3,125 whole warps: saxpy loads two, the histogram one.
    wm.equal(total, l1__global_load__requests=3 * 3125,
             l1__global_load__sectors=3 * 3125 * 4,
             l1__global_store__requests=3125, l1__global_atomic__requests=3125)


def syntax():
    clang = os.environ.get("WARPMEM_CLANG", "clang")
    if not shutil.which(clang):
        skip("clang is not here")
    stub = os.path.join(wm.ROOT, "tests", "data", "cuda_stub")
    for side in (["--cuda-host-only"],
                 ["--cuda-device-only", "--cuda-gpu-arch=sm_70"]):
        call(clang, "-x", "cuda", "-std=c++17", *side, "-nocudainc",
             "-nocudalib", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
             "-Wno-unknown-cuda-version", "-I", stub, "-I", HEADER, EXAMPLE)


if __name__ == "__main__":
    wm.main({"nvcc": nvcc, "syntax": syntax})

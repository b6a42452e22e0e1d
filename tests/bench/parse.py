"""How fast text is read: CPU time of `trace check` on plain files, megabytes
of text a second.  Reading distils: a check makes the same records as a run."""
import glob
import os
import random
import statistics
import subprocess

import traceg
import wm

BAR_MB = 500  # a second, of Accel-Sim text
TARGET_BYTES = 250e6


def list_of(folder, name, files):
    """A kernel list that names the files until it is long enough."""
    n_bytes = sum(os.path.getsize(path) for path in files)
    n_times = max(1, int(TARGET_BYTES / n_bytes))
    links = []
    for i, path in enumerate(files):
        link = os.path.join(folder, "kernel-%s-%d" % (name, i))
        os.symlink(os.path.abspath(path), link)
        links.append(os.path.basename(link))
    path = os.path.join(folder, name + ".g")
    with open(path, "w") as out:
        out.write("\n".join(links * n_times) + "\n")
    return path, n_bytes * n_times


def made(folder, name, address_of):
    """Accel-Sim text: each warp a straight run of 32 loads, an addition
    behind each; address_of(number of the load) is its address part."""
    lines = iter(range(1 << 60))
    ctas = []
    for _ in range(256):
        warps = []
        for _ in range(8):
            warp = []
            for step in range(32):
                warp.append("%04x ffffffff 1 R%d LDG.E 1 R2 4 %s 0" % (
                    32 * step, 4 + step % 16, address_of(next(lines))))
                warp.append("%04x ffffffff 1 R2 IADD3 2 R2 R3 0 0" %
                            (32 * step + 16))
            warps.append(warp)
        ctas.append(warps)
    return traceg.write(folder, name + ".traceg", traceg.text(ctas, sm=70))


def stride(number):
    return "1 0x%x 4" % (0x7f0000000000 + 128 * number)


def differences(number):
    rng = random.Random(number % 997)
    return "2 0x%x %s" % (0x7f0000000000 + 128 * number, " ".join(
        str(4 * rng.randrange(-1 << 14, 1 << 14)) for _ in range(31)))


def print_out(folder):
    """The print-out of mem_trace: 32 addresses a line."""
    head = ("MEMTRACE: CTX 0x0000560000000000 - LAUNCH - Kernel pc 0x0 - "
            "Kernel name k - grid launch id 1 - grid size 64,1,1 - block size "
            "256,1,1 - nregs 16 - shmem 0 - cuda stream id 0\n")
    path = os.path.join(folder, "memtrace.txt")
    with open(path, "w") as out:
        out.write(head)
        for i in range(64 * 8 * 100):
            base = 0x7f0000000000 + 128 * i
            out.write("MEMTRACE: CTX 0x0000560000000000 - grid_launch_id 0 - "
                      "CTA %d,0,0 - warp %d - LDG.E - %s\n" % (
                          i // 8 % 64, i % 8, " ".join(
                              "0x%016x" % (base + 4 * k) for k in range(32))))
    return path


def inputs(folder):
    """(name, path, bytes, has the bar)."""
    for name in ("pytorch-train", "rodinia-bfs"):
        files = glob.glob(os.path.join(wm.SHARED, "traces", name, "*.traceg"))
        if files:
            yield name, *list_of(folder, name, files), True
        else:
            print("skipped: %s is not here (set WM_SHARED)" % name)
    for name, address_of in (("strides", stride), ("differences", differences)):
        file = made(folder, name, address_of)
        yield name, *list_of(folder, name, [file]), True
    text = os.path.join(folder, "own.txt")
    done = wm.run("trace", "gen", "mixed", "--ctas", 512, "--to", "text", "-o",
                  text)
    wm.check(done.code == 0, done.err)
    yield "text", text, os.path.getsize(text), False
    path = print_out(folder)
    yield "memtrace", path, os.path.getsize(path), False


def seconds(path):
    process = subprocess.Popen([wm.WARPMEM, "trace", "check", path],
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wm.check(process.returncode == 0, path)
    return usage.ru_utime + usage.ru_stime


def measure(folder, n_rounds):
    rows = [{"trace": name, "path": path, "bytes": n_bytes, "bar": bar,
             "cpu": []} for name, path, n_bytes, bar in inputs(folder)]
    for i in range(1 + n_rounds):
        for row in rows:
            cpu_s = seconds(row["path"])
            row["cpu"] += [cpu_s] if i > 0 else []
    for row in rows:
        row["cpu_s"] = statistics.median(row.pop("cpu"))
    return rows

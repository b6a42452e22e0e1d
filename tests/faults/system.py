"""The machine says no: full disks, closed pipes, little memory, folders that
cannot be written, signals in the middle.  Each ends with the promised exit
code and a message, and leaves no file that looks complete."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "acceptance"))
import wm  # noqa: E402
from wm import check, in_folder  # noqa: E402

TINY = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
STUDY = "traces: [long.wmt]\nconfigs: [%s]\naxes: {l2.latency: [%s]}\n"


def long_trace(folder, n_ctas=16000):
    """A trace whose replay takes seconds."""
    path = os.path.join(folder, "long.wmt")
    done = wm.run("trace", "gen", "gather", "--ctas", n_ctas, "--warps", 8,
                  "--accesses", 16, "-o", path)
    check(done.code == 0, done.err)
    return path


def left(folder, *expected):
    """Files in folder beside the expected ones."""
    return sorted(set(os.listdir(folder)) - set(expected))


def start(folder, *args):
    return subprocess.Popen([wm.WARPMEM] + [str(a) for a in args], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process, timeout=30):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err.decode("utf-8", "replace")


def wait_for(process, pattern, seconds=30):
    """Until a file is there or the process has ended."""
    until = time.monotonic() + seconds
    while not glob.glob(pattern) and process.poll() is None:
        check(time.monotonic() < until, "no %s appears" % pattern)
        time.sleep(0.01)


# --- disks and pipes ---------------------------------------------------------

@in_folder
def full_disk(folder):
    for args in (["run", "-c", wm.REF, TINY], ["trace", "cat", TINY],
                 ["trace", "check", TINY], ["config", "show", "v100"],
                 ["metrics"], ["mrc", TINY], ["--help"], ["--version"],
                 ["trace", "info", TINY], ["config", "list"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([wm.WARPMEM] + args, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        check(done.returncode == 3 and "No space left" in done.stderr,
              "%s > /dev/full: exit %d, %s" % (args, done.returncode,
                                               done.stderr))
    for args in (["run", "-c", wm.REF, "-f", "html", TINY],
                 ["trace", "convert", "--to", "text", TINY],
                 ["dram", "--gen", "seq"]):
        wm.refuses(3, ["/dev/full", "No space left"], *args, "-o",
                   "/dev/full", cwd=folder)


def small_disk(folder, kibibytes):
    """A disk of that size, or None where none can be had."""
    path = os.path.join(folder, "disk")
    os.mkdir(path)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o",
                           "size=%dk" % kibibytes, "none", path],
                          capture_output=True)
    return path if done.returncode == 0 else None


@in_folder
def disk_that_fills(folder):
    trace = long_trace(folder, 2000)
    disk = small_disk(folder, 64)
    if disk is None:
        print("        not run: no tmpfs may be mounted here")
        return
    try:
        for to in ("wmt", "text", "accelsim"):
            out = os.path.join(disk, "out")
            wm.refuses(3, [out, "No space left"], "trace", "convert", "--to",
                       to, trace, "-o", out)
            if to != "accelsim":
                check(left(disk) == [], "%s leaves %s" % (to, left(disk)))
            else:
                check(not os.path.exists(os.path.join(out, "kernelslist.g")),
                      "a list of kernels that are not whole")
    finally:
        subprocess.run(["umount", disk], check=True)


def closed_pipe():
    """The reader goes away: silence, and exit 3."""
    done = subprocess.run(
        ["bash", "-c", '"$0" metrics --markdown | head -n 1 >/dev/null; '
         'echo ${PIPESTATUS[0]}', wm.WARPMEM], capture_output=True, text=True)
    check(done.stdout.strip() in ("0", "3") and done.stderr == "",
          "exit %s, %s" % (done.stdout, done.stderr))
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run([wm.WARPMEM, "run", "-c", wm.REF, TINY],
                              stdout=closed, stderr=subprocess.PIPE)
    check(done.returncode == 3, "exit %d" % done.returncode)


@in_folder
def nowhere_to_write(folder):
    """A file in the folder's place stops root too."""
    with open(os.path.join(folder, "file"), "w") as out:
        out.write("mine")
    for args in (["run", "-c", wm.REF, TINY], ["trace", "convert", TINY],
                 ["trace", "convert", "--to", "accelsim", TINY],
                 ["trace", "gen", "copy"], ["dram", "--gen", "seq"]):
        wm.refuses(3, ["file/out"], *args, "-o", "file/out", cwd=folder)
    wm.refuses(3, ["file"], "trace", "convert", "--to", "accelsim", TINY, "-o",
               "file", cwd=folder)
    with open(os.path.join(folder, "file")) as source:
        check(source.read() == "mine", "the file in the way is changed")
    check(left(folder, "file") == [], str(left(folder, "file")))
    if os.geteuid() == 0:
        print("        a read-only folder is not tried: root may write there")
        return
    os.mkdir(os.path.join(folder, "closed"), 0o500)
    wm.refuses(3, ["closed"], "trace", "convert", TINY, "-o", "closed/out",
               cwd=folder)


@in_folder
def read_only_folder(folder):
    """As nobody, where this test is root."""
    if os.geteuid() != 0:
        return
    os.chmod(folder, 0o555)
    done = subprocess.run([wm.WARPMEM, "run", "-c", "v100", "-o",
                           os.path.join(folder, "out"), "/dev/null"],
                          user=65534, group=65534, cwd="/",
                          capture_output=True, text=True)
    if "ermission denied" in done.stderr and folder not in done.stderr:
        print("        not run: nobody may not run the program here")
        return
    check(done.returncode == 3 and "ermission denied" in done.stderr,
          "exit %d, %s" % (done.returncode, done.stderr))


@in_folder
def trace_that_vanishes(folder):
    """Kernels of a list that are removed while it is replayed."""
    out = os.path.join(folder, "list")
    done = wm.run("trace", "convert", "-q", "--to", "accelsim", TINY, "-o",
                  out)
    check(done.code == 0, done.err)
    fifo = os.path.join(out, "kernel-0.traceg")
    os.mkfifo(fifo)
    with open(os.path.join(out, "kernelslist.g"), "r+") as names:
        text = names.read()
        names.seek(0)
        names.write("kernel-0.traceg\n" + text)
    process = start(folder, "run", "-c", wm.REF, "--no-host", "-f", "json",
                    out)
    with open(fifo, "wb") as pipe:  # the list is open, the first kernel too
        for path in glob.glob(os.path.join(out, "kernel-*.traceg")):
            os.remove(path)
        pipe.write(open(os.path.join(folder, "no"), "wb").name.encode())
    code, text, err = end(process)
    check(code in (1, 3) and "warpmem: " in err, "exit %d, %s" % (code, err))
    check(not text or json.loads(text)["complete"] is False, "looks complete")


# --- memory ------------------------------------------------------------------

@in_folder
def little_memory(folder):
    """From too little to start to enough: exit 3, until it is exit 0."""
    trace = os.path.join(folder, "t.wmt")
    check(wm.run("trace", "convert", "-q", TINY, "-o", trace).code == 0, "")
    for args in (["run", "-c", "v100", "-j", "1", "-f", "json", trace],
                 ["trace", "convert", "-q", trace, "-o",
                  os.path.join(folder, "out.wmt")],
                 ["mrc", trace]):
        codes = []
        for mebibytes in (8, 10, 12, 14, 18, 24, 40, 80, 400):
            done = subprocess.run(
                ["bash", "-c", 'ulimit -v %d; exec "$0" "$@"' % (
                    mebibytes * 1024), wm.WARPMEM] + args,
                capture_output=True, text=True)
            # 127 and 1 with the loader's words: it did not even start.
            is_loader = "shared librar" in done.stderr or \
                "cannot allocate" in done.stderr.lower() and \
                "warpmem: " not in done.stderr
            if is_loader:
                continue
            codes.append(done.returncode)
            check(done.returncode == 0 or done.returncode == 3 and
                  "out of memory" in done.stderr, "%d MiB, %s: exit %d, %s" % (
                      mebibytes, args[0], done.returncode, done.stderr))
        check(codes and codes[-1] == 0 and codes == sorted(codes)[::-1],
              "%s: %s" % (args[0], codes))
    check(not glob.glob(os.path.join(folder, "*.tmp-*")), "left over")


# --- signals -----------------------------------------------------------------

@in_folder
def signal_in_a_run(folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        trace = wm.EndlessTrace(os.path.join(folder, "long.txt"))
        process = start(folder, "run", "-c", wm.REF, "--no-host", "-f", "json",
                        "-o", "out.json", TINY, trace.path)
        trace.wait()
        process.send_signal(number)
        code, _, err = end(process)
        check(code == 1 and "stopped by a signal" in err,
              "exit %d, %s" % (code, err))
        with open(os.path.join(folder, "out.json")) as source:
            result = json.load(source)
        check(result["complete"] is False, "looks complete")
        check(len(result["kernels"]) >= 2, "the launches before are lost")
        os.remove(os.path.join(folder, "out.json"))
        os.remove(trace.path)
        check(left(folder) == [], str(left(folder)))


@in_folder
def second_signal(folder):
    """Ends at once, whichever it is, though the first is not yet seen."""
    fifo = os.path.join(folder, "slow.txt")
    os.mkfifo(fifo)
    for first, second in ((signal.SIGINT, signal.SIGINT),
                          (signal.SIGINT, signal.SIGTERM),
                          (signal.SIGTERM, signal.SIGINT)):
        process = start(folder, "run", "-c", wm.REF, "-o", "out.txt", fifo)
        with open(fifo, "wb") as pipe:
            with open(TINY, "rb") as source:
                pipe.write(source.read(400))
            pipe.flush()
            time.sleep(0.2)
            process.send_signal(first)
            time.sleep(0.2)
            check(process.poll() is None, "the first signal kills")
            process.send_signal(second)
            code, _, _ = end(process, 5)
            check(code == -second, "exit %d" % code)
        check(left(folder, "slow.txt") == [], str(left(folder)))


@in_folder
def signal_in_a_conversion(folder):
    for to in ("wmt", "text", "accelsim"):
        trace = wm.EndlessTrace(os.path.join(folder, "long.txt"))
        process = start(folder, "trace", "convert", "--to", to, trace.path,
                        "-o", "out")
        trace.wait()
        process.send_signal(signal.SIGTERM)
        code, _, err = end(process)
        check(code == 1 and "signal" in err, "%s: exit %d, %s" % (to, code,
                                                                  err))
        os.remove(trace.path)
        if to == "accelsim":
            check(not os.path.exists(os.path.join(folder, "out",
                                                  "kernelslist.g")),
                  "a list of kernels that are not whole")
            shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
        check(left(folder) == [], str(left(folder)))
    process = start(folder, "trace", "gen", "gather", "--ctas", 10000000,
                    "-o", "out")
    wait_for(process, os.path.join(folder, "out*"))
    process.send_signal(signal.SIGINT)
    code, _, err = end(process)
    check(code == 1 and "signal" in err, "gen: exit %d, %s" % (code, err))
    check(left(folder) == [], str(left(folder)))


@in_folder
def signal_in_a_study(folder):
    """Ctrl-C goes to the children too; nothing counts as failed, and the same
    command finishes."""
    long_trace(folder, 1500)
    with open(os.path.join(folder, "s.yaml"), "w") as out:
        out.write(STUDY % (wm.REF, "200, 210"))
    for is_group in (False, True):
        process = subprocess.Popen(
            [wm.WARPMEM, "study", "run", "-j", "1", "s.yaml"], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        wait_for(process, os.path.join(folder, "s.results", "locks"))
        time.sleep(0.15)
        if is_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGTERM)
        code, _, err = end(process, 60)
        check(code == 1 and "the same command continues" in err and
              "failed" not in err, "exit %d, %s" % (code, err))
        failed = os.path.join(folder, "s.results", "failed")
        check(os.listdir(failed) == [], "points that count as failed")
    done = wm.run("study", "run", "-q", "s.yaml", cwd=folder)
    check(done.code == 0, done.err)
    done = wm.run("study", "collect", "s.yaml", cwd=folder)
    check(done.code == 0 and done.out.count(b"\n") == 3, done.err)


TESTS = {test.__name__: test for test in (
    full_disk, disk_that_fills, closed_pipe, nowhere_to_write,
    read_only_folder, trace_that_vanishes, little_memory, signal_in_a_run,
    second_signal, signal_in_a_conversion, signal_in_a_study)}

if __name__ == "__main__":
    wm.main(TESTS)

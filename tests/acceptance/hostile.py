"""Files made to do harm: bombs, huge counts, deep and circular YAML, lists
that point elsewhere, names that steer a terminal, a browser or a spreadsheet.

Memory is bounded by what was read, whatever a header promises, and ends are
messages and exit codes like any other.
"""
import csv
import gzip
import io
import json
import lzma
import os
import re
import resource
import struct
import subprocess
import time
import zlib

import traceg
import wm
from wm import check, in_folder

TINY = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
TINY_NAME = b"vecadd(float const*, float const*, float*)"
LIMIT_KIB = 64 * 1024
with open(wm.WARPMEM, "rb") as program:  # a sanitizer keeps what is freed
    IS_SANITIZED = re.search(b"__[at]san_init", program.read()) is not None
SECONDS = 60


def tiny(old=b"", new=b""):
    with open(TINY, "rb") as source:
        text = source.read()
    check(old in text, "%s is not in %s" % (old, TINY))
    return text.replace(old, new) if old else text


def put(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(content)
    return path


def bounded(codes, parts, *args, kibibytes=LIMIT_KIB, cwd=None):
    """Runs warpmem; checks exit code, message, peak memory and time."""
    start = time.monotonic()
    process = subprocess.Popen([wm.WARPMEM] + [str(a) for a in args], cwd=cwd,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    err = process.stderr.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    say = "%s: exit %d, %d KiB, %s" % (" ".join(map(str, args)), code,
                                       usage.ru_maxrss, err[:400])
    check(code in codes, say)
    if os.environ.get("WM_VERBOSE"):
        print("        " + say.strip())
    for part in parts:
        check(part in err, "no \"%s\": %s" % (part, say))
    # A child begins as a copy of this process, which counts as its own.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    check(usage.ru_maxrss <= max(kibibytes, own) or IS_SANITIZED, say)
    check(time.monotonic() - start < SECONDS, "over %d s: %s" % (SECONDS, say))


# --- compressed bombs --------------------------------------------------------

def bomb(folder, name, head, unit, n):
    opener = gzip.open if name.endswith(".gz") else \
        lambda path, mode: lzma.open(path, mode, preset=0)
    path = os.path.join(folder, name)
    with opener(path, "wb") as out:
        out.write(head)
        for _ in range(n):
            out.write(unit)
    return path


@in_folder
def bombs(folder):
    """Some 100 KiB that unpack to 96 MiB."""
    mebibyte = 1 << 20
    for suffix in ("gz", "xz"):
        path = bomb(folder, "blank." + suffix, tiny(), b"\n" * mebibyte, 96)
        bounded([0], [], "run", "-c", wm.REF, path)
        path = bomb(folder, "nul." + suffix, b"", bytes(mebibyte), 96)
        bounded([1], ["not a known trace format"], "run", "-c", wm.REF, path)
        # One line is held whole, up to 64 MiB.
        path = bomb(folder, "line." + suffix, tiny(), b"x" * mebibyte, 96)
        bounded([1], ["line over 64 MiB"], "run", "-c", wm.REF, path,
                kibibytes=160 * 1024)


@in_folder
def bomb_in_a_chunk(folder):
    """A .wmt chunk that promises little and unpacks to much, or the other
    way round."""
    whole = os.path.join(folder, "whole.wmt")
    check(wm.run("trace", "convert", "-q", TINY, "-o", whole).code == 0, "")
    with open(whole, "rb") as source:
        bytes_ = source.read()
    packed = zlib.compress(bytes(64 << 20), 9)
    for n_raw in (16, 64 << 20, 255 << 20, 0xffffffff):
        for payload in (packed, b"\0" * 16):
            head = b"GRUP" + struct.pack("<III", 0, n_raw, len(payload)) + \
                struct.pack("<I", zlib.crc32(payload))
            head += struct.pack("<I", zlib.crc32(head))
            # Behind the file's head and its first chunk, META.
            n_meta = struct.unpack_from("<I", bytes_, 16 + 12)[0]
            at = 16 + 24 + n_meta
            # What zlib made of 64 KiB may be held: 64 MiB, not 255.  Without
            # the rest there is no index, and the chunks are read in turn.
            for rest in (bytes_[at:], b""):
                path = put(folder, "bomb.wmt", bytes_[:at] + head + payload +
                           rest)
                bounded([1], ["bomb.wmt"], "run", "-c", wm.REF, path,
                        kibibytes=LIMIT_KIB + 64 * 1024)


# --- counts that promise too much --------------------------------------------

@in_folder
def counts_in_headers(folder):
    big = (1 << 32) - 1
    changes = (
        (b"grid 2,1,1", b"grid %d,%d,%d" % (big, big, big), [1]),
        (b"grid 2,1,1", b"grid %d,1,1" % big, [1]),
        (b"block 64,1,1", b"block %d,%d,%d" % (big, big, big), [0, 1]),
        (b"shared 0 regs 16", b"shared %d regs %d" % (big, big), [0]),
        (b"warps 2 records 8", b"warps %d records 8" % big, [1]),
        (b"warps 2 records 8", b"warps 1024 records 16777216", [1]),
        (b"warps 2 records 8", b"warps 2 records %d" % (2**64 - 1), [1]),
        (b"0x7f2000000000 512", b"0x0 %d" % (2**64 - 1), [0]),
        (b"static 0", b"static %d" % big, [1]),
        (b"width 4", b"width %d" % big, [1]),
    )
    for old, new, codes in changes:
        path = put(folder, "t.txt", tiny(old, new))
        bounded(codes, [], "run", "-c", wm.REF, path)
        bounded(codes, [], "trace", "convert", "-q", path, "-o",
                os.path.join(folder, "out.wmt"))


@in_folder
def counts_in_accelsim_headers(folder):
    text = traceg.text([[[traceg.line(0, "LDG.E", 4, (1 << 32, 4))]]])
    for old, new in (("grid dim = (1,1,1)", "grid dim = (4294967295,1,1)"),
                     ("insts = 1", "insts = 1000000000000000000"),
                     ("warp = 0", "warp = 4294967295"),
                     ("warp = 0", "warp = 1023"),
                     ("thread block = 0,0,0",
                      "thread block = 4294967295,4294967295,4294967295"),
                     (" 00000000", " 99999999999999999999"),
                     ("mem_width", "mem_width" * 100000)):
        path = traceg.write(folder, "k.traceg", text.replace(old, new))
        bounded([0, 1], [], "run", "-c", wm.REF, path)


# --- YAML --------------------------------------------------------------------

@in_folder
def yaml(folder):
    trace = put(folder, "t.txt", tiny())
    aliases = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 10))
        for c in range(ord("b"), ord("k")))
    cases = (
        ("deep-flow", b"l1: " + b"{a: " * 100000 + b"1" + b"}" * 100000),
        ("deep-list", b"l1: " + b"[" * 400000),
        ("deep-block", b"".join(b" " * i + b"a:\n" for i in range(1000))),
        ("aliases", aliases),
        ("long-key", b"k" * 900000 + b": 1\n"),
        ("long-value", b"l1.size: " + b"9" * 900000 + b"\n"),
        ("many-keys", b"".join(b"k%d: 1\n" % i for i in range(90000))),
        ("over-1-MiB", b"#" * (3 << 20) + b"\nbase: v100\n"),
        ("own-base", b"base: ./own-base.yaml\n"),
        ("merge", b"<<: *x\n"),
        ("tag", b"l1: !!python/object:os.system 'ls'\n"),
    )
    for name, text in cases:
        path = put(folder, name + ".yaml", text)
        bounded([2], [name + ".yaml"], "run", "-c", path, trace)
        bounded([2], [name + ".yaml"], "study", "run", path, cwd=folder)


# --- lists -------------------------------------------------------------------

@in_folder
def paths_in_lists(folder):
    """The rule of format_kernelslist.c: names lead where they lead."""
    for name in ("in", "out"):
        os.mkdir(os.path.join(folder, name))
    there = os.path.join(folder, "out", "kernel-1.traceg")
    load = traceg.line(0, "LDG.E", 4, (1 << 32, 4))
    traceg.write(folder, there, traceg.text([[[load]]]))
    os.symlink(there, os.path.join(folder, "in", "kernel-link.traceg"))
    path = os.path.join(folder, "in", "kernelslist.g")
    os.mkdir(os.path.join(folder, "in", "kernels"))
    for name in (there, "../out/kernel-1.traceg", "kernel-link.traceg",
                 "kernels/../../out/kernel-1.traceg"):
        traceg.write(folder, path, name + "\n")
        wm.equal(wm.total("-c", wm.REF, path), instructions__global_load=1)
    os.symlink(path, os.path.join(folder, "in", "kernel-self.g"))
    os.symlink("kernel-loop", os.path.join(folder, "in", "kernel-loop"))
    os.symlink("/dev/zero", os.path.join(folder, "in", "kernel-zero"))
    os.mkdir(os.path.join(folder, "in", "kernel-folder"))
    os.symlink("/etc/passwd", os.path.join(folder, "in", "kernel-passwd"))
    for name, part in (("kernel-self.g", "a kernel list in a kernel list"),
                       ("kernel-loop", "kernel-loop"),
                       ("kernel-zero", "not a known trace format"),
                       ("kernel-folder", "directory"),
                       ("kernel-passwd", "kernel-passwd")):
        traceg.write(folder, path, name + "\n")
        bounded([1, 3], [part], "run", "-c", wm.REF, path)


# --- names -------------------------------------------------------------------

EVIL = (b"=cmd|'/c calc'!A1</script><script>alert(1)</script><img src=x "
        b"onerror=alert(2)>&lt;\"'`\x1b]0;owned\x07\x1b[2J\x9b31m\xc2\x9b32m"
        b"\x7f\xff\xfe${x}%s%n,\t;")
STEERING = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|"
                      rb"(?<![\x80-\xff])[\x80-\x9f]")


def is_harmless(out, what):
    found = STEERING.search(out)
    check(found is None, "%s: byte %s in %s" % (
        what, found and found.group(), found and
        out[max(0, found.start() - 40):found.end() + 20]))


def every_output(folder, trace):
    """(what, format, bytes) of all that shows a kernel's name."""
    result = os.path.join(folder, "r.json")
    other = os.path.join(folder, "s.json")
    for path, latency in ((result, 200), (other, 300)):
        done = wm.run("run", "-c", wm.REF, "-f", "json", "--instructions",
                      "-o", path, "-s", "l2.latency=%d" % latency, trace)
        check(done.code == 0, done.err)
    commands = [("run", form, ["run", "-c", wm.REF, "--instructions", "-f",
                               form, trace])
                for form in ("text", "csv", "json", "html")]
    commands += [("compare", form, ["compare", "-f", form, result, other])
                 for form in ("text", "csv", "json")]
    commands += [("info", form, ["trace", "info", "-f", form, trace])
                 for form in ("text", "json")]
    commands += [("report", "html", ["report", result]),
                 ("cat", "text", ["trace", "cat", trace]),
                 ("check", "text", ["trace", "check", trace]),
                 ("mrc", "csv", ["mrc", "-f", "csv", trace]),
                 ("none", "text", ["run", "-c", wm.REF, "--kernel-name", "no",
                                   trace])]
    for what, form, args in commands:
        done = wm.run(*args)
        check(done.code in (0, 1), "%s: %s" % (what, done.err))
        yield what, form, done.out
        yield what + " on stderr", "text", done.err.encode()


@in_folder
def names(folder):
    trace = put(folder, "t.txt", tiny(TINY_NAME, EVIL))
    native = os.path.join(folder, "t.wmt")
    check(wm.run("trace", "convert", "-q", trace, "-o", native).code == 0, "")
    with open(put(folder, "k.traceg", traceg.text(
            [[[traceg.line(0, "LDG.E", 4, (1 << 32, 4))]]], name="NAME")
            .encode()), "rb") as source:
        grouped = source.read().replace(b"NAME", EVIL)
    for path in (trace, native, put(folder, "k.traceg", grouped)):
        for what, form, out in every_output(folder, path):
            is_harmless(out, "%s of %s" % (what, path))
            if form == "html":
                check(b"<img" not in out and b"alert(1)</" not in out,
                      "%s: a name is markup" % what)
            elif form == "json":
                json.loads(out)
            elif form == "csv":
                for row in csv.reader(io.StringIO(out.decode())):
                    for cell in row:
                        check(cell[:1] not in "=@+" or cell == "",
                              "%s: a formula: %s" % (what, cell))


@in_folder
def names_of_files(folder):
    """Paths and messages too."""
    evil = os.path.join(os.fsencode(folder), b"a\x1b[31m\x9b\xc2\x9b<b>.txt")
    with open(evil, "wb") as out:
        out.write(tiny())
    for args in (["run", "-c", wm.REF], ["run", "-c", wm.REF, "-f", "html"],
                 ["trace", "info"], ["trace", "check"], ["mrc"]):
        done = subprocess.run([wm.WARPMEM] + args + [evil],
                              capture_output=True)
        check(done.returncode == 0, done.stderr)
        is_harmless(done.stdout + done.stderr, args[0])
        check(b"<b>" not in done.stdout or "html" not in args, "markup")
        done = subprocess.run([wm.WARPMEM] + args + [evil + b"no"],
                              capture_output=True)
        check(done.returncode == 1, done.stderr)
        is_harmless(done.stderr, args[0])


@in_folder
def results_and_tables(folder):
    """What compare and report read: deep, wide, no numbers."""
    for name, text in (("deep", b"[" * 100000),
                       ("deeper", b'{"a":' * 100000),
                       ("number", b'{"format": 1e999999}'),
                       ("digits", b"9" * 100000),
                       ("string", b'"' + b"x" * (8 << 20)),
                       ("nul", b'{"warpmem": "\\u0000"}'),
                       ("latin", b'{"warpmem": "\xff"}')):
        path = put(folder, name + ".json", text)
        for args in (["compare", path, path], ["report", path]):
            bounded([1], [name + ".json"], *args)


TESTS = {test.__name__: test for test in (
    bombs, bomb_in_a_chunk, counts_in_headers, counts_in_accelsim_headers,
    yaml, paths_in_lists, names, names_of_files, results_and_tables)}

if __name__ == "__main__":
    wm.main(TESTS)

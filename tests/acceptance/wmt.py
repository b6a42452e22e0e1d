"""Native trace files from outside: a second reader agrees, they are small,
any part is found without reading the rest, and whatever ends a conversion or
cuts a file leaves nothing that could be taken for whole."""
import glob
import lzma
import os
import random
import signal
import struct
import subprocess
import sys
import time

import wm
import wmt_text
from wm import check, in_folder

sys.path.insert(0, os.path.join(wm.ROOT, "docs"))
import wmt_reader  # noqa: E402  (the reader that the documents promise)


def ok(*args, code=0):
    done = wm.run(*args)
    check(done.code == code, "exit %d from %s\n%s" % (
        done.code, " ".join(done.args), done.err))
    return done


def made(folder, name, *args):
    path = os.path.join(folder, name)
    ok("trace", "gen", *args, "-o", path)
    return path


def counts(path, *args):
    done = ok("trace", "info", "-f", "json", path, *args).json()
    return done["total"]["ctas"], done["total"]["records"]


# --- a second reader ---------------------------------------------------------

def agrees(path):
    with open(path, "rb") as file:
        mine = list(wmt_text.lines(wmt_reader.read(file.read())))
    theirs = ok("trace", "cat", path).out.split(b"\n")[:-1]
    for number, (a, b) in enumerate(zip(mine, theirs)):
        check(a == b, "%s: line %d: the Python reader has\n%r\ntrace cat has"
              "\n%r" % (path, number + 1, a, b))
    check(len(mine) == len(theirs), "%s: %d lines, trace cat has %d" % (
        path, len(mine), len(theirs)))
    return len(mine)


def random_addresses(rng, n):
    """n addresses after the word `at`: any size, any alignment."""
    base = rng.getrandbits(rng.choice((12, 32, 48, 64)))
    bits, shift = rng.randrange(1, 65), rng.randrange(0, 8)
    return ["0x%x" % ((base + (rng.getrandbits(bits) << shift)) % 2**64)
            for _ in range(n)]


def random_text(rng, warp_size):
    """A trace by hand: any mask, stride, difference, 64-bit address."""
    n_ctas = rng.randrange(1, 6)
    out = ["warpmem-trace 1", "copy set 0x%x 7" % rng.getrandbits(64),
           "launch grid %d,1,1 block %d,1,1 warp %d name k\\x20%d" % (
               n_ctas, 2 * warp_size, warp_size, rng.getrandbits(20)),
           "static 0 global_load width 4 pc 0x10 opcode LDG.E",
           "static 1 exit pc 0x20 opcode EXIT"]
    for cta in range(n_ctas):
        out.append("cta %d,0,0 warps 2 other %d flops 0,%d,0,%d" % (
            cta, rng.getrandbits(40), rng.getrandbits(64), rng.getrandbits(3)))
        for warp in range(2):
            out.append("warp %d" % warp)
            for _ in range(rng.randrange(0, 12)):
                mask = rng.getrandbits(warp_size)
                mask &= rng.getrandbits(warp_size) if rng.random() < .5 else -1
                n = bin(mask).count("1")
                form = rng.randrange(3)
                if form == 0 or n == 0:
                    where = "0x%x %+d" % (rng.getrandbits(64), rng.randrange(
                        -2**31, 2**31))
                elif form == 1:
                    step = rng.choice((0, 1, 4, 128, 2**31, 2**40))
                    where = "at " + " ".join(
                        "0x%x" % (0x7f0000000000 + step * i) for i in range(n))
                else:
                    where = "at " + " ".join(random_addresses(rng, n))
                out.append("  0 %x %s wait 0x%x" % (mask, where,
                                                    rng.getrandbits(32)))
            out.append("  1 ffffffff")
    return "\n".join(out) + "\n"


@in_folder
def text_to_wmt_and_back(folder):
    """Random traces survive both ways, and the Python reader agrees."""
    seed = int(os.environ.get("WM_SEED", time.time_ns() % 10**9))
    for number in range(seed, seed + 25):
        rng = random.Random(number)
        source = os.path.join(folder, "a.txt")
        native = os.path.join(folder, "a.wmt")
        again = os.path.join(folder, "b.txt")
        with open(source, "w") as file:
            file.write(random_text(rng, rng.choice((32, 64))))
        say = "WM_SEED=%d: " % number
        try:
            first = ok("trace", "cat", source).out
            ok("trace", "convert", "-q", source, "-o", native)
            check(ok("trace", "cat", native).out == first, "differs as .wmt")
            with open(again, "wb") as file:
                file.write(first)
            check(ok("trace", "cat", again).out == first, "differs as text")
            agrees(native)
        except AssertionError as problem:
            raise AssertionError(say + str(problem))


@in_folder
def a_second_reader_agrees_on_real_and_made_traces(folder):
    paths = [made(folder, "gather.wmt", "gather", "--ctas", 70, "--span",
                  "64M"),
             made(folder, "histogram.wmt", "histogram", "--ctas", 8),
             os.path.join(wm.ROOT, "tests", "fuzz", "corpus", "trace",
                          "wmt_lists")]
    for name in ("rodinia-bfs", "nn-onestep", "flashinfer-prefill"):
        source = os.path.join(wm.SHARED, "traces", name)
        if os.path.isdir(source):
            paths.append(os.path.join(folder, name + ".wmt"))
            ok("trace", "convert", "-q", source, "-o", paths[-1])
        else:
            print("        %s is not here: left out" % source)
    print("        %d lines" % sum(agrees(path) for path in paths))


def format_1_reads_as_before():
    """What an older version wrote, with lists, equals the same in format 2."""
    corpus = os.path.join(wm.ROOT, "tests", "fuzz", "corpus", "trace")
    old, new = (os.path.join(corpus, name)
                for name in ("wmt_format1", "wmt_lists"))
    with open(old, "rb") as a, open(new, "rb") as b:
        versions = [struct.unpack_from("<I", f.read(), 8)[0] for f in (a, b)]
    check(versions == [1, 2], "the corpus has formats %s" % versions)
    check(ok("trace", "cat", old).out == ok("trace", "cat", new).out,
          "format 1 reads differently")


# --- size ---------------------------------------------------------------------

@in_folder
def real_traces_are_smaller_than_their_xz(folder):
    for name in ("pytorch-train", "rodinia-bfs"):
        source = os.path.join(wm.SHARED, "traces", name)
        if not os.path.isdir(source):
            print("        %s is not here: left out" % source)
            continue
        target = os.path.join(folder, name + ".wmt")
        ok("trace", "convert", "-q", source, "-o", target)
        texts = []
        for path in sorted(glob.glob(os.path.join(source, "*.traceg"))):
            with open(path, "rb") as file:
                texts.append(file.read())
        n_each = sum(len(lzma.compress(text, preset=6)) for text in texts)
        n_all = len(lzma.compress(b"".join(texts), preset=6))
        n_wmt = os.path.getsize(target)
        print("        %s: %d bytes; xz -6 file by file %d, in one %d" % (
            name, n_wmt, n_each, n_all))
        check(n_wmt < min(n_each, n_all), "%s: %d bytes, xz -6 %d and %d" % (
            name, n_wmt, n_each, n_all))


@in_folder
def regular_kernels_take_under_a_fifth_of_a_byte_per_record(folder):
    path = made(folder, "v.wmt", "vecadd", "--ctas", 65536, "--accesses", 1)
    n_records = counts(path)[1]
    per_record = os.path.getsize(path) / n_records
    print("        %d records, %.4f bytes each" % (n_records, per_record))
    check(per_record < 0.2, "%f bytes per record" % per_record)


@in_folder
def random_gathers_take_their_entropy(folder):
    """32 words of 64 MiB are 96 bytes; 5 % and a base of 6 bytes on top."""
    path = made(folder, "g.wmt", "gather", "--ctas", 256, "--span", "64M")
    n_ctas, n_records = counts(path)
    n_loads = n_records - n_ctas * 8  # each warp ends in an exit
    per_load = os.path.getsize(path) / n_loads
    print("        %.1f bytes per gather" % per_load)
    check(per_load < 32 * 3 * 1.05 + 6, "%f bytes" % per_load)


# --- parts --------------------------------------------------------------------

@in_folder
def any_number_of_jobs_says_the_same(folder):
    path = made(folder, "g.wmt", "gather", "--ctas", 300)
    with open(path, "rb") as file:
        whole = bytearray(file.read())
    cut = os.path.join(folder, "cut.wmt")
    with open(cut, "wb") as file:
        file.write(whole[:len(whole) * 2 // 3])
    bad = os.path.join(folder, "bad.wmt")
    whole[len(whole) // 2] ^= 1
    with open(bad, "wb") as file:
        file.write(whole)
    for command in (("check",), ("check", "--keep-going"),
                    ("info", "-f", "json")):
        for trace in (path, cut, bad):
            said = {(done.code, done.out, done.err)
                    for done in (wm.run("trace", *command, "-j", jobs, trace)
                                 for jobs in (1, 2, 5))}
            check(len(said) == 1, "%s %s: %s" % (command, trace, said))


@in_folder
def a_part_of_a_trace_is_that_part(folder):
    path = made(folder, "g.wmt", "gather", "--ctas", 600, "--accesses", 4)
    part = os.path.join(folder, "part.wmt")
    whole = ok("trace", "cat", path).out.split(b"\ncta ")
    for skip, count in ((0, 1), (1, 2), (299, 7), (599, 1), (590, 50)):
        ctas = ("--cta-skip", skip, "--cta-count", count)
        text = ok("trace", "cat", *ctas, path).out.split(b"\ncta ")
        wanted = [cta.rstrip(b"\n") for cta in whole[1:][skip:skip + count]]
        check([cta.rstrip(b"\n") for cta in text[1:]] == wanted,
              "CTAs %d and %d more" % (skip, count))
        ok("trace", "slice", "-q", *ctas, path, "-o", part)
        check(ok("trace", "cat", part).out.split(b"\ncta ") == text,
              "slice and cat differ")
        ok("trace", "check", "--strict", part)


# --- damage -------------------------------------------------------------------

@in_folder
def what_a_cut_file_holds_is_recovered(folder):
    path = made(folder, "g.wmt", "gather", "--ctas", 300)
    whole = ok("trace", "cat", path).out
    cut = os.path.join(folder, "cut.wmt")
    out = os.path.join(folder, "out.wmt")
    with open(path, "rb") as file:
        data = file.read()
    for n in (16, 100, len(data) // 3, len(data) // 2, len(data) - 1):
        with open(cut, "wb") as file:
            file.write(data[:n])
        done = ok("trace", "check", "--recover", out, cut, code=1)
        check("byte " in done.err and b"recovered" in done.out, done.err)
        found = ok("trace", "cat", out, code=wm.run(
            "trace", "check", out).code).out
        check(whole.startswith(found), "cut at %d: other records" % n)
    ok("trace", "check", "--recover", out, path)
    check(ok("trace", "cat", out).out == whole, "a whole file is copied whole")


@in_folder
def a_killed_conversion_leaves_nothing_or_what_can_be_recovered(folder):
    source = os.path.join(folder, "a.txt")
    target = os.path.join(folder, "b.wmt")
    ok("trace", "cat", made(folder, "g.wmt", "gather", "--ctas", 600),
       "-o", source)
    whole = ok("trace", "cat", source).out
    n_left = 0
    for number in range(6):
        process = subprocess.Popen(
            [wm.WARPMEM, "trace", "convert", "-q", source, "-o", target])
        try:
            process.wait(0.02 + 0.06 * number)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if os.path.exists(target):
            # Killed between the rename and its exit: then it is the whole.
            check(ok("trace", "cat", target).out == whole,
                  "a killed conversion left a part as " + target)
            os.unlink(target)
        for left in glob.glob(target + ".tmp-*"):
            out = os.path.join(folder, "out.wmt")
            done = wm.run("trace", "check", "--recover", out, left)
            check(done.code == 1, "exit %d: %s" % (done.code, done.err))
            if os.path.exists(out):
                found = wm.run("trace", "cat", out).out
                check(whole.startswith(found), "other records")
                n_left += found.count(b"\ncta ")
                os.unlink(out)
            os.unlink(left)
    print("        %d CTAs recovered" % n_left)


@in_folder
def a_stopped_conversion_leaves_nothing(folder):
    target = os.path.join(folder, "b.wmt")
    for number in (signal.SIGINT, signal.SIGTERM):
        source = wm.EndlessTrace(os.path.join(folder, "a%d.txt" % number))
        process = subprocess.Popen(
            [wm.WARPMEM, "trace", "convert", "-q", source.path, "-o", target],
            stderr=subprocess.PIPE)
        source.wait()
        process.send_signal(number)
        said = process.stderr.read().decode()
        code = process.wait()
        check(code == 1 and "stopped by a signal" in said,
              "signal %d: exit %d, %s" % (number, code, said))
        check(not glob.glob(target + "*"), "files are left")


if __name__ == "__main__":
    wm.main({test.__name__: test for test in (
        text_to_wmt_and_back, a_second_reader_agrees_on_real_and_made_traces,
        format_1_reads_as_before, real_traces_are_smaller_than_their_xz,
        regular_kernels_take_under_a_fifth_of_a_byte_per_record,
        random_gathers_take_their_entropy, any_number_of_jobs_says_the_same,
        a_part_of_a_trace_is_that_part, what_a_cut_file_holds_is_recovered,
        a_killed_conversion_leaves_nothing_or_what_can_be_recovered,
        a_stopped_conversion_leaves_nothing)})

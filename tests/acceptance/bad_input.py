"""Inputs that cannot be right: each ends with a message that says where, and
with the promised exit code."""
import gzip
import os

import traceg
import wm
from traceg import line
from wm import in_folder

LOAD = line(0, "LDG.E", 4, (0x7f2000000000, 4))


def put(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(content)
    return path


def refuses(code, parts, *args):
    wm.refuses(code, parts, "run", "-f", "json", *args)


def missing_trace():
    refuses(1, ["no-such-file", "No such file"], "-c", "v100",
            "no-such-file.traceg")


@in_folder
def missing_file_of_a_list(folder):
    path = traceg.write(folder, "kernelslist.g", "\nkernel-1.traceg\n")
    refuses(1, ["kernelslist.g:2:", "kernel-1.traceg"], path)


@in_folder
def folder_without_a_list(folder):
    refuses(1, [folder, "kernelslist"], "-c", "v100", folder)


@in_folder
def lfs_pointer(folder):
    path = put(folder, "x.traceg", b"version https://git-lfs.github.com/spec/"
               b"v1\noid sha256:" + b"0" * 64 + b"\nsize 123\n")
    refuses(1, ["x.traceg", "Git LFS"], "-c", "v100", path)


@in_folder
def truncated_gzip(folder):
    # Uneven addresses, so that half of the file is not just its header.
    lines = [line(16 * n, "LDG.E", 4, (0x7f2000000000 + n * n * 977, 4))
             for n in range(2000)]
    packed = gzip.compress(traceg.text([[lines]]).encode())
    path = put(folder, "x.traceg.gz", packed[:len(packed) // 2])
    refuses(1, ["x.traceg.gz"], "-c", "v100", path)
    whole = put(folder, "y.traceg.gz", packed)
    wm.equal(wm.total("-c", "v100", whole), instructions__global_load=2000)


@in_folder
def not_a_trace(folder):
    path = put(folder, "x.traceg", b"\x7fELF\x02\x01\x01" + bytes(200))
    refuses(1, ["x.traceg"], "-c", "v100", path)


@in_folder
def empty_trace(folder):
    refuses(1, ["x.traceg", "empty"], "-c", "v100", put(folder, "x.traceg",
                                                        b""))


@in_folder
def cut_short_warp(folder):
    text = traceg.text([[[LOAD] * 4]])
    cut = text[:text.rindex(LOAD)]
    path = traceg.write(folder, "x.traceg", cut)
    refuses(1, ["x.traceg:"], "-c", "v100", path)


@in_folder
def letters_for_an_address(folder):
    bad = LOAD.replace("0x7f2000000000", "0xzz")
    path = traceg.write(folder, "x.traceg", traceg.text([[[bad]]]))
    number = traceg.line_number(path, bad)
    refuses(1, ["x.traceg:%d" % number], "-c", "v100", path)


@in_folder
def unknown_key(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(2, ["l2.sise", "l2.size"], "-c", "v100", "-s", "l2.sise=4MiB",
            path)


@in_folder
def impossible_geometry(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(2, ["l1.size"], "-c", "v100", "-s", "l1.size=100KiB", "-s",
            "l1.ways=7", "-s", "l1.sets=3", path)


@in_folder
def unknown_policy(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(2, ["l2.policy", "lru"], "-c", "v100", "-s", "l2.policy=lro",
            path)


@in_folder
def value_without_unit(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(2, ["l2.size", "unit"], "-c", "v100", "-s", "l2.size=6", path)


@in_folder
def unknown_preset(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(2, ["v1000"], "-c", "v1000", path)


def unknown_option():
    refuses(2, ["--confg"], "--confg", "v100", "x.traceg")


def unknown_command():
    wm.refuses(2, ["rum"], "rum")


def no_trace():
    refuses(2, ["TRACE"])


@in_folder
def unwritable_output(folder):
    path = traceg.kernel(folder, [LOAD])
    refuses(3, ["no-such-folder"], "-c", "v100", "-o",
            os.path.join(folder, "no-such-folder", "x.json"), path)


@in_folder
def carriage_returns_and_no_last_newline(folder):
    path = put(folder, "x.traceg", traceg.text([[[LOAD]]]).replace(
        "\n", "\r\n").rstrip().encode())
    wm.equal(wm.total("-c", "v100", path), l1__global_load__sectors=4)


TESTS = {name: test for name, test in list(globals().items())
         if callable(test) and not isinstance(test, type)
         and name not in ("in_folder", "put", "refuses", "line")}

if __name__ == "__main__":
    wm.main(TESTS)

"""docs/TUTORIAL.md and README.md show what the program prints.

    tutorial.py [--update]

Their console blocks are run in order in one folder that has traces/; output is
compared line by line.  --update writes what is printed now: review the diff.
"""
import os
import re
import subprocess
import sys

import wm

PAGES = [os.path.join(wm.ROOT, *names)
         for names in (("docs", "TUTORIAL.md"), ("README.md",))]
BLOCK = re.compile(r"```console\n(.*?)```", re.S)


def commands(block):
    """(lines as typed, command, output) for each command of a block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line], [line[2:]], []))
        elif line.startswith("> ") and not found[-1][2]:
            found[-1][0].append(line)
            found[-1][1].append(line[2:])
        else:
            found[-1][2].append(line)
    return [(typed, "\n".join(words), output)
            for typed, words, output in found]


def run(command, folder):
    env = dict(os.environ, PATH=os.path.dirname(os.path.abspath(wm.WARPMEM)) +
               os.pathsep + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", "set -e; " + command], cwd=folder,
                          env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    return done.stdout.splitlines()


@wm.in_folder
def tutorial(folder):
    is_update = sys.argv[1:] == ["--update"]
    os.symlink(os.path.join(wm.ROOT, "traces"),
               os.path.join(folder, "traces"))
    n_commands, differences = 0, []

    def block(match):
        nonlocal n_commands
        lines = []
        for typed, command, shown in commands(match.group(1)):
            printed = run(command, folder)
            n_commands += 1
            if shown != printed and not is_update:
                differences.append("%s\nshown:\n%s\nprinted:\n%s" % (
                    command, "\n".join(shown), "\n".join(printed)))
            lines += typed + printed
        return "```console\n%s\n```" % "\n".join(lines)

    for page in PAGES:
        with open(page) as source:
            text = source.read()
        assert BLOCK.search(text), "%s shows nothing" % page
        new = BLOCK.sub(block, text)
        if is_update:
            with open(page, "w") as out:
                out.write(new)
    assert n_commands > 20, n_commands
    assert not differences, "\n\n".join(differences) + \
        "\n\n(renew it with: python3 tests/acceptance/tutorial.py --update)"
    print("%d commands print what is shown" % n_commands)


if __name__ == "__main__":
    tutorial()

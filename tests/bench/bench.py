"""How fast is the program?  CPU time, instructions, stages, beside the peer.

    bench.py [options] [WARPMEM]

The program is WARPMEM, else $WARPMEM, else the release build's.  Absolute
rates drift with the machine and decide nothing; instructions per record are
the same from run to run and fail (exit 1) when a row of baseline.csv is
exceeded by more than 10 %.  Exit 77: skipped, valgrind is not here or the
baseline is another compiler's.
"""
import argparse
import json
import os
import sys
import tempfile

PARTS = ("speed", "decode", "parse", "instructions", "peer", "scaling")


def options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("program", nargs="?", metavar="WARPMEM")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PARTS",
                        help="of " + ", ".join(PARTS))
    parser.add_argument("--quick", action="store_true",
                        help="half the CTAs, median of 3 instead of 5")
    parser.add_argument("--threads", default="1,2", metavar="N,N")
    parser.add_argument("--stages", action="store_true",
                        help="where the instructions go")
    parser.add_argument("--update", action="store_true",
                        help="rewrite baseline.csv instead of comparing")
    parser.add_argument("--json", metavar="FILE",
                        help="write what was measured")
    parser.add_argument("--doc", metavar="FILE",
                        help="rewrite the marked tables of FILE; measures "
                        "the stages too")
    chosen = parser.parse_args()
    chosen.only = chosen.only.split(",")
    for part in chosen.only:
        if part not in PARTS:
            parser.error("--only: found '%s', wanted some of %s" % (
                part, ", ".join(PARTS)))
    try:
        chosen.threads = [int(n) for n in chosen.threads.split(",")]
    except ValueError:
        parser.error("--threads: found '%s', wanted numbers as in 1,2" %
                     chosen.threads)
    return chosen


CHOSEN = options()
if CHOSEN.program:
    os.environ["WARPMEM"] = os.path.abspath(CHOSEN.program)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "..", "acceptance"))
import callgrind  # noqa: E402  (the program must be known before)
import decode     # noqa: E402
import parse      # noqa: E402
import peer       # noqa: E402
import scaling    # noqa: E402
import speed      # noqa: E402
import tables     # noqa: E402
import wm         # noqa: E402


def can_count():
    """Whether instructions can be counted, and compared."""
    if not callgrind.is_here():
        print("skipped: valgrind is not here, no instruction counts")
        return False
    made_by = callgrind.read_baseline()[0]
    if not CHOSEN.update and made_by not in (None, callgrind.compiler()):
        print("skipped: baseline.csv was made with %s, the program with %s" %
              (made_by, callgrind.compiler()))
        return False
    return True


def measure(folder):
    """What was asked for, as one dictionary."""
    result = {"machine": tables.machine()}
    n_rounds = 3 if CHOSEN.quick else 5
    if "speed" in CHOSEN.only:
        result["speed"], result["start_up"] = speed.measure(
            folder, "quick" if CHOSEN.quick else "full", n_rounds,
            CHOSEN.threads)
    if "decode" in CHOSEN.only:
        result["decode"] = decode.measure(folder, CHOSEN.quick, n_rounds)
    if "peer" in CHOSEN.only:
        if peer.is_here():
            result["peer"] = peer.measure(folder, n_rounds)
        else:
            print("skipped: the peer's table is not here (set WM_SHARED)")
    if "scaling" in CHOSEN.only:
        result["scaling"] = scaling.measure(folder)
    if "parse" in CHOSEN.only:
        result["parse"] = parse.measure(folder, n_rounds)
    if "instructions" in CHOSEN.only and can_count():
        result["instructions"] = callgrind.measure(
            folder, CHOSEN.stages or CHOSEN.doc is not None)
    return result


def main():
    with tempfile.TemporaryDirectory() as folder:
        result = measure(folder)
    found = tables.sections(result)
    for name, body in found.items():
        print("\n%s\n%s" % (name, body), flush=True)
    if CHOSEN.json:
        with open(CHOSEN.json, "w") as out:
            json.dump(result, out, indent=1)
            out.write("\n")
    if CHOSEN.doc:
        tables.rewrite(CHOSEN.doc, found)
    if "instructions" not in result:
        return wm.SKIP if CHOSEN.only == ["instructions"] else 0
    if CHOSEN.update:
        callgrind.write_baseline(result["instructions"])
        print("\nwritten: %s" % callgrind.BASELINE)
        return 0
    print()
    return callgrind.compare(result["instructions"]) > 0


if __name__ == "__main__":
    sys.exit(main())

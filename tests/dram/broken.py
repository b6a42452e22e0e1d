"""A simulator whose timing is one CK too short is caught by exactly that rule.

    broken.py model[:1] reference[:1] refresh refused    :1: every standard

The simulator gets a standard with one timing a CK below what the auditor asks
for, which is the standard's own value or, where another rule would bind first,
more than that.
"""
import os
import subprocess
import tempfile

from dram import (STANDARDS, WARPMEM, audit, check, main, model, reference,
                  stream, tests_of, variant)
from standards import Standard


# What the auditor asks for: the standard's value and so much more, so that
# the rule is the one that binds.  The simulator gets one CK less than that.
MORE = {"tRCD_RD": 0, "tRCD_WR": 0, "tRP": 0, "tRAS": 20, "tRC": 12,
        "tRRD_S": 1, "tRRD_L": 4, "tFAW": 24, "tCCD_S": 2, "tCCD_L": 2,
        "tCCD_WR": 3, "tRTW": 2, "tWTR_S": 2, "tWTR_L": 8, "tRTP": 30,
        "tWR": 4, "tRFC_AB": 0, "tPPD": 6}


def in_ck(timings):
    return {"timing__t" + k: "%s ck" % v for k, v in timings.items()}


def broken_by(simulate, folder, standard, timing, more):
    """The rules found broken where the simulator's timing is a CK short."""
    s = Standard(standard)
    # All are given as numbers, so that none follows another.
    t = dict(s.t)
    t.setdefault("CCD_WR", t["CCD_L"])
    t[timing[1:]] = t.get(timing[1:], 0) + more
    if timing == "tRAS":
        t["RC"] = max(t["RC"], t["RAS"] + t["RP"])
    if timing == "tRRD_S":  # the group's may not be the stricter one
        t["RRD_S"] = t["RRD_L"] + more
    asked = variant(folder, "asked", standard, **in_ck(t))
    t[timing[1:]] -= 1
    given = variant(folder, "given", standard, **in_ck(t))
    trace = os.path.join(folder, "c.txt")
    broken = set()
    for pattern in ("hot", "rmix", "gpu", "seq"):
        simulate(given, stream(pattern, 2000), "--commands", trace)
        check(not audit(trace, "--standard", given).broken, standard, timing)
        broken |= audit(trace, "--standard", asked).broken
    return broken


def catch_all(simulate, all_standards):
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        for standard in STANDARDS if all_standards else (
                "hbm2", "hbm3", "gddr6"):
            for timing, more in MORE.items():
                found = broken_by(simulate, folder, standard, timing, more)
                check(found == {timing[1:]}, standard, timing,
                      "one CK short breaks", found or "nothing")
                n += 1
    print("%d timings of one CK too little, each caught by its rule" % n)


def test_reference(all_standards=0):
    catch_all(reference, all_standards)


def test_model(all_standards=0):
    catch_all(model, all_standards)


def refresh_broken(folder, asked, given, *options):
    trace = os.path.join(folder, "c.txt")
    model(given, stream("rmix", 10000), "--commands", trace, *options)
    return audit(trace, "--standard", asked).broken


def test_refresh():
    """Refreshes too early, too late, too close, too short, or not at all."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("hbm2", "hbm3", "lpddr5"):
            t = Standard(name).t
            asked = variant(folder, "asked", name, **in_ck(t))

            def expect(wanted, *options, **changed):
                given = variant(folder, "given", name,
                                **in_ck({**t, **changed}))
                found = refresh_broken(folder, asked, given, *options)
                check(found == wanted, name, options, changed, found)

            per_bank = ("--refresh", "per_bank")
            expect(set())
            expect(set(), *per_bank)
            expect({"RFC_PB"}, *per_bank, RFC_PB=t["RFC_PB"] - 1)
            expect({"RREFD"}, *per_bank, RREFD=t["RREFD"] - 1)
            expect({"REFI_EARLY"}, REFI=t["REFI"] * 9 // 10)
            expect({"REFI_LATE"}, REFI=2 * t["REFI"])
            expect({"REFI_LATE"}, *per_bank, REFI=2 * t["REFI"])
            expect({"REFI_LATE"}, "--refresh", "none")


def test_refused():
    """What no controller can keep up with ends with a message, not never."""
    with tempfile.TemporaryDirectory() as folder:
        for options, values in (
                (("--write-high", 0, "--write-low", 0), {}),
                (("--refresh", "per_bank"), {"timing__tREFI": "500 ns",
                                             "timing__tRREFD": "40 ns"}),
                ((), {"timing__tRTW": "9 ck"}),
                ((), {"timing__tCCD_S": "1 ck"}),
                ((), {"timing__tREFI": "300 ns"})):
            path = variant(folder, "v", "hbm2", **values)
            done = subprocess.run(
                [WARPMEM, "dram", "-c", path, "--gen", "rmix", "--count",
                 "1000", *(str(o) for o in options)],
                capture_output=True, timeout=30)
            said = done.stderr.decode()
            check(done.returncode == 2 and "want" in said,
                  options, values, done.returncode, said)


main(tests_of(globals()))

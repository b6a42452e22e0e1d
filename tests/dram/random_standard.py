"""Standards that no one built: random organisations, buses and timings, within
what a device can keep up with."""


def organisation(rng):
    while True:
        pcs, sids = rng.choice((1, 1, 2, 2, 4)), rng.choice((1, 1, 2, 4))
        groups, banks = rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 4, 4))
        if pcs * sids * groups * banks <= 64:
            return pcs, sids, groups, banks


def timings(rng, n_banks):
    """In CK."""
    draw = rng.randrange
    t = {"tCL": draw(5, 40), "tBL": rng.choice((1, 2, 4, 8)),
         "tRP": draw(5, 30), "tRAS": draw(10, 70), "tWTR_S": draw(1, 12),
         "tRTP": draw(3, 15), "tWR": draw(2, 40), "tRRD_S": draw(1, 12)}
    t["tCWL"] = draw(1, t["tCL"] + 1)
    t["tRC"] = t["tRAS"] + t["tRP"] + draw(6)
    t["tRCD_RD"] = draw(4, max(5, min(t["tRAS"], 35)))
    t["tRCD_WR"] = draw(2, max(3, min(t["tRAS"], 30)))
    t["tCCD_S"] = t["tBL"] + rng.choice((0, 0, 1))
    t["tCCD_L"] = t["tCCD_S"] + draw(4)
    t["tWTR_L"] = t["tWTR_S"] + draw(8)
    t["tRRD_L"] = t["tRRD_S"] + draw(4)
    t["tFAW"] = t["tRRD_S"] * draw(3, 7) + draw(4)
    t["tRFC_AB"] = draw(t["tRC"] + 2, 400)
    t["tREFI"] = t["tRFC_AB"] * draw(3, 20) + draw(50)
    maybe = {"tPPD": draw(1, 6), "tCCD_WR": t["tCCD_L"] + draw(10),
             "tCCD_R": t["tCCD_S"] + draw(4), "tRP_AB": t["tRP"] + draw(6),
             "tRTW": draw(6)}
    t.update((k, v) for k, v in maybe.items() if rng.random() < 0.4)
    if rng.random() < 0.6:  # refreshed bank by bank: slowly enough
        t["tREFI"] = max(t["tREFI"],
                         n_banks * (2 * t["tRC"] + 2 * t["tCL"] + 60))
        t["tRFC_PB"] = draw(t["tRC"] + 1, t["tRFC_AB"] + 1)
        t["tRREFD"] = draw(1, 20)
    return t


def in_words(rng, name, value, ck_ps):
    """The same number of CK, in one of the ways of writing it."""
    if name == "tRTW":
        return "tCL + tBL - tCWL + %d ck" % value
    way = rng.random()
    if name in ("tBL", "tCCD_S", "tCCD_L", "tCCD_R"):
        return "%d ck" % value  # bursts never meet, whatever the clock
    if name == "tREFI" or way < 0.3:
        return "%d.%03d ns" % divmod(value * ck_ps, 1000)
    if way < 0.4:
        return "max(%d ps, %d ck)" % (rng.randrange(1, value * ck_ps + 1),
                                      value)
    return "%d ck" % value


def lengths(rng, has_edges):
    if has_edges:
        return {"act": "1.5 ck", "pre": "0.5 ck", "ref": "0.5 ck",
                "column": "1 ck"}
    draw = rng.randrange
    return {"act": "%d ck" % draw(1, 4),
            "pre": "%d ck" % rng.choice((1, 1, 1, 2)),
            "ref": "%d ck" % rng.choice((1, 1, 1, 2, 3)),
            "column": "%d ck" % rng.choice((1, 1, 1, 1, 2))}


def write(rng, path):
    """Writes a standard; true when it can be refreshed bank by bank."""
    has_edges = rng.random() < 0.25
    is_split = has_edges or rng.random() < 0.5
    pcs, sids, groups, banks = organisation(rng)
    ck_ps = rng.choice((500, 625, 1000, rng.randrange(200, 3000)))
    t = timings(rng, pcs * sids * groups * banks)
    atom = rng.choice((32, 32, 64))
    lines = ["standard: random", "organisation:",
             "  pseudo_channels: %d" % pcs, "  stack_ids: %d" % sids,
             "  bank_groups: %d" % groups, "  banks: %d" % banks,
             "  row: %d B" % (atom * rng.choice((8, 16, 32, 64, 128))),
             "  atom: %d B" % atom, "clock:", "  ck: %d ps" % ck_ps,
             "  ticks: %d" % (2 if has_edges else rng.choice((1, 1, 2, 4))),
             "command:", "  bus: %s" % ("split" if is_split else "single"),
             "  edges: %s" % ("hbm3" if has_edges else "any")]
    lines += ["  %s: %s" % item for item in lengths(rng, has_edges).items()]
    lines += ["timing:"]
    lines += ["  %s: %s" % (k, in_words(rng, k, v, ck_ps))
              for k, v in t.items()]
    if rng.random() < 0.3:
        lines += ["refresh:", "  counts_as_activate: true"]
    lines += ["mapping: mop4clxor"]
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")
    return "tRFC_PB" in t

"""The timing tables of three standards, typed in by hand: start to start, in
ticks, as docs/DRAM.md and the datasheets' spacing rule give them.

A row is (scope, previous, next, ticks, rule).  Nothing here is calculated from
the standards' files or from the auditor's own rules, which is the point.
"""
ROW = "ACT PRE PREA REFA REFP"
COLUMN = "RD WR RDA WRA"
READ, WRITE = "RD RDA", "WR WRA"


def rows(text):
    """One row a line; R and W stand for the commands with and without
    auto-precharge."""
    sets = {"R": READ, "W": WRITE, "ROW": ROW, "COLUMN": COLUMN,
            "ALL": ROW + " " + COLUMN}
    found = []
    for line in text.strip().splitlines():
        scope, before, after, ticks, rule = line.split()
        found.append((scope,
                      sum((sets.get(w, w).split() for w in before.split(",")),
                          []),
                      sum((sets.get(w, w).split() for w in after.split(",")),
                          []),
                      int(ticks), rule))
    return found


class Standard:
    def __init__(self, name, pcs, sids, bgs, bas, faw, text, edges=False,
                 refp_in_faw=False):
        self.name = name
        self.pcs, self.sids, self.bgs, self.bas = pcs, sids, bgs, bas
        self.faw = faw
        self.rows = rows(text)
        self.edges = edges
        self.refp_in_faw = refp_in_faw


HBM2 = Standard("hbm2", 2, 1, 4, 4, 15, """
channel  ACT           ROW     2  ROW_BUS
channel  PRE,PREA,REFA,REFP ROW 1 ROW_BUS
channel  COLUMN        COLUMN  1  COLUMN_BUS
pc       R             R       2  CCD_S
pc       W             W       2  CCD_S
pc       R             W      13  RTW
pc       W             R      13  WTR_S
pc       ACT           ACT     4  RRD_S
pc       ACT           PREA   35  RAS
pc       R             PREA    5  RTP
pc       W             PREA   23  WR
pc       PREA          ACT    13  RP
pc       ACT           REFA   49  RC
pc       PRE,PREA      REFA   14  RP
pc       RDA           REFA   19  RP
pc       WRA           REFA   37  RP
pc       REFA          ACT   349  RFC_AB
pc       REFA          PRE,PREA,REFA,REFP 350 RFC_AB
pc       PREA          REFP   14  RP
pc       REFP          ACT     7  RREFD
pc       REFP          REFP    8  RREFD
pc       REFP          REFA  160  RFC_PB
pc       ACT           REFP    5  RRD_S
bg       R             R       4  CCD_L
bg       W             W       4  CCD_WR
bg       W             R      15  WTR_L
bg       ACT           ACT     4  RRD_L
bank     ACT           ACT    48  RC
bank     ACT           R      15  RCD_RD
bank     ACT           W      13  RCD_WR
bank     ACT           PRE    35  RAS
bank     PRE           ACT    13  RP
bank     R             PRE     5  RTP
bank     W             PRE    23  WR
bank     RDA           ACT    18  RP
bank     WRA           ACT    36  RP
bank     REFP          ACT   159  RFC_PB
bank     REFP          REFP  160  RFC_PB
bank     ACT           REFP   49  RC
bank     PRE           REFP   14  RP
bank     RDA           REFP   19  RP
bank     WRA           REFP   37  RP
""")

HBM3 = Standard("hbm3", 2, 2, 4, 4, 48, """
channel  ACT           ROW     3  ROW_BUS
channel  PRE,PREA,REFA,REFP ROW 1 ROW_BUS
channel  COLUMN        COLUMN  2  COLUMN_BUS
pc       R             R       4  CCD_S
pc       W             W       4  CCD_S
pc       R             W      40  RTW
pc       W             R      38  WTR_S
pc       ACT           ACT     8  RRD_S
pc       ACT           PREA   92  RAS
pc       PREA          ACT    50  RP
pc       PRE,PREA      PRE,PREA 4 PPD
pc       R             PREA   19  RTP
pc       W             PREA   91  WR
pc       ACT           REFA  146  RC
pc       PRE,PREA      REFA   52  RP
pc       RDA           REFA   71  RP
pc       WRA           REFA  143  RP
pc       REFA          ACT  1118  RFC_AB
pc       REFA          PRE,PREA,REFA,REFP 1120 RFC_AB
pc       PREA          REFP   52  RP
pc       REFP          REFP   16  RREFD
pc       REFP          ACT    14  RREFD
pc       REFP          REFA  640  RFC_PB
pc       ACT           REFP   10  RRD_S
othersid R             R       6  CCD_R
bg       R             R       8  CCD_L
bg       W             W       8  CCD_WR
bg       W             R      44  WTR_L
bg       ACT           ACT    10  RRD_L
bank     ACT           ACT   144  RC
bank     ACT           R      63  RCD_RD
bank     ACT           W      31  RCD_WR
bank     ACT           PRE    92  RAS
bank     PRE           ACT    50  RP
bank     R             PRE    19  RTP
bank     W             PRE    91  WR
bank     RDA           ACT    69  RP
bank     WRA           ACT   141  RP
bank     REFP          ACT   638  RFC_PB
bank     REFP          REFP  640  RFC_PB
bank     ACT           REFP  146  RC
bank     PRE           REFP   52  RP
bank     RDA           REFP   71  RP
bank     WRA           REFP  143  RP
""", edges=True)

GDDR6 = Standard("gddr6", 1, 1, 4, 4, 43, """
channel  ALL           ROW     1  ROW_BUS
channel  ALL           COLUMN  1  COLUMN_BUS
pc       R             R       2  CCD_S
pc       W             W       2  CCD_S
pc       R             W      25  RTW
pc       W             R      17  WTR_S
pc       ACT           ACT    11  RRD_S
pc       ACT           PREA   60  RAS
pc       PREA          ACT    30  RP
pc       PRE,PREA      PRE,PREA 2 PPD
pc       R             PREA    4  RTP
pc       W             PREA   38  WR
pc       ACT           REFA   90  RC
pc       PRE,PREA      REFA   30  RP
pc       RDA           REFA   34  RP
pc       WRA           REFA   68  RP
pc       REFA          ROW   211  RFC_AB
pc       PREA          REFP   30  RP
pc       ACT           REFP   11  RRD_S
pc       REFP          ACT    22  RREFD
pc       REFP          REFP   22  RREFD
pc       REFP          REFA  106  RFC_PB
bg       R             R       4  CCD_L
bg       W             W       4  CCD_WR
bg       W             R      19  WTR_L
bg       ACT           ACT    11  RRD_L
bank     ACT           ACT    90  RC
bank     ACT           R      30  RCD_RD
bank     ACT           W      20  RCD_WR
bank     ACT           PRE    60  RAS
bank     PRE           ACT    30  RP
bank     R             PRE     4  RTP
bank     W             PRE    38  WR
bank     RDA           ACT    34  RP
bank     WRA           ACT    68  RP
bank     REFP          ACT   106  RFC_PB
bank     REFP          REFP  106  RFC_PB
bank     ACT           REFP   90  RC
bank     PRE           REFP   30  RP
bank     RDA           REFP   34  RP
bank     WRA           REFP   68  RP
""", refp_in_faw=True)

ALL = (HBM2, HBM3, GDDR6)

"""Why a claim does not hold, and why some are not tested."""

INFORMATION = "measured for information only: the document gives no size"
ABOVE = "above: in order from the cache, the drives take more of them than the review's"
NO_TIME = "how long a card takes for a command is not printed, so the models take none"

WHY: dict[str, str] = {
    "A10": "three drives change a row with a read and two writes, four with two reads and two writes",
    "A14": ABOVE,
    "A34": "R5 x3 changes a row with three commands instead of four (A10), which puts it before R1",
    "A35": "R5 loses 2 % more than that: a row through to the drives is read before it is written",
    "A38": "R5 falls as well: more readers make the heads go back and forth",
    "A41": "R5 x3 creates small files faster than x4: it changes a row with three commands (A10)",
    "B04": "R5 lies 0.005 below the band: flushes come in rounds, and rates stray by some percent",
    "B17": "R50 and R5 cost the same four commands; R5 is ahead by some percent at 0.5, 4 and 8 KiB",
    "B22": "the card's ceiling is one request's at a time: every array grows with more of them",
    "B29": "one writer creates at 399 MB/s and the quirk leaves him 95: more than four times slower",
    "C37": INFORMATION,
    "C38": "one writer fills R10 behind that card; two make the heads go back and forth",
    "C40": INFORMATION,
    "E04": "a write is answered out of the drives' buffers, a read waits for the flash",
    "E05": "the card's ceiling, 2,875 MB/s, is above its eight drives; no other is printed",
    "E07": "the order comes with a latency for each card, and no document prints one",
    "E10": NO_TIME,
    "G02": "holds with 128 MiB of cache; with 16 MiB a flush comes with every 4 MiB, whatever the drives",
    "G10": "R5, 256 at a time: the cache has 32 rows on their way, writes through have 64",
    "G11": ABOVE,
    "G13": ABOVE,
    "G20": "a fifth of writes is too little for R0 and R10 to gain half: a plain model gives 1.04-1.15",
    "G25": "R5 x8 has twice as many rows on the way to the drives as R5 x4 has: 3 % above the bound",
}

UNTESTED = [
    ("A32", "A", "workstation: ledge at very low load, as with the bare drive",
     "the drive's, not the array's; no figure of it is printed"),
    ("A46", "P", "FAT32 faster than NTFS; R1 reads as one drive",
     "for information only; the lab's file patterns know no file systems"),
    ("B37", "F", "SSDs get no patrol read and fewer flushes",
     "there is no patrol read, of any drive; flushes do not look at what the drive is made of"),
    ("B38", "P", "one drive on the SAS3041E-R writes files slowly",
     "advice not to take it as the reference, which is not done here"),
]

"""Why a claim does not hold, and why some are not tested."""

STREAMS = "nothing limits one writer, so he fills the array; two make the heads go back and forth"
ABOVE = "above: in order from the cache, the drives take more of them than the review's"
NO_TIME = "no document prints how long a card takes for a command, so the models take none"

WHY: dict[str, str] = {
    "A10": "three drives change a row with a read and two writes, four with two reads and two writes",
    "A14": ABOVE,
    "A34": "R5 x3 and R1 are a few percent apart",
    "A38": "each of two readers of a mirror has a drive of its own, four do not",
    "B04": "R5 lies 0.005 below the band: flushes come in rounds, and rates stray by some percent",
    "B23": STREAMS,
    "B29": "the array creates at 845 MB/s, so the 200 of the quirk are less than a quarter",
    "B31": "notes of small files are random writes, which cost each level what it costs",
    "B32": "one is within what its first requests find in the drives' buffers",
    "C11": "the loss at 60 % writes strays from the straight line",
    "C17": "contradicts B13, as the documents do: here the nearer of two heads answers",
    "C29": "four requests of 1 MiB at a time do not fill eight drives behind that ceiling",
    "C37": "two readers have what eight drives read ahead, four make the heads go back and forth",
    "C38": STREAMS,
    "E04": "a write is answered out of the drives' buffers, a read waits for the flash",
    "E07": NO_TIME,
    "E08": "a cache that is full is as fast as the drives behind it: 0.99",
    "E10": NO_TIME,
    "G02": "holds with 128 MiB of cache; with 16 MiB a flush comes with every 4 MiB, whatever the drives",
    "G10": "R5, 256 at a time: the cache has 32 rows on their way, writes through have 64",
    "G11": ABOVE,
    "G13": ABOVE,
    "G20": "the cache is full, and then 20 % of writes cost nearly what they cost without",
    "G25": "R5 x8 has twice as many rows on the way to the drives as R5 x4 has: 3 % above the bound",
}

UNTESTED = [
    ("A32", "A", "workstation: ledge at very low load, as with the bare drive",
     "the drive's, not the array's; no figure of it is printed"),
    ("A46", "P", "FAT32 faster than NTFS; R1 reads as one drive",
     "for information only; the lab's file patterns know no file systems"),
    ("B37", "F", "SSDs get no patrol read and fewer flushes",
     "there is no patrol read, of any drive"),
    ("B38", "P", "one drive on the SAS3041E-R writes files slowly",
     "advice not to take it as the reference, which is not done here"),
]

"""Why a claim does not hold, and why some are not tested."""

FLUSH = ("blocks leave the cache only after the drives have flushed theirs; with 16 MiB of cache that "
         "is every few MiB, and the drives' queues run empty meanwhile")
STREAMS = "nothing limits one writer, so he fills the array; two make the heads go back and forth"
ROWS = "a bounded number of rows is destaged at a time, each read, changed and written"
ROUNDS = ("blocks leave the cache in rounds of flushes, one at a time, many and few in turn: rates stray "
          "by some percent")
ABOVE = "above: in order from the cache, the drives take more of them than the review's"
NO_TIME = "no document prints how long a card takes for a command, so the models take none"

WHY: dict[str, str] = {
    "A10": ROWS,
    "A13": ROUNDS,
    "A14": ABOVE,
    "A16": "at 80 and 100 % writes the drives put 16 requests in order without a cache, too",
    "A34": "R5 x3 and R1 are 2 % apart",
    "A38": "each of two readers of a mirror has a drive of its own, four do not",
    "A47": "the drive's model has five zones, the drive more; the last step is 10 %",
    "B04": FLUSH,
    "B23": STREAMS,
    "B26": "at 64 requests of 20 % writes R10 still has the nearer of two heads",
    "B31": "notes of small files are random writes, which cost each level what it costs",
    "B32": "one is within what its first requests find in the drives' buffers",
    "C11": "a straight line through 0 lies above the loss at half the reads",
    "C17": "contradicts B13, as the documents do: here the nearer of two heads answers",
    "C19": "R6: three writes for one, and three reads",
    "C25": "R10 x4 and x8 destage as many rows at a time",
    "C26": ROWS,
    "C29": "four requests of 1 MiB at a time do not fill eight drives behind that ceiling",
    "C35": "more than twice: one reader alone goes from one drive to the other",
    "C37": "two readers have what eight drives read ahead, four make the heads go back and forth",
    "C38": STREAMS,
    "C40": STREAMS,
    "C43": "at 64 requests of 20 % writes R10 still has the nearer of two heads",
    "C44": "20 % writes into a cache: the third command of R6 costs 3 %",
    "C46": "at one request R10 is 3 % below, its writes being two",
    "C55": FLUSH,
    "E04": "a write is answered out of the drives' buffers, a read waits for the flash",
    "E07": NO_TIME,
    "E10": NO_TIME,
    "G02": FLUSH,
    "G07": "at pure writes R10 has twice the writes and waits for the later of two platters",
    "G08": ROWS,
    "G10": "R5 at long queues: rows wait for each other in the cache, commands of the drives do not",
    "G11": ABOVE,
    "G13": ABOVE,
    "G17": "four requests at a time are a stream without read-ahead, which reads beyond its end",
    "G20": "the writes of R0 and R10 cost less than the review's",
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

"""Why a claim does not hold, and why some are not tested."""

WHY: dict[str, str] = {
    "A11": "387 writes a second against 386: all platters of the model turn in step, so that a "
           "second copy costs nothing",
    "C17": "contradicts B13, as the documents do: here the nearer of two heads answers",
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

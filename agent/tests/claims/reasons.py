"""Why a claim does not hold, and what else there is to one that does."""

INFORMATION = "the document gives no size"
NO_TIME = "how long a card takes for a command is not printed, so the models take none"

WHY: dict[str, str] = {
    "A38": "R0 and R5 fall as well: with nothing read ahead, more readers make the heads go back and forth",
    "A46": "the lab's file patterns know no file systems; " + INFORMATION,
    "C37": INFORMATION,
    "C38": "one writer fills R10 behind that card; two wait for the heads' ways: in 2 GiB, 0.92 by "
           "default; runs of 128 rows instead of 16, 0.80",
    "C40": INFORMATION,
    "E07": "the order comes with a latency for each card, and no document prints one",
    "E10": NO_TIME,
    "G13": "a thousandth above: in order from the cache, the drives take more of them than the review's",
    "G20": "a fifth of writes is too little to gain half when the cache is full; before that R5 gains 1.7",
    "G25": "0.99 with one request, 1.06 to 1.26 with more: eight drives' queues are shorter than three's",
}

NOTES: dict[str, str] = {
    "A10": "the card's way to change a row is read-modify-write; the native one has a cheaper one for x3",
    "A32": "that the bare drive had such a ledge is the drive's matter, and no figure of it is printed",
    "A34": "the card's way to change a row is read-modify-write; the native one has a cheaper one for x3",
    "B22": "that R0 is alone in growing does not come out: the card's ceiling is one request's at a "
           "time, and all of them can do more: 1,000, 835, 747, 494 MB/s",
}

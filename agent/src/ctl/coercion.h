/*
 * Coercion: a new drive group takes only whole steps (128 MiB or 1 GiB) of each drive's usable
 * size. Drives of one nominal size differ by some MiB from maker to maker; without this a group
 * made of the larger ones could not take a smaller one as a replacement.
 *
 * (1) A drive gives up less than 1/128 of its usable size: where the step is too large for that,
 *     the next smaller one counts, and drives below 16 GiB are used whole.
 * (2) What virtual drives occupy already is never taken from them: coercion bounds what is new.
 * (3) Whether a drive fits into a place is never asked of its coerced size, but of its real one.
 */
#ifndef ARRAYWRIGHT_CTL_COERCION_H
#define ARRAYWRIGHT_CTL_COERCION_H

#include <stdint.h>

#include "base/words.h"

uint64_t coercion_bytes(enum coercion coercion, uint64_t usable_bytes);
const char *coercion_text(enum coercion coercion); /* "128 MiB" */

#endif

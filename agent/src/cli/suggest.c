/*
 * "Did you mean": the word of the tables that is most like what was typed. See suggest.h.
 */
#include "cli/suggest.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 40u

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters are wrong, missing, too many or swapped with the next one. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned best = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);

            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && rows[(i + 1) % 3][j - 2] < best) {
                best = rows[(i + 1) % 3][j - 2] + 1;
            }
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

void suggestion_begin(struct suggestion *suggestion, const char *typed)
{
    *suggestion = (struct suggestion){.typed = typed};
    suggestion->typed_length = strcspn(typed, "=");
    /* One wrong letter in a short word, two in a long one; "set" is no "get". */
    suggestion->distance = suggestion->typed_length < 4 ? 1 : suggestion->typed_length < 6 ? 2 : 3;
}

void suggestion_consider(struct suggestion *suggestion, const char *words)
{
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, "| ");
        size_t plain = length > 0 && words[length - 1] == '=' ? length - 1 : length;

        if (plain > 1 && plain <= WORD_MAX && suggestion->typed_length <= WORD_MAX) {
            unsigned wrong = distance(suggestion->typed, suggestion->typed_length, words, plain);

            if (wrong < suggestion->distance) {
                suggestion->distance = wrong;
                suggestion->word = words;
                suggestion->length = length;
            }
        }
        words += length + (words[length] != '\0' ? 1 : 0);
    }
}

const char *suggestion_text(const struct suggestion *suggestion, char out[SUGGESTION_BYTES])
{
    out[0] = '\0';
    if (suggestion->word != NULL) {
        (void)snprintf(out, SUGGESTION_BYTES, " (did you mean \"%.*s\"?)", (int)suggestion->length,
                       suggestion->word);
    }
    return out;
}

/*
 * The RAID levels as a table: names, limits, redundancy. The limits are those of the
 * native profile; a controller profile may narrow them, never widen them.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "raid/geometry.h"

const struct raid_level_info raid_level_infos[RAID_LEVEL_MAX] = {
    [RAID_LEVEL_0] = {.name = "RAID0",
                      .span_members_min = 1,
                      .span_members_max = RAID_SPAN_MEMBERS_MAX,
                      .spans_min = 1,
                      .spans_max = 1},
    [RAID_LEVEL_1] = {.name = "RAID1",
                      .span_members_min = 2,
                      .span_members_max = RAID_SPAN_MEMBERS_MAX,
                      .spans_min = 1,
                      .spans_max = 1,
                      .mirrored = true},
    [RAID_LEVEL_5] = {.name = "RAID5",
                      .span_members_min = 3,
                      .span_members_max = RAID_SPAN_MEMBERS_MAX,
                      .spans_min = 1,
                      .spans_max = 1,
                      .parity_count = 1},
    /* Three drives would make a RAID 6 of one data strip; stock Linux refuses it. */
    [RAID_LEVEL_6] = {.name = "RAID6",
                      .span_members_min = 4,
                      .span_members_max = RAID_SPAN_MEMBERS_MAX,
                      .spans_min = 1,
                      .spans_max = 1,
                      .parity_count = 2},
    [RAID_LEVEL_10] = {.name = "RAID10",
                       .span_members_min = 2,
                       .span_members_max = RAID_SPAN_MEMBERS_MAX,
                       .spans_min = 2,
                       .spans_max = RAID_SPANS_MAX,
                       .mirrored = true,
                       .striped_spans = true},
    [RAID_LEVEL_50] = {.name = "RAID50",
                       .span_members_min = 3,
                       .span_members_max = RAID_SPAN_MEMBERS_MAX,
                       .spans_min = 2,
                       .spans_max = 8,
                       .parity_count = 1,
                       .striped_spans = true},
    [RAID_LEVEL_60] = {.name = "RAID60",
                       .span_members_min = 4,
                       .span_members_max = RAID_SPAN_MEMBERS_MAX,
                       .spans_min = 2,
                       .spans_max = 8,
                       .parity_count = 2,
                       .striped_spans = true},
    /* Two drives would be a RAID 1. */
    [RAID_LEVEL_1E] = {.name = "RAID1E",
                       .span_members_min = 3,
                       .span_members_max = RAID_SPAN_MEMBERS_MAX,
                       .spans_min = 1,
                       .spans_max = 1,
                       .mirrored = true,
                       .adjacent_pairs = true},
};

/* Compares without regard to the case of ASCII letters. */
static bool text_starts_with(const char *text, const char *upper_prefix)
{
    for (size_t i = 0; upper_prefix[i] != '\0'; i++) {
        char letter = text[i];

        if (letter >= 'a' && letter <= 'z') {
            letter = (char)(letter - 'a' + 'A');
        }
        if (letter != upper_prefix[i]) {
            return false;
        }
    }
    return true;
}

int raid_level_parse(const char *text, enum raid_level *ret_level)
{
    const char *number = text;

    ASSERT(text != NULL);
    if (text_starts_with(text, "RAID")) {
        number = text + 4;
    } else if (text_starts_with(text, "R")) {
        number = text + 1;
    }
    for (unsigned int level = 0; level < RAID_LEVEL_MAX; level++) {
        const char *own = raid_level_infos[level].name + 4; /* after "RAID" */

        if (strlen(number) == strlen(own) && text_starts_with(number, own)) {
            *ret_level = (enum raid_level)level;
            return 0;
        }
    }
    return -EINVAL;
}

/* See lab_alone.h. */
#include "lab/lab_alone.h"

#include <string.h>

#include "base/assert.h"
#include "lab/lab_processes.h"

static void group_run(const void *context, uint32_t index, void *answer)
{
    const struct lab_group *groups = context;
    struct lab_group_answer *alone = answer;
    char text[LAB_TEXT_BYTES];
    int error = lab_groups_run(&groups[index], 1, alone, text);

    if (error != 0) {
        alone->answer.error = error;
        memcpy(alone->answer.text, text, sizeof(text));
    }
}

int lab_alone_run(const struct lab_group *groups, const struct lab_group_answer *together,
                  uint32_t count, uint32_t processes,
                  void (*progress)(uint32_t done, uint32_t count),
                  struct lab_group_answer *ret_answers)
{
    struct lab_group bounded[LAB_GROUPS_MAX];
    uint32_t indexes[LAB_GROUPS_MAX];
    const struct lab_work work = {.run = group_run,
                                  .context = bounded,
                                  .answer_bytes = sizeof(*ret_answers),
                                  .done_before = 1};

    ASSERT(count <= LAB_GROUPS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        indexes[i] = i;
        bounded[i] = groups[i];
        bounded[i].point.load.window_us = together[i].answer.outcome.duration_us;
    }
    return lab_processes_run(&work, indexes, count, processes, progress, ret_answers);
}

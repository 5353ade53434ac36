/*
 * Runs smartctl once: bounded in time and output, killed when it hangs, no shell.
 */
#ifndef ARRAYWRIGHT_CLI_SMART_PROGRAM_H
#define ARRAYWRIGHT_CLI_SMART_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attrs.h"

enum smart_end {
    SMART_END_EXITED,
    SMART_END_NOT_STARTED, /* error says why */
    SMART_END_TIMEOUT,
    SMART_END_TOO_MUCH, /* more output than is borne */
    SMART_END_SIGNALLED
};

struct smart_run {
    enum smart_end end;
    int error; /* errno of what could not be started */
    int status; /* what it exited with */
    char *output; /* the caller's to free; NULL unless it exited */
    size_t bytes;
    /* It was killed and has not ended, because the drive holds it in the kernel; 0: it has. To be
     * waited for some day, and the drive to be left alone until then. */
    pid_t lingering;
};

/* arguments: with the program's name first and NULL in the end. */
void smart_program_run(const char *program, char *const *arguments, uint32_t timeout_ms,
                       struct smart_run *ret_run);

#endif

/*
 * arrayctl as a whole, from the command line to what it asks of the controller: lines are drawn
 * from the tables of its grammar by the bytes of the input (command_lines.h says what must hold).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "command_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool opened;

    if (!opened) {
        command_lines_open();
        (void)atexit(command_lines_close);
        if (freopen("/dev/null", "w", stdout) == NULL) {
            abort();
        }
        opened = true;
    }
    (void)command_line_run(data, size < 4096 ? size : 4096);
    return 0;
}

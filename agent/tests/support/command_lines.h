/*
 * Command lines out of the tables of the grammar, drawn from bytes, and what must hold when
 * arrayctl runs them against recorded controllers (cli_world.h): whatever was typed, it neither
 * crashes nor asks for a change that the line does not spell.
 */
#ifndef ARRAYWRIGHT_TESTS_COMMAND_LINES_H
#define ARRAYWRIGHT_TESTS_COMMAND_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Once: the controllers, a folder of its own to write files to, no terminal, no output. */
void command_lines_open(void);
void command_lines_close(void);

/* Draws one line out of the bytes, runs it, judges what it asked for. Aborts with the line on
 * stderr if that was wrong. Returns how many changes were asked for. */
uint32_t command_line_run(const uint8_t *data, size_t size);
/* A command that no line so far has asked for, or NULL. */
const char *command_lines_missing(void);

#endif

/*
 * One run of arrayctl: options, help, and one command against the running arrayd. Under the name
 * tw_cli it speaks 3ware's language.
 */
#ifndef ARRAYWRIGHT_CLI_RUN_H
#define ARRAYWRIGHT_CLI_RUN_H

/* Returns the exit code. argv is cut up. */
int cli_run(int argc, char **argv, const char *version);

#endif

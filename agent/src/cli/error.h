/*
 * StorCLI's error numbers for this agent's reasons.
 */
#ifndef ARRAYWRIGHT_CLI_ERROR_H
#define ARRAYWRIGHT_CLI_ERROR_H

/* StorCLI's generic error number. */
#define CLI_ERROR_GENERIC 255
/* Hardware that is not fitted: a battery, a cache vault. */
#define CLI_ERROR_ABSENT 34
/* Of foreign configurations: there is none, and one that lacks drives. */
#define CLI_ERROR_NO_FOREIGN 50
#define CLI_ERROR_FOREIGN_INCOMPLETE 59

/* 0 to 58 are MegaRAID's firmware status numbers; CLI_ERROR_GENERIC where it has none. */
int cli_error_number(const char *reason_code);

#endif

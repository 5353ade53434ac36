/*
 * arrayd: options, configuration, then the daemon itself (app.h).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "daemon/app.h"
#include "daemon/log.h"
#include "daemon/profiles.h"

#define CONFIG_DEFAULT "/etc/arraywright/arrayd.conf"
#define EXIT_USAGE 2

static void help_print(void)
{
    (void)printf("Usage: arrayd [--config FILE] [--check-config]\n\n"
                 "Makes the host's drives behave like a RAID controller.\n\n"
                 "  --config FILE    the configuration (%s)\n"
                 "  --check-config   reads the configuration, says what is wrong, starts nothing\n"
                 "  --version        prints the version\n"
                 "  --help           prints this\n\n"
                 "SIGTERM and SIGINT stop it cleanly; SIGHUP is ignored. See arrayd(8).\n",
                 CONFIG_DEFAULT);
}

/* The process traps afterwards: better no write than a wrong one. */
static void assertion_failed(const char *expression, const char *file, int line)
{
    log_error("assertion failed: %s (%s:%d); stopping before anything else is written", expression,
              file, line);
}

static int usage_fail(const char *word)
{
    (void)fprintf(stderr, "arrayd: %s: unknown option or missing value; see arrayd --help\n", word);
    return EXIT_USAGE;
}

static int run(const char *path, bool check_only)
{
    struct daemon_config *config = NULL;
    char error[CONFIG_ERROR_BYTES];
    int code = EXIT_SUCCESS;

    if (daemon_config_read(path, &config, error) != 0) {
        log_error("%s", error);
        return EXIT_FAILURE;
    }
    log_open(config->log_level);
    if (profiles_drives_read(config, error, sizeof(error)) != 0 ||
        profiles_enclosures_read(config, error, sizeof(error)) != 0 ||
        app_check(config, error, sizeof(error)) != 0) {
        log_error("%s:%s%s", path, isdigit((unsigned char)error[0]) ? "" : " ", error);
        code = EXIT_FAILURE;
    } else if (check_only) {
        (void)printf("%s: good\n", path);
    } else {
        code = app_run(config);
    }
    free(config);
    return code;
}

int main(int argc, char **argv)
{
    const char *path = CONFIG_DEFAULT;
    bool check_only = false;

    log_open(LOG_LEVEL_INFO);
    (void)assert_set_handler(assertion_failed);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--config") == 0 && i + 1 < argc) {
            path = argv[++i];
        } else if (strncmp(argv[i], "--config=", 9) == 0) {
            path = argv[i] + 9;
        } else if (strcmp(argv[i], "--check-config") == 0) {
            check_only = true;
        } else if (strcmp(argv[i], "--version") == 0) {
            (void)printf("arrayd %s\n", ARRAYWRIGHT_VERSION);
            return EXIT_SUCCESS;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_print();
            return EXIT_SUCCESS;
        } else {
            return usage_fail(argv[i]);
        }
    }
    return run(path, check_only);
}

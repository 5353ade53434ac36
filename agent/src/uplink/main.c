/*
 * arraywright-uplink: the unprivileged program that links this host to its backend.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "uplink/enrol.h"
#include "uplink/enrol_finish.h"
#include "uplink/uplink_config.h"
#include "uplink/uplink_identity.h"
#include "uplink/uplink_key.h"
#include "uplink/uplink_log.h"
#include "uplink/uplink_run.h"

#define PROGRAM "arraywright-uplink"
#define EXIT_USAGE 2
#define EXIT_NOT_ENROLLED 3
#define EXIT_NOT_SEEN 4
#define MACHINE_ID "/etc/machine-id"

struct arguments {
    const char *config;
    const char *url;
    const char *token;
    const char *ca_file;
    bool enrol;
    bool insecure;
    bool force;
    bool check_config;
    bool no_start;
    const char *wait;            /* seconds, as they were given */
};

static const char help[] =
    "usage: " PROGRAM " --config FILE\n"
    "       " PROGRAM " --config FILE enrol --url URL --token TOKEN\n"
    "                          [--ca FILE] [--insecure] [--force]\n"
    "                          [--no-start | --wait SECONDS]\n"
    "       " PROGRAM " --config FILE --check-config\n"
    "\n"
    "Without a command, links the agent of this host to its backend and runs until it is told to\n"
    "stop.\n"
    "\n"
    "enrol            make a key and join a backend; then enable and start the link's unit and\n"
    "                 wait until the backend has seen the host\n"
    "  --url URL      https://HOST[:PORT][/PATH]; http:// on this machine only\n"
    "  --token TOKEN  the token that the console shows under Hosts, Add host;\n"
    "                 - reads it from standard input\n"
    "  --ca FILE      trust the certificate authority in this file (PEM)\n"
    "  --insecure     allow http:// over the network: everything can be read and changed\n"
    "  --force        replace an identity that exists, as on a machine that was copied; the\n"
    "                 host it was before stays in the console\n"
    "  --no-start     do not start the unit; say how to\n"
    "  --wait SECONDS wait so long for the backend to see the host (default 60)\n"
    "\n"
    "--check-config   read the configuration and say what is wrong with it\n"
    "--version, --help\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 not enrolled, 4 enrolled,\n"
    "but the backend has not seen the host yet.\n";

static int usage_error(const char *text)
{
    (void)fprintf(stderr, PROGRAM ": %s; see --help\n", text);
    return EXIT_USAGE;
}

/* -1: go on; else the exit status. */
static int arguments_parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'}, {"url", required_argument, NULL, 'u'},
        {"token", required_argument, NULL, 't'},  {"ca", required_argument, NULL, 'a'},
        {"insecure", no_argument, NULL, 'i'},     {"force", no_argument, NULL, 'f'},
        {"check-config", no_argument, NULL, 'k'}, {"version", no_argument, NULL, 'v'},
        {"no-start", no_argument, NULL, 'n'},     {"wait", required_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    int option = 0;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            arguments->config = optarg;
            break;
        case 'u':
            arguments->url = optarg;
            break;
        case 't':
            arguments->token = optarg;
            break;
        case 'a':
            arguments->ca_file = optarg;
            break;
        case 'i':
            arguments->insecure = true;
            break;
        case 'f':
            arguments->force = true;
            break;
        case 'n':
            arguments->no_start = true;
            break;
        case 'w':
            arguments->wait = optarg;
            break;
        case 'k':
            arguments->check_config = true;
            break;
        case 'v':
            (void)printf(PROGRAM " " AW_VERSION "\n");
            return EXIT_SUCCESS;
        case 'h':
            (void)fputs(help, stdout);
            return EXIT_SUCCESS;
        default:
            return EXIT_USAGE; /* getopt has said why */
        }
    }
    if (optind < argc && strcmp(argv[optind], "enrol") == 0) {
        arguments->enrol = true;
        optind++;
    }
    return optind == argc ? -1 : usage_error("unknown command");
}

static bool wait_parse(const char *text, uint32_t *ret_wait_s)
{
    char *after = NULL;

    *ret_wait_s = ENROL_FINISH_WAIT_S;
    if (text == NULL) {
        return true;
    }
    unsigned long seconds = strtoul(text, &after, 10);
    *ret_wait_s = (uint32_t)seconds;
    return text[0] >= '0' && text[0] <= '9' && *after == '\0' && seconds >= 1 && seconds <= 3600;
}

static int arguments_check(const struct arguments *arguments)
{
    bool enrols = arguments->url != NULL || arguments->token != NULL ||
                  arguments->ca_file != NULL || arguments->insecure || arguments->force ||
                  arguments->no_start || arguments->wait != NULL;

    if (arguments->config == NULL) {
        return usage_error("--config FILE is missing");
    }
    if (!arguments->enrol && enrols) {
        return usage_error("--url, --token, --ca, --insecure, --force, --no-start and --wait "
                           "belong to enrol");
    }
    if (arguments->enrol && (arguments->url == NULL || arguments->token == NULL)) {
        return usage_error("enrol needs --url URL and --token TOKEN");
    }
    if (arguments->enrol && arguments->check_config) {
        return usage_error("enrol and --check-config do not go together");
    }
    if (arguments->no_start && arguments->wait != NULL) {
        return usage_error("--no-start and --wait do not go together");
    }
    uint32_t wait_s = 0;
    if (!wait_parse(arguments->wait, &wait_s)) {
        return usage_error("--wait needs a number of seconds from 1 to 3600");
    }
    return -1;
}

/* The token, from standard input if asked for: a command line can be seen by others. */
static const char *token_read(const char *token, char buffer[600])
{
    if (strcmp(token, "-") != 0) {
        return token;
    }
    if (fgets(buffer, 600, stdin) == NULL) {
        buffer[0] = '\0';
    }
    buffer[strcspn(buffer, " \t\r\n")] = '\0';
    return buffer;
}

/* Printed if it cannot be used: it must not depend on where enrol was called. */
static const char *ca_resolve(const struct arguments *arguments, const struct uplink_config *config,
                              char buffer[PATH_MAX])
{
    if (arguments->ca_file == NULL) {
        return config->ca_file;
    }
    return realpath(arguments->ca_file, buffer) != NULL ? buffer : arguments->ca_file;
}

static int enrol_main(const struct arguments *arguments, const struct uplink_config *config)
{
    char text[ENROL_TEXT_BYTES] = "";
    char token[600];
    char ca_file[PATH_MAX];
    char hostname[UPLINK_HOSTNAME_MAX + 1] = "";
    struct uplink_identity identity;
    struct enrol_request request = {.state_dir = config->state_dir,
                                    .url = arguments->url,
                                    .token = token_read(arguments->token, token),
                                    .hostname = config->hostname,
                                    .ca_file = ca_resolve(arguments, config, ca_file),
                                    .agent_version = AW_VERSION,
                                    .machine_id_path = MACHINE_ID,
                                    .insecure = arguments->insecure,
                                    .force = arguments->force};

    if (request.hostname[0] == '\0') {
        /* A longer name is cut; it is only what the console shows until somebody renames it. */
        (void)gethostname(hostname, sizeof(hostname) - 1);
        request.hostname = hostname[0] != '\0' ? hostname : "localhost";
    }
    int error = enrol_host(&request, &identity, text);
    (void)fprintf(error != 0 ? stderr : stdout, "%s%s.\n", error != 0 ? PROGRAM ": " : "", text);
    if (error != 0) {
        return EXIT_FAILURE;
    }
    struct enrol_finish finish = {.config_path = arguments->config,
                                  .control_socket = config->control_socket,
                                  .token = request.token,
                                  .identity = &identity,
                                  .start = !arguments->no_start};
    (void)wait_parse(arguments->wait, &finish.wait_s); /* arguments_check has read it */
    return enrol_finish(&finish) != 0 ? EXIT_NOT_SEEN : EXIT_SUCCESS;
}

static int key_open(int directory_fd, const struct uplink_identity *identity,
                    struct uplink_key **ret_key)
{
    int error = uplink_key_read(directory_fd, identity->key_file, ret_key);

    if (error == -EPERM) {
        uplink_log(UPLINK_ERROR, "the key %s may be read by others; make it 0600, or enroll anew",
                   identity->key_file);
    } else if (error != 0) {
        uplink_log(UPLINK_ERROR,
                   "the key %s cannot be used (%s); restore it, or enroll anew with "
                   "--force",
                   identity->key_file, strerror(-error));
    }
    return error;
}

/* Where to connect to: the configuration, else where the host enrolled. */
static int target_choose(const struct uplink_config *config, const struct uplink_identity *identity,
                         struct uplink_run_options *options)
{
    char why[160];
    const char *url = config->url[0] != '\0' ? config->url : identity->url;

    if (uplink_url_parse(url, &options->url, why) != 0) {
        uplink_log(UPLINK_ERROR, "%s", why);
        return -EINVAL;
    }
    if (!options->url.tls && !identity->insecure && !uplink_url_is_loopback(&options->url)) {
        uplink_log(UPLINK_ERROR, "url: plain http over the network was not allowed at enrollment; "
                                 "use https, or enroll anew with --insecure");
        return -EINVAL;
    }
    options->ca_file = config->ca_file[0] != '\0' ? config->ca_file : identity->ca_file;
    if (options->url.tls && options->ca_file[0] != '\0' && access(options->ca_file, R_OK) != 0) {
        uplink_log(UPLINK_ERROR, "the certificate file %s cannot be read: %s", options->ca_file,
                   strerror(errno));
        return -EINVAL;
    }
    return 0;
}

static int link_main(const struct uplink_config *config)
{
    char text[UPLINK_TEXT_BYTES] = "";
    struct uplink_identity identity;
    struct uplink_key *key = NULL;
    struct uplink_run_options options = {.config = config, .identity = &identity};
    int directory_fd = -1;
    int error = uplink_state_open(config->state_dir, &directory_fd, text);

    if (error == 0) {
        error = uplink_identity_read(directory_fd, &identity, text);
    }
    if (error != 0) {
        uplink_log(UPLINK_ERROR, "%s", text);
        return error == -ENOENT && directory_fd >= 0 ? EXIT_NOT_ENROLLED : EXIT_FAILURE;
    }
    if (key_open(directory_fd, &identity, &key) != 0 ||
        target_choose(config, &identity, &options) != 0) {
        key = uplink_key_free(key);
        return EXIT_FAILURE;
    }
    options.key = key;
    options.directory_fd = directory_fd;
    error = uplink_run(&options, text);
    key = uplink_key_free(key);
    if (error != 0) {
        uplink_log(UPLINK_ERROR, "%s", text);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS; /* the directory's lock ends with the process */
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.enrol = false};
    static struct uplink_config config;
    char error[UPLINK_CONFIG_ERROR_BYTES];
    int status = arguments_parse(argc, argv, &arguments);

    if (status < 0) {
        status = arguments_check(&arguments);
    }
    if (status >= 0) {
        return status;
    }
    (void)umask(077);
    /* Nothing that runs from here on can gain rights; the key must not end up in a core. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        (void)fprintf(stderr, PROGRAM ": rights cannot be given up: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    if (uplink_config_read(arguments.config, &config, error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    if (arguments.check_config) {
        (void)printf("%s is fine\n", arguments.config);
        return EXIT_SUCCESS;
    }
    uplink_log_open(config.log_level);
    return arguments.enrol ? enrol_main(&arguments, &config) : link_main(&config);
}

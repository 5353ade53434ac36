/*
 * Delivery of events: see notify.h. Everything but the journal is a program of its own that
 * reads from its standard input and has half a minute.
 */
#include "cli/notify.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/model.h"

#define CHILD_TIMEOUT_MS 30000
#define CHILD_STEP_MS 20
#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define JOURNAL_BYTES 2048

static const char *class_word(const json_t *event)
{
    static const char *const words[] = {"Info", "Warning", "Critical", "Fatal"};
    json_int_t class_ = json_integer_value(json_object_get(event, "class"));

    return class_ >= 0 && class_ <= 3 ? words[class_] : "Info";
}

/* The input of the program, from a file without a name: nothing can block on it. */
static FILE *input_open(void)
{
    return tmpfile();
}

static void child_become(char *const *arguments, int input)
{
    (void)dup2(input, STDIN_FILENO);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)execv(arguments[0], arguments);
    _exit(127);
}

static bool child_wait(pid_t child, int *ret_status)
{
    const struct timespec step = {0, CHILD_STEP_MS * 1000000L};

    for (int waited_ms = 0; waited_ms < CHILD_TIMEOUT_MS; waited_ms += CHILD_STEP_MS) {
        pid_t ended = waitpid(child, ret_status, WNOHANG);

        if (ended == child) {
            return true;
        }
        (void)nanosleep(&step, NULL); /* a signal makes it shorter, no harm */
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, ret_status, 0);
    return false;
}

static bool program_run(char *const *arguments, FILE *input, char text[NOTIFY_TEXT_BYTES])
{
    int status = 0;

    if (fflush(input) != 0 || fseek(input, 0, SEEK_SET) != 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        child_become(arguments, fileno(input));
    }
    if (child < 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return false;
    }
    if (!child_wait(child, &status)) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%.200s did not end in time", arguments[0]);
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%.200s failed (%d)", arguments[0],
                       WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
        return false;
    }
    return true;
}

/* Mail */

static const json_t *worst_of(const json_t *events)
{
    const json_t *worst = json_array_get(events, 0);
    const json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        if (json_integer_value(json_object_get(event, "class")) >
            json_integer_value(json_object_get(worst, "class"))) {
            worst = event;
        }
    }
    return worst;
}

static void line_write(const json_t *event, FILE *out)
{
    time_t seconds = (time_t)(doc_u64(event, "wall_us") / 1000000);
    struct tm local;
    char when[40] = "";

    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &local);
    }
    (void)fprintf(out, "%s  %-8s  %s\n", when, class_word(event), doc_text(event, "text"));
}

/* A header must stay one line, whatever an event says. */
static void header_write(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        (void)fputc((unsigned char)*text < 32 ? ' ' : *text, out);
    }
}

static bool mail_send(const struct notify_channel *channel, const char *hostname,
                      const json_t *events, FILE *out, char text[NOTIFY_TEXT_BYTES])
{
    char *arguments[] = {
        (char *)(uintptr_t)(channel->mailer != NULL ? channel->mailer : "/usr/sbin/sendmail"),
        (char[]){"-t"}, (char[]){"-i"}, NULL};
    const json_t *event;
    size_t index;

    (void)fputs("To: ", out);
    header_write(channel->target, out);
    (void)fprintf(out, "\nSubject: [%s] %s: ", hostname, class_word(worst_of(events)));
    header_write(doc_text(worst_of(events), "text"), out);
    (void)fputs("\nContent-Type: text/plain; charset=utf-8\nAuto-Submitted: auto-generated\n\n",
                out);
    json_array_foreach(events, index, event)
    {
        line_write(event, out);
    }
    (void)fputs("\n\"arrayctl status\" on the host shows how things stand now.\n", out);
    return program_run(arguments, out, text);
}

/* Webhook */

static bool webhook_send(const struct notify_channel *channel, const char *hostname,
                         const json_t *events, FILE *out, char text[NOTIFY_TEXT_BYTES])
{
    char *arguments[] = {(char[]){"/usr/bin/curl"},
                         (char[]){"--silent"},
                         (char[]){"--fail"},
                         (char[]){"--max-time"},
                         (char[]){"20"},
                         (char[]){"--header"},
                         (char[]){"Content-Type: application/json"},
                         (char[]){"--data-binary"},
                         (char[]){"@-"},
                         (char[]){"--"},
                         (char *)(uintptr_t)channel->target,
                         NULL};
    json_t *body = json_pack("{s:s, s:O}", "host", hostname, "events", events);

    (void)json_dumpf(body, out, JSON_COMPACT);
    json_decref(body);
    return program_run(arguments, out, text);
}

/* Script: one event per line */

static bool script_send(const struct notify_channel *channel, const char *hostname UNUSED,
                        const json_t *events, FILE *out, char text[NOTIFY_TEXT_BYTES])
{
    char *arguments[] = {(char *)(uintptr_t)channel->target, NULL};
    const json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        (void)json_dumpf(event, out, JSON_COMPACT);
        (void)fputc('\n', out);
    }
    return program_run(arguments, out, text);
}

/* Journal: its own datagrams with a field per fact; where there is none, the system log. */

static int priority_of(const json_t *event)
{
    static const int priorities[] = {LOG_INFO, LOG_WARNING, LOG_ERR, LOG_CRIT};
    json_int_t class_ = json_integer_value(json_object_get(event, "class"));

    return class_ >= 0 && class_ <= 3 ? priorities[class_] : LOG_DEBUG;
}

static size_t datagram_make(const json_t *event, char out[JOURNAL_BYTES])
{
    int used = snprintf(
        out, JOURNAL_BYTES,
        "MESSAGE=%.300s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=arraywright\nARRAYWRIGHT_SEQ=%llu\n"
        "ARRAYWRIGHT_CODE=%llu\nARRAYWRIGHT_EVENT=%.60s\nARRAYWRIGHT_CLASS=%s\n"
        "ARRAYWRIGHT_KIND=%.40s\nARRAYWRIGHT_KEY=%.80s\nARRAYWRIGHT_TIME_US=%llu\n",
        doc_text(event, "text"), priority_of(event), (unsigned long long)doc_u64(event, "seq"),
        (unsigned long long)doc_u64(event, "code"), doc_text(event, "name"), class_word(event),
        doc_text(event, "kind"), doc_text(event, "key"),
        (unsigned long long)doc_u64(event, "wall_us"));

    ASSERT(used > 0 && used < JOURNAL_BYTES);
    return (size_t)used;
}

static void system_log(const json_t *event)
{
    syslog(LOG_DAEMON | priority_of(event),
           "[arraywright seq=\"%llu\" code=\"%llu\" event=\"%s\" kind=\"%s\" key=\"%s\"] %s",
           (unsigned long long)doc_u64(event, "seq"), (unsigned long long)doc_u64(event, "code"),
           doc_text(event, "name"), doc_text(event, "kind"), doc_text(event, "key"),
           doc_text(event, "text"));
}

static bool journal_send(const struct notify_channel *channel, const char *hostname UNUSED,
                         const json_t *events, FILE *out UNUSED, char text[NOTIFY_TEXT_BYTES])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = channel->target[0] == '/' ? channel->target : JOURNAL_SOCKET;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const json_t *event;
    size_t index;

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    bool journal = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    json_array_foreach(events, index, event)
    {
        char datagram[JOURNAL_BYTES];

        if (!journal) {
            system_log(event);
        } else if (send(fd, datagram, datagram_make(event, datagram), MSG_NOSIGNAL) < 0) {
            (void)snprintf(text, NOTIFY_TEXT_BYTES, "journal: %s", strerror(errno));
            (void)close(fd);
            return false; /* those before it are told twice, none is missed */
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return true;
}

bool notify_send(const struct notify_channel *channel, const char *hostname, const json_t *events,
                 char text[NOTIFY_TEXT_BYTES])
{
    static const struct {
        const char *name;
        bool (*send)(const struct notify_channel *channel, const char *hostname,
                     const json_t *events, FILE *out, char text[NOTIFY_TEXT_BYTES]);
    } ways[] = {{"mail", mail_send},
                {"webhook", webhook_send},
                {"script", script_send},
                {"journal", journal_send}};

    if (json_array_size(events) == 0) {
        return true;
    }
    FILE *input = input_open();
    if (input == NULL) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return false;
    }
    bool sent = false;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(channel->name, ways[i].name) == 0) {
            sent = ways[i].send(channel, hostname, events, input, text);
        }
    }
    (void)fclose(input);
    return sent;
}

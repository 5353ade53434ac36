/*
 * Delivery of events: see notify.h. Everything but the journal is a program of its own that
 * reads from its standard input.
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
#include "cli/cli_clock.h"
#include "cli/model.h"

#define CHILD_TIMEOUT_MS 30000
#define CURL "/usr/bin/curl"
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

/* A group of its own: what the program starts ends with it. */
static void child_become(char *const *arguments, int input)
{
    (void)setpgid(0, 0);
    (void)dup2(input, STDIN_FILENO);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)execv(arguments[0], arguments);
    _exit(127);
}

static enum notify_state program_begin(char *const *arguments, FILE *input,
                                       struct notify_delivery *ret_delivery,
                                       char text[NOTIFY_TEXT_BYTES])
{
    if (fflush(input) != 0 || fseek(input, 0, SEEK_SET) != 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return NOTIFY_FAILED;
    }
    pid_t child = fork();
    if (child == 0) {
        child_become(arguments, fileno(input));
    }
    if (child < 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return NOTIFY_FAILED;
    }
    (void)setpgid(child, child); /* whoever of the two comes first */
    *ret_delivery = (struct notify_delivery){child, cli_now_ms() + CHILD_TIMEOUT_MS, arguments[0]};
    return NOTIFY_RUNNING;
}

void notify_abandon(struct notify_delivery *delivery)
{
    (void)kill(-delivery->child, SIGKILL);
    (void)waitpid(delivery->child, NULL, 0);
    delivery->child = 0;
}

enum notify_state notify_poll(struct notify_delivery *delivery, char text[NOTIFY_TEXT_BYTES])
{
    int status = 0;
    pid_t ended = waitpid(delivery->child, &status, WNOHANG);

    if (ended == 0) {
        if (cli_now_ms() < delivery->deadline_ms) {
            return NOTIFY_RUNNING;
        }
        notify_abandon(delivery);
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%.200s did not end in time", delivery->program);
        return NOTIFY_FAILED;
    }
    delivery->child = 0;
    if (ended < 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%.200s: %s", delivery->program, strerror(errno));
        return NOTIFY_FAILED;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%.200s failed (%d)", delivery->program,
                       WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
        return NOTIFY_FAILED;
    }
    return NOTIFY_DELIVERED;
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

static enum notify_state mail_send(const struct notify_channel *channel, const char *hostname,
                                   const json_t *events, FILE *out,
                                   struct notify_delivery *ret_delivery,
                                   char text[NOTIFY_TEXT_BYTES])
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
    return program_begin(arguments, out, ret_delivery, text);
}

/* Webhook */

static enum notify_state webhook_send(const struct notify_channel *channel, const char *hostname,
                                      const json_t *events, FILE *out,
                                      struct notify_delivery *ret_delivery,
                                      char text[NOTIFY_TEXT_BYTES])
{
    char *arguments[] = {(char *)(uintptr_t)CURL,
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
    return program_begin(arguments, out, ret_delivery, text);
}

/* Script: one event per line */

static enum notify_state script_send(const struct notify_channel *channel,
                                     const char *hostname UNUSED, const json_t *events, FILE *out,
                                     struct notify_delivery *ret_delivery,
                                     char text[NOTIFY_TEXT_BYTES])
{
    char *arguments[] = {(char *)(uintptr_t)channel->target, NULL};
    const json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        (void)json_dumpf(event, out, JSON_COMPACT);
        (void)fputc('\n', out);
    }
    return program_begin(arguments, out, ret_delivery, text);
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

static enum notify_state journal_send(const struct notify_channel *channel,
                                      const char *hostname UNUSED, const json_t *events,
                                      FILE *out UNUSED, struct notify_delivery *ret_delivery UNUSED,
                                      char text[NOTIFY_TEXT_BYTES])
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
        } else if (send(fd, datagram, datagram_make(event, datagram), MSG_NOSIGNAL | MSG_DONTWAIT) <
                   0) {
            (void)snprintf(text, NOTIFY_TEXT_BYTES, "journal: %s", strerror(errno));
            (void)close(fd);
            return NOTIFY_FAILED; /* all of them are sent again: some twice, none is lost */
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return NOTIFY_DELIVERED;
}

enum notify_state notify_begin(const struct notify_channel *channel, const char *hostname,
                               const json_t *events, struct notify_delivery *ret_delivery,
                               char text[NOTIFY_TEXT_BYTES])
{
    static const struct {
        const char *name;
        enum notify_state (*send)(const struct notify_channel *channel, const char *hostname,
                                  const json_t *events, FILE *out,
                                  struct notify_delivery *ret_delivery,
                                  char text[NOTIFY_TEXT_BYTES]);
    } ways[] = {{"mail", mail_send},
                {"webhook", webhook_send},
                {"script", script_send},
                {"journal", journal_send}};
    enum notify_state state = NOTIFY_FAILED;

    if (json_array_size(events) == 0) {
        return NOTIFY_DELIVERED;
    }
    FILE *input = input_open();
    if (input == NULL) {
        (void)snprintf(text, NOTIFY_TEXT_BYTES, "%s", strerror(errno));
        return NOTIFY_FAILED;
    }
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(channel->name, ways[i].name) == 0) {
            state = ways[i].send(channel, hostname, events, input, ret_delivery, text);
        }
    }
    (void)fclose(input); /* the program has it open itself */
    return state;
}

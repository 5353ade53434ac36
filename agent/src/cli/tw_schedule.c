/*
 * tw_cli's schedules. 3ware keeps seven windows a week for rebuilds, verifications and self-tests;
 * here work on a drive group runs at its rate at any time, so no window exists. What repeats is
 * the patrol read, which is 3ware's basic verify.
 */
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "cli/show.h"
#include "cli/tw.h"

#define WINDOWS 7

static const char *const days[WINDOWS] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

static void windows_print(const char *shown, int controller, bool duration)
{
    (void)printf("\n%s Schedule for Controller /c%d\n"
                 "========================================================\n"
                 "Slot    Day     Hour            %sStatus\n"
                 "--------------------------------------------------------\n",
                 shown, controller, duration ? "Duration        " : "");
    for (int i = 0; i < WINDOWS; i++) {
        (void)printf("%-7d %-7s %-15s %sdisabled\n", i + 1, days[i], "12:00am",
                     duration ? "24 hr(s)        " : "");
    }
    (void)fputc('\n', stdout);
}

/* "/c0 basic verify weekly preferred start: Sunday, 12:00AM", or how often it is instead. */
static void basic_verify_print(const json_t *controller, int number)
{
    uint64_t hours = doc_u64(controller, "patrol_delay_hours");
    time_t seconds =
        (time_t)(doc_u64(json_object_get(controller, "patrol"), "next_at_us") / 1000000);
    struct tm local;
    char when[40];

    if (!patrol_is_scheduled(controller)) {
        (void)printf("/c%d basic verify is off (patrol read is not scheduled)\n\n", number);
        return;
    }
    if (hours == 168) {
        (void)printf("/c%d basic verify weekly", number);
    } else {
        (void)printf("/c%d basic verify every %llu hour(s)", number, (unsigned long long)hours);
    }
    if (seconds != 0 && localtime_r(&seconds, &local) != NULL &&
        strftime(when, sizeof(when), "%A, %I:%M%p", &local) > 0) {
        (void)printf(" preferred start: %s", when);
    }
    (void)fputs("\n\n", stdout);
}

bool tw_preference_parse(const char *typed, uint64_t *ret_at_us)
{
    time_t now = time(NULL);
    struct tm local;
    int day = 0;
    int hour = -1;
    int used = 0;

    while (day < WINDOWS && strncasecmp(typed, days[day], 3) != 0) {
        day++;
    }
    if (day == WINDOWS || sscanf(typed + 3, ":%2d%n", &hour, &used) != 1 ||
        typed[3 + used] != '\0' || hour < 0 || hour > 23 || localtime_r(&now, &local) == NULL) {
        return false;
    }
    bool today = day == local.tm_wday && hour > local.tm_hour;
    local.tm_mday += today ? 0 : 1 + (day + WINDOWS - local.tm_wday - 1) % WINDOWS;
    local.tm_hour = hour;
    local.tm_min = 0;
    local.tm_sec = 0;
    local.tm_isdst = -1;
    *ret_at_us = (uint64_t)mktime(&local) * 1000000;
    return true;
}

bool tw_schedule_print(const struct cli_context *context, const char *task)
{
    if (strcasecmp(task, "rebuild") == 0) {
        windows_print("Rebuild", context->number, true);
    } else if (strcasecmp(task, "verify") == 0) {
        windows_print("Verify", context->number, true);
        basic_verify_print(cli_controller(context)->doc, context->number);
    } else if (strcasecmp(task, "selftest") == 0) {
        windows_print("Selftest", context->number, false);
    } else {
        return false;
    }
    return true;
}

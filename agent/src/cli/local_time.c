/*
 * Local times that exist: see local_time.h. mktime() alone would make March 2 of February 30.
 */
#include "cli/local_time.h"

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool day_exists(const struct tm *typed)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (typed->tm_mon < 0 || typed->tm_mon > 11) {
        return false;
    }
    return typed->tm_mday >= 1 &&
           typed->tm_mday <=
               days[typed->tm_mon] + (typed->tm_mon == 1 && is_leap(typed->tm_year + 1900) ? 1 : 0);
}

static bool time_exists(const struct tm *typed)
{
    return typed->tm_hour >= 0 && typed->tm_hour <= 23 && typed->tm_min >= 0 &&
           typed->tm_min <= 59 && typed->tm_sec >= 0 && typed->tm_sec <= 59;
}

bool local_time_us(const struct tm *typed, uint64_t *ret_at_us)
{
    struct tm local = *typed;
    time_t at = -1;

    if (day_exists(typed) && time_exists(typed)) {
        local.tm_isdst = -1; /* whichever holds then */
        at = mktime(&local);
    }
    *ret_at_us = at > 0 ? (uint64_t)at * 1000000 : 0;
    return at > 0;
}

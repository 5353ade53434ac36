/*
 * Reading libconfig settings through tables of known keys: an unknown key, a wrong type or a
 * value out of bounds is an error with file and line.
 */
#ifndef ARRAYWRIGHT_HOST_CONFIG_TABLE_H
#define ARRAYWRIGHT_HOST_CONFIG_TABLE_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define CONFIG_LIST_MAX 32u

struct config_list {
    uint32_t count;
    char items[CONFIG_LIST_MAX][128];
};

enum config_kind {
    CONFIG_TEXT, /* char[max + 1], at least min characters */
    CONFIG_PATH, /* the same, absolute */
    CONFIG_U32,  /* min … max */
    CONFIG_BOOL,
    CONFIG_SIZE,  /* uint64_t bytes, from a number or "64 MiB" */
    CONFIG_MODE,  /* uint32_t permission bits from "0660" */
    CONFIG_LIST,  /* struct config_list from [ "a", "b" ] */
    CONFIG_GROUP, /* a group, by its own table */
    CONFIG_CUSTOM /* read() decides */
};

struct config_reader;

struct config_key {
    const char *name;
    enum config_kind kind;
    size_t offset;
    uint64_t min, max;
    const struct config_key *keys; /* CONFIG_GROUP */
    bool (*read)(struct config_reader *reader, const config_setting_t *setting,
                 void *target); /* CONFIG_CUSTOM */
    bool required;
};

struct config_reader {
    const char *path; /* of the main file */
    char *error;
    size_t error_bytes;
};

/* Reads every setting of the group into target. False: reader->error is set. */
bool config_group_read(struct config_reader *reader, const config_setting_t *group,
                       const struct config_key *keys, void *target);
/* Sets the error with file and line of the setting; always false. */
bool config_fail(struct config_reader *reader, const config_setting_t *setting, const char *format,
                 ...) PRINTF_LIKE(3, 4);
/* "64MiB", "1.5 GiB", "1TB" (powers of 1000) or plain bytes. */
MUST_CHECK bool config_size_parse(const char *text, uint64_t *ret_bytes);

#endif

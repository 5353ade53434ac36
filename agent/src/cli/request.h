/*
 * What was typed: StorCLI's "object verb [noun] [key=value]… [flag]… [J] [nolog]".
 */
#ifndef ARRAYWRIGHT_CLI_REQUEST_H
#define ARRAYWRIGHT_CLI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define REQUEST_NUMBERS_MAX 256u
#define REQUEST_WORDS_MAX 64u
#define REQUEST_TEXT_BYTES 400u
#define REQUEST_LINE_BYTES 4096u

enum cli_object {
    CLI_OBJECT_NONE,
    CLI_OBJECT_CONTROLLER, /* /cX */
    CLI_OBJECT_ENCLOSURE,  /* /cX/eX */
    CLI_OBJECT_DRIVE,      /* /cX[/eX]/sX */
    CLI_OBJECT_GROUP,      /* /cX/dX */
    CLI_OBJECT_VD,         /* /cX/vX */
    CLI_OBJECT_FOREIGN,    /* /cX/fX */
    CLI_OBJECT_BBU,        /* /cX/bbu */
    CLI_OBJECT_CACHEVAULT, /* /cX/cv */
    CLI_OBJECT_PHY,        /* /cX/pX */
    CLI_OBJECT_MAX
};

/* "all", "3", "0-2,5" */
struct cli_numbers {
    bool all;
    uint32_t count;
    uint32_t values[REQUEST_NUMBERS_MAX];
};

struct cli_request {
    enum cli_object object;
    struct cli_numbers controllers, enclosures, drives, groups, vds, others;
    bool has_enclosure;
    uint32_t word_count;
    const char *words[REQUEST_WORDS_MAX]; /* after the object */
    bool json;
    bool json_events; /* J=2: the event log as JSON too, where StorCLI writes text */
    size_t text_used;
    char text[REQUEST_LINE_BYTES]; /* words out of arguments that held several */
};

/*
 * argv without options; false with text. Points into argv and into the request. An argument that
 * holds a whole command ("/c0 show all") is taken apart at its blanks; one with a value
 * (name=two words) is not. Quotes that arrive inside an argument are taken off.
 */
MUST_CHECK bool request_parse(int count, char *const *arguments, struct cli_request *ret_request,
                              char text[REQUEST_TEXT_BYTES]);
/* "0-3,5": false if it is not a list of numbers. *ret_end is the first character not used. */
MUST_CHECK bool numbers_parse(const char *text, struct cli_numbers *ret_numbers,
                              const char **ret_end);
bool numbers_have(const struct cli_numbers *numbers, uint64_t number);

/*
 * A drive named as [e:]s inside a list such as "252:0-3,5,e1:2,:7". What stands before a colon
 * holds for the numbers behind it, too: nothing before it (":7") names a drive outside all
 * enclosures by its number.
 */
struct cli_place {
    bool has_eid;
    bool outside; /* typed with a colon and no enclosure */
    uint32_t eid;
    uint32_t slot; /* or the drive's number */
};
MUST_CHECK bool places_parse(const char *text, struct cli_place *places, uint32_t capacity,
                             uint32_t *ret_count);
/* StorCLI's sizes: "all" (0), "100GB", "512MB"; units are powers of 1024, MB if none. */
MUST_CHECK bool cli_size_parse(const char *text, uint64_t *ret_bytes);

#endif

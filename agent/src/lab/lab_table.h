/* A prediction as a table for people; the JSON document is for programs. */
#ifndef ARRAYWRIGHT_LAB_LAB_TABLE_H
#define ARRAYWRIGHT_LAB_LAB_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/attrs.h"

/* doc: what lab_result.c makes. False: it could not be written. */
MUST_CHECK bool lab_table_print(const json_t *doc, FILE *out);

#endif

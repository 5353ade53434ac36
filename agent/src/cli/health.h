/*
 * What the agent has found to be wrong (protocol/objects.schema.json: findings), for those who
 * print it, and the color that makes of it. Nothing is judged here.
 */
#ifndef ARRAYWRIGHT_CLI_HEALTH_H
#define ARRAYWRIGHT_CLI_HEALTH_H

#include "cli/model.h"

enum health { HEALTH_GOOD, HEALTH_WORKING, HEALTH_WARNING, HEALTH_BAD, HEALTH_MAX };

const char *health_word(enum health health); /* "Good" … */

/* The host's and the controller's findings, the worst first; at most that many. */
#define HEALTH_FINDINGS_MAX 256u
uint32_t health_findings(const struct model *model, const json_t *findings[HEALTH_FINDINGS_MAX]);
enum health health_of_finding(const json_t *finding);
/* Of a part of a finding: "what", "cause", "effect", "remedy"; "" if there is none. */
const char *finding_text(const json_t *finding, const char *part);
/* All of it: what is wrong, why, what follows, what to do. */
#define FINDING_TEXT_BYTES 1700u
const char *finding_sentences(const json_t *finding, char out[FINDING_TEXT_BYTES]);

/* The worst finding about an object; without any, whether work on it is under way. */
enum health health_of(const struct model *model, enum object_kind kind,
                      const struct model_object *object);

#endif

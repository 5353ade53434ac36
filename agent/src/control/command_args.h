/*
 * From the arguments of a command, as they arrive from a peer, to a typed ctl_command.
 * One table per command, after protocol/commands.schema.json.
 *
 * (1) Peers are not trusted: types, lengths, counts and words are checked, and a field the
 *     agent does not know is refused, because leaving out a wish that a newer peer meant as
 *     a safeguard could destroy data.
 * (2) On refusal *ret_command is not to be used and *ret_reason names field and problem.
 */
#ifndef ARRAYWRIGHT_CONTROL_COMMAND_ARGS_H
#define ARRAYWRIGHT_CONTROL_COMMAND_ARGS_H

#include <jansson.h>

#include "base/attrs.h"
#include "ctl/command.h"

/* Fills op and args of *ret_command, nothing else. */
MUST_CHECK bool command_args_parse(const char *op, const json_t *args,
                                   struct ctl_command *ret_command, struct reason *ret_reason);
/* The arguments of the query preview_vd_create: those of vd_create without a digest. */
MUST_CHECK bool preview_args_parse(const json_t *args, struct command_vd_create *ret_args,
                                   struct reason *ret_reason);
/* Those of the query preview_vd_set: the policies and the preset of vd_set. */
MUST_CHECK bool policy_args_parse(const json_t *args, struct command_vd_set *ret_args,
                                  struct reason *ret_reason);
/* `confirm` (string, null or absent) and `preconditions` (array or absent) of a request. */
MUST_CHECK bool command_guards_parse(const json_t *confirm, const json_t *preconditions,
                                     struct ctl_command *command, struct reason *ret_reason);
/* [A-Za-z0-9._:-]{1,64} */
bool object_key_is_valid(const char *text);

#endif

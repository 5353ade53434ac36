/*
 * How the host's link to its backend stands, where a person has to act.
 */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/show.h"

void link_print(struct cli_context *context)
{
    struct client_answer answer;
    char text[CLIENT_TEXT_BYTES];

    if (context->client == NULL ||
        !client_ask(context->client, "hello", json_object(), &answer, text)) {
        return; /* what could not be asked is told elsewhere */
    }
    const json_t *link = json_object_get(answer.result, "link");

    if (strcmp(doc_text(link, "state"), "refused") == 0) {
        (void)printf("! link: %s\n", doc_text(json_object_get(link, "reason"), "text"));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
}

/*
 * Reads the beginning and the end of a virtual drive as a client would, through the cache, and
 * looks for marks of contents (meta/content_marks.h). Blocked access is a policy for clients: it
 * says nothing of the content, so that a blocked virtual drive is looked at as well.
 */
#include "ctl/vd_content.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_stripe.h"
#include "meta/content_marks.h"

static void content_read(struct vd_content *content);

static void content_end(struct vd_content *content, bool readable)
{
    const char *name = NULL;

    if (readable) {
        name = content_mark(content->buffer, content->head_bytes,
                            content->buffer + content->head_bytes, content->tail_bytes,
                            content->target->size_bytes);
    }
    free(content->buffer);
    content->buffer = NULL;
    content->done(content, readable, name);
}

static void content_answered(struct vd_request *request, enum vd_status status)
{
    struct vd_content *content = request->owner;

    if (status != VD_STATUS_OK || content->at_tail) {
        content_end(content, status == VD_STATUS_OK);
        return;
    }
    content->at_tail = true;
    content_read(content);
}

static void content_read(struct vd_content *content)
{
    struct vd_target *target = content->target;
    bool tail = content->at_tail;

    content->request = (struct vd_request){
        .op = VD_OP_READ,
        .offset_bytes = tail ? target->size_bytes - content->tail_bytes : 0,
        .length_bytes = tail ? content->tail_bytes : content->head_bytes,
        .buffer = content->buffer + (tail ? content->head_bytes : 0),
        .acknowledged = true, /* it may be blocked */
        .complete = content_answered,
        .owner = content,
    };
    list_init(&content->request.vd_link);
    target->ops->submit(target, &content->request);
}

bool vd_content_can_be_read(const struct ctl_vd *cv)
{
    return cv->vd != NULL && (cv_config(cv)->access == ACCESS_POLICY_BLOCKED ||
                              (cv->target != NULL && !cv->export_closing));
}

void vd_content_look(struct vd_content *content, const struct ctl_vd *cv)
{
    uint64_t size_bytes = 0;

    ASSERT(vd_content_can_be_read(cv) && content->done != NULL);
    content->target = cv_target(cv);
    size_bytes = content->target->size_bytes; /* whole blocks, as both constants are */
    content->head_bytes = (uint32_t)min_u64(size_bytes, CONTENT_HEAD_BYTES);
    content->tail_bytes = (uint32_t)min_u64(size_bytes, CONTENT_TAIL_BYTES);
    content->at_tail = false;
    content->buffer = malloc(content->head_bytes + content->tail_bytes);
    if (content->buffer == NULL) {
        content->done(content, false, NULL);
        return;
    }
    content_read(content);
}

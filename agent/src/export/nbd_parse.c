/*
 * Checks in a fixed order, so that the same bad request always gets the same answer:
 * command, shutdown, flags, length, alignment, range, write protection.
 */
#include "export/nbd_parse.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"

struct command_rule {
    bool has_range; /* offset and length name blocks */
    bool has_data;  /* that many bytes are sent or returned */
    bool changes;
    uint16_t flags;        /* accepted besides FUA, which goes with every command */
    enum nbd_error beyond; /* the error for a range beyond the end */
    enum vd_op op;
};

static const struct command_rule rules[NBD_CMD_MAX] = {
    [NBD_CMD_READ] = {.has_range = true,
                      .has_data = true,
                      .flags = NBD_CMD_FLAG_DF,
                      .beyond = NBD_EINVAL,
                      .op = VD_OP_READ},
    [NBD_CMD_WRITE] = {.has_range = true,
                       .has_data = true,
                       .changes = true,
                       .beyond = NBD_ENOSPC,
                       .op = VD_OP_WRITE},
    [NBD_CMD_DISC] = {.op = VD_OP_MAX},
    [NBD_CMD_FLUSH] = {.op = VD_OP_FLUSH},
    [NBD_CMD_TRIM] = {.has_range = true, .changes = true, .beyond = NBD_EINVAL, .op = VD_OP_TRIM},
    [NBD_CMD_CACHE] = {.has_range = true, .beyond = NBD_EINVAL, .op = VD_OP_MAX},
    [NBD_CMD_WRITE_ZEROES] = {.has_range = true,
                              .changes = true,
                              .flags = NBD_CMD_FLAG_NO_HOLE | NBD_CMD_FLAG_FAST_ZERO,
                              .beyond = NBD_ENOSPC,
                              .op = VD_OP_WRITE_ZEROES},
    [NBD_CMD_BLOCK_STATUS] = {.has_range = true,
                              .flags = NBD_CMD_FLAG_REQ_ONE,
                              .beyond = NBD_EINVAL,
                              .op = VD_OP_MAX},
};

bool nbd_request_decode(const uint8_t bytes[NBD_REQUEST_BYTES], struct nbd_request *request)
{
    if (get_be32(bytes) != NBD_REQUEST_MAGIC) {
        return false;
    }
    *request = (struct nbd_request){
        .flags = get_be16(bytes + 4),
        .type = get_be16(bytes + 6),
        .cookie = get_be64(bytes + 8),
        .offset_bytes = get_be64(bytes + 16),
        .length_bytes = get_be32(bytes + 24),
    };
    return true;
}

static struct nbd_verdict refuse(uint32_t payload_bytes, enum nbd_error error, const char *text)
{
    ASSERT(error != NBD_OK);
    return (struct nbd_verdict){
        .kind = NBD_VERDICT_REFUSE,
        .error = error,
        .text = text,
        .payload_bytes = payload_bytes,
    };
}

static bool flags_are_known(const struct nbd_request *request, const struct command_rule *rule,
                            const struct nbd_terms *terms)
{
    uint32_t known = NBD_CMD_FLAG_FUA | rule->flags;

    if (!terms->structured) {
        known &= ~NBD_CMD_FLAG_DF;
    }
    return (request->flags & ~known) == 0;
}

/* NULL if the range is good, else the sentence; *ret_error only with a sentence. */
static const char *range_problem(const struct nbd_request *request, const struct command_rule *rule,
                                 const struct vd_target *target, enum nbd_error *ret_error)
{
    uint64_t end_bytes = 0;

    *ret_error = NBD_EINVAL;
    if (request->length_bytes == 0) {
        return "a length of zero is not accepted";
    }
    if (rule->has_data && request->length_bytes > NBD_PAYLOAD_MAX_BYTES) {
        *ret_error = NBD_EOVERFLOW;
        return "the request is longer than the announced maximum";
    }
    if (!is_aligned_u64(request->offset_bytes, target->block_bytes) ||
        !is_aligned_u64(request->length_bytes, target->block_bytes)) {
        return "offset or length is not a multiple of the minimum block size";
    }
    if (!checked_add_u64(request->offset_bytes, request->length_bytes, &end_bytes) ||
        end_bytes > target->size_bytes) {
        *ret_error = rule->beyond;
        return "the range ends beyond the export";
    }
    return NULL;
}

static struct nbd_verdict accept_request(const struct nbd_request *request,
                                         const struct command_rule *rule,
                                         const struct nbd_terms *terms, uint32_t payload_bytes)
{
    struct nbd_verdict verdict = {
        .kind = NBD_VERDICT_SUBMIT,
        .payload_bytes = payload_bytes,
        .op = rule->op,
        .fua = rule->changes && (request->flags & NBD_CMD_FLAG_FUA) != 0,
    };

    if (request->type == NBD_CMD_CACHE) {
        verdict.kind = NBD_VERDICT_SUCCEED;
    }
    if (request->type == NBD_CMD_BLOCK_STATUS) {
        if (!terms->allocation_context) {
            return refuse(0, NBD_EINVAL, "no metadata context has been negotiated");
        }
        verdict.kind = NBD_VERDICT_BLOCK_STATUS;
    }
    if ((request->flags & NBD_CMD_FLAG_FAST_ZERO) != 0) {
        return refuse(0, NBD_ENOTSUP, "zeroing is not faster than writing here");
    }
    ASSERT(verdict.kind != NBD_VERDICT_SUBMIT || verdict.op < VD_OP_MAX);
    return verdict;
}

/* Writes carry their data whatever is wrong with them; absurd ones end the connection. */
static bool payload_of(const struct nbd_request *request, uint32_t *ret_payload_bytes)
{
    *ret_payload_bytes = request->type == NBD_CMD_WRITE ? request->length_bytes : 0;
    return *ret_payload_bytes <= NBD_PAYLOAD_MAX_BYTES;
}

struct nbd_verdict nbd_request_judge(const struct nbd_request *request,
                                     const struct nbd_terms *terms)
{
    const struct command_rule *rule;
    const char *problem;
    enum nbd_error error = NBD_OK;
    uint32_t payload_bytes = 0;

    ASSERT(terms->target != NULL);
    if (request->type == NBD_CMD_DISC) {
        return (struct nbd_verdict){.kind = NBD_VERDICT_DISCONNECT};
    }
    if (!payload_of(request, &payload_bytes)) {
        return (struct nbd_verdict){.kind = NBD_VERDICT_CLOSE};
    }
    if (request->type >= NBD_CMD_MAX) {
        return refuse(0, NBD_EINVAL, "this command is not known");
    }
    rule = &rules[request->type];
    if (terms->shutting_down) {
        return refuse(payload_bytes, NBD_ESHUTDOWN, "the export is being closed");
    }
    if (!flags_are_known(request, rule, terms)) {
        return refuse(payload_bytes, NBD_EINVAL, "a flag is not known for this command");
    }
    if (!rule->has_range && (request->offset_bytes != 0 || request->length_bytes != 0)) {
        return refuse(0, NBD_EINVAL, "offset and length have to be zero");
    }
    problem = rule->has_range ? range_problem(request, rule, terms->target, &error) : NULL;
    if (problem != NULL) {
        return refuse(payload_bytes, error, problem);
    }
    if (rule->changes && terms->target->read_only) {
        return refuse(payload_bytes, NBD_EPERM, "the export is read-only");
    }
    return accept_request(request, rule, terms, payload_bytes);
}

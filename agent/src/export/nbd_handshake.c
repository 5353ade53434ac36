/*
 * Option haggling; the invariants are in nbd_handshake.h. Every option has one function;
 * each proves the length of what it reads before it reads.
 */
#include "export/nbd_handshake.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "export/nbd_lookup.h"

/* The longest answer: a LIST of all targets, plus its ACK. */
STATIC_ASSERT((NBD_TARGET_COUNT_MAX + 1u) * NBD_OPTION_REPLY_BYTES +
                      NBD_TARGET_COUNT_MAX * (4u + 64u + 128u) <=
                  NBD_HANDSHAKE_OUTPUT_BYTES,
              "a full list fits the output");

struct option {
    uint32_t number;
    const uint8_t *data;
    uint32_t data_bytes;
};

/* ---- output ---- */

static uint8_t *output_take(struct nbd_output *output, size_t byte_count)
{
    uint8_t *bytes = output->bytes + output->used;

    ASSERT(byte_count <= output->capacity - output->used);
    output->used += byte_count;
    return bytes;
}

/* Writes a reply's header and returns the place of its data. */
static uint8_t *reply_begin(struct nbd_output *output, uint32_t option, uint32_t type,
                            size_t data_bytes)
{
    uint8_t *header = output_take(output, NBD_OPTION_REPLY_BYTES + data_bytes);

    ASSERT(data_bytes <= UINT32_MAX);
    put_be64(header, NBD_OPTION_REPLY_MAGIC);
    put_be32(header + 8, option);
    put_be32(header + 12, type);
    put_be32(header + 16, (uint32_t)data_bytes);
    return header + NBD_OPTION_REPLY_BYTES;
}

static void reply_ack(struct nbd_output *output, uint32_t option)
{
    (void)reply_begin(output, option, NBD_REP_ACK, 0);
}

static void reply_error(struct nbd_output *output, uint32_t option, uint32_t type, const char *text)
{
    size_t length = strlen(text);

    memcpy(reply_begin(output, option, type, length), text, length);
}

uint16_t nbd_transmission_flags(const struct vd_target *target, bool structured)
{
    uint32_t flags = NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA |
                     NBD_FLAG_CAN_MULTI_CONN | NBD_FLAG_SEND_CACHE;

    if (target->read_only) {
        flags |= NBD_FLAG_READ_ONLY;
    } else {
        flags |= NBD_FLAG_SEND_TRIM | NBD_FLAG_SEND_WRITE_ZEROES | NBD_FLAG_SEND_FAST_ZERO;
    }
    if (structured) {
        flags |= NBD_FLAG_SEND_DF;
    }
    return (uint16_t)flags;
}

/* ---- options ---- */

static enum nbd_step option_export_name(struct nbd_handshake *handshake,
                                        const struct option *option, struct nbd_output *output)
{
    struct nbd_lookup found = nbd_lookup_name(handshake, option->data, option->data_bytes);
    struct vd_target *target = found.target;
    size_t zeroes = handshake->no_zeroes ? 0 : 124;
    uint8_t *answer;

    /* This oldest option knows no error reply. */
    if (target == NULL) {
        return found.waits ? NBD_STEP_WAIT : NBD_STEP_CLOSE;
    }
    answer = output_take(output, 10 + zeroes);
    put_be64(answer, target->size_bytes);
    put_be16(answer + 8, nbd_transmission_flags(target, handshake->structured));
    memset(answer + 10, 0, zeroes);
    handshake->target = target;
    return NBD_STEP_START;
}

static enum nbd_step option_abort(struct nbd_handshake *handshake UNUSED,
                                  const struct option *option, struct nbd_output *output)
{
    reply_ack(output, option->number);
    return NBD_STEP_CLOSE;
}

static enum nbd_step option_list(struct nbd_handshake *handshake, const struct option *option,
                                 struct nbd_output *output)
{
    struct nbd_catalog *catalog = handshake->catalog;
    uint32_t count = catalog->ops->count(catalog);

    if (option->data_bytes != 0) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID, "LIST takes no data");
        return NBD_STEP_NEXT;
    }
    if (!nbd_catalog_is_complete(catalog)) {
        if (!handshake->impatient) {
            return NBD_STEP_WAIT;
        }
        reply_error(output, option->number, NBD_REP_ERR_POLICY, nbd_still_starting);
        return NBD_STEP_NEXT;
    }
    ASSERT(count <= NBD_TARGET_COUNT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const struct vd_target *target = catalog->ops->at(catalog, i);
        size_t name_bytes = strlen(target->name);
        size_t description_bytes = strlen(target->description);
        uint8_t *data =
            reply_begin(output, option->number, NBD_REP_SERVER, 4 + name_bytes + description_bytes);
        put_be32(data, (uint32_t)name_bytes);
        memcpy(data + 4, target->name, name_bytes);
        memcpy(data + 4 + name_bytes, target->description, description_bytes);
    }
    reply_ack(output, option->number);
    return NBD_STEP_NEXT;
}

static enum nbd_step option_starttls(struct nbd_handshake *handshake, const struct option *option,
                                     struct nbd_output *output)
{
    if (handshake->tls == NBD_TLS_OFF) {
        reply_error(output, option->number, NBD_REP_ERR_UNSUP, "TLS is not offered here");
        return NBD_STEP_NEXT;
    }
    if (handshake->tls == NBD_TLS_ON || option->data_bytes != 0) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID,
                    option->data_bytes != 0 ? "STARTTLS takes no data" : "TLS is on already");
        return NBD_STEP_NEXT;
    }
    reply_ack(output, option->number);
    return NBD_STEP_TLS;
}

/* Before TLS is on a client learns nothing but that it is required. */
static enum nbd_step option_before_tls(const struct option *option, struct nbd_output *output)
{
    if (option->number == NBD_OPT_EXPORT_NAME) {
        return NBD_STEP_CLOSE;
    }
    reply_error(output, option->number, NBD_REP_ERR_TLS_REQD, "TLS is required here");
    return NBD_STEP_NEXT;
}

/* Not let in: it hears why, if it can, and the connection ends. */
static enum nbd_step option_refused(const struct nbd_handshake *handshake,
                                    const struct option *option, struct nbd_output *output)
{
    if (option->number != NBD_OPT_EXPORT_NAME) {
        reply_error(output, option->number, NBD_REP_ERR_POLICY, handshake->refusal);
    }
    return NBD_STEP_CLOSE;
}

static enum nbd_step option_structured_reply(struct nbd_handshake *handshake,
                                             const struct option *option, struct nbd_output *output)
{
    if (option->data_bytes != 0) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID, "STRUCTURED_REPLY takes no data");
        return NBD_STEP_NEXT;
    }
    handshake->structured = true;
    reply_ack(output, option->number);
    return NBD_STEP_NEXT;
}

static void reply_info_text(struct nbd_output *output, uint32_t option, uint16_t info,
                            const char *text)
{
    size_t length = strlen(text);
    uint8_t *data = reply_begin(output, option, NBD_REP_INFO, 2 + length);

    put_be16(data, info);
    memcpy(data + 2, text, length);
}

static void reply_infos(const struct nbd_handshake *handshake, uint32_t option,
                        const struct vd_target *target, bool with_name, bool with_description,
                        struct nbd_output *output)
{
    uint8_t *data = reply_begin(output, option, NBD_REP_INFO, 12);

    put_be16(data, NBD_INFO_EXPORT);
    put_be64(data + 2, target->size_bytes);
    put_be16(data + 10, nbd_transmission_flags(target, handshake->structured));
    if (with_name) {
        reply_info_text(output, option, NBD_INFO_NAME, target->name);
    }
    if (with_description) {
        reply_info_text(output, option, NBD_INFO_DESCRIPTION, target->description);
    }
    /* Told unasked as well: requests below the minimum are refused. */
    ASSERT(is_power_of_two(target->block_bytes));
    ASSERT(is_power_of_two(target->preferred_block_bytes));
    ASSERT(target->preferred_block_bytes >= target->block_bytes);
    data = reply_begin(output, option, NBD_REP_INFO, 14);
    put_be16(data, NBD_INFO_BLOCK_SIZE);
    put_be32(data + 2, target->block_bytes);
    put_be32(data + 6, target->preferred_block_bytes);
    put_be32(data + 10, NBD_PAYLOAD_MAX_BYTES);
    reply_ack(output, option);
}

/* Data of INFO and GO: u32 name length, name, u16 count, that many u16 information types. */
static bool info_data_is_whole(const struct option *option, uint32_t *ret_name_bytes,
                               uint32_t *ret_count)
{
    uint32_t name_bytes;
    uint32_t count;

    if (option->data_bytes < 6) {
        return false;
    }
    name_bytes = get_be32(option->data);
    if (name_bytes > NBD_STRING_MAX_BYTES || name_bytes > option->data_bytes - 6) {
        return false;
    }
    count = get_be16(option->data + 4 + name_bytes);
    if (option->data_bytes != 6 + name_bytes + 2 * count) {
        return false;
    }
    *ret_name_bytes = name_bytes;
    *ret_count = count;
    return true;
}

/* No export of that name is to be had: the answer, or none yet. */
static enum nbd_step reply_absent(const struct nbd_lookup *found, uint32_t option,
                                  struct nbd_output *output)
{
    if (found->waits) {
        return NBD_STEP_WAIT;
    }
    reply_error(output, option, found->error, found->text);
    return NBD_STEP_NEXT;
}

static enum nbd_step option_info_or_go(struct nbd_handshake *handshake, const struct option *option,
                                       struct nbd_output *output)
{
    struct nbd_lookup found;
    struct vd_target *target;
    uint32_t name_bytes = 0;
    uint32_t count = 0;
    bool with_name = false;
    bool with_description = false;

    if (!info_data_is_whole(option, &name_bytes, &count)) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID, "the option's lengths disagree");
        return NBD_STEP_NEXT;
    }
    found = nbd_lookup_name(handshake, option->data + 4, name_bytes);
    target = found.target;
    if (target == NULL) {
        return reply_absent(&found, option->number, output);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint16_t info = get_be16(option->data + 6 + name_bytes + 2 * i);
        with_name = with_name || info == NBD_INFO_NAME;
        with_description = with_description || info == NBD_INFO_DESCRIPTION;
    }
    reply_infos(handshake, option->number, target, with_name, with_description, output);
    if (option->number == NBD_OPT_INFO) {
        return NBD_STEP_NEXT;
    }
    handshake->target = target;
    return NBD_STEP_START;
}

/* Does the query name our context? A list may also ask for the whole namespace. */
static bool query_matches(const uint8_t *query, uint32_t query_bytes, bool is_list)
{
    return nbd_name_equals(NBD_CONTEXT_NAME, query, query_bytes) ||
           (is_list && nbd_name_equals("base:", query, query_bytes));
}

/*
 * Queries: u32 count, then for each u32 length and text. Returns false if they do not fill
 * the data exactly; *ret_matches tells whether one of them is ours.
 */
static bool read_queries(const uint8_t *data, uint32_t data_bytes, bool is_list, bool *ret_matches)
{
    uint32_t count;
    bool matches;

    if (data_bytes < 4) {
        return false;
    }
    count = get_be32(data);
    data += 4;
    data_bytes -= 4;
    matches = is_list && count == 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t query_bytes;
        if (data_bytes < 4) {
            return false;
        }
        query_bytes = get_be32(data);
        if (query_bytes > NBD_STRING_MAX_BYTES || query_bytes > data_bytes - 4) {
            return false;
        }
        matches = matches || query_matches(data + 4, query_bytes, is_list);
        data += 4 + query_bytes;
        data_bytes -= 4 + query_bytes;
    }
    *ret_matches = matches;
    return data_bytes == 0;
}

/* Data: u32 name length, name, queries. */
static enum nbd_step option_meta_context(struct nbd_handshake *handshake,
                                         const struct option *option, struct nbd_output *output)
{
    bool is_list = option->number == NBD_OPT_LIST_META_CONTEXT;
    uint32_t name_bytes = option->data_bytes < 8 ? UINT32_MAX : get_be32(option->data);
    struct nbd_lookup found;
    struct vd_target *target;
    bool matches = false;

    if (!is_list) {
        handshake->context_target = NULL;
    }
    if (!handshake->structured) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID,
                    "structured replies have to be negotiated first");
        return NBD_STEP_NEXT;
    }
    if (name_bytes > NBD_STRING_MAX_BYTES || name_bytes > option->data_bytes - 8 ||
        !read_queries(option->data + 4 + name_bytes, option->data_bytes - 4 - name_bytes, is_list,
                      &matches)) {
        reply_error(output, option->number, NBD_REP_ERR_INVALID, "the option's lengths disagree");
        return NBD_STEP_NEXT;
    }
    found = nbd_lookup_name(handshake, option->data + 4, name_bytes);
    target = found.target;
    if (target == NULL) {
        return reply_absent(&found, option->number, output);
    }
    if (matches) {
        size_t length = strlen(NBD_CONTEXT_NAME);
        uint8_t *data = reply_begin(output, option->number, NBD_REP_META_CONTEXT, 4 + length);
        put_be32(data, is_list ? 0 : NBD_CONTEXT_ID);
        memcpy(data + 4, NBD_CONTEXT_NAME, length);
    }
    if (matches && !is_list) {
        handshake->context_target = target;
    }
    reply_ack(output, option->number);
    return NBD_STEP_NEXT;
}

static enum nbd_step option_handle(struct nbd_handshake *handshake, const struct option *option,
                                   struct nbd_output *output)
{
    static const struct {
        uint32_t number;
        enum nbd_step (*handle)(struct nbd_handshake *handshake, const struct option *option,
                                struct nbd_output *output);
    } handlers[] = {
        {NBD_OPT_EXPORT_NAME, option_export_name},
        {NBD_OPT_ABORT, option_abort},
        {NBD_OPT_LIST, option_list},
        {NBD_OPT_STARTTLS, option_starttls},
        {NBD_OPT_INFO, option_info_or_go},
        {NBD_OPT_GO, option_info_or_go},
        {NBD_OPT_STRUCTURED_REPLY, option_structured_reply},
        {NBD_OPT_LIST_META_CONTEXT, option_meta_context},
        {NBD_OPT_SET_META_CONTEXT, option_meta_context},
    };

    if (handshake->refusal != NULL && option->number != NBD_OPT_ABORT) {
        return option_refused(handshake, option, output);
    }
    if (handshake->tls == NBD_TLS_REQUIRED && option->number != NBD_OPT_STARTTLS &&
        option->number != NBD_OPT_ABORT) {
        return option_before_tls(option, output);
    }
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        if (handlers[i].number == option->number) {
            return handlers[i].handle(handshake, option, output);
        }
    }
    reply_error(output, option->number, NBD_REP_ERR_UNSUP, "this option is not known");
    return NBD_STEP_NEXT;
}

/* ---- input ---- */

static enum nbd_step input_flags(struct nbd_handshake *handshake, const uint8_t *bytes,
                                 size_t byte_count, size_t *ret_used)
{
    uint32_t flags;

    if (byte_count < NBD_CLIENT_FLAGS_BYTES) {
        return NBD_STEP_MORE;
    }
    flags = get_be32(bytes);
    *ret_used = NBD_CLIENT_FLAGS_BYTES;
    if ((flags & ~(NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES)) != 0) {
        return NBD_STEP_CLOSE;
    }
    handshake->has_flags = true;
    handshake->fixed_newstyle = (flags & NBD_FLAG_FIXED_NEWSTYLE) != 0;
    handshake->no_zeroes = (flags & NBD_FLAG_NO_ZEROES) != 0;
    return NBD_STEP_NEXT;
}

static enum nbd_step input_skip(struct nbd_handshake *handshake, size_t byte_count,
                                size_t *ret_used)
{
    size_t used = (size_t)min_u64(byte_count, handshake->skip_bytes);

    if (used == 0) {
        return NBD_STEP_MORE;
    }
    handshake->skip_bytes -= (uint32_t)used;
    *ret_used = used;
    return NBD_STEP_NEXT;
}

/* An option too long to look at: refused and skipped, or the end. */
static enum nbd_step input_oversized(struct nbd_handshake *handshake, const struct option *option,
                                     size_t *ret_used, struct nbd_output *output)
{
    if (option->data_bytes > NBD_OPTION_SKIP_MAX_BYTES || option->number == NBD_OPT_EXPORT_NAME) {
        return NBD_STEP_CLOSE;
    }
    reply_error(output, option->number, NBD_REP_ERR_TOO_BIG, "the option's data is too long");
    handshake->skip_bytes = option->data_bytes;
    *ret_used = NBD_OPTION_HEADER_BYTES;
    return NBD_STEP_NEXT;
}

static enum nbd_step input_option(struct nbd_handshake *handshake, const uint8_t *bytes,
                                  size_t byte_count, size_t *ret_used, struct nbd_output *output)
{
    struct option option;
    enum nbd_step step;

    if (byte_count < NBD_OPTION_HEADER_BYTES) {
        return NBD_STEP_MORE;
    }
    option.number = get_be32(bytes + 8);
    option.data_bytes = get_be32(bytes + 12);
    option.data = bytes + NBD_OPTION_HEADER_BYTES;
    if (get_be64(bytes) != NBD_OPTION_MAGIC || handshake->option_count >= NBD_OPTION_COUNT_MAX) {
        return NBD_STEP_CLOSE;
    }
    if (!handshake->fixed_newstyle && option.number != NBD_OPT_EXPORT_NAME) {
        return NBD_STEP_CLOSE;
    }
    if (option.data_bytes > NBD_OPTION_MAX_BYTES) {
        handshake->option_count++;
        return input_oversized(handshake, &option, ret_used, output);
    }
    if (byte_count - NBD_OPTION_HEADER_BYTES < option.data_bytes) {
        return NBD_STEP_MORE;
    }
    handshake->option_count++;
    *ret_used = NBD_OPTION_HEADER_BYTES + option.data_bytes;
    step = option_handle(handshake, &option, output);
    if (step == NBD_STEP_WAIT) { /* it is looked at again, from its beginning */
        ASSERT(output->used == 0);
        handshake->option_count--;
        *ret_used = 0;
    }
    if (step == NBD_STEP_START) {
        ASSERT(handshake->target != NULL);
        handshake->allocation_context =
            handshake->structured && handshake->context_target == handshake->target;
    }
    return step;
}

void nbd_handshake_init(struct nbd_handshake *handshake, struct nbd_catalog *catalog,
                        struct nbd_output *output)
{
    uint8_t *greeting = output_take(output, NBD_GREETING_BYTES);

    ASSERT(catalog != NULL);
    *handshake = (struct nbd_handshake){.catalog = catalog};
    put_be64(greeting, NBD_MAGIC);
    put_be64(greeting + 8, NBD_OPTION_MAGIC);
    put_be16(greeting + 16, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
}

void nbd_handshake_tls_begun(struct nbd_handshake *handshake)
{
    ASSERT(handshake->tls == NBD_TLS_REQUIRED);
    handshake->tls = NBD_TLS_ON;
    handshake->structured = false;
    handshake->context_target = NULL;
}

enum nbd_step nbd_handshake_input(struct nbd_handshake *handshake, const uint8_t *bytes,
                                  size_t byte_count, size_t *ret_used, struct nbd_output *output)
{
    ASSERT(handshake->target == NULL);
    ASSERT(output->capacity >= NBD_HANDSHAKE_OUTPUT_BYTES);
    *ret_used = 0;
    if (!handshake->has_flags) {
        return input_flags(handshake, bytes, byte_count, ret_used);
    }
    if (handshake->skip_bytes > 0) {
        return input_skip(handshake, byte_count, ret_used);
    }
    return input_option(handshake, bytes, byte_count, ret_used, output);
}

/*
 * See check_doc.h.
 */
#include "control/check_doc.h"

#include "control/json_text.h"

static json_t *place_doc(const struct vd_mismatch *place, bool earlier,
                         const struct geometry *geometry)
{
    json_t *doc = json_new_object();

    json_put_u64(doc, "strip", place->row);
    json_put_bool(doc, "corrected", place->corrected);
    json_put_bool(doc, "earlier", earlier);
    json_put_u64(doc, "offset_bytes", place->offset_bytes);
    json_put_u64(doc, "piece_bytes", place->hi - place->lo);
    json_put_u64(doc, "piece_count", place->piece_count);
    json_put_u64(doc, "piece_distance_bytes", geometry->strip_bytes);
    if (place->member == VD_MEMBER_UNKNOWN) {
        json_put_null(doc, "member");
        json_put_null(doc, "member_offset_bytes");
    } else {
        json_put_u64(doc, "member", place->member);
        json_put_u64(doc, "member_offset_bytes", place->drive_offset_bytes);
    }
    return doc;
}

json_t *check_doc(const struct check_view *view, const struct geometry *geometry)
{
    json_t *doc = NULL;
    json_t *places = NULL;

    if (!view->any) {
        return json_null();
    }
    doc = json_new_object();
    places = json_new_array();
    json_put_text(doc, "state", operation_state_word(view->state));
    json_put_bool(doc, "correct", view->correct);
    json_put_u64(doc, "started_at_us", view->began_us);
    if (view->ended_us != 0) {
        json_put_u64(doc, "ended_at_us", view->ended_us);
    } else {
        json_put_null(doc, "ended_at_us");
    }
    json_put_u64(doc, "compared_bytes", view->compared_bytes);
    json_put_u64(doc, "left_out_bytes", view->left_out_bytes);
    json_put_u64(doc, "unreadable_bytes", view->unreadable_bytes);
    json_put_u64(doc, "corrected_count", view->corrected);
    json_put_u64(doc, "inconsistent_count", view->inconsistent);
    json_put_u64(doc, "earlier_inconsistent_count", check_earlier_count(&view->earlier));
    for (uint32_t i = 0; i < view->place_count; i++) {
        json_append(places, place_doc(&view->places[i], false, geometry));
    }
    for (uint32_t i = 0; i < view->earlier.count; i++) {
        json_append(places, place_doc(&view->earlier.places[i], true, geometry));
    }
    json_put(doc, "places", places);
    return doc;
}

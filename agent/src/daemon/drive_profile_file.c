/*
 * Profiles of drives: DIRECTORY/drives/NAME.json. See profile_file.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "daemon/profile_reader.h"

#define RATE_MAX (UINT64_C(1) << 40)
#define TIMING_U32(name, member, min, max)                                                         \
    {name, FIELD_U32, true, FIELD_OF(emulated_timing, member), min, max, NULL}
#define TIMING_BYTES(name, member, min, max)                                                       \
    {name, FIELD_BYTES, true, FIELD_OF(emulated_timing, member), min, max, NULL}

PROFILE_WORD_READER(media_read, enum drive_media, DRIVE_MEDIA_MAX, drive_media_word, drive_profile,
                    media)

PROFILE_WORD_READER(interface_read, enum drive_interface, DRIVE_INTERFACE_MAX, drive_interface_word,
                    drive_profile, interface)

static const struct profile_field zone_fields[] = {
    {"from_percent", FIELD_U32, true, FIELD_OF(drive_zone, from_percent), 0, 99, NULL},
    {"bytes_per_s", FIELD_BYTES, true, FIELD_OF(drive_zone, bytes_per_s), 1000000, RATE_MAX, NULL},
    FIELDS_END};

static bool zones_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct emulated_timing *timing = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 1, DRIVE_MODEL_ZONES_MAX, "zones")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        struct drive_zone *zone = &timing->hdd.zones[index];
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_fields(reader, entry, zone_fields, zone)) {
            return false;
        }
        if (index == 0 ? zone->from_percent != 0 : zone->from_percent <= zone[-1].from_percent) {
            return profile_fail(reader, "the first begins at 0, each behind the last");
        }
        profile_leave(reader, outer);
    }
    timing->hdd.zone_count = (uint32_t)index;
    return true;
}

static const struct profile_field hdd_fields[] = {
    TIMING_U32("rpm", hdd.rpm, 1000, 30000),
    TIMING_U32("seek_track_us", hdd.seek_track_us, 0, 100000),
    TIMING_U32("seek_full_us", hdd.seek_full_us, 1, 100000),
    TIMING_U32("write_settle_us", hdd.write_settle_us, 0, 100000),
    TIMING_U32("read_segments", hdd.read_segments, 0, DRIVE_MODEL_SEGMENTS_MAX),
    {"zones", FIELD_CUSTOM, true, 0, 0, 0, zones_read},
    FIELDS_END};

static const struct profile_field ssd_fields[] = {
    TIMING_U32("channels", ssd.channels, 1, DRIVE_MODEL_CHANNELS_MAX),
    TIMING_U32("read_us", ssd.read_us, 0, 100000),
    TIMING_U32("write_us", ssd.write_us, 0, 100000),
    TIMING_BYTES("read_bytes_per_s", ssd.read_bytes_per_s, 1000000, RATE_MAX),
    TIMING_BYTES("write_bytes_per_s", ssd.write_bytes_per_s, 1000000, RATE_MAX),
    {"random_write_us", FIELD_U32, false, FIELD_OF(emulated_timing, ssd.random_write_us), 0, 100000,
     NULL},
    FIELDS_END};

static bool hdd_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct drive_profile *profile = target;

    if (json_is_null(value)) {
        return true;
    }
    profile->timing.kind = DRIVE_MODEL_HDD;
    return profile_fields(reader, value, hdd_fields, &profile->timing) &&
           (profile->timing.hdd.seek_track_us <= profile->timing.hdd.seek_full_us ||
            profile_fail(reader, "seek_track_us must not be above seek_full_us"));
}

static bool ssd_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct drive_profile *profile = target;

    if (json_is_null(value)) {
        return true;
    }
    profile->timing.kind = DRIVE_MODEL_SSD;
    return profile_fields(reader, value, ssd_fields, &profile->timing);
}

#define PROFILE_U32(name, member, min, max)                                                        \
    {name, FIELD_U32, true, FIELD_OF(drive_profile, member), min, max, NULL}
#define PROFILE_BYTES(name, member, min, max)                                                      \
    {name, FIELD_BYTES, true, FIELD_OF(drive_profile, member), min, max, NULL}

static const struct profile_field drive_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(drive_profile, name), 1, PROFILE_NAME_CHARACTERS, NULL},
    {"model", FIELD_TEXT, true, FIELD_OF(drive_profile, model), 1, 40, NULL},
    {"manufacturer", FIELD_TEXT, true, FIELD_OF(drive_profile, manufacturer), 1, 40, NULL},
    {"media", FIELD_CUSTOM, true, 0, 0, 0, media_read},
    {"interface", FIELD_CUSTOM, true, 0, 0, 0, interface_read},
    PROFILE_BYTES("capacity_bytes", capacity_bytes, UINT64_C(1) << 26, UINT64_C(1) << 44),
    PROFILE_BYTES("link_bytes_per_s", timing.transfer_bytes_per_s, 1000000, RATE_MAX),
    PROFILE_U32("command_us", timing.overhead_us, 0, 100000),
    PROFILE_U32("queue_depth", timing.queue_depth, 1, DRIVE_MODEL_QUEUE),
    PROFILE_BYTES("buffer_bytes", timing.buffer_bytes, 0, UINT64_C(1) << 32),
    PROFILE_U32("buffered_writes", timing.buffered_writes, 0, DRIVE_MODEL_WRITES_MAX),
    {"hdd", FIELD_CUSTOM, true, 0, 0, 0, hdd_read},
    {"ssd", FIELD_CUSTOM, true, 0, 0, 0, ssd_read},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

static bool is_sound(struct profile_reader *reader, const json_t *object,
                     const struct drive_profile *profile)
{
    bool is_hdd = profile->media == DRIVE_MEDIA_HDD;

    if (json_is_null(json_object_get(object, "hdd")) == is_hdd ||
        json_is_null(json_object_get(object, "ssd")) != is_hdd) {
        return profile_fail(reader,
                            "exactly the one of hdd and ssd that media names must be given");
    }
    return profile->capacity_bytes % 512 == 0 ||
           profile_fail(reader, "capacity_bytes must be a multiple of 512");
}

int drive_profile_read(const char *directory, const char *name, struct drive_profile *ret,
                       char text[PROFILE_TEXT_BYTES])
{
    struct profile_reader reader = {.text = text};
    struct drive_profile profile = {.capacity_bytes = 0};
    json_t *object = profile_load(&reader, directory, "drives", name);
    bool good = false;

    if (object == NULL) {
        return -ENOENT;
    }
    good = profile_fields(&reader, object, drive_fields, &profile) &&
           profile_is_named(&reader, profile.name, name) && is_sound(&reader, object, &profile);
    json_decref(object);
    if (!good) {
        return -EINVAL;
    }
    *ret = profile;
    return 0;
}

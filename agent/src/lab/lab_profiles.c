/* See lab_profiles.h. */
#include "lab/lab_profiles.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/json_text.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"

static json_t *levels_doc(const struct controller_profile *profile)
{
    json_t *doc = json_new_array();

    for (unsigned i = 0; i < RAID_LEVEL_MAX; i++) {
        const struct raid_level_info *info = raid_level_info((enum raid_level)i);
        json_t *entry = NULL;

        if (!profile->levels[i].offered) {
            continue;
        }
        entry = json_new_object();
        json_put_text(entry, "level", raid_level_word((enum raid_level)i));
        json_put_u64(
            entry, "drives_min",
            max_u32(profile->levels[i].drives_min, info->spans_min * info->span_members_min));
        json_append(doc, entry);
    }
    return doc;
}

static json_t *strips_doc(const struct controller_profile *profile)
{
    json_t *doc = json_new_array();

    for (uint32_t strip = RAID_STRIP_MIN_BYTES; strip <= RAID_STRIP_MAX_BYTES; strip *= 2) {
        if (controller_profile_has_strip(profile, strip)) {
            json_append(doc, json_integer(strip));
        }
    }
    return doc;
}

/* What it is called and what it does, in the words of the model's file; the one without a file has
 * none. */
static json_t *quirks_doc(const char *directory, const struct controller_profile_file *file,
                          char *text)
{
    struct profile_reader reader = {.text = text};
    json_t *doc = json_new_array();
    json_t *object = NULL;
    size_t index = 0;
    const json_t *quirk = NULL;

    if (file->quirk_count == 0) {
        return doc;
    }
    object = profile_load(&reader, directory, "controllers", file->profile.name);
    ASSERT(object != NULL); /* it has been read */
    json_array_foreach(json_object_get(object, "quirks"), index, quirk)
    {
        json_t *entry = json_new_object();

        json_put_text(entry, "name", json_string_value(json_object_get(quirk, "name")));
        json_put_text(entry, "text", json_string_value(json_object_get(quirk, "text")));
        json_append(doc, entry);
    }
    json_decref(object);
    return doc;
}

static json_t *controller_doc(const char *directory, const char *name, char *text)
{
    struct controller_profile_file file;
    json_t *doc = NULL;

    if (controller_profile_read(directory, name, &file, text) != 0) {
        return NULL;
    }
    doc = json_new_object();
    json_put_text(doc, "name", file.profile.name);
    json_put_text(doc, "model", file.profile.model);
    json_put_text(doc, "manufacturer", file.manufacturer);
    json_put_u64(doc, "ports", file.profile.ports);
    json_put_bool(doc, "has_cache", file.profile.has_cache);
    json_put_u64(doc, "cache_fitted_bytes", file.cache_fitted_bytes);
    json_put_u64(doc, "cache_max_bytes", file.profile.cache_bytes);
    json_put(doc, "levels", levels_doc(&file.profile));
    json_put(doc, "strip_sizes_bytes", strips_doc(&file.profile));
    json_put_u64(doc, "strip_default_bytes", controller_profile_strip_default(&file.profile));
    json_put(doc, "quirks", quirks_doc(directory, &file, text));
    return doc;
}

static json_t *drive_doc(const char *directory, const char *name, char *text)
{
    struct drive_profile profile;
    json_t *doc = NULL;

    if (drive_profile_read(directory, name, &profile, text) != 0) {
        return NULL;
    }
    doc = json_new_object();
    json_put_text(doc, "name", profile.name);
    json_put_text(doc, "model", profile.model);
    json_put_text(doc, "manufacturer", profile.manufacturer);
    json_put_text(doc, "media", drive_media_word(profile.media));
    json_put_text(doc, "interface", drive_interface_word(profile.interface));
    json_put_u64(doc, "capacity_bytes", profile.capacity_bytes);
    json_put_u64(doc, "rpm", profile.timing.kind == DRIVE_MODEL_HDD ? profile.timing.hdd.rpm : 0);
    return doc;
}

/* As it is in its file, once a scenario could use it. */
static json_t *workload_doc(const char *directory, const char *name, char *text)
{
    struct profile_reader reader = {.text = text};
    json_t *named = json_pack("{s:s}", "profile", name);
    struct lab_workload *workload = calloc(1, sizeof(*workload));
    json_t *doc = NULL;

    ASSERT(named != NULL && workload != NULL);
    if (lab_workload_read(&reader, directory, named, workload)) {
        doc = profile_load(&reader, directory, "workloads", name);
    }
    free(workload);
    json_decref(named);
    return doc;
}

static int is_profile(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 ? 1 : 0;
}

/* Adds what make() makes of each file of a folder. */
static bool folder_read(const char *directory, const char *folder, json_t *list,
                        json_t *(*make)(const char *directory, const char *name, char *text),
                        char *text)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int length = snprintf(path, sizeof(path), "%s/%s", directory, folder);
    int count = -1;
    bool good = false;

    if (length > 0 && (size_t)length < sizeof(path)) {
        count = scandir(path, &entries, is_profile, alphasort);
    }
    if (count < 0) {
        (void)snprintf(text, PROFILE_TEXT_BYTES, "%.300s/%s: %s", directory, folder,
                       strerror(errno));
        return false;
    }
    good = true;
    for (int i = 0; i < count; i++) {
        char name[PROFILE_NAME_CHARACTERS + 1] = "";
        json_t *doc = NULL;

        (void)snprintf(name, sizeof(name), "%.*s", (int)strlen(entries[i]->d_name) - 5,
                       entries[i]->d_name);
        doc = good ? make(directory, name, text) : NULL;
        good = doc != NULL;
        if (good) {
            json_append(list, doc);
        }
        free(entries[i]);
    }
    free((void *)entries);
    return good;
}

json_t *lab_profiles_doc(const char *directory, char text[PROFILE_TEXT_BYTES])
{
    json_t *doc = json_new_object();
    json_t *controllers = json_new_array();
    json_t *drives = json_new_array();
    json_t *workloads = json_new_array();

    json_append(controllers, controller_doc(directory, "native", text));
    json_put(doc, "controllers", controllers);
    json_put(doc, "drives", drives);
    json_put(doc, "workloads", workloads);
    if (!folder_read(directory, "controllers", controllers, controller_doc, text) ||
        !folder_read(directory, "drives", drives, drive_doc, text) ||
        !folder_read(directory, "workloads", workloads, workload_doc, text)) {
        json_decref(doc);
        return NULL;
    }
    return doc;
}

/*
 * Documents of objects, events, reasons and previews: see object_doc.h.
 */
#include "control/object_doc.h"

#include <string.h>

#include "base/assert.h"
#include "control/check_doc.h"
#include "control/group_doc.h"
#include "control/json_text.h"
#include "control/measurement_json.h"
#include "ctl/event_catalog.h"
#include "ctl/profile.h"

static const char *const level_words[] = {"raid0",  "raid1",  "raid5",  "raid6",
                                          "raid10", "raid50", "raid60", "raid1e"};
STATIC_ASSERT(sizeof(level_words) / sizeof(level_words[0]) == RAID_LEVEL_MAX,
              "one word for every level");

const char *raid_level_word(enum raid_level level)
{
    ASSERT((unsigned)level < RAID_LEVEL_MAX);
    return level_words[level];
}

bool raid_level_word_parse(const char *word, enum raid_level *ret_level)
{
    for (unsigned level = 0; level < RAID_LEVEL_MAX; level++) {
        if (strcmp(word, level_words[level]) == 0) {
            *ret_level = (enum raid_level)level;
            return true;
        }
    }
    return false;
}

json_t *reason_doc(const struct reason *reason)
{
    json_t *doc = json_new_object();
    json_t *params = json_new_object();
    char text[REASON_TEXT_MAX];

    ASSERT(reason->param_count <= REASON_PARAMS_MAX);
    for (uint32_t i = 0; i < reason->param_count; i++) {
        json_put_text(params, reason->params[i].name, reason->params[i].value);
    }
    (void)reason_text(reason, text, sizeof(text));
    json_put_text(doc, "code", reason_code_word(reason->code));
    json_put(doc, "params", params);
    json_put_text(doc, "text", text);
    return doc;
}

static json_t *blocked_doc(const struct blocked *blocked)
{
    json_t *doc = json_new_object();

    ASSERT(blocked->count <= BLOCKED_MAX);
    for (uint32_t i = 0; i < blocked->count; i++) {
        const char *action = blocked->items[i].action;
        char name[64];

        (void)snprintf(name, sizeof(name), "%s%s%s", ctl_op_word(blocked->items[i].op),
                       action != NULL ? "_" : "", action != NULL ? action : "");
        json_put(doc, name, reason_doc(&blocked->items[i].reason));
    }
    return doc;
}

static json_t *policy_doc(const struct policy_view *policy)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "requested", policy->requested);
    json_put_text(doc, "effective", policy->effective);
    json_put(doc, "reason", reason_doc(&policy->reason));
    return doc;
}

/* `keys` is an array of object_key_t. */
static json_t *keys_doc(const object_key_t *keys, uint32_t count)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < count; i++) {
        json_append_text(doc, keys[i]);
    }
    return doc;
}

static json_t *finding_doc(const struct finding *finding)
{
    const struct finding_kind *kind = finding_kind(finding->code);
    json_t *doc = json_new_object();

    json_put_text(doc, "code", kind->word);
    json_put_text(doc, "severity", finding_severity_word(kind->severity));
    json_put_text(doc, "kind", object_kind_word(kind->object_kind));
    json_put_text(doc, "key", finding->key);
    json_put_text(doc, "path", finding->path);
    json_put_u64(doc, "since_us", finding->since_us);
    json_put(doc, "what", reason_doc(&finding->what));
    json_put(doc, "cause",
             finding->cause.code != REASON_OK ? reason_doc(&finding->cause) : json_null());
    json_put(doc, "effect", reason_doc(&finding->effect));
    json_put(doc, "remedy", reason_doc(&finding->remedy));
    return doc;
}

/* Those about the host, or all others. */
static json_t *findings_doc(const struct finding_list *list, bool host)
{
    json_t *doc = json_new_array();

    ASSERT(list->count <= FINDINGS_MAX);
    for (uint32_t i = 0; i < list->count; i++) {
        enum object_kind kind = finding_kind(list->items[i].code)->object_kind;

        if ((kind == OBJECT_KIND_HOST) == host) {
            json_append(doc, finding_doc(&list->items[i]));
        }
    }
    return doc;
}

static json_t *host_doc(const struct host_view *view)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "hostname", view->hostname);
    json_put_text(doc, "os", view->os);
    json_put_text(doc, "kernel", view->kernel);
    json_put_text(doc, "agent_version", view->agent_version);
    json_put_text(doc, "boot_id", view->boot_id);
    json_put_text(doc, "policy_preset", view->policy_preset);
    json_put_u64(doc, "started_at_us", view->started_us);
    json_put(doc, "findings", findings_doc(view->findings, true));
    return doc;
}

static json_t *level_rule_doc(const struct level_rule_view *rule)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "level", raid_level_word(rule->level));
    json_put_u64(doc, "drives_min", rule->drives_min);
    json_put_u64(doc, "drives_max", rule->drives_max);
    json_put_u64(doc, "drives_multiple", rule->drives_multiple);
    json_put_u64(doc, "drives_per_span_default", rule->drives_per_span_default);
    json_put_text(doc, "description", rule->description);
    return doc;
}

static json_t *strip_sizes_doc(const struct controller_profile *profile)
{
    json_t *doc = json_new_array();

    for (uint32_t bytes = RAID_STRIP_MIN_BYTES; bytes <= RAID_STRIP_MAX_BYTES; bytes *= 2) {
        if (controller_profile_has_strip(profile, bytes)) {
            json_append(doc, json_integer(bytes));
        }
    }
    return doc;
}

static json_t *presets_doc(const struct controller_profile *profile)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < profile->preset_count; i++) {
        const struct vd_preset *preset = &profile->presets[i];
        json_t *entry = json_new_object();

        json_put_text(entry, "name", preset->name);
        json_put_text(entry, "read_policy", read_policy_word(preset->read_policy));
        json_put_text(entry, "write_policy", write_policy_word(preset->write_policy));
        json_put_text(entry, "io_policy", io_policy_word(preset->io_policy));
        json_put_text(entry, "drive_cache_policy",
                      drive_cache_policy_word(preset->drive_cache_policy));
        json_put_text(entry, "degraded_policy", degraded_policy_word(preset->degraded_policy));
        json_append(doc, entry);
    }
    return doc;
}

static json_t *preserved_doc(const struct preserved_view *view)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "virtual_drive", view->vd);
    json_put_text(doc, "name", view->name);
    json_put_u64(doc, "bytes", view->bytes);
    json_put(doc, "reason", reason_doc(&view->reason));
    return doc;
}

static json_t *percent_doc(bool known, uint32_t percent)
{
    return known ? json_integer(percent) : json_null();
}

static json_t *cache_doc(const struct cache_view *view)
{
    json_t *doc = json_new_object();
    json_t *preserved = json_new_array();
    struct reason limit;
    uint64_t measured = view->facts.destage_bytes_per_s;

    for (uint32_t i = 0; i < view->preserved_count; i++) {
        json_append(preserved, preserved_doc(&view->preserved[i]));
    }
    reason_set(&limit, view->limited_by_ups ? REASON_DIRTY_LIMIT_UPS : REASON_DIRTY_LIMIT_CACHE,
               NULL);
    json_put_text(doc, "medium", cache_medium_word(view->medium));
    json_put_text(doc, "state", cache_state_word(view->state));
    json_put(doc, "state_reason",
             view->state_reason.code != REASON_OK ? reason_doc(&view->state_reason) : json_null());
    json_put_u64(doc, "size_bytes", view->facts.size_bytes);
    json_put_bool(doc, "survives_agent", true);
    json_put_bool(doc, "survives_power_loss", view->survives_power_loss);
    json_put_bool(doc, "stable", view->stable);
    json_put_u64(doc, "used_bytes", view->facts.used_bytes);
    json_put_u64(doc, "dirty_bytes", view->facts.dirty_bytes);
    json_put_u64(doc, "dirty_limit_bytes", view->facts.dirty_limit_bytes);
    json_put(doc, "dirty_limit_reason", reason_doc(&limit));
    json_put_u64(doc, "pinned_bytes", view->facts.pinned_bytes);
    json_put(doc, "read_hit_percent", percent_doc(view->has_hit_percent, view->hit_percent));
    json_put_u64(doc, "destage_bytes_per_s", view->destage_bytes_per_s);
    json_put(doc, "destage_measured_bytes_per_s",
             measured > 0 ? json_integer((json_int_t)measured) : json_null());
    json_put(doc, "preserved", preserved);
    return doc;
}

static void time_put(json_t *doc, const char *name, uint64_t time_us)
{
    json_put(doc, name, time_us == 0 ? json_null() : json_integer((json_int_t)time_us));
}

static void patrol_put(json_t *doc, const struct controller_view *view)
{
    const struct controller_patrol *patrol = &view->patrol;
    json_t *state = json_new_object();

    json_put_text(doc, "patrol_mode", patrol_mode_word(patrol->mode));
    json_put_u64(doc, "patrol_rate_percent", patrol->rate_percent);
    json_put_u64(doc, "patrol_delay_hours", patrol->delay_hours);
    json_put_bool(doc, "patrol_ssds", patrol->ssds);
    json_put_u64(doc, "patrol_drives_max", patrol->drives_max);
    time_put(state, "next_at_us", patrol->mode == PATROL_MODE_AUTO ? patrol->next_us : 0);
    time_put(state, "last_at_us", patrol->last_us);
    json_put_u64(state, "iterations", patrol->iterations);
    json_put_text_or_null(state, "operation", view->patrol_operation);
    json_put_u64(state, "drives_done", view->patrol_drives_done);
    json_put_u64(state, "drives_total", view->patrol_drives_total);
    json_put_u64(state, "errors", view->patrol_errors);
    json_put(doc, "patrol", state);
}

static json_t *drive_patrol_doc(const struct drive_view *view)
{
    json_t *doc = json_new_object();

    time_put(doc, "done_at_us", view->patrol_done_us);
    json_put_u64(doc, "read_bytes", view->patrol_read_bytes);
    json_put(doc, "skipped", view->patrol_skips ? reason_doc(&view->patrol_skipped) : json_null());
    return doc;
}

static json_t *controller_doc(const struct controller_view *view)
{
    json_t *doc = json_new_object();
    json_t *levels = json_new_array();
    char uuid[UUID_TEXT_BYTES];

    ASSERT(view->level_count <= RAID_LEVEL_MAX);
    for (uint32_t i = 0; i < view->level_count; i++) {
        json_append(levels, level_rule_doc(&view->levels[i]));
    }
    uuid_format(&view->uuid, uuid);
    json_put_u64(doc, "index", view->index);
    json_put_text(doc, "path", view->path);
    json_put_text(doc, "uuid", uuid);
    json_put_text(doc, "model", view->model);
    json_put_text(doc, "serial", view->serial);
    json_put_text(doc, "firmware_version", view->firmware_version);
    json_put_text(doc, "profile", view->profile);
    json_put_text(doc, "status", controller_status_word(view->status));
    json_put_u64(doc, "cache_bytes", view->cache.present ? view->cache.facts.size_bytes : 0);
    json_put(doc, "cache", view->cache.present ? cache_doc(&view->cache) : json_null());
    json_put_text(doc, "battery", view->has_battery ? battery_state_word(view->battery) : "absent");
    json_put_text(doc, "no_battery_rule", no_battery_rule_word(view->no_battery_rule));
    json_put_u64(doc, "rebuild_rate_percent", view->rebuild_rate_percent);
    json_put_u64(doc, "bgi_rate_percent", view->bgi_rate_percent);
    json_put_u64(doc, "glitch_seconds", view->glitch_seconds);
    json_put_text(doc, "coercion", coercion_word(view->coercion));
    patrol_put(doc, view);
    json_put_bool(doc, "auto_rebuild", view->auto_rebuild);
    json_put_bool(doc, "emergency_spare", view->emergency_spare);
    json_put_bool(doc, "emergency_unconfigured", view->emergency_unconfigured);
    json_put_bool(doc, "mixed_media", view->mixed_media);
    json_put_bool(doc, "mixed_interfaces", view->mixed_interfaces);
    json_put_bool(doc, "copyback", view->copyback);
    json_put_bool(doc, "predictive_copyback", view->predictive_copyback);
    json_put(doc, "levels", levels);
    json_put(doc, "strip_sizes_bytes", strip_sizes_doc(view->capabilities));
    json_put_u64(doc, "strip_default_bytes", controller_profile_strip_default(view->capabilities));
    json_put_u64(doc, "ports", view->capabilities->ports);
    json_put_text(doc, "vocabulary", controller_vocabulary_word(view->capabilities->vocabulary));
    json_put(doc, "presets", presets_doc(view->capabilities));
    json_put_text_or_null(doc, "nbd_tcp", view->nbd_tcp != NULL ? view->nbd_tcp : "");
    json_put(doc, "findings", findings_doc(view->findings, false));
    json_put_bool(doc, "findings_whole", view->findings_whole);
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

static json_t *enclosure_doc(const struct enclosure_view *view)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "controller", view->controller);
    json_put_u64(doc, "eid", view->config->eid);
    json_put_text(doc, "path", view->path);
    json_put_text(doc, "model", view->config->model);
    json_put_u64(doc, "slot_count", view->config->slot_count);
    json_put_u64(doc, "rows", view->config->rows);
    json_put_u64(doc, "columns", view->config->columns);
    json_put_text(doc, "order", view->config->column_major ? "column_major" : "row_major");
    json_put_bool(doc, "emulated", view->config->emulated);
    json_put(doc, "hot_swap",
             view->config->has_profile ? json_boolean(view->config->hot_swap) : json_null());
    return doc;
}

static json_t *faults_doc(const struct emulated_drive *drive)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; drive != NULL && i < emulated_drive_fault_count(drive); i++) {
        const struct emulated_fault *fault = emulated_drive_fault(drive, i);
        json_t *entry = json_new_object();

        json_put_text(entry, "kind", fault_kind_word(fault->kind));
        if (fault->kind == FAULT_KIND_SLOW) {
            json_put_u64(entry, "latency_ms", fault->latency_ms);
        } else {
            json_put_u64(entry, "lba", fault->lba);
            json_put_u64(entry, "count", fault->count);
        }
        json_append(doc, entry);
    }
    return doc;
}

static json_t *hot_spare_doc(const struct drive_view *view)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "kind", spare_kind_word(view->spare_kind));
    json_put(doc, "drive_groups", keys_doc(view->spare_groups, view->spare_group_count));
    json_put_bool(doc, "enclosure_affinity", view->spare_affinity);
    json_put_bool(doc, "revertible", view->spare_revertible);
    return doc;
}

static void drive_doc_place(json_t *doc, const struct drive_view *view)
{
    bool in_enclosure = view->enclosure[0] != '\0';
    bool member = view->group[0] != '\0';

    json_put_text(doc, "controller", view->controller);
    json_put_text_or_null(doc, "enclosure", view->enclosure);
    json_put(doc, "eid", in_enclosure ? json_integer(view->identity->eid) : json_null());
    json_put(doc, "slot",
             view->identity->slot != UINT32_MAX ? json_integer(view->identity->slot) : json_null());
    json_put_u64(doc, "did", view->identity->did);
    json_put_text(doc, "path", view->path);
    json_put_text_or_null(doc, "drive_group", view->group);
    json_put(doc, "span", member ? json_integer(view->span) : json_null());
    json_put(doc, "row", member ? json_integer(view->row) : json_null());
}

/* What the host does not tell is null. */
static void told_put(json_t *doc, const char *name, uint32_t value)
{
    json_put(doc, name, value != 0 ? json_integer(value) : json_null());
}

static void drive_doc_identity(json_t *doc, const struct drive_identity *identity)
{
    json_put_text(doc, "media", drive_media_word(identity->media));
    json_put_text(doc, "interface", drive_interface_word(identity->interface));
    told_put(doc, "rotation_rpm", identity->rotation_rpm);
    told_put(doc, "link_speed_mbps", identity->link.speed_mbps);
    told_put(doc, "link_lanes", identity->link.lanes);
    told_put(doc, "device_speed_mbps", identity->link.device_mbps);
    json_put_text(doc, "vendor", identity->vendor);
    json_put_text(doc, "model", identity->model);
    json_put_text(doc, "serial", identity->serial);
    json_put_text(doc, "wwn", identity->wwn);
    json_put_text(doc, "firmware", identity->firmware);
    json_put_text(doc, "device", identity->device);
    json_put_bool(doc, "emulated", identity->emulated);
}

static json_t *health_doc(const struct drive_view *view)
{
    const struct drive_health *health = view->health;
    json_t *doc = NULL;

    if (health == NULL) {
        return json_null();
    }
    doc = json_new_object();
    json_put_text(doc, "state", smart_state_word(health->state));
    json_put(doc, "reason",
             health->reason.code != REASON_OK ? reason_doc(&health->reason) : json_null());
    json_put_bool(doc, "failing", view->smart_failing);
    json_put(doc, "checked_at_us",
             health->checked_us != 0 ? json_integer((json_int_t)health->checked_us) : json_null());
    for (uint32_t i = 0; i < SMART_FIGURE_MAX; i++) {
        if (i != SMART_FIGURE_TEMPERATURE_C) { /* every drive's document has it */
            json_put(doc, smart_figure_word((enum smart_figure)i),
                     health->told[i] ? json_integer((json_int_t)health->figures[i]) : json_null());
        }
    }
    return doc;
}

static json_t *drive_doc(const struct drive_view *view)
{
    json_t *doc = json_new_object();
    bool warm = view->has_temperature && view->temperature_c >= 0;

    drive_doc_place(doc, view);
    drive_doc_identity(doc, view->identity);
    json_put_text(doc, "state", drive_state_word(view->state));
    json_put_bool(doc, "present", view->present);
    json_put_bool(doc, "foreign", view->foreign);
    json_put_u64(doc, "size_bytes", view->size_bytes);
    json_put_u64(doc, "usable_bytes", view->usable_bytes);
    json_put_u64(doc, "uncoerced_bytes", view->uncoerced_bytes);
    json_put_u64(doc, "block_bytes", view->block_bytes);
    json_put_u64(doc, "physical_block_bytes", view->physical_block_bytes);
    json_put_text(doc, "write_cache", drive_write_cache_word(view->write_cache));
    json_put(doc, "temperature_c", warm ? json_integer(view->temperature_c) : json_null());
    json_put(doc, "hot_spare", view->spare ? hot_spare_doc(view) : json_null());
    json_put_u64(doc, "media_error_count", view->media_errors);
    json_put_u64(doc, "other_error_count", view->other_errors);
    json_put_u64(doc, "predictive_failure_count", view->predictive_failures);
    json_put(doc, "health", health_doc(view));
    json_put_u64(doc, "timeout_count", view->timeouts);
    json_put_u64(doc, "retry_count", view->retries);
    json_put_u64(doc, "slow_command_count", view->slow_commands);
    json_put_bool(doc, "slow", view->slow);
    json_put_u64(doc, "bad_block_count", view->bad_blocks);
    json_put(doc, "patrol", drive_patrol_doc(view));
    json_put_bool(doc, "spun_down", view->spun_down);
    json_put_bool(doc, "locating", view->locating);
    time_put(doc, "locate_ends_at_us", view->locate_end_us);
    json_put(doc, "unsuitable", view->has_unsuitable ? reason_doc(&view->unsuitable) : json_null());
    json_put(doc, "state_reason",
             view->has_state_reason ? reason_doc(&view->state_reason) : json_null());
    json_put(doc, "faults", faults_doc(view->emulated));
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

static json_t *drive_group_doc(const struct drive_group_view *view)
{
    json_t *doc = json_new_object();
    char guid[GUID_TEXT_BYTES];

    guid_format(&view->config->guid, guid);
    json_put_text(doc, "controller", view->controller);
    json_put_u64(doc, "index", view->index);
    json_put_text(doc, "path", view->path);
    json_put_text(doc, "guid", guid);
    json_put_text(doc, "level", raid_level_word(view->level));
    json_put_text(doc, "state", virtual_drive_state_word(view->state));
    json_put_u64(doc, "size_bytes", view->size_bytes);
    json_put_u64(doc, "free_bytes", view->free_bytes);
    json_put_u64(doc, "span_count", view->span_count);
    json_put_u64(doc, "drives_per_span", view->drives_per_span);
    json_put(doc, "span_states", group_span_states_doc(view));
    json_put(doc, "members", group_members_doc(view));
    json_put(doc, "virtual_drives", keys_doc(view->vds, view->vd_count));
    json_put(doc, "spares", keys_doc(view->spares, view->spare_count));
    json_put(doc, "spare_choices", group_spare_choices_doc(view));
    json_put(doc, "rebuild_waits",
             view->rebuild_waits ? reason_doc(&view->rebuild_wait) : json_null());
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

static void export_append(json_t *exports, const char *kind, const char *uri, uint32_t connections)
{
    if (uri[0] == '\0') {
        return;
    }
    json_t *entry = json_new_object();

    json_put_text(entry, "kind", kind);
    json_put_text(entry, "uri", uri);
    json_put_u64(entry, "connections", connections);
    json_append(exports, entry);
}

static json_t *exports_doc(const struct exports_view *view)
{
    json_t *list = json_new_array();

    export_append(list, "nbd_unix", view->nbd_unix_uri, view->connections);
    export_append(list, "nbd_tcp", view->nbd_tcp_uri, view->connections);
    export_append(list, "ublk", view->ublk_path, 0);
    return list;
}

static void virtual_drive_doc_config(json_t *doc, const struct vd_config *config)
{
    char guid[GUID_TEXT_BYTES];

    guid_format(&config->guid, guid);
    json_put_u64(doc, "index", config->target_id);
    json_put_text(doc, "guid", guid);
    json_put_text(doc, "name", config->name);
    json_put_text(doc, "level", raid_level_word(config->geometry.level));
    json_put_text(doc, "access", access_policy_word(config->access));
    json_put_u64(doc, "size_bytes", config->size_bytes);
    json_put_u64(doc, "block_bytes", config->geometry.block_bytes);
    json_put_u64(doc, "strip_bytes", config->geometry.strip_bytes);
    json_put_u64(doc, "span_count", config->geometry.span_count);
    json_put_u64(doc, "drives_per_span", config->geometry.members_per_span);
    json_put_text(doc, "io_policy", io_policy_word(config->io_policy));
    json_put_text(doc, "drive_cache_policy", drive_cache_policy_word(config->drive_cache_policy));
    json_put_text(doc, "degraded_policy", degraded_policy_word(config->degraded_policy));
    json_put_u64(doc, "created_at_us", config->created_us);
}

/* Only with redundancy. */
static void virtual_drive_doc_switches(json_t *doc, const struct virtual_drive_view *view)
{
    const struct vd_config *config = view->config;

    if (geometry_span_tolerance(&config->geometry) > 0) {
        json_put_bool(doc, "stripe_log", config->stripe_log == STRIPE_LOG_MODE_ON);
        json_put_text(doc, "stripe_log_mode", stripe_log_mode_word(config->stripe_log));
        json_put_bool(doc, "hedged_reads", config->hedged_reads);
        json_put(doc, "effective_stripe_log", policy_doc(&view->policies.stripe_log));
        json_put(doc, "effective_hedged_reads", policy_doc(&view->policies.hedged_reads));
    }
}

static json_t *vd_cache_doc(const struct vd_cache_view *view)
{
    json_t *doc = json_new_object();

    json_put_bool(doc, "dirty", view->dirty_bytes > 0);
    json_put_u64(doc, "dirty_bytes", view->dirty_bytes);
    json_put_u64(doc, "flush_after_ms", view->idle_ms);
    json_put_bool(doc, "pinned", view->pinned);
    json_put_u64(doc, "pinned_bytes", view->pinned ? view->dirty_bytes : 0);
    json_put(doc, "read_hit_percent", percent_doc(view->has_hit_percent, view->hit_percent));
    return doc;
}

static json_t *read_ahead_doc(const struct virtual_drive_view *view)
{
    json_t *doc = json_new_object();
    bool off = view->config->read_policy == READ_POLICY_NO_READ_AHEAD;

    json_put_text(doc, "state",
                  read_ahead_state_word(off                       ? READ_AHEAD_STATE_OFF
                                        : view->cache.streams > 0 ? READ_AHEAD_STATE_READING
                                                                  : READ_AHEAD_STATE_WATCHING));
    json_put_u64(doc, "streams", view->cache.streams);
    json_put_u64(doc, "window_bytes", view->cache.window_bytes);
    return doc;
}

static json_t *lost_writes_doc(const struct virtual_drive_view *view)
{
    struct reason reason;

    if (!view->config->cache_lost) {
        return json_null();
    }
    vd_lost_writes_reason(view->config, &reason);
    return reason_doc(&reason);
}

static json_t *stripe_doc(const struct stripe_view *view)
{
    const struct vd_stripe *config = view->config;
    json_t *doc = json_new_object();

    json_put_text(doc, "key", view->key);
    json_put_text(doc, "name", config->name);
    json_put_text(doc, "state", host_stripe_state_word(view->state));
    json_put_u64(doc, "position", config->position);
    json_put_u64(doc, "member_count", config->count);
    json_put_u64(doc, "members_found", view->found);
    json_put_u64(doc, "strip_bytes", config->strip_bytes);
    json_put_u64(doc, "member_bytes", config->member_bytes);
    json_put_u64(doc, "size_bytes", view->size_bytes);
    json_put(doc, "exports", exports_doc(&view->exports));
    return doc;
}

static json_t *expansion_doc(const struct virtual_drive_view *view)
{
    json_t *doc = json_new_object();

    json_put_u64(doc, "maximum_bytes", view->size_max_bytes);
    json_put_u64(doc, "row_bytes", view->row_bytes);
    return doc;
}

static json_t *virtual_drive_doc(const struct virtual_drive_view *view)
{
    json_t *doc = json_new_object();

    virtual_drive_doc_config(doc, view->config);
    json_put_text(doc, "controller", view->controller);
    json_put_text(doc, "drive_group", view->group);
    json_put_text(doc, "path", view->path);
    json_put_text(doc, "state", virtual_drive_state_word(view->state));
    json_put_bool(doc, "consistent", view->consistent);
    json_put_u64(doc, "drive_failures_left", view->drive_failures_left);
    json_put(doc, "write_policy", policy_doc(&view->policies.write_policy));
    json_put(doc, "read_policy", policy_doc(&view->policies.read_policy));
    json_put(doc, "effective_io_policy", policy_doc(&view->policies.io_policy));
    json_put(doc, "effective_drive_cache", policy_doc(&view->policies.drive_cache));
    json_put(doc, "effective_degraded_policy", policy_doc(&view->policies.degraded));
    json_put(doc, "effective_access", policy_doc(&view->policies.access));
    virtual_drive_doc_switches(doc, view);
    json_put_text_or_null(doc, "preset", view->preset != NULL ? view->preset : "");
    json_put(doc, "guarantee", reason_doc(&view->guarantee));
    json_put(doc, "cache", view->cache.present ? vd_cache_doc(&view->cache) : json_null());
    json_put_text(doc, "cache_flush", cache_flush_state_word(view->cache_flush));
    json_put(doc, "read_ahead", view->cache.present ? read_ahead_doc(view) : json_null());
    json_put(doc, "lost_writes", lost_writes_doc(view));
    json_put(doc, "stripe", view->stripe.config != NULL ? stripe_doc(&view->stripe) : json_null());
    json_put(doc, "measurement",
             view->measurement.run != NULL ? measurement_doc(&view->measurement) : json_null());
    json_put(doc, "consistency_check", check_doc(&view->check, &view->config->geometry));
    json_put(doc, "expansion", expansion_doc(view));
    json_put(doc, "exports", exports_doc(&view->exports));
    json_put_u64(doc, "media_error_count", view->lost_blocks);
    json_put_u64(doc, "bad_block_count", view->lost_blocks);
    json_put_u64(doc, "hedged_read_count", view->hedged_reads);
    json_put(doc, "operations", keys_doc(view->operations, view->operation_count));
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

/* A figure that may be unknown. */
static void figure_put(json_t *doc, const char *name, int64_t value)
{
    json_put(doc, name, value == BATTERY_UNKNOWN ? json_null() : json_integer(value));
}

static json_t *learn_doc(const struct battery_learn *learn)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "mode", learn_mode_word(learn->mode));
    json_put_text(doc, "state", learn_state_word(learn->state));
    json_put_u64(doc, "period_days", learn->period_days);
    time_put(doc, "next_at_us", learn->next_us);
    figure_put(doc, "delay_s", learn->delay_s);
    time_put(doc, "last_at_us", learn->last_us);
    json_put_text_or_null(doc, "last_result",
                          learn->has_result ? learn_result_word(learn->last_result) : "");
    json_put_bool(doc, "transparent", learn->transparent);
    return doc;
}

static void battery_doc_figures(json_t *doc, const struct battery_reading *reading)
{
    figure_put(doc, "charge_percent", reading->charge_percent);
    figure_put(doc, "voltage_mv", reading->voltage_mv);
    figure_put(doc, "current_ma", reading->current_ma);
    figure_put(doc, "temperature_c", reading->temperature_c);
    figure_put(doc, "design_voltage_mv", reading->design_voltage_mv);
    figure_put(doc, "design_capacity_mah", reading->design_capacity_mah);
    figure_put(doc, "full_capacity_mah", reading->full_capacity_mah);
    figure_put(doc, "health_percent", reading->health_percent);
    figure_put(doc, "cycle_count", reading->cycle_count);
    figure_put(doc, "retention_s", reading->retention_s);
    figure_put(doc, "left_s", reading->left_s);
    figure_put(doc, "low_left_s", reading->low_left_s);
}

static json_t *battery_doc(const struct battery_view *view)
{
    const struct battery_reading *reading = view->reading;
    json_t *doc = json_new_object();
    json_t *faults = json_new_array();

    for (uint32_t i = 0; i < view->fault_count; i++) {
        json_append_text(faults, battery_fault_word(view->faults[i]));
    }
    json_put_text(doc, "controller", view->controller);
    json_put_text(doc, "path", view->path);
    json_put_text(doc, "kind", battery_kind_word(view->kind));
    json_put_text(doc, "source", view->source);
    json_put_text(doc, "model", reading->model);
    json_put_text(doc, "serial", reading->serial);
    json_put_text(doc, "manufacturer", reading->manufacturer);
    json_put_text(doc, "chemistry", reading->chemistry);
    json_put_text_or_null(doc, "manufactured_on", reading->manufactured_on);
    json_put_text_or_null(doc, "mounting", reading->mounting);
    json_put_text(doc, "state", battery_state_word(reading->state));
    json_put(doc, "state_reason", reason_doc(&reading->state_reason));
    json_put_bool(doc, "protects", view->protects);
    json_put_bool(doc, "smart", reading->smart);
    json_put_bool(doc, "emulated", view->kind == BATTERY_KIND_EMULATED);
    battery_doc_figures(doc, reading);
    json_put(doc, "learn", reading->has_learn ? learn_doc(&reading->learn) : json_null());
    json_put(doc, "faults", faults);
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

static double percent_bounded(double percent)
{
    if (!(percent > 0.0)) {
        return 0.0;
    }
    return percent > 100.0 ? 100.0 : percent;
}

static json_t *operation_doc(const struct operation_view *view)
{
    json_t *doc = json_new_object();
    bool ended = view->ended_us != 0;

    json_put_text(doc, "controller", view->controller);
    json_put_text(doc, "kind", operation_kind_word(view->kind));
    json_put_text(doc, "state", operation_state_word(view->state));
    json_put_text(doc, "target_kind", object_kind_word(view->target_kind));
    json_put_text(doc, "target", view->target);
    json_put_text_or_null(doc, "drive_group", view->group);
    json_put_text_or_null(doc, "source", view->source);
    json_put_u64(doc, "done_bytes", view->done_bytes);
    json_put_u64(doc, "total_bytes", view->total_bytes);
    json_put(doc, "progress_percent", json_real(percent_bounded(view->progress_percent)));
    json_put_u64(doc, "speed_bytes_per_s", view->speed_bytes_per_s);
    json_put(doc, "time_left_s",
             view->time_left_s >= 0 ? json_integer(view->time_left_s) : json_null());
    json_put_u64(doc, "started_at_us", view->started_us);
    json_put(doc, "ended_at_us", ended ? json_integer((json_int_t)view->ended_us) : json_null());
    json_put(doc, "reason", view->has_reason ? reason_doc(&view->reason) : json_null());
    json_put(doc, "blocked", blocked_doc(&view->blocked));
    return doc;
}

static json_t *view_doc(enum object_kind kind, const void *view)
{
    switch (kind) {
    case OBJECT_KIND_HOST:
        return host_doc(view);
    case OBJECT_KIND_CONTROLLER:
        return controller_doc(view);
    case OBJECT_KIND_ENCLOSURE:
        return enclosure_doc(view);
    case OBJECT_KIND_DRIVE:
        return drive_doc(view);
    case OBJECT_KIND_DRIVE_GROUP:
        return drive_group_doc(view);
    case OBJECT_KIND_VIRTUAL_DRIVE:
        return virtual_drive_doc(view);
    case OBJECT_KIND_OPERATION:
        return operation_doc(view);
    case OBJECT_KIND_BATTERY:
        return battery_doc(view);
    case OBJECT_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

json_t *object_doc(const struct object_head *head, const void *view)
{
    json_t *object = tombstone_doc(head);

    ASSERT(view != NULL);
    json_put_u64(object, "config_rev", head->config_rev);
    json_put(object, "doc", view_doc(head->kind, view));
    return object;
}

json_t *tombstone_doc(const struct object_head *head)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "kind", object_kind_word(head->kind));
    json_put_text(doc, "key", head->key);
    json_put_u64(doc, "rev", head->rev);
    return doc;
}

json_t *event_doc(const struct event *event)
{
    const struct event_kind *kind = event_kind_by_code(event->code);
    json_t *doc = json_new_object();
    json_t *params = json_new_object();

    ASSERT(event->param_count <= EVENT_PARAM_MAX);
    for (uint32_t i = 0; i < event->param_count; i++) {
        json_put_text(params, event->params[i].name, event->params[i].value);
    }
    json_put_u64(doc, "seq", event->seq);
    json_put_u64(doc, "wall_us", event->wall_us);
    json_put_u64(doc, "monotonic_us", event->monotonic_us);
    json_put_u64(doc, "code", event->code);
    json_put_text(doc, "name", kind != NULL ? kind->name : "unknown");
    json_put(doc, "class", json_integer(event->class_));
    json_put_u64(doc, "locale", event->locale);
    json_put_text(doc, "kind", event->object_kind);
    json_put_text(doc, "key", event->object_key);
    json_put(doc, "params", params);
    json_put_text(doc, "text", event->text);
    return doc;
}

static json_t *reasons_doc(const struct reason *reasons, uint32_t count)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < count; i++) {
        json_append(doc, reason_doc(&reasons[i]));
    }
    return doc;
}

static json_t *wasted_doc(const struct ctl_preview *preview)
{
    json_t *doc = json_new_array();

    ASSERT(preview->wasted_count <= COMMAND_DRIVES_MAX);
    for (uint32_t i = 0; i < preview->wasted_count; i++) {
        json_t *entry = json_new_object();

        json_put_text(entry, "drive", preview->wasted[i].drive);
        json_put_u64(entry, "bytes", preview->wasted[i].bytes);
        json_append(doc, entry);
    }
    return doc;
}

static json_t *policies_doc(const struct policies_view *policies)
{
    json_t *doc = json_new_object();

    json_put(doc, "write_policy", policy_doc(&policies->write_policy));
    json_put(doc, "read_policy", policy_doc(&policies->read_policy));
    json_put(doc, "io_policy", policy_doc(&policies->io_policy));
    json_put(doc, "drive_cache_policy", policy_doc(&policies->drive_cache));
    json_put(doc, "degraded_policy", policy_doc(&policies->degraded));
    return doc;
}

json_t *policy_preview_doc(const struct ctl_policy_preview *preview)
{
    json_t *doc = json_new_object();

    json_put_bool(doc, "ok", preview->ok);
    json_put(doc, "refusals", reasons_doc(&preview->refusal, preview->ok ? 0 : 1));
    json_put(doc, "policies", policies_doc(&preview->policies));
    json_put(doc, "risks", reasons_doc(preview->risks.items, preview->risks.count));
    json_put_text(doc, "cli", preview->cli);
    return doc;
}

json_t *preview_doc(const struct ctl_preview *preview)
{
    json_t *doc = json_new_object();

    json_put_bool(doc, "ok", preview->ok);
    json_put(doc, "refusals", reasons_doc(preview->refusals, preview->refusal_count));
    json_put(doc, "warnings", reasons_doc(preview->warnings, preview->warning_count));
    json_put_text(doc, "plan_digest", preview->plan_digest);
    json_put_text(doc, "level", raid_level_word(preview->level));
    json_put_u64(doc, "size_bytes", preview->size_bytes);
    json_put_u64(doc, "raw_bytes", preview->raw_bytes);
    json_put_u64(doc, "wasted_bytes", preview->wasted_bytes);
    json_put(doc, "wasted", wasted_doc(preview));
    json_put_u64(doc, "drive_failures_tolerated", preview->drive_failures_tolerated);
    json_put_text(doc, "tolerance", preview->tolerance);
    json_put_u64(doc, "span_count", preview->span_count);
    json_put_u64(doc, "drives_per_span", preview->drives_per_span);
    json_put_u64(doc, "strip_bytes", preview->strip_bytes);
    json_put_u64(doc, "row_bytes", preview->row_bytes);
    json_put_u64(doc, "block_bytes", preview->block_bytes);
    json_put(doc, "init_seconds",
             preview->init_seconds >= 0 ? json_integer(preview->init_seconds) : json_null());
    json_put(doc, "policies",
             preview->has_policies ? policies_doc(&preview->policies) : json_null());
    json_put(doc, "risks", reasons_doc(preview->risks.items, preview->risks.count));
    json_put_text(doc, "cli", preview->cli);
    return doc;
}

json_t *latency_figures_doc(const struct latency_histogram *histogram)
{
    json_t *doc = json_new_object();

    json_put_u64(doc, "count", histogram->count);
    json_put_u64(doc, "mean_us",
                 histogram->count == 0 ? 0 : histogram->total_us / histogram->count);
    json_put_u64(doc, "p50_us", latency_percentile_us(histogram, 500));
    json_put_u64(doc, "p99_us", latency_percentile_us(histogram, 990));
    json_put_u64(doc, "p999_us", latency_percentile_us(histogram, 999));
    json_put_u64(doc, "max_us", histogram->max_us);
    return doc;
}

static json_t *histogram_doc(const struct latency_histogram *histogram)
{
    json_t *doc = latency_figures_doc(histogram);
    json_t *buckets = json_new_array();

    json_put_u64(doc, "total_us", histogram->total_us);
    json_put_u64(doc, "total_bytes", histogram->total_bytes);

    for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
        if (histogram->buckets[i] > 0) {
            json_t *bucket = json_new_object();

            json_put_u64(bucket, "below_us", latency_bucket_end_us(i));
            json_put_u64(bucket, "count", histogram->buckets[i]);
            json_append(buckets, bucket);
        }
    }
    json_put(doc, "buckets", buckets);
    return doc;
}

json_t *load_doc(const struct ctl_load *load, uint64_t since_us)
{
    const struct latency *latency = load->latency;
    json_t *doc = json_new_object();

    json_put_u64(doc, "since_us", since_us);
    json_put(doc, "read", histogram_doc(&latency->kinds[LATENCY_READ]));
    json_put(doc, "write", histogram_doc(&latency->kinds[LATENCY_WRITE]));
    json_put(doc, "flush", histogram_doc(&latency->kinds[LATENCY_FLUSH]));
    json_put_u64(doc, "queued", load->queued);
    json_put(doc, "cache_hit_bytes",
             load->cached ? json_integer((json_int_t)load->hit_bytes) : json_null());
    json_put(doc, "cache_miss_bytes",
             load->cached ? json_integer((json_int_t)load->miss_bytes) : json_null());
    return doc;
}

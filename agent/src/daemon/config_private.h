/*
 * Readers of the keys that belong to a controller, shared by config.c and config_controller.c only.
 * Targets: of cache and battery their own struct, of `controllers` the configuration, of the others
 * the controller.
 */
#ifndef ARRAYWRIGHT_DAEMON_CONFIG_PRIVATE_H
#define ARRAYWRIGHT_DAEMON_CONFIG_PRIVATE_H

#include "daemon/config.h"

#define AT(type, member) offsetof(struct type, member)
#define END {NULL, CONFIG_BOOL, 0, 0, 0, NULL, NULL, false}

bool config_profile_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target);
bool config_battery_read(struct config_reader *reader, const config_setting_t *setting,
                         void *target);
bool config_cache_read(struct config_reader *reader, const config_setting_t *setting, void *target);
bool config_enclosures_read(struct config_reader *reader, const config_setting_t *setting,
                            void *target);
bool config_drives_read(struct config_reader *reader, const config_setting_t *setting,
                        void *target);
bool config_controllers_read(struct config_reader *reader, const config_setting_t *setting,
                             void *target);

/* What a single key cannot tell: places and paths that are given twice. */
bool config_drives_check(const struct config_reader *reader, const struct daemon_config *config);

#endif

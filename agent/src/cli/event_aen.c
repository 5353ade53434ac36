/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#include "cli/event_aen.h"

#include <stddef.h>

static const struct event_aen numbers[] = {
    {42, 0x0020, "INFO"},
    {60000, 0x0001, "INFO"},
    {91, 0x001A, "INFO"},
    {112, 0x0019, "WARNING"},
    {87, 0x000A, "ERROR"},
    {267, 0x0009, "ERROR"},
    {96, 0x000F, "WARNING"},
    {93, 0x0023, "WARNING"},
    {111, 0x0026, "ERROR"},
    {257, 0x0006, "ERROR"},
    {249, 0x001F, "INFO"},
    {250, 0x0002, "ERROR"},
    {251, 0x0002, "ERROR"},
    {252, 0x001E, "ERROR"},
    {139, 0x000D, "INFO"},
    {140, 0x0008, "WARNING"},
    {53, 0x000C, "INFO"},
    {48, 0x0007, "INFO"},
    {51, 0x000E, "ERROR"},
    {60020, 0x0029, "INFO"},
    {60021, 0x002B, "INFO"},
    {60022, 0x002A, "ERROR"},
    {106, 0x000B, "INFO"},
    {105, 0x000B, "INFO"},
    {104, 0x000B, "INFO"},
    {60023, 0x003B, "INFO"},
    {100, 0x0005, "INFO"},
    {101, 0x0004, "ERROR"},
    {102, 0x0004, "ERROR"},
    {60024, 0x003C, "INFO"},
    {60025, 0x000C, "INFO"},
    {193, 0x002E, "ERROR"},
    {146, 0x0045, "WARNING"},
    {10, 0x005F, "ERROR"},
    {66, 0x0029, "INFO"},
    {60270, 0x003D, "INFO"},
    {60271, 0x0029, "INFO"},
    {57, 0x0036, "WARNING"},
    {58, 0x002B, "INFO"},
    {59, 0x002B, "INFO"},
    {60272, 0x002B, "INFO"},
    {61, 0x002A, "ERROR"},
    {62, 0x002A, "ERROR"},
};

const struct event_aen *event_aen_of(uint32_t event_code)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].event == event_code) {
            return &numbers[i];
        }
    }
    return NULL;
}

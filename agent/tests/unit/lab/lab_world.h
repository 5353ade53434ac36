/* What the tests of the lab share: a scenario's file, and its only point run in this process. */
#ifndef ARRAYWRIGHT_TESTS_LAB_WORLD_H
#define ARRAYWRIGHT_TESTS_LAB_WORLD_H

#include "lab/lab_scenario.h"

/* The scenario that was written last; makes and removes it as a group's setup and teardown. */
extern char scenario_path[];
int scenario_file_make(void **state);
int scenario_file_remove(void **state);

void scenario_write(const char *content);
/* The only point of a scenario, run in this process, everything written and freed at the end. */
struct lab_answer answer_of(const char *content);
/* What arraysim answers to a scenario of one array or a sweep; at most 64 points. */
json_t *doc_of(const char *content);

#endif

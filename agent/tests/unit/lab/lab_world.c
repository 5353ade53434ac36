/* See lab_world.h. */
#include "lab_world.h"

#include "aw_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char scenario_path[] = "/tmp/aw-lab-XXXXXX";

int scenario_file_make(void **state UNUSED)
{
    int fd = mkstemp(scenario_path);

    return fd >= 0 ? close(fd) : -1;
}

int scenario_file_remove(void **state UNUSED)
{
    return unlink(scenario_path);
}

void scenario_write(const char *content)
{
    FILE *file = fopen(scenario_path, "w");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

struct lab_answer answer_of(const char *content)
{
    struct lab_scenario *scenario = NULL;
    struct lab_answer answer;
    struct lab_point point;
    struct lab_place place;
    char text[PROFILE_TEXT_BYTES];

    scenario_write(content);
    if (lab_scenario_read(scenario_path, PROFILES, &scenario, text) != 0) {
        fail_msg("%s", text);
    }
    assert_int_equal(scenario->point_count, 1);
    lab_scenario_points(scenario, &point, &place);
    scenario = lab_scenario_free(scenario);
    assert_null(scenario);
    lab_point_run(&point, true, &answer);
    if (answer.error != 0) {
        fail_msg("%s", answer.text);
    }
    return answer;
}

json_t *doc_of(const char *content)
{
    char text[PROFILE_TEXT_BYTES] = "";
    struct lab_scenario *scenario = NULL;
    struct lab_point *points = calloc(64, sizeof(*points));
    struct lab_place *places = calloc(64, sizeof(*places));
    struct lab_answer *answers = calloc(64, sizeof(*answers));
    json_t *doc = NULL;

    assert_true(points != NULL && places != NULL && answers != NULL);
    scenario_write(content);
    if (lab_scenario_read(scenario_path, PROFILES, &scenario, text) != 0) {
        fail_msg("%s", text);
    }
    assert_in_range(scenario->point_count, 1, 64);
    lab_scenario_points(scenario, points, places);
    assert_int_equal(lab_points_run(points, scenario->point_count, 1, NULL, answers), 0);
    doc = lab_result_doc(scenario, places, answers);
    scenario = lab_scenario_free(scenario);
    free(points);
    free(places);
    free(answers);
    return doc;
}

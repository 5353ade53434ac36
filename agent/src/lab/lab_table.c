/* See lab_table.h. A section for each array: what it is, a line for each point, what is said
 * against some of them. */
#include "lab/lab_table.h"

#include <string.h>

#include "base/checked.h"

#define FOOTNOTES_MAX 16u
#define BLOCK_BYTES 24u

/* Texts of warnings: the first of each kind in an array. */
struct footnotes {
    const char *codes[FOOTNOTES_MAX];
    const char *texts[FOOTNOTES_MAX];
    unsigned count;
};

static const char *text_of(const json_t *doc, const char *name)
{
    const char *text = json_string_value(json_object_get(doc, name));

    return text != NULL ? text : "";
}

static double number_of(const json_t *doc, const char *name)
{
    return json_number_value(json_object_get(doc, name));
}

/* "raid10" -> "RAID 10" */
static void level_print(const json_t *array, FILE *out)
{
    const char *level = text_of(array, "level");

    if (strncmp(level, "raid", 4) == 0) {
        (void)fprintf(out, "RAID %s", strcmp(level, "raid1e") == 0 ? "1E" : level + 4);
    } else {
        (void)fprintf(out, "%s", level);
    }
}

/* "write_back" -> "write-back" */
static void word_print(const char *word, FILE *out)
{
    for (; *word != '\0'; word++) {
        (void)fputc(*word == '_' ? '-' : *word, out);
    }
}

static void failed_print(const json_t *array, FILE *out)
{
    size_t index = 0;
    const json_t *member = NULL;

    json_array_foreach(json_object_get(array, "failed"), index, member)
    {
        (void)fprintf(out, "%s %lld", index == 0 ? ", missing member" : ",",
                      (long long)json_integer_value(member));
    }
}

static void policy_print(const json_t *array, FILE *out)
{
    const char *reason = text_of(array, "write_policy_reason");

    (void)fputs(", ", out);
    word_print(text_of(array, "effective_write_policy"), out);
    if (reason[0] != '\0') {
        (void)fputs(" instead of ", out);
        word_print(text_of(array, "write_policy"), out);
    }
    (void)fputs(", ", out);
    word_print(text_of(array, "read_policy"), out);
}

static void array_head_print(const json_t *array, FILE *out)
{
    const json_t *group = json_object_get(array, "group");
    const char *reason = text_of(array, "write_policy_reason");
    const char *refused = text_of(array, "refused");

    (void)fputc('\n', out);
    if (group != NULL) {
        (void)fprintf(out, "%s: ", text_of(group, "name"));
    }
    level_print(array, out);
    (void)fprintf(out, " of %.0f", number_of(array, "drives"));
    failed_print(array, out);
    policy_print(array, out);
    if (refused[0] == '\0') {
        (void)fprintf(out, ", %.1f GB\n", number_of(array, "size_bytes") / 1e9);
    } else {
        (void)fprintf(out, "\n  Refused: %s\n", refused);
    }
    if (reason[0] != '\0') {
        (void)fprintf(out, "  %s\n", reason);
    }
}

static void block_text(const json_t *point, char text[BLOCK_BYTES])
{
    const json_t *mix = json_object_get(point, "mix");
    double bytes = number_of(json_array_get(mix, 0), "bytes");

    if (json_array_size(mix) != 1) {
        (void)snprintf(text, BLOCK_BYTES, "mixed");
    } else if (bytes < 1024) {
        (void)snprintf(text, BLOCK_BYTES, "%.0f B", bytes);
    } else if (bytes < 1024 * 1024) {
        (void)snprintf(text, BLOCK_BYTES, "%.4g KiB", bytes / 1024);
    } else {
        (void)snprintf(text, BLOCK_BYTES, "%.4g MiB", bytes / 1024 / 1024);
    }
}

/* Milliseconds; nothing where nothing was read or written. */
static void latency_print(const json_t *point, const char *name, FILE *out)
{
    const json_t *latency = json_object_get(point, name);

    if (number_of(latency, "count") > 0) {
        (void)fprintf(out, " %9.3f %9.3f", number_of(latency, "mean_us") / 1e3,
                      number_of(latency, "p99_us") / 1e3);
    } else {
        (void)fprintf(out, " %9s %9s", "-", "-");
    }
}

static unsigned footnote_of(struct footnotes *notes, const json_t *warning)
{
    const char *code = text_of(warning, "code");
    unsigned i = 0;

    while (i < notes->count && strcmp(notes->codes[i], code) != 0) {
        i++;
    }
    if (i == notes->count && i < FOOTNOTES_MAX) {
        notes->codes[i] = code;
        notes->texts[i] = text_of(warning, "text");
        notes->count++;
    }
    return i + 1;
}

static void point_print(const json_t *point, int width, struct footnotes *notes, FILE *out)
{
    char block[BLOCK_BYTES] = "";
    size_t index = 0;
    const json_t *warning = NULL;

    block_text(point, block);
    (void)fprintf(out, "  %-*s %9s %5.0f%% %4.0f x %-4.0f %12.1f %9.1f", width,
                  text_of(point, "workload"), block, number_of(point, "write_percent"),
                  number_of(point, "workers"), number_of(point, "depth"),
                  number_of(point, "operations_per_s"), number_of(point, "bytes_per_s") / 1e6);
    latency_print(point, "read_latency", out);
    latency_print(point, "write_latency", out);
    json_array_foreach(json_object_get(point, "warnings"), index, warning)
    {
        (void)fprintf(out, " [%u]", footnote_of(notes, warning));
    }
    (void)fputc('\n', out);
}

static int width_of(const json_t *points)
{
    size_t width = strlen("load");
    size_t index = 0;
    const json_t *point = NULL;

    json_array_foreach(points, index, point)
    {
        width = max_u64(width, strlen(text_of(point, "workload")));
    }
    return (int)width;
}

static void points_print(const json_t *array, FILE *out)
{
    const json_t *points = json_object_get(array, "points");
    struct footnotes notes = {.count = 0};
    int width = width_of(points);
    size_t index = 0;
    const json_t *point = NULL;

    if (json_array_size(points) == 0) {
        return;
    }
    (void)fprintf(out, "  %-*s %9s %6s %11s %12s %9s %19s %19s\n", width, "", "", "", "workers", "",
                  "", "read ms", "write ms");
    (void)fprintf(out, "  %-*s %9s %6s %11s %12s %9s %9s %9s %9s %9s\n", width, "load", "block",
                  "writes", "x depth", "operations/s", "MB/s", "mean", "p99", "mean", "p99");
    json_array_foreach(points, index, point)
    {
        point_print(point, width, &notes, out);
    }
    for (unsigned i = 0; i < notes.count; i++) {
        (void)fprintf(out, "  [%u] %s\n", i + 1, notes.texts[i]);
    }
}

static void rest_print(const json_t *array, FILE *out)
{
    const json_t *survival = json_object_get(array, "survival");
    const json_t *rebuild = json_object_get(array, "rebuild");
    size_t index = 0;
    const json_t *rating = NULL;

    json_array_foreach(json_object_get(array, "ratings"), index, rating)
    {
        (void)fprintf(out, "  Rating of %s: %.1f\n", text_of(rating, "workload"),
                      number_of(rating, "value"));
    }
    if (json_is_object(rebuild)) {
        (void)fprintf(out, "  Rebuild of a drive with nothing else to do: %.0f s\n",
                      number_of(rebuild, "seconds"));
    }
    if (json_is_object(survival)) {
        (void)fprintf(out, "  Survives %.0f of %.0f failures of one drive, %.0f of %.0f of two\n",
                      number_of(survival, "singles_survived"), number_of(survival, "singles"),
                      number_of(survival, "pairs_survived"), number_of(survival, "pairs"));
    }
}

bool lab_table_print(const json_t *doc, FILE *out)
{
    double cache_bytes = number_of(doc, "cache_bytes");
    size_t index = 0;
    const json_t *array = NULL;

    (void)fprintf(out, "%s: controller %s, drives %s of %.1f GB, ", text_of(doc, "name"),
                  text_of(doc, "controller"), text_of(doc, "drive"),
                  number_of(doc, "capacity_bytes") / 1e9);
    if (cache_bytes > 0) {
        (void)fprintf(out, "cache of %.4g MiB, battery %s\n", cache_bytes / 1024 / 1024,
                      text_of(doc, "battery"));
    } else {
        (void)fputs("no cache\n", out);
    }
    json_array_foreach(json_object_get(doc, "arrays"), index, array)
    {
        array_head_print(array, out);
        points_print(array, out);
        rest_print(array, out);
    }
    return fflush(out) == 0 && ferror(out) == 0;
}

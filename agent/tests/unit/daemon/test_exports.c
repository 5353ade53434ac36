/*
 * The exports of the daemon, at their bound: a virtual drive too many is not exported, and can be
 * closed like the others.
 */
#include "aw_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl_private.h"
#include "daemon/config.h"
#include "daemon/exports.h"
#include "export/export_server.h"
#include "host/loop.h"

#define TARGETS (EXPORT_TARGET_MAX + 1u)

static struct vd_target targets[TARGETS];
static struct ctl_vd vds[TARGETS];
static struct ctl_object objects[TARGETS];

static void worked(struct clock_timer *timer UNUSED)
{
}

static void targets_make(struct ctl *ctl)
{
    list_init(&ctl->objects);
    for (uint32_t i = 0; i < TARGETS; i++) {
        targets[i] = (struct vd_target){
            .size_bytes = 4096, .block_bytes = 512, .preferred_block_bytes = 4096};
        (void)snprintf(targets[i].name, sizeof targets[i].name, "v%u", i);
        vds[i] = (struct ctl_vd){.target = &targets[i], .export_closing = true};
        objects[i] = (struct ctl_object){.kind = OBJECT_KIND_VIRTUAL_DRIVE, .subject = &vds[i]};
        list_init(&objects[i].link);
        list_push_tail(&ctl->objects, &objects[i].link);
    }
}

static void stop(void *owner)
{
    loop_stop(owner);
}

static void test_one_too_many(void **state UNUSED)
{
    struct daemon_config *config = calloc(1, sizeof *config);
    struct ctl *ctl = calloc(1, sizeof *ctl);
    struct exports *exports = NULL;
    struct loop *loop = NULL;
    char directory[] = "/tmp/aw-exports-XXXXXX";

    assert_non_null(config);
    assert_non_null(ctl);
    assert_non_null(mkdtemp(directory));
    (void)snprintf(config->nbd.unix_path, sizeof config->nbd.unix_path, "%s/nbd.sock", directory);
    config->control.mode = 0600;
    assert_int_equal(loop_open(&loop), 0);
    ctl->ports.clock = loop_clock(loop);
    ctl->work.fire = worked;
    assert_true(exports_open(loop, config, clock_now_us(loop_clock(loop)), &exports));
    targets_make(ctl);
    for (uint32_t i = 0; i < TARGETS; i++) {
        exports_target_open(exports, ctl, &targets[i], targets[i].name);
    }
    for (uint32_t i = TARGETS; i > 0; i--) {
        exports_target_close(exports, ctl, &targets[i - 1]);
    }
    assert_null(vds[TARGETS - 1].target);
    exports_close(exports, stop, loop);
    assert_int_equal(loop_run(loop), 0);
    for (uint32_t i = 0; i < TARGETS; i++) {
        assert_null(vds[i].target);
    }
    assert_null(exports_free(exports));
    clock_cancel(loop_clock(loop), &ctl->work);
    loop = loop_close(loop);
    assert_int_equal(rmdir(directory), 0);
    free(ctl);
    free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_too_many),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("daemon exports", tests, NULL, NULL);
}

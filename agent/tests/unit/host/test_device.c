/*
 * Probing and claiming: who is refused and why, on files and loop devices; scanning; the
 * hot-plug monitor; and that probing writes nothing.
 */
#include "host_test.h"

#include <linux/blkpg.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/bytes.h"
#include "host/device.h"
#include "host/device_cache.h"
#include "host/device_monitor.h"
#include "host/device_private.h"

#define DRIVE_BYTES (16 * 1024 * 1024)

struct fixture {
    char directory[PATH_MAX];
    char path[PATH_MAX + 8];
    char device[32];
    int loop_number; /* -1: none */
};

static const struct device_claim_options plain = {0};
static const struct device_claim_options forced = {.force = true};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    scratch_make(fixture->directory);
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/d0", fixture->directory);
    file_make(fixture->path, DRIVE_BYTES);
    fixture->loop_number = -1;
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    if (fixture->loop_number >= 0) {
        loop_device_detach(fixture->loop_number);
    }
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

static void need_loop_device(struct fixture *fixture)
{
    fixture->loop_number = loop_device_attach(fixture->path);
    if (fixture->loop_number < 0) {
        print_message("# no loop device can be had here\n");
        skip();
    }
    (void)snprintf(fixture->device, sizeof fixture->device, "/dev/loop%d", fixture->loop_number);
}

static int run(const char *program, const char *first, const char *second, const char *third)
{
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        (void)dup2(null_fd, 1);
        (void)dup2(null_fd, 2);
        execlp(program, program, first, second, third, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_refusal(const char *path, const struct device_claim_options *options,
                           enum reason_code code, const char *part)
{
    struct claimed_device claim = {.fd = -7};
    struct device_refusal refusal;

    assert_true(device_claim_open(path, options, &claim, &refusal) < 0);
    assert_int_equal(claim.fd, -7);
    assert_true(refusal.error < 0);
    if (refusal.reason.code != code || strstr(refusal.text, part) == NULL) {
        fail_msg("refused with %s: %s", reason_code_word(refusal.reason.code), refusal.text);
    }
}

static void claim_and_give_back(const char *path, const struct device_claim_options *options)
{
    struct claimed_device claim;
    struct device_refusal refusal;

    if (device_claim_open(path, options, &claim, &refusal) != 0) {
        fail_msg("%s", refusal.text);
    }
    device_claim_close(&claim);
    assert_int_equal(claim.fd, -1);
}

static void test_claim_of_a_file_is_exclusive(void **state)
{
    struct fixture *fixture = *state;
    struct claimed_device claim;
    struct device_refusal refusal;

    assert_int_equal(device_claim_open(fixture->path, &plain, &claim, &refusal), 0);
    assert_int_equal(claim.info.kind, DEVICE_KIND_FILE);
    assert_int_equal(claim.info.size_bytes, DRIVE_BYTES);
    assert_int_equal(claim.info.interface, DRIVE_INTERFACE_FILE);
    assert_string_equal(claim.info.name, "d0");
    expect_refusal(fixture->path, &forced, REASON_DRIVE_UNSUITABLE_CLAIMED, "another process");
    device_claim_close(&claim);
    claim_and_give_back(fixture->path, &plain);
}

static void test_claim_of_a_block_device_is_exclusive(void **state)
{
    struct fixture *fixture = *state;
    struct claimed_device claim;
    struct device_refusal refusal;

    need_loop_device(fixture);
    assert_int_equal(device_claim_open(fixture->device, &plain, &claim, &refusal), 0);
    assert_int_equal(claim.info.kind, DEVICE_KIND_BLOCK);
    assert_int_equal(claim.info.size_bytes, DRIVE_BYTES);
    assert_int_equal(claim.info.interface, DRIVE_INTERFACE_LOOP);
    assert_false(claim.buffered);
    expect_refusal(fixture->device, &forced, REASON_DRIVE_UNSUITABLE_CLAIMED, "another process");
    device_claim_close(&claim);
    claim_and_give_back(fixture->device, &plain);
}

static void test_backing_file_of_a_loop_device_is_held(void **state)
{
    struct fixture *fixture = *state;

    need_loop_device(fixture);
    expect_refusal(fixture->path, &forced, REASON_DRIVE_UNSUITABLE_HELD,
                   fixture->device + strlen("/dev/"));
}

static void test_mounted_device_is_refused_whatever_is_forced(void **state)
{
    struct fixture *fixture = *state;
    char place[PATH_MAX + 16];

    if (run("mkfs.ext4", "-q", fixture->path, NULL) != 0) {
        print_message("# mkfs.ext4 is not here\n");
        skip();
    }
    need_loop_device(fixture);
    (void)snprintf(place, sizeof place, "%s/mount point", fixture->directory);
    assert_int_equal(mkdir(place, 0700), 0);
    if (mount(fixture->device, place, "ext4", 0, NULL) != 0) {
        print_message("# ext4 cannot be mounted here\n");
        skip();
    }
    expect_refusal(fixture->device, &forced, REASON_DRIVE_UNSUITABLE_MOUNTED, "/mount point");
    assert_int_equal(umount(place), 0);
    claim_and_give_back(fixture->device, &forced);
}

/* A classic partition table with one Linux partition from 1 MiB on. */
static void write_partition_table(const char *path)
{
    uint8_t sector[512] = {0};
    int fd = open(path, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    sector[446 + 4] = 0x83;
    put_le32(sector + 446 + 8, 2048);
    put_le32(sector + 446 + 12, 12 * 2048);
    sector[510] = 0x55;
    sector[511] = 0xaa;
    assert_int_equal(pwrite(fd, sector, sizeof sector, 0), sizeof sector);
    close(fd);
}

/* Where nobody makes the nodes of new devices, as in a root of its own: as the kernel names them.
 */
static bool node_make(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    char numbers[64];
    unsigned major = 0;
    unsigned minor = 0;
    bool made = false;
    FILE *file = NULL;

    (void)snprintf(numbers, sizeof numbers, "/sys/class/block/%s/dev", name);
    file = fopen(numbers, "re");
    if (file == NULL) {
        return false;
    }
    made = fscanf(file, "%u:%u", &major, &minor) == 2 &&
           mknod(path, S_IFBLK | 0600, makedev(major, minor)) == 0;
    (void)fclose(file);
    return made;
}

/* Kernels without a reader for such tables are told of the partition directly. */
static bool partition_appears(const char *device, const char *partition, bool *ret_node_made)
{
    struct blkpg_partition part = {.start = 1 << 20, .length = 12 << 20, .pno = 1};
    struct blkpg_ioctl_arg add = {.op = BLKPG_ADD_PARTITION, .datalen = sizeof part, .data = &part};
    int fd = open(device, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    if (access(partition, F_OK) != 0) {
        (void)ioctl(fd, BLKPG, &add);
    }
    close(fd);
    *ret_node_made = access(partition, F_OK) != 0 && node_make(partition);
    return access(partition, F_OK) == 0;
}

static void test_mounted_partition_keeps_the_whole_device(void **state)
{
    struct fixture *fixture = *state;
    char partition[48];
    char place[PATH_MAX + 16];
    bool node_made = false;

    write_partition_table(fixture->path);
    need_loop_device(fixture);
    expect_refusal(fixture->device, &plain, REASON_DRIVE_UNSUITABLE_SIGNATURE, "dos");
    (void)snprintf(partition, sizeof partition, "%sp1", fixture->device);
    (void)snprintf(place, sizeof place, "%s/part", fixture->directory);
    assert_int_equal(mkdir(place, 0700), 0);
    if (!partition_appears(fixture->device, partition, &node_made) ||
        run("mkfs.ext4", "-q", partition, NULL) != 0 ||
        mount(partition, place, "ext4", 0, NULL) != 0) {
        print_message("# partitions of loop devices cannot be mounted here\n");
        skip();
    }
    expect_refusal(fixture->device, &forced, REASON_DRIVE_UNSUITABLE_MOUNTED, "/part");
    expect_refusal(partition, &forced, REASON_DRIVE_UNSUITABLE_MOUNTED, "/part");
    assert_int_equal(umount(place), 0);
    claim_and_give_back(fixture->device, &forced);
    if (node_made) {
        assert_int_equal(unlink(partition), 0);
    }
}

static void test_signature_needs_force(void **state)
{
    struct fixture *fixture = *state;
    struct device_info info;
    struct device_refusal refusal;
    const struct device_claim_options ddf = {.allow_ddf = true};

    if (run("mkfs.ext4", "-q", fixture->path, NULL) != 0) {
        print_message("# mkfs.ext4 is not here\n");
        skip();
    }
    assert_int_equal(device_probe(fixture->path, &info, &refusal), 0);
    assert_string_equal(info.signature, "ext4");
    expect_refusal(fixture->path, &plain, REASON_DRIVE_UNSUITABLE_SIGNATURE, "ext4");
    expect_refusal(fixture->path, &ddf, REASON_DRIVE_UNSUITABLE_SIGNATURE, "ext4");
    claim_and_give_back(fixture->path, &forced);
}

static void test_small_missing_and_odd_paths(void **state)
{
    struct fixture *fixture = *state;
    const struct device_claim_options large = {.size_min_bytes = DRIVE_BYTES + 1};
    char path[PATH_MAX + 16];

    expect_refusal(fixture->path, &large, REASON_DRIVE_UNSUITABLE_SMALL,
                   "has 16.8 MB; at least 16.8 MB");
    (void)snprintf(path, sizeof path, "%s/tiny", fixture->directory);
    file_make(path, 4096);
    expect_refusal(path, &plain, REASON_DRIVE_UNSUITABLE_SMALL, "has 4.10 kB");
    file_make(path, 511); /* less than a block */
    expect_refusal(path, &plain, REASON_DRIVE_UNSUITABLE_SMALL, "has 0 B");
    file_make(path, 0);
    expect_refusal(path, &plain, REASON_DRIVE_UNSUITABLE_EMPTY, "is empty");
    expect_refusal(fixture->directory, &plain, REASON_INVALID_ARGUMENT, "neither");
    (void)snprintf(path, sizeof path, "%s/none", fixture->directory);
    expect_refusal(path, &plain, REASON_INVALID_ARGUMENT, "No such file");
    expect_refusal("/dev/null", &plain, REASON_INVALID_ARGUMENT, "neither");
    assert_int_equal(chmod(fixture->path, 0400), 0);
    expect_refusal(fixture->path, &plain, REASON_DRIVE_UNSUITABLE_READ_ONLY, "read-only");
}

static void test_read_only_device_is_refused(void **state)
{
    struct fixture *fixture = *state;
    int fd;
    int on = 1;

    need_loop_device(fixture);
    fd = open(fixture->device, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, BLKROSET, &on), 0);
    expect_refusal(fixture->device, &forced, REASON_DRIVE_UNSUITABLE_READ_ONLY, "read-only");
    on = 0;
    assert_int_equal(ioctl(fd, BLKROSET, &on), 0);
    close(fd);
}

/* A claim outlives neither its process nor is it dropped while the process lives. */
static void test_claim_ends_with_its_process(void **state)
{
    struct fixture *fixture = *state;
    int ready[2];
    int status = 0;
    char byte;
    pid_t child;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct claimed_device claim;
        struct device_refusal refusal;
        if (device_claim_open(fixture->path, &plain, &claim, &refusal) != 0 ||
            write(ready[1], "x", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    expect_refusal(fixture->path, &plain, REASON_DRIVE_UNSUITABLE_CLAIMED, "another process");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    claim_and_give_back(fixture->path, &plain);
    close(ready[0]);
    close(ready[1]);
}

static void test_probing_writes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct device_info info;
    struct device_refusal refusal;
    struct stat before;
    struct stat after;

    assert_int_equal(stat(fixture->path, &before), 0);
    assert_int_equal(device_probe(fixture->path, &info, &refusal), 0);
    claim_and_give_back(fixture->path, &plain);
    assert_int_equal(stat(fixture->path, &after), 0);
    assert_int_equal(after.st_blocks, before.st_blocks);
    assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
    assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

static const struct device_scan_entry *scan_find(const struct device_scan *scan, const char *name)
{
    for (size_t i = 0; i < scan->count; i++) {
        if (strcmp(scan->entries[i].info.name, name) == 0) {
            return &scan->entries[i];
        }
    }
    return NULL;
}

static void test_scan_offers_what_is_free(void **state)
{
    struct fixture *fixture = *state;
    const struct device_scan_entry *entry;
    struct device_scan scan;
    struct claimed_device claim;
    struct device_refusal refusal;

    need_loop_device(fixture);
    assert_int_equal(device_scan_run(false, &scan), 0);
    for (size_t i = 0; i < scan.count; i++) {
        assert_true(device_name_is_candidate(scan.entries[i].info.name, false));
    }
    assert_null(scan_find(&scan, fixture->device + 5));
    device_scan_free(&scan);
    assert_int_equal(device_scan_run(true, &scan), 0);
    entry = scan_find(&scan, fixture->device + 5);
    assert_non_null(entry);
    assert_int_equal(entry->unsuitable.reason.code, REASON_OK);
    assert_int_equal(entry->info.size_bytes, DRIVE_BYTES);
    assert_string_equal(entry->info.path, fixture->device);
    device_scan_free(&scan);
    assert_int_equal(device_claim_open(fixture->device, &plain, &claim, &refusal), 0);
    device_claim_close(&claim);
}

static void test_candidates_by_name(void **state UNUSED)
{
    static const char *const yes[] = {"sda",  "sdab",    "nvme0n1", "vda",
                                      "xvda", "mmcblk0", "hda",     "pmem0"};
    static const char *const no[] = {"loop0", "ram0", "zram0", "dm-1",  "md0",    "md_d1",
                                     "sr0",   "fd0",  "nbd3",  "drbd1", "ublkb0", "mmcblk0boot1"};

    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        assert_true(device_name_is_candidate(yes[i], false));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        assert_false(device_name_is_candidate(no[i], false));
    }
    assert_true(device_name_is_candidate("loop0", true));
}

struct seen {
    char wanted[32];
    uint32_t counts[DEVICE_CHANGE_MAX];
};

static void seen_changed(void *owner, enum device_change change, const char *path, const char *name)
{
    struct seen *seen = owner;

    if (change == DEVICE_CHANGE_OVERRUN || strcmp(name, seen->wanted) != 0) {
        return;
    }
    assert_int_equal(strncmp(path, "/dev/", 5), 0);
    seen->counts[change]++;
}

static void test_monitor_tells_of_arrival_and_departure(void **state UNUSED)
{
    struct loop *loop;
    struct device_monitor *monitor = NULL;
    struct seen seen = {0};
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int number = -1;

    assert_int_equal(loop_open(&loop), 0);
    if (control < 0 || device_monitor_open(loop, true, seen_changed, &seen, &monitor) != 0) {
        loop = loop_close(loop);
        print_message("# no loop control or no device reports here\n");
        skip();
    }
    for (int candidate = 700 + getpid() % 200; number < 0 && candidate < 1000; candidate++) {
        (void)snprintf(seen.wanted, sizeof seen.wanted, "loop%d", candidate);
        number = ioctl(control, LOOP_CTL_ADD, candidate);
    }
    assert_true(number >= 0);
    TURN_UNTIL(loop, seen.counts[DEVICE_CHANGE_ADDED] == 1);
    assert_int_equal(ioctl(control, LOOP_CTL_REMOVE, number), 0);
    TURN_UNTIL(loop, seen.counts[DEVICE_CHANGE_REMOVED] == 1);
    monitor = device_monitor_close(monitor);
    assert_null(monitor);
    close(control);
    loop = loop_close(loop);
}

/* A directory that looks like a device's in sysfs. */
static void text_put(const char *directory, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    FILE *file = NULL;

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_text(const char *directory, const char *name, const char *text)
{
    char found[64];

    assert_true(sysfs_read(directory, name, found, sizeof found));
    assert_string_equal(found, text);
}

static void folder_make(const char *directory, const char *name)
{
    char path[PATH_MAX + 64];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void expect_cache(const char *directory, enum drive_write_cache state, bool settable)
{
    enum drive_write_cache found = DRIVE_WRITE_CACHE_MAX;
    bool can = !settable;

    device_cache_probe(directory, &found, &can);
    assert_int_equal(found, state);
    assert_int_equal(can, settable);
}

static void a_write_cache_is_switched_in_the_device(void **state)
{
    struct fixture *fixture = *state;
    const char *directory = fixture->directory;
    char scsi[PATH_MAX + 64];

    expect_cache(directory, DRIVE_WRITE_CACHE_UNKNOWN, false);
    assert_int_equal(device_cache_set(directory, fixture->path, false), -ENOTSUP);
    /* What the kernel believes can be read, but it is not the device's switch. */
    folder_make(directory, "queue");
    text_put(directory, "queue/write_cache", "write back\n");
    expect_cache(directory, DRIVE_WRITE_CACHE_ON, false);
    assert_int_equal(device_cache_set(directory, fixture->path, false), -ENOTSUP);
    expect_text(directory, "queue/write_cache", "write back");
    /* A virtio disk's. */
    text_put(directory, "cache_type", "write back\n");
    expect_cache(directory, DRIVE_WRITE_CACHE_ON, true);
    assert_int_equal(device_cache_set(directory, fixture->path, false), 0);
    expect_text(directory, "cache_type", "write through");
    expect_text(directory, "queue/write_cache", "write through");
    expect_cache(directory, DRIVE_WRITE_CACHE_OFF, true);
    /* A SCSI disk's comes first. */
    folder_make(directory, "device");
    folder_make(directory, "device/scsi_disk");
    folder_make(directory, "device/scsi_disk/0:0:0:0");
    (void)snprintf(scsi, sizeof scsi, "%s/device/scsi_disk/0:0:0:0", directory);
    text_put(scsi, "cache_type", "write through\n");
    expect_cache(directory, DRIVE_WRITE_CACHE_OFF, true);
    assert_int_equal(device_cache_set(directory, fixture->path, true), 0);
    expect_text(scsi, "cache_type", "write back");
    expect_text(directory, "cache_type", "write through");
    text_put(scsi, "cache_type", "write back, no read (daft)\n");
    expect_cache(directory, DRIVE_WRITE_CACHE_ON, true);
    /* What it had cached must reach the medium: that the flush fails is told. */
    assert_int_equal(device_cache_set(directory, "/dev/not-there", false), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_claim_of_a_file_is_exclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(a_write_cache_is_switched_in_the_device, setup, teardown),
        cmocka_unit_test_setup_teardown(test_claim_of_a_block_device_is_exclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_backing_file_of_a_loop_device_is_held, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_mounted_device_is_refused_whatever_is_forced, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_mounted_partition_keeps_the_whole_device, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_signature_needs_force, setup, teardown),
        cmocka_unit_test_setup_teardown(test_small_missing_and_odd_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_only_device_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_claim_ends_with_its_process, setup, teardown),
        cmocka_unit_test_setup_teardown(test_probing_writes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scan_offers_what_is_free, setup, teardown),
        cmocka_unit_test(test_candidates_by_name),
        cmocka_unit_test(test_monitor_tells_of_arrival_and_departure),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host device", tests, NULL, NULL);
}

/*
 * Drives that forget: a FUSE file system with one file per drive, for tests that cut the power.
 *
 *     lossydrive MOUNTPOINT STORE COUNT SIZE_MIB
 *
 * makes MOUNTPOINT/d0 … over STORE/d0.img … and two more files: a line written to `ctl` is a
 * command, `status` shows counters. It runs in the foreground until it is unmounted.
 *
 *     delay DRIVE read|write|flush MS   from now on such operations take that long
 *     flush DRIVE ok|fail|lie           fail: EIO and nothing kept; lie: success, nothing kept
 *     cut MODE SEED                     the power fails: of the unflushed writes of each drive
 *                                       some survive, in MODE all none coin drive prefix or any
 *     DRIVE is d0 … or *.
 *
 * (1) `stable` holds what has been flushed, `current` what a reader sees: a private mapping of
 *     the same file, so that only pages written differ. `pending` has every write since the
 *     last good flush, in the order in which they were answered.
 * (2) A flush keeps the writes answered before it came. One that was under way while it ran may
 *     be kept too: a drive is free to do so.
 * (3) A delayed write takes effect at the end of its delay, whoever still waits for it.
 * (4) A descriptor from before a cut is dead: whatever it still sends is not executed.
 * (5) A write with O_DSYNC is on the medium when it is answered, and nothing else is by it. It
 *     stays in `pending` for its place in the order: no older write comes over it. Where flushes
 *     fail it does too, and where they lie it is kept no better than any other.
 */
#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <fuse3/fuse_lowlevel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DRIVES_MAX 32u
#define SECTOR_BYTES 512u
#define THREADS_MAX 96u
#define BACKGROUND_MAX 256u
#define LINE_BYTES 128u
#define DELAY_MAX_MS 60000u

enum operation { OPERATION_READ, OPERATION_WRITE, OPERATION_FLUSH, OPERATION_MAX };
enum flush_mode { FLUSH_OK, FLUSH_FAIL, FLUSH_LIE };
enum cut_mode { CUT_ALL, CUT_NONE, CUT_COIN, CUT_DRIVE, CUT_PREFIX, CUT_MAX };

static const char *const operation_names[OPERATION_MAX] = {"read", "write", "flush"};
static const char *const cut_names[CUT_MAX] = {"all", "none", "coin", "drive", "prefix"};

struct pending_write {
    struct pending_write *next;
    uint64_t offset_bytes;
    size_t length_bytes;
    bool durable; /* (5) */
    uint8_t bytes[];
};

struct drive {
    uint8_t *stable;
    uint8_t *current;
    struct pending_write *first;
    struct pending_write **last;
    uint32_t delay_ms[OPERATION_MAX];
    enum flush_mode flush_mode;
    uint32_t under_way[OPERATION_MAX];
    uint64_t pending_count;
    uint64_t flush_count;
};

static struct {
    pthread_mutex_t mutex; /* guards everything below and in the drives */
    struct drive drives[DRIVES_MAX];
    uint32_t drive_count;
    uint64_t size_bytes;
    uint64_t era; /* number of cuts; a descriptor keeps that of its opening */
    uint64_t lost_count;
    uint64_t kept_count;
    uint64_t torn_count;
    uint64_t durable_count; /* writes with O_DSYNC */
    uint64_t random;
} world = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- the drives; called with the mutex held ---- */

static uint64_t random_next(void)
{
    world.random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = world.random;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool chance(uint32_t part, uint32_t of)
{
    return random_next() % of < part;
}

static void drive_write(struct drive *drive, struct pending_write *write)
{
    memcpy(drive->current + write->offset_bytes, write->bytes, write->length_bytes);
    if (write->durable) {
        memcpy(drive->stable + write->offset_bytes, write->bytes, write->length_bytes);
        world.durable_count++;
    }
    write->next = NULL;
    *drive->last = write;
    drive->last = &write->next;
    drive->pending_count++;
}

static struct pending_write *pending_take(struct drive *drive)
{
    struct pending_write *write = drive->first;

    if (write != NULL) {
        drive->first = write->next;
        drive->pending_count--;
        if (drive->first == NULL) {
            drive->last = &drive->first;
        }
    }
    return write;
}

static void drive_flush(struct drive *drive)
{
    struct pending_write *write;

    while ((write = pending_take(drive)) != NULL) {
        memcpy(drive->stable + write->offset_bytes, write->bytes, write->length_bytes);
        free(write);
    }
    drive->flush_count++;
}

/* What of one write reaches the medium: everything, or the first sectors of it. */
static size_t torn_length(size_t length_bytes)
{
    if (length_bytes <= SECTOR_BYTES || !chance(1, 10)) {
        return length_bytes;
    }
    world.torn_count++;
    return (size_t)(random_next() % (length_bytes / SECTOR_BYTES)) * SECTOR_BYTES;
}

static void drive_cut(struct drive *drive, enum cut_mode mode, uint32_t rate)
{
    uint64_t left = drive->pending_count == 0 ? 0 : random_next() % (drive->pending_count + 1);
    struct pending_write *lost = NULL;
    struct pending_write *write;

    while ((write = pending_take(drive)) != NULL) {
        bool kept = write->durable || mode == CUT_ALL || (mode == CUT_PREFIX && left > 0) ||
                    ((mode == CUT_COIN || mode == CUT_DRIVE) && chance(rate, 16));
        size_t length = write->durable ? write->length_bytes /* (5) */
                        : kept         ? torn_length(write->length_bytes)
                                       : 0;

        left -= left > 0 ? 1 : 0;
        memcpy(drive->stable + write->offset_bytes, write->bytes, length);
        world.kept_count += kept ? 1 : 0;
        world.lost_count += kept ? 0 : 1;
        write->next = lost;
        lost = write;
    }
    while (lost != NULL) { /* readers see the medium again */
        write = lost;
        lost = write->next;
        memcpy(drive->current + write->offset_bytes, drive->stable + write->offset_bytes,
               write->length_bytes);
        free(write);
    }
}

static uint32_t random_rate(void)
{
    static const uint32_t rates[] = {0, 1, 8, 15, 16};

    return rates[random_next() % (sizeof rates / sizeof rates[0])];
}

static void world_cut(enum cut_mode mode)
{
    uint32_t rate = random_rate();

    world.era++;
    for (uint32_t i = 0; i < world.drive_count; i++) {
        drive_cut(&world.drives[i], mode, mode == CUT_DRIVE ? random_rate() : rate);
    }
}

static void sleep_ms(uint32_t ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
    }
}

/* An operation begins: its delay passes without the mutex. False: the descriptor is dead. */
static bool operation_begin(struct drive *drive, enum operation operation, uint64_t era)
{
    uint32_t delay_ms;

    pthread_mutex_lock(&world.mutex);
    delay_ms = drive->delay_ms[operation];
    drive->under_way[operation]++;
    if (delay_ms > 0) {
        pthread_mutex_unlock(&world.mutex);
        sleep_ms(delay_ms);
        pthread_mutex_lock(&world.mutex);
    }
    return era == world.era;
}

static void operation_end(struct drive *drive, enum operation operation)
{
    drive->under_way[operation]--;
    pthread_mutex_unlock(&world.mutex);
}

/* ---- commands ---- */

static int name_find(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

/* The drives a command names are [*first, *end). */
static bool drives_find(const char *name, uint32_t *first, uint32_t *end)
{
    unsigned int number = 0;

    *first = 0;
    *end = world.drive_count;
    if (strcmp(name, "*") == 0) {
        return true;
    }
    if (sscanf(name, "d%u", &number) != 1 || number >= world.drive_count) {
        return false;
    }
    *first = number;
    *end = number + 1;
    return true;
}

static int command_delay(const char *name, const char *operation_name, const char *value)
{
    static const char *const *names = operation_names;
    int operation = name_find(operation_name, names, OPERATION_MAX);
    unsigned long ms = strtoul(value, NULL, 10);
    uint32_t first;
    uint32_t end;

    if (operation < 0 || ms > DELAY_MAX_MS || !drives_find(name, &first, &end)) {
        return -EINVAL;
    }
    for (uint32_t i = first; i < end; i++) {
        world.drives[i].delay_ms[operation] = (uint32_t)ms;
    }
    return 0;
}

static int command_flush(const char *name, const char *mode_name)
{
    static const char *const modes[] = {"ok", "fail", "lie"};
    int mode = name_find(mode_name, modes, 3);
    uint32_t first;
    uint32_t end;

    if (mode < 0 || !drives_find(name, &first, &end)) {
        return -EINVAL;
    }
    for (uint32_t i = first; i < end; i++) {
        world.drives[i].flush_mode = (enum flush_mode)mode;
    }
    return 0;
}

static int command_cut(const char *mode_name, const char *seed)
{
    int mode = name_find(mode_name, cut_names, CUT_MAX);

    world.random = strtoull(seed, NULL, 10);
    if (strcmp(mode_name, "any") == 0) {
        mode = (int)(random_next() % CUT_MAX);
    }
    if (mode < 0) {
        return -EINVAL;
    }
    world_cut((enum cut_mode)mode);
    return 0;
}

static int command_run(const char *bytes, size_t length_bytes)
{
    char line[LINE_BYTES];
    char words[4][32] = {{0}};
    int count;
    int error = -EINVAL;

    if (length_bytes >= sizeof line) {
        return -EINVAL;
    }
    memcpy(line, bytes, length_bytes);
    line[length_bytes] = '\0';
    count = sscanf(line, "%31s %31s %31s %31s", words[0], words[1], words[2], words[3]);
    pthread_mutex_lock(&world.mutex);
    if (count == 4 && strcmp(words[0], "delay") == 0) {
        error = command_delay(words[1], words[2], words[3]);
    } else if (count == 3 && strcmp(words[0], "flush") == 0) {
        error = command_flush(words[1], words[2]);
    } else if (count == 3 && strcmp(words[0], "cut") == 0) {
        error = command_cut(words[1], words[2]);
    }
    pthread_mutex_unlock(&world.mutex);
    return error;
}

static size_t status_text(char *text, size_t text_bytes)
{
    uint64_t pending = 0;
    uint64_t flushes = 0;
    uint32_t under_way[OPERATION_MAX] = {0};
    uint32_t writing_each = UINT32_MAX; /* on every drive so many at least */

    pthread_mutex_lock(&world.mutex);
    for (uint32_t i = 0; i < world.drive_count; i++) {
        pending += world.drives[i].pending_count;
        flushes += world.drives[i].flush_count;
        if (world.drives[i].under_way[OPERATION_WRITE] < writing_each) {
            writing_each = world.drives[i].under_way[OPERATION_WRITE];
        }
        for (uint32_t j = 0; j < OPERATION_MAX; j++) {
            under_way[j] += world.drives[i].under_way[j];
        }
    }
    int length = snprintf(
        text, text_bytes,
        "pending %llu\nflushes %llu\nreading %u\nwriting %u\nwriting_each %u\nflushing %u\n"
        "cuts %llu\nlost %llu\nkept %llu\ntorn %llu\ndurable %llu\n",
        (unsigned long long)pending, (unsigned long long)flushes, under_way[OPERATION_READ],
        under_way[OPERATION_WRITE], writing_each, under_way[OPERATION_FLUSH],
        (unsigned long long)world.era, (unsigned long long)world.lost_count,
        (unsigned long long)world.kept_count, (unsigned long long)world.torn_count,
        (unsigned long long)world.durable_count);
    pthread_mutex_unlock(&world.mutex);
    return length > 0 ? (size_t)length : 0;
}

/* ---- the file system ---- */

static struct drive *drive_of(const char *path)
{
    unsigned int number = 0;
    int used = 0;

    if (sscanf(path, "/d%u%n", &number, &used) != 1 || path[used] != '\0' ||
        number >= world.drive_count) {
        return NULL;
    }
    return &world.drives[number];
}

static bool is_control(const char *path)
{
    return strcmp(path, "/ctl") == 0 || strcmp(path, "/status") == 0;
}

static void *lossy_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    connection->max_background = BACKGROUND_MAX;
    connection->congestion_threshold = BACKGROUND_MAX;
    config->kernel_cache = 0;
    config->auto_cache = 0;
    config->attr_timeout = 0;
    return NULL;
}

static int lossy_getattr(const char *path, struct stat *status,
                         struct fuse_file_info *info __attribute__((unused)))
{
    memset(status, 0, sizeof *status);
    status->st_nlink = 1;
    status->st_mode = S_IFREG | 0600;
    status->st_uid = geteuid();
    status->st_gid = getegid();
    status->st_blksize = 4096;
    if (strcmp(path, "/") == 0) {
        status->st_mode = S_IFDIR | 0700;
        return 0;
    }
    if (drive_of(path) != NULL) {
        status->st_size = (off_t)world.size_bytes;
        status->st_blocks = status->st_size / (off_t)SECTOR_BYTES;
        return 0;
    }
    return is_control(path) ? 0 : -ENOENT;
}

static int lossy_readdir(const char *path, void *buffer, fuse_fill_dir_t fill,
                         off_t offset __attribute__((unused)),
                         struct fuse_file_info *info __attribute__((unused)),
                         enum fuse_readdir_flags flags __attribute__((unused)))
{
    char name[16];

    if (strcmp(path, "/") != 0) {
        return -ENOTDIR;
    }
    fill(buffer, "ctl", NULL, 0, 0);
    fill(buffer, "status", NULL, 0, 0);
    for (uint32_t i = 0; i < world.drive_count; i++) {
        (void)snprintf(name, sizeof name, "d%u", i); /* always fits */
        fill(buffer, name, NULL, 0, 0);
    }
    return 0;
}

static int lossy_open(const char *path, struct fuse_file_info *info)
{
    if (drive_of(path) == NULL && !is_control(path)) {
        return -ENOENT;
    }
    pthread_mutex_lock(&world.mutex);
    info->fh = world.era;
    pthread_mutex_unlock(&world.mutex);
    info->direct_io = 1; /* no page cache may remember what a drive forgets */
    return 0;
}

static int lossy_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    (void)size;
    (void)info;
    return is_control(path) ? 0 : -EPERM;
}

static int lossy_read(const char *path, char *bytes, size_t length_bytes, off_t offset,
                      struct fuse_file_info *info)
{
    struct drive *drive = drive_of(path);
    int result = -EIO;

    if (drive == NULL) {
        char text[512];
        size_t text_bytes = status_text(text, sizeof text);
        if ((size_t)offset >= text_bytes) {
            return 0;
        }
        text_bytes -= (size_t)offset;
        text_bytes = text_bytes < length_bytes ? text_bytes : length_bytes;
        memcpy(bytes, text + offset, text_bytes);
        return (int)text_bytes;
    }
    if ((uint64_t)offset >= world.size_bytes) {
        return 0;
    }
    if (length_bytes > world.size_bytes - (uint64_t)offset) {
        length_bytes = (size_t)(world.size_bytes - (uint64_t)offset);
    }
    if (operation_begin(drive, OPERATION_READ, info->fh)) {
        memcpy(bytes, drive->current + offset, length_bytes);
        result = (int)length_bytes;
    }
    operation_end(drive, OPERATION_READ);
    return result;
}

static int lossy_write(const char *path, const char *bytes, size_t length_bytes, off_t offset,
                       struct fuse_file_info *info)
{
    struct drive *drive = drive_of(path);
    struct pending_write *write;
    int result = -EIO;

    if (drive == NULL) {
        int error = command_run(bytes, length_bytes);
        return error != 0 ? error : (int)length_bytes;
    }
    if ((uint64_t)offset > world.size_bytes || length_bytes > world.size_bytes - (uint64_t)offset) {
        return -ENOSPC;
    }
    write = malloc(sizeof *write + length_bytes);
    if (write == NULL) {
        return -ENOMEM;
    }
    write->offset_bytes = (uint64_t)offset;
    write->length_bytes = length_bytes;
    memcpy(write->bytes, bytes, length_bytes);
    if (operation_begin(drive, OPERATION_WRITE, info->fh)) {
        bool promises = (info->flags & O_DSYNC) != 0;

        write->durable = promises && drive->flush_mode == FLUSH_OK;
        result = promises && drive->flush_mode == FLUSH_FAIL ? -EIO : (int)length_bytes;
        drive_write(drive, write);
        write = NULL;
    }
    operation_end(drive, OPERATION_WRITE);
    free(write);
    return result;
}

static int lossy_fsync(const char *path, int data_only __attribute__((unused)),
                       struct fuse_file_info *info)
{
    struct drive *drive = drive_of(path);
    int result = -EIO;

    if (drive == NULL) {
        return 0;
    }
    if (operation_begin(drive, OPERATION_FLUSH, info->fh) && drive->flush_mode != FLUSH_FAIL) {
        if (drive->flush_mode == FLUSH_OK) {
            drive_flush(drive);
        }
        result = 0;
    }
    operation_end(drive, OPERATION_FLUSH);
    return result;
}

static const struct fuse_operations lossy_operations = {
    .init = lossy_init,
    .getattr = lossy_getattr,
    .readdir = lossy_readdir,
    .open = lossy_open,
    .truncate = lossy_truncate,
    .read = lossy_read,
    .write = lossy_write,
    .fsync = lossy_fsync,
};

/* ---- start ---- */

static int drive_open(struct drive *drive, const char *store, uint32_t number)
{
    size_t size = (size_t)world.size_bytes;
    char path[4096];
    int fd;

    (void)snprintf(path, sizeof path, "%s/d%u.img", store, number);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        perror(path);
        return -1;
    }
    drive->stable = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    drive->current = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    close(fd);
    drive->last = &drive->first;
    if (drive->stable == MAP_FAILED || drive->current == MAP_FAILED) {
        perror(path);
        return -1;
    }
    return 0;
}

static int serve(const char *program, const char *mount_point)
{
    char *arguments[] = {(char *)(uintptr_t)program, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
    struct fuse *fuse = fuse_new(&args, &lossy_operations, sizeof lossy_operations, NULL);
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    int result = 1;

    if (fuse == NULL || config == NULL || fuse_mount(fuse, mount_point) != 0) {
        return 1;
    }
    fuse_loop_cfg_set_max_threads(config, THREADS_MAX);
    fuse_loop_cfg_set_idle_threads(config, THREADS_MAX);
    if (fuse_set_signal_handlers(fuse_get_session(fuse)) == 0) {
        (void)printf("mounted\n");
        (void)fflush(stdout);
        result = fuse_loop_mt(fuse, config);
        fuse_remove_signal_handlers(fuse_get_session(fuse));
    }
    fuse_unmount(fuse);
    fuse_destroy(fuse);
    fuse_loop_cfg_destroy(config);
    return result < 0 ? 1 : 0;
}

int main(int count, char **arguments)
{
    if (count != 5) {
        (void)fprintf(stderr, "usage: lossydrive MOUNTPOINT STORE COUNT SIZE_MIB\n");
        return 2;
    }
    world.drive_count = (uint32_t)strtoul(arguments[3], NULL, 10);
    world.size_bytes = strtoull(arguments[4], NULL, 10) << 20;
    if (world.drive_count == 0 || world.drive_count > DRIVES_MAX || world.size_bytes == 0) {
        (void)fprintf(stderr, "lossydrive: 1 to %u drives, at least 1 MiB\n", DRIVES_MAX);
        return 2;
    }
    for (uint32_t i = 0; i < world.drive_count; i++) {
        if (drive_open(&world.drives[i], arguments[2], i) != 0) {
            return 1;
        }
    }
    return serve(arguments[0], arguments[1]);
}

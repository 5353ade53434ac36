/*
 * Takes the start-up fence away: preloaded into arrayd, every claim succeeds at once although the
 * transfers of a killed predecessor are still under way, of drives that are files (flock) as of
 * block devices (O_EXCL). Only the fence test loads it, to show that it would notice.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    return 0;
}

/* Without O_CREAT it is the claim of a block device, and nothing else. */
static int flags_unclaimed(int flags)
{
    return (flags & O_CREAT) != 0 ? flags : flags & ~O_EXCL;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags_unclaimed(flags), mode);
}

/* The same, as it is called by programs that are built to check its arguments. */
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

/*
 * Takes the start-up fence of drives that are files away: preloaded into arrayd, every claim
 * succeeds at once although the transfers of a killed predecessor are still under way. Only the
 * fence test loads it, to show that it would notice.
 */
#include <sys/file.h>

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    return 0;
}

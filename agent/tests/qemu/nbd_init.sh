#!/bin/sh
# The first program of the guest: an ext4 on each of two virtual drives by the kernel's own nbd
# client, in use while arrayd is stopped, killed and started again. data is written through; cached
# is another controller's, written back, and the log of its cache is a drive of the machine. What is
# printed is in machine.py.
fail() { dmesg | tail -40; cat /run/*.log; grep -h 'Failure *[0-9]' /run/*.log; say "FAILED: $case: $*"; poweroff -f; sleep 60; }
case=attached
. /common.sh
. /writers.sh
mkdir /run/arraywright /mnt/data /mnt/cached
mount -t tmpfs -o size=600m drives /drives
ip link set lo up

device_of() { echo /dev/arraywright/$1; }
attach_start() { # NAME
    arraywright-attach --timeout 3 --connections 2 /run/nbd.sock $1 >>/run/attach-$1.log 2>&1 &
    echo $! >/run/attach-$1.pid
}
attach_pid() { cat /run/attach-$1.pid; }
[ "$(cat /run/drives/log)" = /dev/sda ] || fail "the log is $(cat /run/drives/log)"
agent_start
until_true "arrayd does not answer" arrayctl show
arrayctl /c0 add vd r5 drives=252:0-2 name=data >>/run/arrayctl.log || fail "no virtual drive"
arrayctl /c1 add vd r5 drives=252:0-2 name=cached wb >>/run/arrayctl.log || fail "no cached one"
arrayctl /c1/v0 show | grep -q RWBD || fail "cached is not written back: $(arrayctl /c1/v0 show)"
for name in data cached; do
    attach_start $name
    until_true "$name is not attached" test -b /dev/arraywright/$name
done
say "passed attached: $(cat /sys/block/nbd0/size) sectors as $(readlink /dev/arraywright/data)," \
    "$(cat /sys/block/nbd1/size) as $(readlink /dev/arraywright/cached)"
for name in data cached; do
    /sbin/mke2fs -q -t ext4 -E nodiscard /dev/arraywright/$name || fail "mke2fs of $name"
    mount -t ext4 -o errors=panic /dev/arraywright/$name /mnt/$name || fail "mount of $name"
done

WRITERS="1 2 3 4 5"
for number in 1 2 3; do writer $number /mnt/data & done
for number in 4 5; do writer $number /mnt/cached & done

# Of a thread that the kernel gives memory without waiting for pages that only it can write out:
# PF_MEMALLOC_NOIO and PF_LOCAL_THROTTLE, the 9th word of its line.
FLUSHER=$((0x00080000 | 0x00100000))
threads_look() { # PID: how many threads, and how many of them are I/O flushers
    threads=0 flushers=0
    for stat in /proc/$1/task/*/stat; do
        read -r line <$stat || continue # it has ended
        set -- ${line##*) }
        threads=$((threads + 1))
        [ $(($7 & FLUSHER)) = $FLUSHER ] && flushers=$((flushers + 1))
    done 2>/dev/null
}
kib() { # PID NAME: of its status
    while read -r name value unit; do
        [ $name = $2: ] && echo $value && return
    done </proc/$1/status
    echo 0
}
protected() { # PID WHO
    read -r score </proc/$1/oom_score_adj
    [ $score = -1000 ] || fail "$2: oom_score_adj is $score"
    locked=$(kib $1 VmLck) resident=$(kib $1 VmRSS)
    [ $locked -gt 1024 ] && [ $locked -ge $resident ] ||
        fail "$2: $locked KiB are locked, $resident are resident"
    threads_look $1
    [ $threads -ge 1 ] && [ $flushers = $threads ] ||
        fail "$2: $flushers of $threads threads are I/O flushers"
}
writers_begin
case="nobody takes memory away from those who write it out"
read -r own </proc/$$/oom_score_adj
threads_look $$
[ $own = 0 ] && [ $flushers = 0 ] && [ $threads = 1 ] && [ $(kib $$ VmLck) = 0 ] ||
    fail "init itself: $own, $flushers of $threads threads, $(kib $$ VmLck) KiB"
protected $(attach_pid data) arraywright-attach
protected $agent arrayd
[ $threads -gt 1 ] || fail "arrayd has one thread only"
say "passed $case: $score, $locked KiB locked, $threads threads"
case="used while arrayd is killed and restarted"
round_begins() {
    [ $1 = 3 ] || return 0
    kill -KILL $(attach_pid data); sleep 1; attach_start data
}
agent_rounds KILL TERM KILL KILL
writers_end
say "passed $case: $round rounds, files written: $(cat /run/done-* | tr '\n' ' ')"
case="what was written back was in the log when arrayd was killed"
arrayctl /c1 show events >/run/events || fail "no events"
grep 'Cache recovered: [1-9]' /run/events >/run/recovered
recovered=$(wc -l </run/recovered)
[ $recovered -ge 1 ] || fail "nothing was recovered: $(cat /run/events)"
grep -qi 'were lost' /run/events && fail "writes were lost: $(cat /run/events)"
say "passed $case: $recovered times, $(sed -n 's/.*recovered: //p' /run/recovered | tr '\n' ' ')"
case="every synced byte is there"
sums_check
say "passed $case: $(grep -c OK /run/check.log) files"
case="file system is whole"
file_systems_check data cached
say "passed $case: $(tail -qn1 /run/fsck-*.log | tr '\n' ' ')"
case="stays attached while it is mounted, although told to stop"
mount /dev/arraywright/data /mnt/data || fail "it cannot be mounted again"
kill -TERM $(attach_pid data)
until_true "nothing is said of it" grep -q 'in use and stays attached' /run/attach-data.log
echo kept >/mnt/data/kept && sync || fail "a write fails"
kill -0 $(attach_pid data) || fail "it has ended"
umount /mnt/data || fail "umount"
say "passed $case: a file was written meanwhile"
case="detached, and the kernel saw no error"
kill -TERM $(attach_pid cached) # data was told already
for name in data cached; do
    wait $(attach_pid $name) || fail "detach of $name"
    [ -e /dev/arraywright/$name ] && fail "the link of $name is still there"
done
kernel_errors && fail "the kernel saw errors"
kill -TERM $agent
wait $agent || fail "arrayd did not stop well"
cat /run/attach-*.log
say "passed $case: arrayd ended well"
say "ALL WELL"
poweroff -f

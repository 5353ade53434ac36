#!/bin/sh
# What the judge looks at in a guest that systemd has booted.
#   boot_story.sh up     when all has been started; then it switches the machine off
#   boot_story.sh down   when all of it has been stopped
PATH=/bin:/sbin
say() { echo "judge: $*"; }
fail() { dmesg | tail -60; systemctl --no-pager --failed; say "FAILED: $case: $*"; poweroff -f; sleep 60; }
read -r device where rest </etc/fstab
name=${device##*/}
ATTACH=arraywright-attach@$name.service
MOUNT=$(echo ${where#/} | tr / -).mount
property() { systemctl show --value -p $2 $1; }
mounted() { grep -q " $where ext4 " /proc/mounts; }
when() { property $1 $2TimestampMonotonic; }
stopped_before() { # UNIT UNIT: the first had stopped when the second began to
    [ $(when $1 InactiveEnter) -gt 0 ] && [ $(when $1 InactiveEnter) -le $(when $2 ActiveExit) ] ||
        fail "$1 stopped at $(when $1 InactiveEnter), $2 from $(when $2 ActiveExit)"
}
no_errors() {
    dmesg | grep -iE 'I/O error|EXT4-fs error|Buffer I/O|blk_update_request|hung task' &&
        fail "the kernel saw errors"
}

up() {
    case="mounted at boot by the line of the manual"
    mounted || fail "it is not mounted"
    (cd $where && md5sum -c /sums) >/run/check.log 2>&1 || fail "contents differ"
    for unit in arrayd $ATTACH; do
        [ "$(property $unit ActiveState)" = active ] || fail "$unit is $(property $unit ActiveState)"
        read -r score </proc/$(property $unit MainPID)/oom_score_adj
        [ $score = -1000 ] || fail "the out-of-memory score of $unit is $score"
    done
    say "passed $case: $(grep " $where " /proc/mounts)"
    case="in use while the service is restarted"
    before=$(property arrayd MainPID)
    dd if=/dev/urandom of=$where/restart bs=64k count=64 conv=fsync 2>/run/dd.log &
    writer=$!
    systemctl restart arrayd || fail "arrayd is not restarted"
    wait $writer || fail "write: $(cat /run/dd.log)"
    [ $before != "$(property arrayd MainPID)" ] || fail "it was not restarted"
    [ "$(property $ATTACH ActiveState)" = active ] && mounted || fail "it is not mounted any more"
    no_errors
    say "passed $case: $(tail -n1 /run/dd.log)"
    # Not written yet when it is unmounted.
    dd if=/dev/urandom of=$where/last bs=64k count=128 2>/dev/null
    (cd $where && md5sum before restart last) >/sums
    systemctl --no-block poweroff
}

down() {
    case="unmounted, detached and stopped in that order"
    mounted && fail "it is still mounted"
    [ -e $device ] && fail "it is still attached"
    pidof arraywright-attach arrayd >/dev/null && fail "they still run"
    for unit in arrayd $ATTACH; do
        [ "$(property $unit Result)" = success ] || fail "$unit: $(property $unit Result)"
    done
    stopped_before $MOUNT $ATTACH
    stopped_before $ATTACH arrayd.service
    no_errors
    mkdir -p /run/arraywright
    arrayd --config /arrayd.conf >/run/arrayd.log 2>&1 &
    until arrayctl show >/dev/null 2>&1; do sleep 0.1; done
    arraywright-attach /run/arraywright/nbd.sock $name 2>/run/attach.log &
    until [ -b $device ]; do sleep 0.1; done
    /sbin/e2fsck -fn $device >/run/fsck.log 2>&1 || fail "file system damaged"
    /bin/busybox mount -t ext4 -o ro $device /mnt || fail "mount"
    (cd /mnt && md5sum -c /sums) >/run/check.log 2>&1 || fail "contents differ"
    say "passed $case: $(tail -n1 /run/fsck.log)"
    say "ALL WELL"
    poweroff -f
}
"$1" >/dev/console 2>&1

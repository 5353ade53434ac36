#!/bin/sh
# The first program of the guest: an ext4 on a virtual drive by the kernel's own nbd client, in
# use while arrayd is stopped, killed and started again. Every line that counts begins with
# "judge:"; the last one says whether all was well.
PATH=/bin:/sbin
say() { echo "judge: $*"; }
fail() { say "FAILED: $*"; dmesg | tail -40; cat /run/*.log; poweroff -f; sleep 60; }

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir /run/arraywright
mount -t tmpfs -o size=600m drives /drives
for module in $(cat /modules/order); do insmod "/modules/$module" || fail "module $module"; done
ip link set lo up

agent_start() { arrayd --config /etc/arrayd.conf >>/run/arrayd.log 2>&1 & agent=$!; }
attach_start() {
    arraywright-attach --timeout 3 --connections 2 /run/nbd.sock data >>/run/attach.log 2>&1 &
    attach=$!
}
until_true() { # SECONDS COMMAND…
    left=$(($1 * 5)); shift
    while ! "$@" >/dev/null 2>&1; do
        [ $left -gt 0 ] || fail "in vain: $*"
        left=$((left - 1)); sleep 0.2
    done
}

agent_start
until_true 60 arrayctl show
arrayctl /c0 add vd r5 drives=252:0-2 name=data >>/run/arrayctl.log || fail "no virtual drive"
attach_start
until_true 60 test -b /dev/arraywright/data
say "attached: $(cat /sys/block/nbd0/size) sectors as $(readlink /dev/arraywright/data)"
/sbin/mke2fs -q -t ext4 -E nodiscard /dev/arraywright/data || fail "mke2fs"
mount -t ext4 -o errors=panic /dev/arraywright/data /mnt || fail "mount"

writer() { # NUMBER: files of random bytes, each synced before its sum is kept
    number=0
    while [ ! -e /run/enough ]; do
        number=$((number + 1))
        file=/mnt/w$1-$((number % 12))
        dd if=/dev/urandom of=/run/source-$1 bs=64k count=8 2>/dev/null
        dd if=/run/source-$1 of=$file bs=64k conv=fsync 2>/run/dd-$1 || fail "write: $(cat /run/dd-$1)"
        sum=$(md5sum </run/source-$1)
        echo "${sum%% *}  $file" >/run/sum-$1-$((number % 12))
    done
    echo $number >/run/done-$1
}
for number in 1 2 3; do writer $number & done

round=0
for how in KILL TERM KILL KILL TERM KILL; do
    round=$((round + 1))
    sleep 3
    [ $round = 3 ] && { kill -KILL $attach; sleep 1; attach_start; }
    kill -$how $agent
    wait $agent 2>/dev/null
    sleep 1
    agent_start
    until_true 60 arrayctl /c0/v0 show
    say "round $round: SIG$how, back"
done
sleep 8
touch /run/enough
for number in 1 2 3; do until_true 90 test -e /run/done-$number; done
say "files written: $(cat /run/done-* | tr '\n' ' ')"
sync
echo 3 >/proc/sys/vm/drop_caches
cat /run/sum-* | md5sum -c >/run/check.log 2>&1 || fail "contents differ"
say "contents are those that were synced: $(grep -c OK /run/check.log) files"
umount /mnt || fail "umount"
/sbin/e2fsck -fn /dev/arraywright/data >/run/fsck.log 2>&1 || fail "file system damaged"
kill -TERM $attach
wait $attach || fail "detach"
[ -e /dev/arraywright/data ] && fail "the link is still there"
dmesg | grep -iE 'I/O error|EXT4-fs error|Buffer I/O|blk_update_request|hung task' && fail "the kernel saw errors"
kill -TERM $agent
wait $agent || fail "arrayd did not stop well"
cat /run/attach.log
say "ALL WELL"
poweroff -f

#!/bin/sh
# The first program of the guest: an ext4 on each of two virtual drives that are devices of the
# kernel's ublk driver, in use while arrayd is stopped, killed and started again. data has blocks of
# 512 bytes, large of 4096. What is printed is in machine.py.
fail() { dmesg | tail -40; cat /run/*.log; say "FAILED: $case: $*"; poweroff -f; sleep 60; }
case=there
. /common.sh
. /writers.sh
mkdir /run/arraywright /mnt/data /mnt/large
mount -t tmpfs -o size=800m drives /drives
ip link set lo up
mount -t configfs configfs /sys/kernel/config
for number in 0 1 2; do # drives of 4096-byte blocks, in memory
    drive=/sys/kernel/config/nullb/large$number
    mkdir $drive || fail "null_blk has no configfs"
    echo 4096 >$drive/blocksize && echo 128 >$drive/size && echo 1 >$drive/memory_backed &&
        echo 1 >$drive/discard && echo 1 >$drive/power || fail "drive $number cannot be made"
done

agent_start() { arrayd --config /etc/arrayd.conf >>/run/arrayd.log 2>&1 & agent=$!; }
agent_start
until_true "arrayd does not answer" arrayctl show
arrayctl /c0 add vd r5 drives=252:0-2 name=data >>/run/arrayctl.log || fail "no virtual drive"
arrayctl /c1 add vd r5 drives=252:0-2 name=large >>/run/arrayctl.log || fail "no virtual drive of 4096"
until_true "data is no block device" test -b /dev/ublkb0
until_true "large is no block device" test -b /dev/ublkb1
say "passed $case: $(cat /sys/block/ublkb0/size) and $(cat /sys/block/ublkb1/size) sectors"
case="blocks, flushes and discards are what they should be"
queue() { cat /sys/block/$1/queue/$2; }
[ "$(queue ublkb0 logical_block_size)" = 512 ] || fail "data: $(queue ublkb0 logical_block_size)"
[ "$(queue ublkb1 logical_block_size)" = 4096 ] || fail "large: $(queue ublkb1 logical_block_size)"
for device in ublkb0 ublkb1; do
    [ "$(queue $device write_cache)" = "write back" ] || fail "$device: no flushes"
    [ "$(queue $device fua)" = 1 ] || fail "$device: no FUA"
    [ "$(queue $device discard_max_bytes)" -gt 0 ] || fail "$device: no discards"
    [ "$(queue $device write_zeroes_max_bytes)" -gt 0 ] || fail "$device: no zeroes"
done
say "passed $case: flushes, FUA, discards of $(queue ublkb0 discard_max_bytes) bytes at most"
case="used while arrayd is killed and restarted"
device_of() { [ $1 = data ] && echo /dev/ublkb0 || echo /dev/ublkb1; }
for name in data large; do
    /sbin/mke2fs -q -t ext4 $(device_of $name) || fail "mke2fs of $name"
    mount -t ext4 -o errors=panic,discard $(device_of $name) /mnt/$name || fail "mount of $name"
done
WRITERS="1 2 3 4"
for number in 1 2; do writer $number /mnt/data & done
for number in 3 4; do writer $number /mnt/large & done
writers_begin
round=0
for how in KILL TERM KILL KILL TERM KILL KILL KILL; do
    round=$((round + 1))
    writes_go_on 2
    kill -$how $agent
    wait $agent 2>/dev/null
    sleep 1
    agent_start
    until_true "arrayd is not back" arrayctl /c1/v0 show
    say "round $round: SIG$how, back"
done
writes_go_on 5
writers_end
[ ! -e /dev/ublkb2 ] || fail "a device was made anew beside the one that is in use"
say "passed $case: $round rounds, files written: $(cat /run/done-* | tr '\n' ' ')"
case="every synced byte is there"
sums_check
say "passed $case: $(grep -c OK /run/check.log) files"
case="file system is whole"
for name in data large; do
    umount /mnt/$name || fail "umount of $name"
    /sbin/e2fsck -fn $(device_of $name) >/run/fsck-$name.log 2>&1 || fail "$name is damaged"
done
say "passed $case: $(tail -qn1 /run/fsck-*.log | tr '\n' ' ')"
case="what is discarded reads as zeros"
for name in data large; do
    dd if=/dev/urandom of=$(device_of $name) bs=1M count=4 conv=fsync 2>/dev/null || fail "write to $name"
    blkdiscard -o 1048576 -l 2097152 $(device_of $name) || fail "discard of $name"
    dd if=$(device_of $name) bs=1M skip=1 count=2 2>/dev/null | tr -d '\0' >/run/left
    say "$name: $(wc -c </run/left) bytes are not zero"
done
say "passed $case: of 2 MiB"
case="gone with its virtual drive"
arrayctl /c0/v0 del confirm=data >>/run/arrayctl.log || fail "data cannot be deleted"
not() { ! "$@"; }
until_true "the device of data is still there" not test -b /dev/ublkb0
[ -b /dev/ublkb1 ] || fail "so is that of large"
kill -TERM $agent
wait $agent || fail "arrayd did not stop well"
say "passed $case: arrayd ended well"
case="the kernel saw no error"
dmesg | grep -E 'I/O error|EXT4-fs error|Buffer I/O|blk_update_request|blocked for more|WARNING: |BUG: ' &&
    fail "the kernel saw errors"
say "passed $case: $(dmesg | grep -c ublk) lines of ublk"
say "ALL WELL"
poweroff -f

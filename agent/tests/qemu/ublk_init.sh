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
agent_rounds KILL TERM KILL KILL TERM KILL KILL KILL
writers_end
[ ! -e /dev/ublkb2 ] || fail "a device was made anew beside the one that is in use"
say "passed $case: $round rounds, files written: $(cat /run/done-* | tr '\n' ' ')"
case="every synced byte is there"
sums_check
say "passed $case: $(grep -c OK /run/check.log) files"
case="file system is whole"
file_systems_check data large
say "passed $case: $(tail -qn1 /run/fsck-*.log | tr '\n' ' ')"
case="a discard leaves what is beside it"
dd if=/dev/urandom of=/run/random bs=1M count=4 2>/dev/null
piece() { dd if=$1 bs=1M skip=$2 count=1 2>/dev/null | md5sum; }
for name in data large; do
    device=$(device_of $name)
    dd if=/run/random of=$device bs=1M conv=fsync 2>/dev/null || fail "write to $name"
    blkdiscard -o 1048576 -l 2097152 $device || fail "discard of $name"
    for part in 0 3; do
        [ "$(piece $device $part)" = "$(piece /run/random $part)" ] || fail "$name: MiB $part has changed"
    done
    for part in 1 2; do
        [ "$(piece $device $part)" = "$(piece /run/random $part)" ] && fail "$name: MiB $part is still there"
    done
done
say "passed $case: 2 of 4 MiB"
case="gone with its virtual drive"
arrayctl /c0/v0 del confirm=data >>/run/arrayctl.log || fail "data cannot be deleted"
not() { ! "$@"; }
until_true "the device of data is still there" not test -b /dev/ublkb0
[ -b /dev/ublkb1 ] || fail "so is that of large"
kill -TERM $agent
wait $agent || fail "arrayd did not stop well"
say "passed $case: arrayd ended well"
case="the kernel saw no error"
kernel_errors && fail "the kernel saw errors"
say "passed $case: $(dmesg | grep -c ublk) lines of ublk"
say "ALL WELL"
poweroff -f

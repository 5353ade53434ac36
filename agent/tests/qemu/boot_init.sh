#!/bin/sh
# The first program of the guest: makes a virtual drive with a file system on three drives of the
# machine, stops arrayd, and hands over to systemd, whose units go on with boot_story.sh. What is
# printed is in machine.py.
fail() { dmesg | tail -30; cat /run/*.log; grep -h 'Failure *[0-9]' /run/*.log; say "FAILED: $case: $*"; poweroff -f; sleep 60; }
case="drives of the machine"
. /common.sh
ip link set lo up
read -r device where rest </etc/fstab
name=${device##*/}
mkdir /run/arraywright
arrayd --config /arrayd.conf >/run/arrayd.log 2>&1 &
agent=$!
until_true "arrayd does not answer" arrayctl show
arrayctl /c0 add vd r5 drives=252:0-2 name=$name >/run/arrayctl.log || fail "no virtual drive"
arraywright-attach /run/arraywright/nbd.sock $name 2>/run/attach.log &
attach=$!
until_true "not attached" test -b $device
/sbin/mke2fs -q -t ext4 -E nodiscard $device || fail "mke2fs"
/bin/busybox mount -t ext4 $device /mnt || fail "mount"
dd if=/dev/urandom of=/mnt/before bs=64k count=16 2>/dev/null
(cd /mnt && md5sum before) >/sums
/bin/busybox umount /mnt || fail "umount"
kill -TERM $attach && wait $attach || fail "detach"
kill -TERM $agent && wait $agent || fail "arrayd did not stop well"
rm -r /run/arraywright /run/*.log
# systemd gives its services views of the root, which cannot be had of the first file system.
mkdir /newroot
/bin/busybox mount -t tmpfs root /newroot
for folder in bin sbin etc lib lib64 usr var tmp *.sh *.conf sums; do
    cp -a /$folder /newroot/ || fail "$folder is not copied"
done
mkdir -p /newroot/dev /newroot/proc /newroot/sys /newroot/run /newroot/mnt /newroot$where
for folder in dev proc sys run; do /bin/busybox mount --move /$folder /newroot/$folder; done
say "passed $case: on three of them, /dev/sda to /dev/sdc"
exec switch_root /newroot /usr/lib/systemd/systemd

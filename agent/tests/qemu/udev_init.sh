#!/bin/sh
# The first program of the guest: a real udevd with the rules and the mdadm of a stock Debian looks
# at members of ours, which the initramfs hook of the agent has, or has not, told it to leave alone.
# Then the host looks at the members itself, and says so by a line.
#   /sets       NAME DRIVES BYTES OUT_MIB
#               what is assembled without both is copied out to the drive `out`
# What is printed is in machine.py.
rule=/usr/lib/udev/rules.d/63-arraywright.rules
conf=/etc/mdadm/mdadm.conf.d/arraywright.conf
fail() { cat /proc/mdstat; cat /run/udev.log; dmesg | tail -30; say "FAILED: $*"; poweroff -f; sleep 60; }
. /common.sh
mkdir -p /run/udev
systemd-udevd >/run/udev.log 2>&1 &
until_true "udevd does not start" udevadm control --ping

look() { # as at boot, and as when somebody has written to a device
    udevadm control --reload || fail "udevd does not answer"
    udevadm trigger --action=add --subsystem-match=block
    udevadm settle --timeout=600 || fail "udevd does not settle"
    udevadm trigger --action=change --subsystem-match=block
    udevadm settle --timeout=600 || fail "udevd does not settle"
}
read -r out </run/drives/out
members() {
    for file in /run/drives/*-*; do
        read -r device <"$file"
        echo "${device#/dev/}"
    done
}
property() { udevadm info --query=property --name="/dev/$1" | sed -n "s/^$2=//p"; }
untouched() { # CASE
    grep -q '^md' /proc/mdstat && fail "$1: assembled"
    for name in $(members); do
        [ -z "$(ls "/sys/block/$name/holders")" ] || fail "$1: $name is held"
    done
}
hidden() { # CASE: a member and what looks like partitions of it are not ready for anybody
    parts=0
    for name in $(members); do
        [ "$(property "$name" ID_FS_TYPE)" = ddf_raid_member ] || fail "$1: $name is no member: $(property "$name" ID_FS_TYPE)"
        [ "$(property "$name" SYSTEMD_READY)" = 0 ] || fail "$1: $name is ready"
        for part in /sys/block/"$name"/"$name"?; do
            [ -e "$part" ] || continue
            parts=$((parts + 1))
            [ "$(property "${part##*/}" SYSTEMD_READY)" = 0 ] || fail "$1: ${part##*/} is ready"
            [ -z "$(property "${part##*/}" ID_FS_TYPE)" ] || fail "$1: ${part##*/} is $(property "${part##*/}" ID_FS_TYPE)"
        done
    done
    [ $parts -gt 0 ] || fail "$1: no partition was seen"
    say "passed $1: nobody holds a member, none is ready, nor are their $parts partitions"
}
shown() { # CASE: without the rule they are
    seen=
    for name in $(members); do
        [ "$(property "$name" SYSTEMD_READY)" != 0 ] || fail "$1: $name is not ready without the rule"
        [ -e "/sys/block/$name/${name}1" ] && [ "$(property "${name}1" ID_FS_TYPE)" = LVM2_member ] && seen=yes
    done
    [ "$seen" = yes ] || fail "$1: without the rule no LVM member is seen: the test proves nothing"
    say "passed $1: nobody holds a member, though they are ready"
}
assembled() { # NAME BYTES OUT_MIB
    for block in /sys/block/md*; do
        read -r sectors <"$block/size"
        [ "$sectors" = $(($2 / 512)) ] || continue
        dd if="/dev/${block##*/}" iflag=direct of="$out" oflag=direct bs=1M seek="$3" 2>/run/dd.log ||
            fail "$1: $(cat /run/dd.log)"
        say "passed $1: assembled by udev as ${block##*/}"
        return
    done
    fail "$1: not assembled without the rule: the test proves nothing"
}

[ -e $rule ] && [ -e $conf ] || fail "rule and mdadm.conf: the hook has left something out"
look
untouched "rule and mdadm.conf"
hidden "rule and mdadm.conf"
mv $conf /run/conf
look
untouched "the rule alone"
hidden "the rule alone"
mv /run/conf $conf
mv $rule /run/rule
look
untouched "mdadm.conf alone"
shown "mdadm.conf alone"

say "look at them"
read -r _
rm $conf
look
while read -r name _ bytes at; do assembled "$name" "$bytes" "$at"; done </sets
say "ALL WELL"
sync
poweroff -f

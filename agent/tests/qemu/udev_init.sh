#!/bin/sh
# The first program of the guest: a real udevd with the rules and the mdadm of a stock Debian looks
# at members of ours, which the initramfs hook of the agent has, or has not, told it to leave alone.
#   /expect     "nothing": with the rule and AUTO -ddf, with each of them alone, nobody touches them
#               "assembled": without both, every set runs
#   /sets       NAME DRIVES BYTES SHA256
# A drive is found by its serial number, NAME-PLACE. Every line that counts begins with "judge:".
PATH=/bin:/sbin
rule=/usr/lib/udev/rules.d/63-arraywright.rules
conf=/etc/mdadm/mdadm.conf.d/arraywright.conf
say() { echo "judge: $*"; }
fail() { say "FAILED: $*"; cat /proc/mdstat; cat /run/udev.log; dmesg | tail -30; poweroff -f; sleep 60; }

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir -p /run/mdadm /run/udev
for module in $(cat /modules/order); do insmod "/modules/$module" || fail "module $module"; done
systemd-udevd >/run/udev.log 2>&1 &
left=100
until udevadm control --ping 2>/dev/null; do
    [ $left -gt 0 ] || fail "udevd does not start"
    left=$((left - 1)); sleep 0.2
done

look() { # as at boot, and as when somebody has written to a device
    udevadm control --reload || fail "udevd does not answer"
    udevadm trigger --action=add --subsystem-match=block
    udevadm settle --timeout=60 || fail "udevd does not settle"
    udevadm trigger --action=change --subsystem-match=block
    udevadm settle --timeout=60 || fail "udevd does not settle"
}
members() { for block in /sys/block/vd*; do echo "${block##*/}"; done; }
property() { udevadm info --query=property --name="/dev/$1" | sed -n "s/^$2=//p"; }
untouched() { # HOW
    grep -q '^md' /proc/mdstat && fail "$1: assembled"
    for name in $(members); do
        [ -z "$(ls "/sys/block/$name/holders")" ] || fail "$1: $name is held"
    done
    say "$1: no md device, nobody holds a member"
}
hidden() { # a member and what looks like partitions of it are not ready for anybody
    parts=0
    for name in $(members); do
        [ "$(property "$name" ID_FS_TYPE)" = ddf_raid_member ] || fail "$name is no member: $(property "$name" ID_FS_TYPE)"
        [ "$(property "$name" SYSTEMD_READY)" = 0 ] || fail "$name is ready"
        for part in /sys/block/"$name"/"$name"?; do
            [ -e "$part" ] || continue
            parts=$((parts + 1))
            [ "$(property "${part##*/}" SYSTEMD_READY)" = 0 ] || fail "${part##*/} is ready"
            [ -z "$(property "${part##*/}" ID_FS_TYPE)" ] || fail "${part##*/} is $(property "${part##*/}" ID_FS_TYPE)"
        done
    done
    [ $parts -gt 0 ] || fail "no partition was seen"
    say "no member is ready, nor are their $parts partitions"
}
shown() { # without the rule they are
    for name in $(members); do
        [ "$(property "$name" SYSTEMD_READY)" != 0 ] || fail "$name is not ready without the rule"
        [ -e "/sys/block/$name/${name}1" ] && [ "$(property "${name}1" ID_FS_TYPE)" = LVM2_member ] && seen=yes
    done
    [ "$seen" = yes ] || fail "without the rule no LVM member is seen: the test proves nothing"
}

nothing() {
    [ -e $rule ] && [ -e $conf ] || fail "the hook has left something out"
    look
    untouched "rule and mdadm.conf"
    hidden
    mv $conf /run/conf
    look
    untouched "the rule alone"
    hidden
    mv /run/conf $conf
    mv $rule /run/rule
    look
    untouched "mdadm.conf alone"
    shown
}

assembled() {
    [ -e $rule ] || [ -e $conf ] && fail "there is a rule"
    look
    while read -r name _ bytes sum; do
        found=
        for block in /sys/block/md*; do
            [ "$(cat "$block/size")" = $((bytes / 512)) ] || continue
            now=$(sha256sum "/dev/${block##*/}")
            [ "${now%% *}" = "$sum" ] && found=${block##*/}
        done
        [ -n "$found" ] || fail "$name is not assembled without the rule: the test proves nothing"
        say "$name: assembled by udev as $found, contents are ours"
    done </sets
}

$(cat /expect)
say "ALL WELL"
sync
poweroff -f

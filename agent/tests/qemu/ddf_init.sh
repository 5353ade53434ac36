#!/bin/sh
# The first program of the guest: stock mdadm assembles the sets that arrayd's writer made and reads
# them, then makes sets of its own, which the host reads when the guest is off. /sets names them:
#   ours NAME DRIVES BYTES SHA256 COPY_64K FAIL
#       drives that are missing have no device; of COPY_64K other than 0 it is written to as well,
#       after the drive in place FAIL has failed
#   theirs NAME DRIVES SPARES LEVEL COPY_64K FAIL SIZE
#       SIZE: of a member in KiB, or - for mdadm's own, when the end is written too
#   native NAME DRIVES LEVEL LAYOUT SIZE
#       a set of md's own format, metadata 1.2, filled with /content over and over; LAYOUT - and SIZE
#       - for mdadm's own (md_judge.py)
# A drive is found by its serial number, NAME-PLACE. Every line that counts begins with "judge:".
PATH=/bin:/sbin
export MDADM_NO_UDEV=1
say() { echo "judge: $*"; }
fail() { say "FAILED: $*"; cat /proc/mdstat; dmesg | tail -30; poweroff -f; sleep 60; }

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir -p /run/mdadm
for module in $(cat /modules/order); do insmod "/modules/$module" || fail "module $module"; done

devices() { # NAME COUNT: the devices of a set that are there, in the order of their places
    place=0
    while [ $place -lt "$2" ]; do
        for block in /sys/block/vd*; do
            [ "$(cat "$block/serial")" = "$1-$place" ] && echo "/dev/${block##*/}"
        done
        place=$((place + 1))
    done
}
array() { sed -n 's/^\(md[0-9]*\) : active.*/\1/p' /proc/mdstat | head -1; } # the only one
container() { sed -n 's/^\(md[0-9]*\) : inactive.*/\1/p' /proc/mdstat | head -1; }
settle() { # until nothing is rebuilt or resynchronised any more
    left=600
    while grep -qE 'resync|recovery' /proc/mdstat || [ "$(cat "/sys/block/$1/md/sync_action")" != idle ]; do
        [ $left -gt 0 ] || fail "$1 is never idle"
        left=$((left - 1)); sleep 0.2
    done
}
stop() {
    sync
    mdadm --wait-clean --scan >/dev/null 2>&1
    mdadm --stop "/dev/$1" >/dev/null 2>&1 || fail "stop of $1"
    mdadm --stop "/dev/$2" >/dev/null 2>&1 || fail "stop of $2"
    grep -q '^md' /proc/mdstat && fail "an array is left"
    rm -rf /dev/md /run/mdadm/map
}

ours() { # NAME DRIVES BYTES SHA256 COPY_64K FAIL
    mdadm --assemble /dev/md/container $(devices "$1" "$2") >/run/mdadm.log 2>&1 ||
        fail "$1: no container: $(cat /run/mdadm.log)"
    mdadm --incremental --run /dev/md/container >>/run/mdadm.log 2>&1
    md=$(array)
    [ -n "$md" ] || fail "$1: not started: $(cat /run/mdadm.log)"
    [ "$(cat "/sys/block/$md/size")" = $(($3 / 512)) ] || fail "$1: $(cat "/sys/block/$md/size") sectors"
    sum=$(sha256sum "/dev/$md")
    [ "${sum%% *}" = "$4" ] || fail "$1: contents differ"
    action=$(cat "/sys/block/$md/md/sync_action" 2>/dev/null)
    say "$1: $(cat "/sys/block/$md/md/level"), degraded $(cat "/sys/block/$md/md/degraded" 2>/dev/null || echo 0), ${action:-idle}: contents are ours"
    if [ "$5" != 0 ]; then
        if [ "$6" != - ]; then
            mdadm --fail "/dev/$md" "$(devices "$1" "$2" | sed -n "$(($6 + 1))p")" >>/run/mdadm.log 2>&1 || fail "$1: fail"
            sleep 1
        fi
        dd if=/content of="/dev/$md" bs=64k count="$5" conv=fsync 2>/dev/null || fail "$1: write"
    fi
    stop "$md" "$(container)"
}

fill() { # DEVICE COPY_64K SIZE
    dd if=/content of="/dev/$1" bs=64k count="$2" conv=fsync 2>/dev/null || return 1
    [ "$3" != - ] ||
        dd if=/content of="/dev/$1" bs=64k count=16 seek=$(($(cat "/sys/block/$1/size") / 128 - 16)) conv=fsync 2>/dev/null
}

theirs() { # NAME DRIVES SPARES LEVEL COPY_64K FAIL SIZE
    all=$(devices "$1" $(($2 + $3)))
    members=$(echo "$all" | head -n "$2")
    layout=
    [ "$4" = 10 ] && layout=--layout=n2
    mdadm --create /dev/md/container --run --metadata=ddf --raid-devices=$(($2 + $3)) $all >/run/mdadm.log 2>&1 ||
        fail "$1: no container: $(cat /run/mdadm.log)"
    chunk=--chunk=64
    [ "$4" = 1 ] && chunk=
    size="--size=$7"
    [ "$7" = - ] && size=
    mdadm --create /dev/md/judge --run --level="$4" $layout $chunk $size --raid-devices="$2" $members >>/run/mdadm.log 2>&1 ||
        fail "$1: not made: $(cat /run/mdadm.log)"
    md=$(array)
    [ "$4" = 0 ] || settle "$md"
    fill "$md" "$5" "$7" || fail "$1: write"
    if [ "$6" != - ]; then
        mdadm --fail "/dev/$md" "$(echo "$members" | sed -n "$(($6 + 1))p")" >>/run/mdadm.log 2>&1 || fail "$1: fail"
        sleep 2
        settle "$md"
        fill "$md" "$5" "$7" || fail "$1: second write"
    fi
    say "$1: level $4 made, written$([ "$6" = - ] || echo ", place $6 failed"): $(sed -n "/^$md/{n;s/ *//p}" /proc/mdstat)"
    stop "$md" "$(container)"
}

native() { # NAME DRIVES LEVEL LAYOUT SIZE
    chunk=--chunk=64
    [ "$3" = 1 ] && chunk=
    layout="--layout=$4"
    [ "$4" = - ] && layout=
    size="--size=$5"
    [ "$5" = - ] && size=
    mdadm --create /dev/md/judge --run --metadata=1.2 --name=judge --level="$3" $layout $chunk $size --data-offset=1M --raid-devices="$2" $(devices "$1" "$2") >/run/mdadm.log 2>&1 ||
        fail "$1: not made: $(cat /run/mdadm.log)"
    md=$(array)
    [ "$3" = 0 ] || settle "$md"
    blocks=$(($(cat "/sys/block/$md/size") / 128))
    at=0
    while [ $at -lt $blocks ]; do
        dd if=/content of="/dev/$md" bs=64k seek=$at count=$((blocks - at)) conv=fsync 2>/dev/null || fail "$1: write"
        at=$((at + $(wc -c </content) / 65536))
    done
    sum=$(sha256sum "/dev/$md")
    say "$1: level $3 made, written: $(sed -n "/^$md/{n;s/ *//p}" /proc/mdstat)"
    say "$1: holds ${sum%% *}"
    sync
    mdadm --wait-clean --scan >/dev/null 2>&1
    mdadm --stop "/dev/$md" >/dev/null 2>&1 || fail "stop of $md"
    rm -rf /dev/md /run/mdadm/map
}

while read -r kind words; do
    $kind $words </dev/null
done </sets
say "ALL WELL"
sync
poweroff -f

#!/bin/sh
# The first program of the guest: stock mdadm assembles the sets that arrayd's writer made and
# copies them out to the drive `out`, then makes sets of its own, which the host reads when the guest
# is off. /sets names them:
#   ours NAME DRIVES BYTES OUT_MIB COPY_64K FAIL
#       drives that are missing have no device; of COPY_64K other than 0 it is written to as well,
#       after the drive in place FAIL has failed
#   theirs NAME DRIVES SPARES LEVEL COPY_64K FAIL SIZE
#       SIZE: of a member in KiB, or - for mdadm's own, when the end is written too
#   native NAME DRIVES LEVEL LAYOUT SIZE FILL_64K
#       a set of md's own format, metadata 1.2, filled with /content over and over, at most so far;
#       LAYOUT - and SIZE - for mdadm's own, FILL_64K - for all of it (md_judge.py)
# A drive is called NAME-PLACE. What is printed is in machine.py.
fail() { cat /proc/mdstat; cat /run/stop.log 2>/dev/null; dmesg | tail -30; say "FAILED: $*"; poweroff -f; sleep 60; }
. /common.sh
export MDADM_NO_UDEV=1
for key in /proc/sys/dev/raid/speed_limit_*; do echo 10000000 >"$key"; done

devices() { # NAME COUNT: the devices of a set that are there, in the order of their places
    place=0
    while [ $place -lt "$2" ]; do
        [ -e "/run/drives/$1-$place" ] && read -r device <"/run/drives/$1-$place" && echo "$device"
        place=$((place + 1))
    done
}
array() { sed -n 's/^\(md[0-9]*\) : active.*/\1/p' /proc/mdstat | head -1; } # the only one
container() { sed -n 's/^\(md[0-9]*\) : inactive.*/\1/p' /proc/mdstat | head -1; }
idle() { # no array is rebuilt or resynchronized, nor about to be
    read -r action <"/sys/block/$1/md/sync_action"
    [ "$action" = idle ] && ! grep -qE 'resync|recovery' /proc/mdstat
}
settle() { until_true "$name: $1 is never idle" idle "$1"; }
whole() { read -r degraded <"/sys/block/$1/md/degraded"; [ "$degraded" = 0 ]; }
# An array whose metadata are not the kernel's is cleared by mdmon once mdadm has made it inactive;
# an mdadm that comes too late to open it then fails, though it is stopped.
stopped() {
    mdadm --stop "/dev/$1" >/run/stop.log 2>&1
    ! grep -q "^$1 :" /proc/mdstat
}
stop() { # ARRAY…: and none is left
    sync
    mdadm --wait-clean --scan >/dev/null 2>&1
    for md in "$@"; do
        until_true "$name: $md does not stop" stopped "$md"
    done
    grep -q '^md' /proc/mdstat && fail "$name: an array is left"
    rm -rf /dev/md /run/mdadm/map
}

ours() { # NAME DRIVES BYTES OUT_MIB COPY_64K FAIL
    mdadm --assemble /dev/md/container $(devices "$1" "$2") >/run/mdadm.log 2>&1 ||
        fail "$1: no container: $(cat /run/mdadm.log)"
    mdadm --incremental --run /dev/md/container >>/run/mdadm.log 2>&1
    md=$(array)
    [ -n "$md" ] || fail "$1: not started: $(cat /run/mdadm.log)"
    read -r sectors <"/sys/block/$md/size"
    [ "$sectors" = $(($3 / 512)) ] || fail "$1: $sectors sectors"
    read -r out </run/drives/out
    dd if="/dev/$md" iflag=direct of="$out" oflag=direct bs=1M seek="$4" 2>/run/dd.log ||
        fail "$1: $(cat /run/dd.log)"
    read -r level <"/sys/block/$md/md/level"
    [ "$level" = raid0 ] || read -r degraded <"/sys/block/$md/md/degraded"
    [ "$level" = raid0 ] || read -r action <"/sys/block/$md/md/sync_action"
    if [ "$5" != 0 ]; then
        if [ "$6" != - ]; then
            # Until mdmon has written it down the kernel lets no write through.
            mdadm --fail "/dev/$md" "$(devices "$1" "$2" | sed -n "$(($6 + 1))p")" >>/run/mdadm.log 2>&1 || fail "$1: fail"
        fi
        dd if=/content of="/dev/$md" bs=64k count="$5" conv=fsync 2>/run/dd.log || fail "$1: write: $(cat /run/dd.log)"
    fi
    stop "$md" "$(container)"
    say "passed $1: assembled as $level, degraded ${degraded:-0}, ${action:-idle}"
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
        [ "$3" = 0 ] || until_true "$1 is never whole again" whole "$md"
        settle "$md"
        fill "$md" "$5" "$7" || fail "$1: second write"
    fi
    state=$(sed -n "/^$md/{n;s/ *//p}" /proc/mdstat)
    stop "$md" "$(container)"
    say "passed $1: level $4 made, written$([ "$6" = - ] || echo ", place $6 failed"): $state"
}

native() { # NAME DRIVES LEVEL LAYOUT SIZE FILL_64K
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
    blocks=$6
    [ "$6" = - ] && read -r sectors <"/sys/block/$md/size" && blocks=$((sectors / 128))
    at=0
    while [ $at -lt $blocks ]; do
        dd if=/content of="/dev/$md" bs=64k seek=$at count=$((blocks - at)) conv=fsync 2>/dev/null || fail "$1: write"
        at=$((at + $(wc -c </content) / 65536))
    done
    state=$(sed -n "/^$md/{n;s/ *//p}" /proc/mdstat)
    stop "$md"
    say "passed $1: level $3 made, written: $state"
}

while read -r kind name words; do
    degraded= action=
    $kind $name $words </dev/null
done </sets
say "ALL WELL"
sync
poweroff -f

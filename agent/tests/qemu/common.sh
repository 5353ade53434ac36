# What the first program of each guest begins with. Forks cost more than anything else here.
PATH=/bin:/sbin
say() { echo "judge: $*"; }

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir -p /run/mdadm /run/drives
while read -r module; do
    insmod "/modules/$module" || fail "module $module"
done </modules/order
until_true() { # WHAT COMMAND…: for what hangs, not for what is slow
    what=$1; left=6000; shift
    until "$@" >/dev/null 2>&1; do
        [ $left -gt 0 ] || fail "$what"
        left=$((left - 1)); sleep 0.1
    done
}
# /run/drives/NAME holds the device of the drive that the host calls so.
there() { for block in /sys/class/scsi_device/*:0:"$1"/device/block/*; do [ -e "$block" ]; done; }
while read -r name place; do
    until_true "$name: there is no such drive" there "$place"
    echo "/dev/${block##*/}" >"/run/drives/$name"
done </drives.list

#!/bin/sh
# The first program of the guest: arrayd over whatever drives the machine has, found by scanning. The
# host asks for everything else, a line at a time, plugs and unplugs drives meanwhile, and judges.
# What is printed is in machine.py; what a line has printed comes as "judge: out …", and its status
# as "judge: done N".
fail() { cat /run/arrayd.log; dmesg | tail -30; say "FAILED: $*"; poweroff -f; sleep 60; }
. /common.sh
mkdir /run/arraywright
ip link set lo up
stty -echo -F /dev/ttyS0
echo 1 >/proc/sys/kernel/printk # the console is the host's
arrayd --config /etc/arrayd.conf >>/run/arrayd.log 2>&1 &
until_true "arrayd does not answer" arrayctl show

attach() { # NAME
    arraywright-attach --timeout 3 /run/nbd.sock "$1" >>"/run/attach-$1.log" 2>&1 &
    until_true "$1 is not attached" test -b "/dev/arraywright/$1"
}
BLOCKS=16 # of 256 KiB, that a writer goes over
write_loop() { # NAME: one block after the other, and what is in it is known only when it is synced
    number=0
    while [ ! -e "/run/enough-$1" ]; do
        place=$((number % BLOCKS)) number=$((number + 1))
        dd if=/dev/urandom of="/run/source-$1" bs=256k count=1 2>/dev/null
        dd if="/run/source-$1" of="/dev/arraywright/$1" bs=256k seek=$place oflag=direct conv=fsync,notrunc \
            2>"/run/dd-$1" || { echo "write $number: $(cat "/run/dd-$1")" >>"/run/wrong-$1"; continue; }
        cp "/run/source-$1" "/run/block-$1-$place"
        echo $number >"/run/count-$1"
    done
    touch "/run/ended-$1"
}
writer_start() { : >"/run/wrong-$1"; echo 0 >"/run/count-$1"; write_loop "$1" & }
writer_goes_on() { # NAME: it has written this many blocks more
    seen=$(cat "/run/count-$1")
    until_true "the writer of $1 stands still" sh -c "[ \$(cat /run/count-$1) -ge $((seen + $2)) ]"
}
writer_end() { # NAME: every block is as it was written, and no write has failed
    touch "/run/enough-$1"
    until_true "the writer of $1 does not end" test -e "/run/ended-$1"
    cat "/run/wrong-$1"
    [ -s "/run/wrong-$1" ] && return 1
    for block in /run/block-"$1"-*; do
        place=${block##*-}
        dd if="/dev/arraywright/$1" of=/run/read bs=256k skip="$place" count=1 iflag=direct 2>/dev/null
        cmp "$block" /run/read || return 1
    done
}

say "ready"
while read -r line; do
    eval "$line" >/run/out 2>&1
    status=$?
    sed 's/^/judge: out /' /run/out
    say "done $status"
done

# arrayd is stopped, killed and started again under writers whose files are known to be right. WRITERS
# lists their numbers, device_of NAME names the device of a virtual drive.
agent_start() { arrayd --config /etc/arrayd.conf >>/run/arrayd.log 2>&1 & agent=$!; }
writer() { # NUMBER FOLDER: files of random bytes, each synced before its sum is kept
    number=0
    while [ ! -e /run/enough ]; do
        echo $number >/run/new-$1
        mv /run/new-$1 /run/count-$1
        number=$((number + 1))
        file=$2/w$1-$((number % 12))
        dd if=/dev/urandom of=/run/source-$1 bs=64k count=8 2>/dev/null
        dd if=/run/source-$1 of=$file bs=64k conv=fsync 2>/run/dd-$1 || fail "write: $(cat /run/dd-$1)"
        sum=$(md5sum </run/source-$1)
        echo "${sum%% *}  $file" >/run/sum-$1-$((number % 12))
    done
    echo $number >/run/done-$1
}
writers_begin() {
    for number in $WRITERS; do until_true "a writer does not start" test -s /run/count-$number; done
}
has_written() { # by each of them $1 files more than there were in /run/seen-…
    for number in $WRITERS; do
        [ $(($(cat /run/count-$number) - $(cat /run/seen-$number))) -ge $1 ] || return 1
    done
}
writes_go_on() { # FILES
    for number in $WRITERS; do cat /run/count-$number >/run/seen-$number; done
    until_true "a writer stands still" has_written $1
}
writers_end() {
    touch /run/enough
    for number in $WRITERS; do until_true "a writer does not end" test -e /run/done-$number; done
}
round_begins() { :; } # ROUND: what happens besides
agent_rounds() { # SIGNAL…
    round=0
    for how in "$@"; do
        round=$((round + 1))
        writes_go_on 2
        round_begins $round
        kill -$how $agent
        wait $agent 2>/dev/null
        sleep 1
        agent_start
        until_true "arrayd is not back" arrayctl /c1/v0 show
        say "round $round: SIG$how, back"
    done
    writes_go_on 5
}
sums_check() { # of every file, as the device has it
    sync
    echo 3 >/proc/sys/vm/drop_caches
    cat /run/sum-* | md5sum -c >/run/check.log 2>&1 || fail "contents differ"
}
file_systems_check() { # NAME…: of what is mounted on /mnt/NAME
    for name in "$@"; do
        umount /mnt/$name || fail "umount of $name"
        /sbin/e2fsck -fn $(device_of $name) >/run/fsck-$name.log 2>&1 || fail "$name is damaged"
    done
}
kernel_errors() {
    dmesg | grep -iE 'I/O error|EXT4-fs error|Buffer I/O|blk_update_request|hung task|blocked for more' ||
        dmesg | grep -E 'WARNING: |BUG: '
}

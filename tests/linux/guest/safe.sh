# SPDX-License-Identifier: Apache-2.0
# Checks of `coreloom exclusive` in a guest against what others do on the machine: test_exclusive_vm_safe.py runs them.

queues=/sys/devices/virtual/workqueue/cpumask
has_cpu() { [ $((0x$(cat $queues) >> $1 & 1)) = 1 ]; }
# Workers of the unbound workqueues that may run on a CPU: their names
workers_on() {
    for stat in /proc/[0-9]*/stat; do
        name=$(sed -n 's/^[0-9]* (\(kworker\/u.*\)) .*/\1/p' $stat) || continue
        process=${stat%/stat}
        [ "$name" ] && [ $((0x$(sed -n 's/^Cpus_allowed:\t//p' $process/status) >> $1 & 1)) = 1 ] && echo $name
    done 2>/dev/null
}
no_workers_on() { [ -z "$(workers_on $1)" ]; }
fine() { says 0 "$1" tool verify; }

# A second reservation that begins and ends leaves the first one isolated, and nobody's work comes to it.
a_second_by() {
    hogs
    before
    hold first --mechanism isolated --cpu 1
    first=$tool
    coreloom-exclusive run --quiet --mechanism $1 --cpu 2 -- true 2>$work/log || fail "$(cat $work/log)"
    has_cpu 1 && fail "the workqueues may run on CPU 1: $(cat $queues)"
    has_cpu 2 || fail "the workqueues have lost CPU 2: $(cat $queues)"
    becomes no_workers_on 1
    fine '1 reservation: no problems found'
    kill -TERM $first
    wait $first
    restored
}
a_second_by_affinity() { a_second_by affinity; }
a_second_by_root() { a_second_by root; }
a_second_by_isolated() { a_second_by isolated; }
a_second_by_what_no_longer_exists() {
    says 1 'coreloom exclusive: error: the mechanism cpuset no longer exists: isolated and root replace it, affinity where there is no cgroup v2' \
        tool run --quiet --mechanism cpuset --cpu 2 -- true
}

# What is in force counts, not what was asked for.
a_second_hand_at_the_workqueues() {
    before
    hold first --mechanism isolated --cpu 1
    echo f >$queues
    says 1 "reservation $tool: $queues is \"f\": work of the kernel may run on CPU 1" sh -c \
        "coreloom-exclusive verify | grep 'work of the kernel'; exit 1"
    coreloom-exclusive status | grep -q "^$tool .* broken " || fail "$(coreloom-exclusive status)"
    echo d >$queues
    fine '1 reservation: no problems found'
    kill -TERM $tool
    wait $tool
    restored
}

# A runtime that asks again for what sched_getaffinity says, for each of its threads.
asks_again() {
    for thread in /proc/$1/task/*; do taskset -pc $(sed -n 's/^Cpus_allowed_list:\t//p' $thread/status) ${thread##*/} >/dev/null; done
}
affinity_again_by() {
    threads 4 >$work/all &
    all=$!
    taskset -c 1-2 threads 2 >$work/some &
    some=$!
    becomes [ -s $work/all -a -s $work/some ]
    before
    hold first --mechanism $1 --cpu 1
    asks_again $all
    asks_again $some
    fine '1 reservation: no problems found'
    kill -TERM $tool
    wait $tool
    restored
    fine 'nothing is held, nothing is left over'
}
affinity_again_by_isolated() { affinity_again_by isolated; }
affinity_again_by_root() { affinity_again_by root; }
affinity_again_by_affinity() { affinity_again_by affinity; }
affinity_again_with_two() {
    threads 4 >$work/all &
    all=$!
    becomes [ -s $work/all ]
    before
    hold first --mechanism isolated --cpu 1
    first=$tool
    hold second --mechanism affinity --cpu 2
    asks_again $all
    kill -TERM $first
    wait $first
    asks_again $all
    kill -TERM $tool
    wait $tool
    restored
}
affinity_again_by_the_program() {
    threads 2 >$work/all &
    all=$!
    becomes [ -s $work/all ]
    before
    coreloom-exclusive attach --quiet --mechanism isolated --cpu 1 $all &
    tool=$!
    becomes runs_on $all 1
    becomes grep -q '^note.mechanism' $kept/$tool.layer
    asks_again $all
    kill -TERM $tool
    wait $tool
    restored
}
# One's own wish is another matter.
affinity_again_of_ones_own() {
    threads 2 >$work/own &
    own=$!
    becomes [ -s $work/own ]
    hold first --mechanism isolated --cpu 1
    taskset -pc 3 $own >/dev/null
    kill -TERM $tool
    wait $tool
    runs_on $own 3 || fail "it wanted CPU 3 and may use $(cpus_of $own)"
}

elsewhere="they are of another PID namespace, where tasks have other numbers: run it there (nsenter --pid), or, if that has ended, restore --all"
# In a PID namespace the numbers of processes say nothing; the locks do.
inside() { unshare -p -f --mount-proc "$@"; }
namespace_that_restores() {
    before
    hold first --mechanism isolated --cpu 1
    says 0 'coreloom exclusive: nothing to undo' inside coreloom-exclusive restore
    [ $(inside coreloom-exclusive status | grep -c "^$tool .* held ") = 1 ] || fail "$(inside coreloom-exclusive status)"
    says 1 "coreloom exclusive: error: the records in $kept cannot be used: $elsewhere" \
        inside coreloom-exclusive run --quiet --cpu 2 -- true
    fine '1 reservation: no problems found'
    kill -TERM $tool
    wait $tool
    restored
}
namespace_that_holds() {
    before
    inside sh -c 'coreloom-exclusive run --quiet --mechanism isolated --cpu 1 -- sleep 1000' 2>$work/log &
    outer=$!
    becomes sh -c "coreloom-exclusive status | grep -q ' held '"
    says 0 'coreloom exclusive: nothing to undo' tool restore
    says 1 "coreloom exclusive: error: the records in $kept cannot be used: $elsewhere" \
        tool run --quiet --cpu 2 -- true
    kill -9 $(tools)
    wait $outer
    says 1 "coreloom exclusive: error: the records in $kept cannot be used: $elsewhere" \
        tool restore
    tool restore --all >$work/log 2>&1 || fail "$(cat $work/log)"
    killall -q sleep
    restored
    nothing_kept || fail "$(ls $kept)"
}
namespace_that_hides_processes() {
    hold first --mechanism isolated --cpu 1
    mount -o remount,hidepid=2 /proc
    su nobody -s /bin/sh -c 'coreloom-exclusive status' >$work/status
    su nobody -s /bin/sh -c 'coreloom-exclusive verify' >$work/verify
    mount -o remount,hidepid=0 /proc
    grep -q "^$tool .* held " $work/status || fail "$(cat $work/status)"
    same "$(cat $work/verify)" '/proc hides the tasks of others (hidepid): run this as root to check them'
}

umask_that_hides_what_is_kept() {
    umask 077
    hold first --mechanism isolated --cpu 1
    same "$(sed -n 's/^Umask:\t//p' /proc/$program/status)" 0077
    [ $(su nobody -s /bin/sh -c 'coreloom-exclusive status' | grep -c "^$tool .* held ") = 1 ] || fail "$(ls -la $kept /run; su nobody -s /bin/sh -c 'coreloom-exclusive status' 2>&1)"
    says 0 '1 reservation: no problems found' su nobody -s /bin/sh -c 'coreloom-exclusive verify'
    rm $kept/$tool.layer
    becomes [ -e $kept/$tool.layer ]
    says 0 '1 reservation: no problems found' su nobody -s /bin/sh -c 'coreloom-exclusive verify'
    umask 022
}
umask_of_the_first_that_was_here() {
    rm -rf $kept
    umask 077
    coreloom-exclusive run --quiet --cpu 1 -- true
    umask 022
    same "$(stat -c %a $kept)" 755
}

# What has a record's name and is none
a_second_thing_by_that_name() {
    before
    mkdir -p $kept $kept/78.layer
    mkfifo $kept/77.layer
    ignored() { for n in 77 78; do echo "coreloom exclusive: warning: $kept/$n.layer is no file of this tool: ignored, remove it"; done; }
    says 0 "$(ignored)
nothing is held, nothing is left over" sh -c 'coreloom-exclusive verify 2>&1 | sort -u'
    coreloom-exclusive run --quiet --cpu 3 -- true >$work/log 2>&1 || fail "$(cat $work/log)"
    coreloom-exclusive restore >$work/log 2>&1 || fail "$(cat $work/log)"
    rm -r $kept/7?.layer
    restored
}
a_second_version_of_the_tool() {
    before
    trap 'rm -f $kept/1.layer; tell_end' EXIT
    mkdir -p $kept
    printf 'coreloom-exclusive 2\t%s\t1\t1\t3\tx\n' $(cat /proc/sys/kernel/random/boot_id) >$kept/1.layer
    for command in 'run --quiet --cpu 2 -- true' restore verify status; do
        got=$(coreloom-exclusive $command 2>&1)
        same $? 1
        case "$got" in
        *"another version of coreloom-exclusive wrote them: end its reservations with that version, or reboot") ;;
        *) fail "$command: $got" ;;
        esac
        same $(echo "$got" | wc -l) 1
    done
    rm $kept/1.layer
    restored
}

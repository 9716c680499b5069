# SPDX-License-Identifier: Apache-2.0
# Shared by the checks of `coreloom exclusive` in a guest. Each check runs in its own shell: it stops at the first
# failure and reports it.
kept=/run/coreloom-exclusive
# Tasks that come and go by themselves; timeout is what ends a check that hangs
transient="kworker/0 kworker/1 kworker/2 kworker/3 kworker/u timeout"
# Workqueue threads are where the kernel has needed them last: before 6.6 their names do not tell them
transient="$transient $(cat /proc/[0-9]*/stat 2>/dev/null |
    awk '$4 == 2 && $19 == -20 { print substr($2, 2, length($2) - 2) }' | tr '\n' ' ')"
work=/tmp/check.$$
mkdir -p $work
tell_end() { # what it has started goes with it
    kill -9 $(jobs -p) 2>/dev/null
    killall -q -9 hog spawn threads sleep
    wait 2>/dev/null
}
trap tell_end EXIT
trap 'echo "FAILED: took too long"; exit 1' TERM
fail() {
    echo "FAILED: $*"
    exit 1
}
same() { [ "$1" = "$2" ] || fail "expected <$2>, got <$1>"; }
# becomes COMMAND...: polls, as it has no fixed time; a check that waits in vain is ended from outside
becomes() { until "$@" 2>/dev/null; do sleep 0.02; done; }
tool() { coreloom-exclusive "$@"; }
# says STATUS 'TEXT' COMMAND...: its status and the whole of what it prints on both
says() {
    want=$1 text=$2
    shift 2
    got=$("$@" 2>&1)
    status=$?
    same "$status: $got" "$want: $text"
}
before() { state $transient >$work/before; }
is_before() {
    state $transient >$work/after
    cmp -s $work/before $work/after
}
# Byte for byte as before. A task that is just ending is waited for.
restored() {
    for try in $(seq 30); do
        is_before && return
        sleep 0.02
    done
    diff -U0 $work/before $work/after
    fail "the machine is not as it was"
}
cpus_of() { sed -n 's/^Cpus_allowed_list:\t//p' /proc/$1/status; }
runs_on() { [ "$(cpus_of $1)" = "$2" ]; }
gone() { ! [ -e /proc/$1 ]; }
# Neither a layer nor the baseline
nothing_kept() { ! ls $kept/*.layer $kept/baseline >/dev/null 2>&1; }
# Processes of the tool, its watchers too
tools() {
    for process in /proc/[0-9]*; do
        [ "$(readlink $process/exe)" = /usr/bin/coreloom-exclusive ] && echo ${process#/proc/}
    done 2>/dev/null
}
# A cgroup that was there before, if there are cgroups: its folder
group_of_others() {
    [ -e /sys/fs/cgroup/cgroup.procs ] || return 1
    mkdir -p /sys/fs/cgroup/others
    echo /sys/fs/cgroup/others
}
# hold NAME OPTIONS...: `run` in the background with a program that waits; $tool and $program are their pids
hold() {
    name=$1
    shift
    rm -f $work/$name.pid
    coreloom-exclusive run "$@" -- sh -c "echo \$\$ >$work/$name.part; mv $work/$name.part $work/$name.pid; exec sleep 1000" \
        >$work/$name.said 2>&1 &
    tool=$!
    until [ -e $work/$name.pid ]; do
        kill -0 $tool 2>/dev/null || { cat $work/$name.said; fail "$name did not start"; }
        sleep 0.02
    done
    program=$(cat $work/$name.pid)
}
# Who wants all CPUs all the time, and one of each CPU's own; each is a process and its parent.
hogs() {
    hog -p ${1:-4} >/dev/null &
    for cpu in $(seq 0 $(($(nproc) - 1))); do taskset -c $cpu hog -p 1 >/dev/null & done
    all_hogs=$((${1:-4} + 1 + 2 * $(nproc)))
    becomes hogs_are_there
}
hogs_are_there() { [ "$(pidof hog | wc -w)" = $all_hogs ] && ! pidof taskset >/dev/null; }

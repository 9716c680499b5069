# SPDX-License-Identifier: Apache-2.0
# kill -9 at given moments, each followed by a comparison of the machine with its state before.
# moments COUNT <LINES: a line is WHOM PHASE PART: PART of 1000 of the time that starting or stopping takes, or (lines)
# of the lines that the baseline will have.
# Prints "PHASE MICROSECONDS WHOM EQUAL" for each, until COUNT have hit the tool alive.
. /check/lib.sh
centiseconds() { sed 's/\.//; s/ .*//' /proc/uptime; }
started=$work/started
run="coreloom-exclusive run $how --cpu 3 -- sh -c 'echo >$started; exec sleep 1000'"
all_gone() { [ -z "$(tools)" ]; }

# The load: threads that may use all CPUs, some with an affinity for the CPU itself, some in a cgroup of their own.
crowd() {
    threads 8 >$work/a &
    taskset -c 3 threads 8 >$work/b &
    becomes [ -s $work/a ]
    becomes [ -s $work/b ]
    group=$(group_of_others) || return 0
    (echo 0 >$group/cgroup.procs; exec threads 8) >$work/c &
    becomes [ -s $work/c ]
}

measure() { # how long starting and stopping take
    from=$(centiseconds)
    eval "exec $run" 2>$work/log &
    tool=$!
    until [ -e $started ]; do kill -0 $tool || fail "$(cat $work/log)"; sleep 0.02; done
    start=$((($(centiseconds) - from) * 10000))
    lines=$(wc -l <$kept/baseline)
    from=$(centiseconds)
    kill -TERM $tool
    wait $tool
    stop=$((($(centiseconds) - from) * 10000))
    restored
}

moment() { # WHOM PHASE PART
    rm -f $started
    from=-
    case $2 in
    lines) at=l$((1 + lines * $3 / 1000)) ;;
    start) at=$((start * $3 / 1000)) ;;
    hold) at=$((start * (1000 + $3) / 1000)) ;;
    stop) from=$started at=$((stop * $3 / 1000)) ;;
    esac
    eval "killat $1 $from $at $run" >$work/killed 2>$work/log
    read us outcome <$work/killed
    killall -q -9 sleep
    if [ $1 = all ]; then coreloom-exclusive restore 2>>$work/log || cat $work/log; else becomes all_gone; fi
    nothing_kept || echo "something is left in $kept"
    equal=no
    for try in $(seq 100); do
        is_before && equal=yes && break
        killall -q -9 sleep # the program: it may have begun only now
        sleep 0.02
    done
    # How long stopping takes varies with the host's load: what was too late makes the next come sooner.
    if [ $outcome = ended ]; then whom=none stop=$((stop * 3 / 4)); else whom=$1 hits=$((hits + 1)); fi
    [ $2$outcome = stopkilled ] && stop=$((stop * 11 / 10))
    echo "$2 $us $whom $equal"
    [ $equal = yes ] || { diff -U0 $work/before $work/after | head -40; cat $work/log; before; }
}

moments() {
    crowd
    before
    measure
    hits=0
    while [ $hits -lt $1 ] && read whom phase part; do moment $whom $phase $part; done
}

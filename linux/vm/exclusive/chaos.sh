# SPDX-License-Identifier: Apache-2.0
# Runs scenarios (programs/chaos.c) one after the other and compares the machine with its state before each, for
# coreloom.benches.exclusive.scenario. chaos FILE...: files named by their seeds; "narrow" in the first line: the cgroups
# of the machine list CPUs meanwhile.
# Prints for each "begin SEED", "exit N" of the tools, "problem TEXT", "| LINE" of the difference, "log LINE" and
# "end SEED equal|foreign|differing"; "reboot" when the machine cannot be repaired for the next.
. /check/lib.sh
place=$work/chaos
mkdir -p $place
systemd=$([ -d /run/systemd/system ] && echo yes)
[ -z "$systemd" ] || transient="$transient psimon"
transient="$transient irq/" # a thread of an interrupt follows where the interrupt came last

# The load: threads that may use all CPUs, some with an affinity, some in a cgroup of their own. For those that wake
# the kernel finds another CPU when theirs is offline.
crowd() {
    threads 4 >$work/a &
    taskset -c 3 threads -i 20 2 >$work/b &
    taskset -c 1-2 threads -i 20 2 >$work/c &
    becomes [ -s $work/a -a -s $work/b -a -s $work/c ]
    if [ $systemd ]; then
        group=-
        systemctl start web pinned
    else
        group=$(group_of_others)
        (echo 0 >$group/cgroup.procs; exec threads 2) >$work/d &
        becomes [ -s $work/d ]
    fi
    narrow=
    base
}

base() {
    state $transient >$place/base
    until state $transient >$place/base.again && cmp -s $place/base $place/base.again; do
        mv $place/base.again $place/base
    done
}

narrowed() { # narrow, or nothing
    [ "$1" = "$narrow" ] && return
    narrow=$1
    if [ $systemd ]; then
        if [ $narrow ]; then systemctl start narrow; else systemctl stop narrow; fi
    elif [ $narrow ]; then
        echo +cpuset >$group/../cgroup.subtree_control
        echo 1-3 >$group/cpuset.cpus
    else
        echo >$group/cpuset.cpus
        echo -cpuset >$group/../cgroup.subtree_control
    fi
    base
}

# The lines that differ, without process IDs of the scenario, which differ in every run.
differences() {
    diff -U0 $1 $2 | grep -E '^[-+](task|file|group|mount|there) '
}
named() { sed -E 's/^([-+])task [0-9]+ of [0-9]+, born [0-9]+, (prey|hostile)/\1task \2/'; }
without() { # FILE: the lines of the input that are not in it
    if [ -s $1 ]; then grep -vxF -f $1; else cat; fi
}

# A hostile process that has what it requested last is right, as is any where the tool has said that it may keep only a
# part of that: its two lines go to $place/foreign.
asked() {
    : >$place/foreign
    if grep -q 'may keep only a part of it' $place/log; then
        differences $place/before $place/after | grep -E '^[-+]task .*, hostile: ' >$place/foreign
        return
    fi
    sed -n 's/^asked //p' $place/result | while read pid list; do
        line=$(grep -E "^task 0*$pid of $pid, " $place/before) || continue
        now=$(echo "$line" | sed "s/: cpus [^ ]*, nice/: cpus $list, nice/")
        [ "$line" != "$now" ] && grep -qxF "$now" $place/after && printf -- '-%s\n+%s\n' "$line" "$now"
    done >>$place/foreign
}

# Writes back what differs. Anything that still differs makes the next scenarios worthless.
mend() {
    for try in 1 2 3; do
        is_base && return
        find $journals -type f ! -name lock -exec rm -f {} + 2>/dev/null
        diff -U0 $place/base $place/now | grep '^[-+]' | sort -r >$place/mend
        sed -n 's/^+group //p' $place/mend | while read folder; do # the innermost first
            echo member >$folder/cpuset.cpus.partition
            for task in $(cat $folder/cgroup.procs); do echo $task >${folder%/*}/cgroup.procs; done
            rmdir $folder
        done 2>/dev/null
        sed -n 's/^+there //p' $place/mend | while read path; do [ -d $path ] && rmdir $path; done 2>/dev/null
        sed -n 's/^-file \([^ ]*\) = \(.*\)/\1 \2/p' $place/mend | while read path text; do
            case $path in
            */cgroup.subtree_control)
                for word in $(cat $path); do case " $text " in *" $word "*) ;; *) echo -$word >$path ;; esac; done
                for word in $text; do echo +$word >$path; done
                ;;
            *) echo "$text" >$path ;;
            esac
        done 2>/dev/null
        sed -n 's/^-task 0*\([0-9]*\) of .*: cpus \([^ ]*\), nice.* groups \(.*\), memory .*/\1 \2 \3/p' $place/mend |
            while read task cpus in; do
                in=${in#*0::}
                echo $task >/sys/fs/cgroup${in%%|*}/cgroup.procs
                taskset -pc $cpus $task
            done >/dev/null 2>&1
    done
    is_base
}
is_base() {
    for try in 1 2 3 4 5; do
        state $transient >$place/now
        cmp -s $place/base $place/now && return
        sleep 0.05
    done
    return 1
}

said() {
    sed -n 's/^asked /log asked /p' $place/result
    sed 's/^/log /' $place/log
}

scenario() { # FILE
    seed=${1##*/}
    echo "begin $seed"
    narrowed "$(sed -n '1s/^narrow$/narrow/p' $1)"
    sed "1{/^narrow$/d}; s| GROUP\$| $group|" $1 >$place/steps
    : >$place/log
    : >$place/control
    rm -f $place/ready.*
    chaos tool $place $transient <$place/steps >$place/result 2>>$place/log || echo "problem chaos ended with $?"
    grep -E '^(exit|problem) ' $place/result
    outcome=equal
    if ! grep -qx equal $place/result; then
        asked
        differences $place/before $place/after | without $place/foreign | named >$place/differs
        [ -s $place/foreign ] && outcome=foreign
        if [ -s $place/differs ]; then
            mend || { sed 's/^/| /' $place/differs; said; echo "end $seed differing"; echo reboot; exit; }
            if grep -qE '^(cpu|hostile) ' $place/steps; then
                rm -f $place/ready.*
                chaos plain $place $transient <$place/steps >$place/result.plain 2>>$place/log
                differences $place/before $place/after | named >$place/control
                mend || reboot=yes
            fi
            without $place/control <$place/differs >$place/left
            sed 's/^/| /' $place/left
            [ -s $place/left ] && outcome=differing
        fi
    fi
    grep -q '^problem ' $place/result && outcome=differing
    grep -q '^\(un\)*equal$' $place/result || outcome=differing # it did not come to its end
    [ $outcome = differing ] && said
    [ $outcome = differing ] && { is_base || mend || reboot=yes; }
    echo "end $seed $outcome"
    [ "$reboot" ] && echo reboot && exit
}

chaos_of() { # FILE...
    reboot=
    crowd
    for file; do scenario $file; done
}

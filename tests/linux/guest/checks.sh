# SPDX-License-Identifier: Apache-2.0
# The checks of `coreloom exclusive` in a guest with 4 CPUs: one function each, test_exclusive_vm.py runs them by name.
# $how: options of every run, as "--mechanism affinity".

# --- what it is for ---

alone_under_hogs() {
    hogs
    spawn 2 >/dev/null &
    transient="$transient spawn"
    before
    got=$(coreloom-exclusive run $how --cpu 3 -- alone 8 2>$work/log) || fail "$? $(cat $work/log)"
    same "$got" "others: 
cpus: 3"
    restored
}

alone_on_two_cpus() {
    hogs
    before
    got=$(coreloom-exclusive run $how --cpus 2-3 -- alone c 2>$work/log) || fail "$? $(cat $work/log)"
    same "$got" "others: 
cpus: 2-3"
    restored
}

a_fork_bomb_stays_inside() {
    before
    cat >$work/bomb <<'END'
        [ $1 -gt 0 ] || exec sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status
        sh $0 $(($1 - 1)) & sh $0 $(($1 - 1)) & wait
END
    got=$(coreloom-exclusive run $how --cpu 3 -- sh $work/bomb 5 2>$work/log | sort | uniq -c | tr -s ' ')
    same "$got" " 32 3"
    restored
}

what_asks_for_the_cpu_does_not_get_it() {
    sh -c 'printf asks >/proc/self/comm; while :; do taskset -p 8 $$ >/dev/null 2>&1; done' &
    hog=$!
    until [ "$(cat /proc/$hog/comm)" = asks ]; do :; done
    coreloom-exclusive run $how --cpu 3 -- alone 8 >$work/got 2>$work/log || fail "$? $(cat $work/log)"
    kill -9 $hog
    same "$(cat $work/got)" "others: 
cpus: 3"
}

children_that_stay_are_put_back() {
    before
    coreloom-exclusive run $how --cpu 3 -- sh -c "sleep 1000 & echo \$! >$work/child" 2>$work/log || fail "$(cat $work/log)"
    child=$(cat $work/child)
    runs_on $child 0-3 || fail "what the program left may use CPUs $(cpus_of $child)"
    kill -9 $child
    until gone $child; do :; done
    restored
}

status_output_and_input_are_the_programs() {
    before
    says 7 'out
err' coreloom-exclusive run --quiet $how --cpu 3 -- sh -c 'echo out; echo err >&2; exit 7'
    got=$(echo in | coreloom-exclusive run --quiet $how --cpu 3 -- cat)
    same "$got" in
    coreloom-exclusive run --quiet $how --cpu 3 -- sh -c 'kill -SEGV $$' 2>/dev/null
    same $? 139
    restored
}

# The tool goes before all others for a moment: nobody inherits that.
the_program_is_as_urgent_as_it_was() {
    before
    got=$(coreloom-exclusive run --quiet $how --cpu 3 -- sh -c 'cut -d" " -f19,40,41 /proc/self/stat')
    same "$got" "0 0 0"
    hold waits $how --cpu 3
    becomes urgency_is $tool "0 0 0"
    kill -TERM $tool
    wait $tool
    restored
}
the_program_is_as_urgent_as_it_is_told() {
    before
    for user in "" "--as nobody"; do
        for asked in "--fifo 7=0 7 1" "--nice -5=-5 0 0" "--nice 19=19 0 0"; do
            got=$(coreloom-exclusive run --quiet $how --cpu 3 ${asked%%=*} $user -- \
                sh -c 'cut -d" " -f19,40,41 /proc/self/stat' 2>$work/log)
            same "$? $got" "0 ${asked#*=}"
        done
    done
    restored
}
urgency_is() { [ "$(cut -d' ' -f19,40,41 /proc/$1/stat)" = "$2" ]; }

# --- attach ---

a_process_is_held_and_let_go() {
    sleep 1000 &
    victim=$!
    taskset -p 6 $victim >/dev/null
    before
    coreloom-exclusive attach $how --cpu 3 $victim 2>$work/log &
    tool=$!
    becomes runs_on $victim 3
    kill -TERM $tool
    wait $tool
    restored
    kill -0 $victim || fail "it has ended the process"
}

a_process_that_ends_ends_attach() {
    sleep 1000 &
    victim=$!
    coreloom-exclusive attach $how --cpu 3 $victim 2>$work/log &
    tool=$!
    becomes runs_on $victim 3
    kill -9 $victim
    wait $tool
    becomes nothing_kept
}

one_thread_is_held() {
    threads 8 >$work/threads &
    victim=$!
    until [ -s $work/threads ]; do :; done
    tid=$(ls /proc/$victim/task | tail -1)
    before
    coreloom-exclusive attach $how --cpu 3 $tid 2>$work/log &
    tool=$!
    becomes runs_on $tid 3
    runs_on $victim 3 && fail "the whole process was taken"
    kill -INT $tool
    wait $tool
    restored
}

# --- attach to several ---

three_sleep() { # each with CPUs of its own; their numbers in $a, $b, $c
    sleep 1001 & a=$!
    sleep 1002 & b=$!
    sleep 1003 & c=$!
    taskset -p 6 $b >/dev/null
    becomes all_sleep
}
all_sleep() { [ "$(cat /proc/$a/comm /proc/$b/comm /proc/$c/comm | sort -u)" = sleep ]; }
all_on() { # CPUS PID...
    cpus=$1
    shift
    for pid in "$@"; do runs_on $pid $cpus || return 1; done
}

several_are_held_and_let_go() { # one ends meanwhile, the first of them
    three_sleep
    before
    coreloom-exclusive attach $how --cpu 3 $b $c $a 2>$work/log &
    tool=$!
    becomes all_on 3 $a $b $c
    becomes grep -q "state 4: 3 processes (.*) are alone on CPU 3" $work/log
    becomes coreloom-exclusive verify
    coreloom-exclusive attach --quiet --cpu 2 $c >$work/second 2>&1 && fail "$c was taken twice"
    same "$(cat $work/second)" "coreloom exclusive: error: process $c is already held by reservation $tool"
    kill -TERM $tool
    wait $tool
    same $? 143
    restored
    coreloom-exclusive attach $how --cpu 3 $a $b 2>$work/log.2 &
    tool=$!
    becomes all_on 3 $a $b
    becomes grep -q "state 4" $work/log.2
    kill -9 $a
    wait $a
    sleep 0.5
    kill -0 $tool || fail "it has ended with the first: $(cat $work/log.2)"
    runs_on $b 3 || fail "the second runs on $(cpus_of $b)"
    says 0 "1 reservation: no problems found" coreloom-exclusive verify
    kill -9 $b
    wait $tool
    same $? 0
    becomes nothing_kept
}

several_are_let_go_when_the_tool_is_killed() {
    three_sleep
    before
    coreloom-exclusive attach $how --cpu 3 $a $b $c 2>$work/log &
    tool=$!
    becomes grep -q "state 4" $work/log
    kill -9 $tool
    wait $tool
    becomes nothing_kept
    restored
    coreloom-exclusive attach $how --cpu 3 $a $b $c 2>$work/log.2 &
    tool=$!
    becomes grep -q "state 4" $work/log.2
    kill -9 $tool $(tools)
    wait $tool
    coreloom-exclusive restore >$work/log.2 2>&1 || fail "$(cat $work/log.2)"
    restored
}

a_cgroup_is_held_and_let_go() { # with one in a group below, one that forks, and one that comes into it
    group=$(group_of_others) || return 0
    mkdir $group/inner
    three_sleep
    echo $a >$group/cgroup.procs
    echo $b >$group/inner/cgroup.procs
    before
    coreloom-exclusive attach $how --cpu 3 --cgroup $group 2>$work/log &
    tool=$!
    becomes all_on 3 $a $b
    becomes grep -q "state 4: $group (2 processes) are alone on CPU 3" $work/log
    runs_on $c 3 && fail "one that is not in it was taken"
    says 0 "1 reservation: no problems found" coreloom-exclusive verify
    echo $c >$group/cgroup.procs
    becomes runs_on $c 3
    grep -q "process $c (sleep) joined and is now held" $work/log || fail "$(cat $work/log)"
    becomes coreloom-exclusive verify
    kill -TERM $tool
    wait $tool
    same "$(cat /proc/$a/cgroup)" "$(cat /proc/$c/cgroup)"
    echo $c >$group/../cgroup.procs
    restored
    coreloom-exclusive attach $how --cpu 3 --cgroup $group 2>$work/log.2 &
    tool=$!
    becomes grep -q "state 4" $work/log.2
    kill -9 $a $b
    wait $tool
    same $? 0
    becomes nothing_kept
    becomes rmdir $group/inner
    becomes rmdir $group
}

# --- several at once ---

two_at_once() { # which ends first: a or b
    hogs 2
    before
    hold a $how --cpu 2
    a=$tool a_program=$program
    hold b $how --cpu 3
    b=$tool b_program=$program
    runs_on $a_program 2 || fail "a runs on $(cpus_of $a_program)"
    runs_on $b_program 3 || fail "b runs on $(cpus_of $b_program)"
    if [ $1 = a ]; then first=$a second=$b left=$b_program cpu=3; else first=$b second=$a left=$a_program cpu=2; fi
    kill -TERM $first
    wait $first
    runs_on $left $cpu || fail "the other lost its CPU: $(cpus_of $left)"
    kill -TERM $second
    wait $second
    restored
}
two_at_once_the_first_ends_first() { two_at_once a; }
two_at_once_the_last_ends_first() { two_at_once b; }

# It may go to their two CPUs only: the second sends it away altogether.
an_interrupt_goes_to_2_and_3() { # leaves its folder in $irq, and what it had in $list
    for irq in /proc/irq/[0-9]*; do
        list=$(cat $irq/smp_affinity_list)
        echo 2-3 2>/dev/null >$irq/smp_affinity_list && [ "$(cat $irq/smp_affinity_list)" = 2-3 ] && return
    done
    fail "no interrupt takes 2-3"
}

two_that_had_an_interrupt() {
    an_interrupt_goes_to_2_and_3
    before
    hold a $how --cpu 2
    a=$tool a_program=$program
    hold b $how --cpu 3
    case $(cat $irq/smp_affinity_list) in *2* | *3*) fail "it goes to $(cat $irq/smp_affinity_list)" ;; esac
    kill -TERM $a
    wait $a
    kill -TERM $tool
    wait $tool
    same "$(grep warning $work/a.said $work/b.said)" ""
    restored
    echo $list >$irq/smp_affinity_list
}

a_kernel_thread_keeps_its_pin() { # the kernel itself forgets it, with every partition
    for thread in $(cat /proc/2/task/2/children); do [ $(cat /proc/$thread/comm) = oom_reaper ] && break; done
    list=$(cpus_of $thread)
    taskset -pc 2-3 $thread >/dev/null
    before
    hold a $how --cpu 3
    runs_on $thread 2 || fail "it runs on $(cpus_of $thread)"
    kill -TERM $tool
    wait $tool
    restored
    taskset -pc $list $thread >/dev/null
}

two_that_choose_get_two() {
    before
    coreloom-exclusive run $how -- sleep 1000 2>$work/log.a &
    a=$!
    coreloom-exclusive run $how -- sleep 1000 2>$work/log.b &
    b=$!
    until [ "$(pidof sleep | wc -w)" = 2 ]; do kill -0 $a $b || fail "$(cat $work/log.*)"; sleep 0.02; done
    set -- $(pidof sleep)
    becomes [ "$(cpus_of $1)" != 0-3 -a "$(cpus_of $2)" != 0-3 ]
    [ "$(cpus_of $1)" != "$(cpus_of $2)" ] || fail "both on $(cpus_of $1)"
    kill -TERM $a $b
    wait $a $b
    restored
}

# --- however it ends ---

ends_by() { # SIGNAL STATUS
    before
    hold it $how --cpu 3
    kill -$1 $tool
    wait $tool
    same $? $2
    gone $program || fail "the program lives on"
    restored
}
# SIGINT: ctrl_c_on_a_terminal; what a shell starts with & ignores it, the program too.
ends_by_term() { ends_by TERM 143; }
ends_by_hup() { ends_by HUP 129; }

the_program_is_killed() {
    before
    hold it $how --cpu 3
    kill -9 $program
    wait $tool
    same $? 137
    restored
}

the_tool_is_killed() {
    before
    hold it $how --cpu 3
    kill -9 $tool
    wait $tool
    becomes nothing_kept
    kill -9 $program 2>/dev/null
    until gone $program; do :; done
    restored
}

tool_and_watcher_are_killed() {
    before
    hold it $how --cpu 3
    kill -9 $tool $(tools)
    wait $tool
    kill -9 $program
    until gone $program; do :; done
    nothing_kept && fail "nothing was left to restore"
    coreloom-exclusive restore >$work/log 2>&1 || fail "$(cat $work/log)"
    restored
    says 0 '' coreloom-exclusive run --quiet $how --cpu 3 -- true
    restored
}

the_next_start_restores() {
    before
    hold it $how --cpu 3
    kill -9 $tool $(tools) $program
    wait $tool
    until gone $program; do :; done
    coreloom-exclusive run $how --cpu 2 -- true 2>$work/log || fail "$(cat $work/log)"
    restored
}

ctrl_c_on_a_terminal() {
    before
    terminal ready ^C -- coreloom-exclusive run $how --cpu 3 -- sh -c 'echo ready; exec sleep 1000' >$work/log
    same $? 130
    restored
}

a_cpu_goes_and_comes_while_it_is_held() {
    before
    hold it $how --cpu 3
    echo 0 >/sys/devices/system/cpu/cpu3/online
    echo 1 >/sys/devices/system/cpu/cpu3/online
    kill -TERM $tool
    wait $tool
    restored
}

another_cpu_goes_while_one_is_held() { # and with it the last that an interrupt had
    an_interrupt_goes_to_2_and_3
    before
    hold it $how --cpu 3
    echo 0 >/sys/devices/system/cpu/cpu2/online
    kill -TERM $tool
    wait $tool
    echo 1 >/sys/devices/system/cpu/cpu2/online
    restored
    echo $list >$irq/smp_affinity_list
}

the_limit_gives_the_cpu_back() { # and the program runs on
    before
    coreloom-exclusive run $how --cpu 3 --max 0.3 -- sh -c 'until [ -e /tmp/go ]; do sleep 0.02; done; exit 5' \
        2>$work/log &
    tool=$!
    becomes grep -q "max has expired" $work/log
    becomes nothing_kept
    touch /tmp/go
    wait $tool
    same $? 5
    rm /tmp/go
    restored
}

a_program_that_ignores_signals() { # the first is passed on, the second gives the CPU back
    before
    coreloom-exclusive run $how --cpu 3 -- sh -c "trap '' TERM; touch $work/on; sleep 1000" 2>$work/log &
    tool=$!
    becomes [ -e $work/on ]
    kill -TERM $tool
    sleep 0.2
    kill -0 $tool || fail "it did not wait for the program"
    kill -TERM $tool
    wait $tool
    same $? 143
    nothing_kept || fail "the CPU is held still"
    killall -9 sleep
    restored
}

# --- several mechanisms, several deaths ---

two_mechanisms_end_in_any_order() {
    for order in "a b" "b a"; do
        sleep 1000 &
        victim=$!
        becomes grep -q sleep /proc/$victim/comm
        before
        hold first --mechanism isolated --cpu 1
        a=$tool
        : >$work/second # what the first order wrote does not count
        coreloom-exclusive attach --mechanism affinity --cpu 2 --max 1000 $victim 2>>$work/second &
        b=$!
        becomes grep -q "state 4" $work/second
        says 0 "2 reservations: no problems found" coreloom-exclusive verify
        same "$(cpus_of 1)" 0,3
        for name in $order; do
            eval "kill -TERM \$$name; wait \$$name"
        done
        restored
        kill -9 $victim
    done
}

two_of_whom_all_is_removed() { # the folder, with its lock, and both end at once
    before
    hold first --mechanism affinity --cpu 1
    a=$tool
    hold second --mechanism isolated --cpu 2
    rm -r $kept
    kill -TERM $a $tool
    wait $a $tool
    restored
}

a_removed_reservation_counts() { # for who comes meanwhile
    before
    hold first --mechanism affinity --cpu 1
    kill -STOP $tool
    rm -r $kept
    coreloom-exclusive run --quiet --cpu 1 -- true 2>$work/log && fail "CPU 1 was held twice"
    grep -q "CPU 1 is held by pid $tool" $work/log || fail "$(cat $work/log)"
    coreloom-exclusive run --quiet --mechanism isolated --cpu 2 -- true || fail "CPU 2 was not to be had"
    kill -CONT $tool
    kill -TERM $tool
    wait $tool
    restored
}

a_partition_hid_what_was_asked() { # a process that asked for two CPUs, one of them in the partition
    sleep 1000 &
    victim=$!
    taskset -p c $victim >/dev/null
    before
    hold other --mechanism isolated --cpu 3
    partition=$tool
    coreloom-exclusive attach --mechanism affinity --cpu 2 $victim 2>$work/log &
    tool=$!
    becomes grep -q "state 4" $work/log
    kill -TERM $partition
    wait $partition
    same "$(cpus_of $victim)" 2
    kill -TERM $tool
    wait $tool
    restored
    kill -9 $victim
}

two_killed_with_their_watchers() {
    before
    hold a --mechanism affinity --cpu 1
    first=$tool programs=$program
    hold b --mechanism isolated --cpu 2
    kill -9 $(tools) $programs $program
    wait $first $tool
    coreloom-exclusive restore >$work/log 2>&1 || fail "$? $(cat $work/log)"
    grep -q "2 reservations undone" $work/log || fail "$(cat $work/log)"
    grep "kept" $work/log && fail "a value of ours was taken for another's"
    restored
}

threads_of_a_process_keep_what_they_had() { # one asked for CPUs, the others did not
    threads 4 >$work/threads &
    victim=$!
    becomes [ -s $work/threads ]
    tid=$(ls /proc/$victim/task | tail -1)
    taskset -p 3 $tid >/dev/null
    before
    coreloom-exclusive attach --mechanism root --cpu 3 --max 0.3 $victim 2>$work/log
    same "$? $(grep -c warning $work/log)" "0 0"
    restored
}

# --- what others do to it ---

a_name_is_no_watcher() { # anybody may call himself so
    sh -c 'printf coreloom-watch >/proc/self/comm; while :; do sleep 1000; done' &
    becomes grep -q coreloom-watch /proc/$!/comm
    says 0 "nothing is held, nothing is left over" coreloom-exclusive verify
    hold it $how --cpu 3
    says 0 "1 reservation: no problems found" coreloom-exclusive verify
    kill -TERM $tool
    wait $tool
    becomes nothing_kept
}

what_is_kept_is_removed() { # while it is held
    before
    hold it $how --cpu 3
    becomes [ -e $kept/baseline ]
    rm -f $kept/*
    becomes [ -e $kept/$tool.layer ]
    becomes [ -e $kept/baseline ]
    grep -q "was removed while CPUs are held: writing it again" $work/it.said || fail "$(cat $work/it.said)"
    rm -f $kept/*
    kill -TERM $tool
    wait $tool
    restored
}

a_stopped_tool_gives_back_in_time() {
    before
    hold it $how --cpu 3 --max 1
    kill -STOP $tool
    becomes nothing_kept
    becomes runs_on $program 0-3
    kill -9 $program
    kill -CONT $tool
    wait $tool
    same $? 137
    restored
}

who_asks_again_and_again() { # what is kept does not grow without end, and has his last word
    for number in 1 2 3 4 5 6; do
        sh -c 'printf asks >/proc/self/comm; while :; do taskset -p 8 $$; taskset -p f $$; done' >/dev/null 2>&1 &
        asking="$asking $!"
    done
    hold it $how --mechanism affinity --cpu 3
    sleep 4
    lines=$(wc -l <$kept/baseline) others=$(cut -f1,2 $kept/baseline | sort -u | wc -l)
    [ $lines -le $((others + 400)) ] || fail "$lines lines, of $others"
    kill -9 $asking
    kill -TERM $tool
    wait $tool
    becomes nothing_kept
}

a_signal_ends_what_waits() { # for the lock of another
    before
    coreloom-exclusive run $how --sample 60 --cpu 2 -- true 2>/dev/null &
    first=$!
    becomes grep -qx $first $kept/lock
    coreloom-exclusive run $how --cpu 3 -- sh -c 'echo no' >$work/out 2>$work/log &
    tool=$!
    becomes grep -q "waiting for .*, which is setting up or releasing a reservation" $work/log
    kill -TERM $tool
    wait $tool
    same "$? $(cat $work/out)" "143 "
    kill -INT $first # in the middle of its look
    wait $first
    same $? 130
    restored
}

a_signal_ends_it_in_every_state() { # also right behind a line of the log: in what comes next
    before
    for state in 0 1 2 3 4; do
        coreloom-exclusive run $how --cpu 3 -- sleep 1000 2>$work/log &
        tool=$!
        becomes grep -q "state $state" $work/log
        kill -TERM $tool
        wait $tool
        same "$?" 143
        grep -E 'warning|error' $work/log && fail "state $state"
        restored
        nothing_kept || fail "something is left in $kept after state $state"
    done
}

waits_for_a_held_cpu() {
    before
    hold it $how --cpu 3
    coreloom-exclusive run $how --wait 60 --cpu 3 -- echo done >$work/out 2>$work/log &
    second=$!
    becomes grep -q "waiting for up to 60 s: CPU 3 is held by pid $tool" $work/log
    kill -TERM $tool
    wait $tool
    wait $second
    same "$? $(cat $work/out)" "0 done"
    restored
}

what_others_have_changed_is_repaired_if_asked() {
    before
    hold it $how --cpu 3
    mask=/proc/irq/default_smp_affinity
    is=$(cat $mask)
    echo 1 >$mask
    coreloom-exclusive verify >$work/log || fail "$(cat $work/log)"
    grep -q "^$mask is \"1\", but \"$is\" was written: changed by others, kept" $work/log || fail "$(cat $work/log)"
    coreloom-exclusive restore --repair >$work/log 2>&1 || fail "$(cat $work/log)"
    same "$(cat $mask)" $is
    kill -TERM $tool
    wait $tool
    restored
}

# --- options ---

as_a_user() {
    before
    got=$(coreloom-exclusive run --quiet $how --cpu 3 --as nobody -- sh -c 'id -u; id -g; id -G; echo $HOME $USER $LOGNAME' \
        2>$work/log) || fail "$? $(cat $work/log)"
    same "$got" "65534
65534
65534
/tmp nobody nobody"
    got=$(env -i PATH="$PATH" TERM=dumb LC_TIME=C TZ=UTC0 SECRET=1 LD_LIBRARY_PATH=/root \
        coreloom-exclusive run --quiet $how --cpu 3 --as nobody -- env 2>$work/log | sort)
    same "$got" "HOME=/tmp
LC_TIME=C
LOGNAME=nobody
PATH=/usr/local/bin:/usr/bin:/bin
SHELL=/bin/sh
TERM=dumb
TZ=UTC0
USER=nobody"
    got=$(coreloom-exclusive run --quiet $how --cpu 3 --as nobody -- ls -l /proc/self/fd 7</etc/passwd 2>$work/log)
    case $got in *passwd*) fail "it has a file of root's open: $got" ;; esac
    got=$(coreloom-exclusive run --quiet $how --cpu 3 -- cat /proc/self/fd/7 7</etc/passwd 2>$work/log)
    same "$got" "$(cat /etc/passwd)"
    restored
}

as_a_user_on_a_terminal() { # which the program keeps when the CPUs are released
    before
    terminal -- coreloom-exclusive run $how --cpu 3 --max 300ms --as nobody -- sh -c 'sleep 1; echo after; exit 4' >$work/log
    same $? 4
    got=$(tr -d '\r' <$work/log | grep -o '^after$\|state 0: CPU 3 released\|^CPU 3 .* held$\|^mode .*\|^typed .*')
    same "$(echo "$got" | tr -s ' ')" "state 0: CPU 3 released
CPU 3 before held
after
mode as before
typed 0"
    grep -qv "$(printf '\r')\$" $work/log && fail "a line without a carriage return: $(cat $work/log)"
    restored
}

signals_are_as_they_were() {
    before
    for user in "" "--as nobody"; do
        for ignored in "" "USR1 PIPE" "INT QUIT TERM HUP CHLD"; do
            expected=$(trap '' $ignored; grep '^Sig[BIC]' /proc/self/status)
            got=$(trap '' $ignored
                coreloom-exclusive run --quiet --report $work/proof $how --cpu 3 $user -- grep '^Sig[BIC]' /proc/self/status)
            same "$got" "$expected"
        done
    done
    restored
}

reports_go_where_they_may() {
    before
    echo 0 >/proc/sys/fs/protected_symlinks
    mkdir -m 1777 $work/open
    chmod 755 $work
    echo precious >$work/precious
    su nobody -c "ln -s $work/precious $work/open/report"
    for option in "--report $work/open/report" "--log $work/open/report"; do
        says 1 "coreloom exclusive: error: $option cannot be written: a symbolic link in the path belongs to another user,\
 or there are too many" coreloom-exclusive run --quiet $how --cpu 3 $option -- true
    done
    same "$(cat $work/precious)" precious
    coreloom-exclusive run --quiet $how --cpu 3 --report /dev/null -- true || fail "--report /dev/null: $?"
    [ -c /dev/null ] || fail "/dev/null is no device any more"
    coreloom-exclusive run --quiet $how --cpu 3 --json --report /proc/self/fd/1 -- true | grep -q '"cpus": "3"' \
        || fail "the report did not go to the output"
    (umask 027; coreloom-exclusive run --quiet $how --cpu 3 --report $work/open/new -- true) || fail "a new report: $?"
    same "$(stat -c '%a %U' $work/open/new)" "640 root"
    restored
}

cpus_by_their_count() {
    before
    got=$(coreloom-exclusive run --quiet --report $work/proof $how --count 2 -- \
        sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status 2>$work/log) || fail "$? $(cat $work/log)"
    case $got in 1-2 | 2-3 | 1,3) ;; *) fail "it may use CPUs $got" ;; esac
    grep -q "^CPU $got " $work/proof || fail "$(cat $work/proof)"
    restored
}

a_log_is_kept() {
    before
    coreloom-exclusive run --quiet --report $work/proof $how --cpu 3 --log $work/kept -- true || fail "$? $(cat $work/kept)"
    same "$(grep -vE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z ' $work/kept)" ""
    same "$(sed -n 's/^[^ ]* state \([0-4]\): .*/\1/p' $work/kept | uniq | tr '\n' ' ')" "0 1 2 3 4 0 "
    says 0 "" coreloom-exclusive restore --quiet --log $work/kept
    same "$(sed -n '$s/^[^ ]* //p' $work/kept)" "nothing to undo"
    restored
}

what_is_held_is_taken_back_by_all() {
    before
    hold a $how --cpu 2
    a=$tool a_program=$program
    hold b $how --cpu 3
    says 0 "coreloom exclusive: nothing to undo" coreloom-exclusive restore
    coreloom-exclusive restore --all >$work/log 2>&1 || fail "$? $(cat $work/log)"
    grep -q "2 reservations undone: .* as before$" $work/log || fail "$(cat $work/log)"
    nothing_kept || fail "something is left in $kept"
    becomes runs_on $a_program 0-3
    becomes runs_on $program 0-3
    becomes grep -q "released by somebody else: the program keeps running" $work/a.said
    becomes grep -q "released by somebody else: the program keeps running" $work/b.said
    kill -9 $a_program $program
    wait $a
    same $? 137
    wait $tool
    same $? 137
    restored
}

who_ran_there_by_a_trace() {
    before
    coreloom-exclusive run --quiet $how --cpu 3 --trace --json --report $work/proof -- true 2>$work/log || fail "$(cat $work/log)"
    same "$(cat $work/log)" ""
    grep -q '"stray_source": "sched_switch"' $work/proof || fail "$(cat $work/proof)"
    same "$(ls /sys/kernel/tracing/instances)" ""
    restored
}

shown_live() {
    before
    hold it --watch=0.1 $how --cpu 3
    becomes shown_twice "^CPU 3  *before  *held$" $work/it.said
    coreloom-exclusive status --watch=0.1 >$work/status &
    watch=$!
    becomes shown_twice "^$tool  *3 " $work/status
    kill $watch
    kill -TERM $tool
    wait $tool
    restored
}
shown_twice() { [ "$(grep -c "$1" $2)" -ge 2 ]; }

# --- what it refuses, each with one line, and nothing is changed ---

refuses() { # TEXT OPTIONS...
    text=$1
    shift
    says 1 "coreloom exclusive: error: $text" coreloom-exclusive "$@"
}
refusals() {
    before
    refuses "CPU 0 runs system work that cannot be moved: choose another, or add --force" run --quiet --cpu 0 -- true
    refuses "CPU 9 does not exist or is offline: online CPUs are 0-3" run --quiet --cpu 9 -- true
    refuses "holding CPU 0-3 leaves none for others: leave at least one" run --quiet --force --cpus 0-3 -- true
    refuses "there is no process or thread 99999" attach --quiet 99999
    refuses "2 (kthreadd) is a kernel thread" attach --quiet 2
    refuses "there is no mechanism magic: choose one of isolated, root, affinity" run --quiet --mechanism magic -- true
    for old in cpuset cpuset-v1; do
        refuses "the mechanism $old no longer exists: isolated and root replace it, affinity where there is no cgroup v2" \
            run --quiet --mechanism $old -- true
    done
    refuses "--as nobody-else: there is no such user in /etc/passwd, and LDAP and SSSD are not asked: check the name, \
or give UID:GID, as \`id\` prints them" run --quiet --as nobody-else -- true
    says 127 "coreloom exclusive: error: there is no command no-such-thing in PATH" coreloom-exclusive run --quiet -- no-such-thing
    says 126 "coreloom exclusive: error: /etc/passwd is not executable" coreloom-exclusive run --quiet -- /etc/passwd
    restored
}

refuses_without_root() {
    before
    says 1 "coreloom exclusive: error: run needs root; \`plan\`, \`status\` and \`verify\` do not" \
        su nobody -c "coreloom-exclusive run --cpu 3 -- true"
    says 1 "coreloom exclusive: error: attach needs root; \`plan\`, \`status\` and \`verify\` do not" \
        su nobody -c "coreloom-exclusive attach --cpu 3 1"
    says 1 "coreloom exclusive: error: restore needs root: try sudo" su nobody -c "coreloom-exclusive restore"
    su nobody -c "coreloom-exclusive status" >$work/log 2>&1 || fail "status: $(cat $work/log)"
    su nobody -c "coreloom-exclusive verify" >$work/log 2>&1 || fail "verify: $(cat $work/log)"
    restored
}

cpu_0_by_force() {
    before
    got=$(coreloom-exclusive run $how --force --cpu 0 -- alone 1 2>$work/log) || fail "$(cat $work/log)"
    same "$got" "others: 
cpus: 0"
    restored
}

one_inside_another() {
    before
    coreloom-exclusive run --quiet $how --cpu 3 -- coreloom-exclusive run --quiet --cpu 2 -- true >$work/log 2>&1
    same "$? $(sed 's/pid [0-9]*/pid N/' $work/log)" "1 coreloom exclusive: error: started on CPU 3, which pid N holds:\
 reservations cannot be nested"
    restored
}

the_same_cpu_twice() {
    before
    coreloom-exclusive run $how --cpu 3 -- sh -c 'exec sleep 1000' 2>$work/said &
    tool=$!
    becomes grep -q "state 4" $work/said
    program=$(sed -n 's/.*state 4.*pid //p' $work/said)
    coreloom-exclusive run --quiet $how --cpu 3 -- true >$work/log 2>&1
    same "$? $(cat $work/log)" "1 coreloom exclusive: error: CPU 3 is held by pid $tool (sh -c exec sleep 1000): choose another"
    coreloom-exclusive attach --quiet $how --cpu 2 $program >$work/log 2>&1
    same "$? $(cat $work/log)" "1 coreloom exclusive: error: process $program is already held by reservation $tool"
    kill -TERM $tool
    wait $tool
    restored
}

# --- a plan ---

a_plan_writes_nothing() {
    before
    trace=/sys/kernel/tracing/instances/plan
    mkdir $trace
    echo 1 >$trace/options/event-fork
    for call in write pwrite64 writev openat open creat mkdir mkdirat rmdir rename renameat renameat2 unlink unlinkat \
        ftruncate truncate chmod fchmodat chown kill tkill tgkill pidfd_send_signal sched_setaffinity sched_setscheduler \
        sched_setattr setpriority ioprio_set mount umount2 clone clone3 fork vfork execve connect prctl; do
        event=$trace/events/syscalls/sys_enter_$call
        [ -e $event ] || continue
        # write to what is not the output; open for more than reading
        case $call in write* | pwrite*) echo 'fd > 2' >$event/filter ;; open*) echo 'flags & 0x443' >$event/filter ;; esac
        echo 1 >$event/enable
    done
    sh -c "echo \$\$ >$trace/set_event_pid; exec coreloom-exclusive plan $how --cpu 3 -- true" >$work/plan 2>$work/log ||
        fail "$(cat $work/log)"
    grep -v '^#' $trace/trace | sed 's/^.*[0-9]: //' >$work/calls
    rmdir $trace
    same "$(sed -n '/usr.bin.coreloom-exclusive/,$p' $work/calls | tail -n +2)" "" # since its start
    restored
}

# What a plan prints is what a run then does, but for the numbers of processes: what is everybody's is in the baseline as
# written by us, what is its own is there.
a_plan_is_what_is_done() {
    sleep 1000 &
    coreloom-exclusive plan $how --cpu 3 -- sleep 1000 >$work/plan || fail "$? $(cat $work/plan)"
    hold it $how --cpu 3
    cp $kept/baseline $work/baseline
    for folder in $(sed -n 's/^create //p' $work/plan | sed "s/coreloom-[0-9][0-9]*/coreloom-$tool/"); do
        [ -d $folder ] || fail "$folder is not there"
    done
    kill -TERM $tool
    wait $tool
    same "$(sed -n 's/^write \([^ ]*\) .*/\1/p' $work/plan | grep -v '/coreloom-' | sort)" \
        "$(awk -F '\t' '$5 == "ours" && $1 != "task" { print $2 }' $work/baseline | sort -u)"
}

# --- status and verify ---

status_and_proof() { # prints them; test_exclusive_vm.py reads the JSON and the text for Prometheus
    same "$(coreloom-exclusive status)" "no CPU is held"
    same "$(coreloom-exclusive verify)" "nothing is held, nothing is left over"
    hold it $how --cpu 3
    coreloom-exclusive status >$work/status || fail "$(cat $work/status)"
    grep -q "^$tool  *3 " $work/status || fail "$(cat $work/status)"
    same "$(coreloom-exclusive verify)" "1 reservation: no problems found"
    coreloom-exclusive status --json || fail "no JSON"
    echo ---
    coreloom-exclusive status --prometheus || fail "no text for Prometheus"
    echo ---
    kill -TERM $tool
    wait $tool
    coreloom-exclusive run --quiet $how --cpu 3 --json --report $work/proof -- true || fail "no proof"
    cat $work/proof
    same "$(coreloom-exclusive status)" "no CPU is held"
    same "$(coreloom-exclusive verify)" "nothing is held, nothing is left over"
}

# --- what is in the way ---

nothing_can_be_written_down() {
    coreloom-exclusive restore 2>/dev/null
    mount -t tmpfs -o ro kept $kept || fail "mount"
    before
    coreloom-exclusive run --quiet $how --cpu 3 -- true >$work/log 2>&1
    same "$? $(cat $work/log)" "1 coreloom exclusive: error: $kept cannot be used: Read-only file system"
    restored
    umount $kept
}

what_is_kept_cannot_grow() { # one page: full in the middle of clearing, wherever that writes down much
    coreloom-exclusive restore 2>/dev/null
    threads 200 >$work/threads &
    becomes [ -s $work/threads ]
    mount -t tmpfs -o size=4k kept $kept || fail "mount"
    before
    coreloom-exclusive run --quiet $how --cpu 3 -- true >$work/log 2>&1
    status=$?
    restored
    umount $kept
    [ $status = 0 ] || grep -q "No space left on device" $work/log || fail "$status $(cat $work/log)"
}

a_damaged_layer() { # all is taken back, and the file is kept
    before
    hold it $how --cpu 3
    kill -9 $tool $(tools)
    wait $tool
    kill -9 $program
    becomes gone $program
    sed -i '3i not	a line' $kept/$tool.layer
    coreloom-exclusive restore >$work/log 2>&1
    same $? 1
    [ -e $kept/$tool.layer.damaged ] || fail "$(ls $kept)"
    rm $kept/$tool.layer.damaged
    restored
}

words_with_tabs_and_newlines() {
    before
    got=$(coreloom-exclusive run --quiet $how --cpu 3 -- printf '%s' "a	b
c\\")
    same "$got" "a	b
c\\"
    restored
}

groups_of_others() { # with CPUs of their own, one in another, one of threads
    group=$(group_of_others) || return 0
    before_all=$(cat $group/../cgroup.subtree_control)
    mkdir $group/inner
    for folder in $group $group/inner; do
        echo +cpuset >$folder/../cgroup.subtree_control
        echo 0 >$folder/cpuset.mems
        echo 1-3 >$folder/cpuset.cpus
    done
    sh -c "echo 0 >$group/inner/cgroup.procs; exec hog -p 1" >/dev/null &
    sh -c "echo 0 >$group/inner/cgroup.procs; exec taskset -c 3 hog -p 1" >/dev/null &
    all_hogs=4
    becomes hogs_are_there
    before
    got=$(coreloom-exclusive run $how --cpu 3 -- alone 8 2>$work/log) || fail "$? $(cat $work/log)"
    same "$got" "others: 
cpus: 3"
    restored
    killall -9 hog
    becomes rmdir $group/inner
    rmdir $group
    [ "$before_all" ] || echo -cpuset >/sys/fs/cgroup/cgroup.subtree_control
}

a_group_that_has_only_the_cpu() {
    group=$(group_of_others) || return 0
    echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
    echo 3 >$group/cpuset.cpus
    sh -c "echo 0 >$group/cgroup.procs; exec hog -p 1" >/dev/null &
    all_hogs=2
    becomes hogs_are_there
    before
    got=$(coreloom-exclusive run $how --cpu 3 -- alone 8 2>$work/log)
    status=$?
    restored
    killall -9 hog
    becomes rmdir $group
    echo -cpuset >/sys/fs/cgroup/cgroup.subtree_control
    case $status in
    0) same "$got" "others: 
cpus: 3" ;;
    1) grep "error" $work/log ;;
    *) fail "$status $(cat $work/log)" ;;
    esac
}

# --- other machines: two threads a core; one CPU ---

a_sibling_stays_idle() {
    hogs
    before
    got=$(coreloom-exclusive run $how --cpu 3 -- alone c 2>$work/log) || fail "$? $(cat $work/log)"
    same "$got" "others: 
cpus: 3"
    restored
}

a_sibling_is_shared() {
    hogs
    before
    got=$(coreloom-exclusive run $how --smt share --cpu 3 -- sh -c 'coreloom-exclusive status --json >/tmp/json; alone 8' \
        2>$work/log) || fail "$? $(cat $work/log)"
    same "$got $(sed -n 's/.*"cpus": "\([^"]*\)", "used": "\([^"]*\)".*/\1 \2/p' /tmp/json)" "others: 
cpus: 3 3 3"
    restored
}

a_sibling_that_is_cpu_0() {
    before
    refuses "CPU 0 would have to stay idle as a sibling, but runs system work that cannot be moved: choose another,\
 allow sharing with --smt share, or add --force" run --quiet $how --cpu 1 -- true
    restored
}

one_cpu_is_not_given_away() {
    before
    refuses "only one CPU is online: at least two are needed" run --quiet -- true
    refuses "only one CPU is online: at least two are needed" run --quiet --force --cpu 0 -- true
    restored
}

# SPDX-License-Identifier: Apache-2.0
# What may happen to scx_dwrr and its loader: each check prints what came of it. After each the kernel's own
# scheduler goes on, whatever had to be alive is, and `kernel_said` is all that the kernel has to say.
scx=/sys/kernel/sched_ext

loads() { # [OPTION...]: until the kernel has it, or the loader has ended
  scx_dwrr "$@" >/tmp/out 2>/tmp/err & loader=$!
  until [ "$(cat $scx/state)" = enabled ]; do
    kill -0 $loader 2>/dev/null || return 1
    sleep 0.05
  done
}

state_becomes() { # STATE: in a minute at most; prints the state
  for _ in $(seq 1200); do
    [ "$(cat $scx/state)" = "$1" ] && break
    sleep 0.05
  done
  echo "state: $(cat $scx/state)"
}

ends() { # SIGNAL
  kill "-$1" $loader
  wait $loader
  echo "status: $?"
  cat /tmp/err
  echo "state: $(cat $scx/state)"
}

works() { # COUNT: hogs, until `worked`
  hog -p "$1" >/tmp/hogs & hogs=$!
  hogs_count=$1
  until [ "$(wc -w <"/proc/$hogs/task/$hogs/children")" = "$1" ]; do sleep 0.05; done
}

used_of_cpu3() { awk '/^cpu3/ { print $2 }' /proc/stat; }
time_of() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

each_advances() { # all are there, and each gets CPU time
  children=$(cat /proc/$hogs/task/$hogs/children)
  before=$(for child in $children; do time_of "$child"; done | tr '\n' ' ')
  for _ in $(seq 600); do
    still=0
    set -- $before
    for child in $children; do
      [ "$(time_of "$child")" -gt "$1" ] || still=$((still + 1))
      shift
    done
    [ $still = 0 ] && break
    sleep 0.1
  done
  echo "hogs: $(echo $children | wc -w) of $hogs_count, $still of them starve"
}

worked() { # until now, and they end as they should
  each_advances
  kill $hogs
  wait $hogs
  echo "hogs ended: $?"
}

# But for timers, which come late or are chosen late on a slow machine; and 6.18 says at most ten times that a CPU idles
# before RCU's work.
kernel_said() {
  dmesg -c | sed -e 's/^\[[^]]*\] //' -e 's/^process [0-9]* /process N /' |
    grep -v -e '^hrtimer: interrupt took' -e '^tsc: ' -e '^clocksource: ' \
      -e '^NOHZ tick-stop error: local softirq work is pending, handler #200!!!'
}

ends_by_request() {
  for signal in INT TERM; do
    loads
    works 6
    worked
    ends $signal
  done
}

one_at_a_time() {
  loads
  scx_dwrr
  echo "second: $?"
  echo "state: $(cat $scx/state)"
  ends INT
}

needs_root() {
  su nobody -s /bin/sh -c 'scx_dwrr; echo "status: $?"; scx_dwrr --monitor 1; echo "status: $?"'
}

counts() {
  : >/tmp/rows
  loads --stats 1
  works 6
  scx_dwrr --monitor 0.2 >/tmp/rows & monitor=$!
  until [ "$(grep -c . /tmp/rows)" -ge 4 ] && [ "$(grep -c . /tmp/out)" -ge 4 ]; do sleep 0.1; done
  worked
  ends INT
  wait $monitor
  echo "monitor: $?"
  grep -c picked /tmp/rows
  grep -c picked /tmp/out
  tail -n 3 /tmp/out | head -n 1
  ls -A "/var/run/scx/root"
}

killed() {
  loads
  works 6
  kill -9 $loader
  wait $loader 2>/dev/null
  state_becomes disabled
  loads
  worked
  ends INT
}

stopped() {
  loads
  works 6
  kill -STOP $loader
  sleep 2
  worked
  echo "state: $(cat $scx/state)"
  kill -CONT $loader
  ends INT
}

switched_off() {
  loads
  works 6
  echo S >/proc/sysrq-trigger
  wait $loader
  echo "status: $?"
  cat /tmp/err
  state_becomes disabled
  worked
}

realtime_hog() { # SECONDS: it keeps a CPU, wherever it likes
  loads
  works 4
  start -f 10 hog -p 1 >/dev/null & realtime=$!
  sleep 1
  set -- "$1" $(for child in $(cat /proc/$hogs/task/$hogs/children); do time_of "$child"; done)
  sleep "$1"
  for child in $(cat /proc/$hogs/task/$hogs/children); do
    shift
    echo $(($(time_of "$child") - $1))
  done | sort -n | awk '
    NR == 1 { least = $1 }
    { sum += $1 }
    END { print "four share three CPUs: " (least >= 0.9 * sum / NR ? "evenly" : least " of " sum) }'
  kill $realtime
  wait $realtime
  worked
  ends INT
}

cpus_go_and_come() { # TIMES: with a hog that may run nowhere else
  loads
  works 6
  seq=$(cat $scx/enable_seq)
  for _ in $(seq "$1"); do
    set -- $(cat /proc/$hogs/task/$hogs/children)
    taskset -p 8 "$1" >/dev/null
    sleep 0.1
    echo 0 >/sys/devices/system/cpu/cpu3/online
    each_advances
    echo 1 >/sys/devices/system/cpu/cpu3/online
    used=$(used_of_cpu3)
    until [ "$(used_of_cpu3)" -gt "$used" ]; do sleep 0.05; done
  done
  worked
  echo "loaded anew: $(($(cat $scx/enable_seq) - seq))"
  ends INT
}

long_rounds() { # 16 s each, were B not made smaller
  loads --slice-us 1000000
  works 64
  worked
  ends INT
}

storm() { # SECONDS
  loads
  stress-ng --timeout "$1" --aggressive --cpu 4 --affinity 4 --fork 2 --switch 2 --futex 2 --yield 2 --pthread 2 \
    --pthread-max 16 --timer 1 --sched-runtime 100000 --pipe 2 --metrics-brief >/tmp/storm 2>&1
  echo "stress-ng: $?"
  grep -o 'successful run completed' /tmp/storm || cat /tmp/storm
  ends INT
}

newcomers() { # SECONDS: as many as there may be, each of which lives for some ms
  loads
  spawn -w 5 -t "$1" 500 | tr -dc 'a-z:0-9' | sed 's/spawned:[0-9]*/spawned:many/'
  echo
  ends INT
}

fork_bomb() { # SECONDS: each process starts others as fast as it can, 1000 at most
  loads
  works 6
  bomb=/sys/fs/cgroup/bomb
  echo +pids >/sys/fs/cgroup/cgroup.subtree_control
  mkdir $bomb
  echo 1000 >$bomb/pids.max
  sh -c "echo 0 >$bomb/cgroup.procs; bomb() { while :; do bomb & done; }; bomb" 2>/dev/null &
  until ! grep -q '^max 0$' $bomb/pids.events; do sleep 0.1; done
  sleep "$1"
  each_advances
  [ "$(cat $bomb/pids.current)" -gt 0 ] && echo 1 >$bomb/cgroup.kill
  until rmdir $bomb 2>/dev/null; do sleep 0.1; done
  worked
  ends INT
}

rcu_readers() { # SECONDS: light threads that RCU waits for; at 3 s it says so, which would end the scheduler
  limit=/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
  usual=$(cat $limit)
  echo 3 >$limit
  threads -p 10 2000 >/tmp/threads & many=$!
  until grep -q 2000 /tmp/threads; do sleep 0.2; done
  loads
  start -n 19 readers 40 >/dev/null & readers=$!
  works 64
  sleep "$1"
  worked
  ends INT
  kill $readers $many
  wait $readers $many
  echo "$usual" >$limit
}

many_threads() {
  loads
  : >/tmp/threads
  threads -p 10 -i 2000 10000 >/tmp/threads & many=$!
  until grep -q 10000 /tmp/threads; do sleep 0.2; done
  works 6
  sleep 10
  worked
  there=0
  for child in $many $(cat /proc/$many/task/$many/children); do
    there=$((there + $(ls "/proc/$child/task" | wc -l)))
  done
  echo "threads: $there"
  ends INT
  kill $many
  wait $many
}

# SPDX-License-Identifier: Apache-2.0
# What scx_dwrr gives cgroups: each check prints a line of JSON with what they have got, by which test_scx_dwrr_groups.py
# judges. Behind dwrr.sh.
top=/sys/fs/cgroup
started=

groups() { # NAME...: cgroups with the cpu controller, a parent first
  echo "+cpu +pids" >$top/cgroup.subtree_control
  for name in "$@"; do
    mkdir $top/"$name"
    case $name in
    */*) ;;
    *) case " $* " in *" $name/"*) echo "+cpu" >$top/"$name"/cgroup.subtree_control ;; esac ;;
    esac
  done
  made="$*"
}

within() { # NAME COMMAND...
  sh -c 'echo 0 >$0/cgroup.procs; exec "$@"' $top/"$@" >/dev/null 2>&1 &
  started="$started $!"
}

hogs_in() { # NAME COUNT: until they are all there
  within "$1" hog -p "$2"
  until [ "$(wc -l <$top/"$1"/cgroup.procs)" -gt "$2" ]; do sleep 0.1; done
}

loads_beside() { # NAME... -- [OPTION...]: while what is in these stands still, which else takes minutes
  beside=
  while [ "$1" != -- ]; do
    beside="$beside $1"
    echo 1 >$top/"$1"/cgroup.freeze
    shift
  done
  shift
  loads "$@"
  for name in $beside; do echo 0 >$top/"$name"/cgroup.freeze; done
}

gone() { # NAME...: with all that is in them, the last first
  for name in "$@"; do set -- "$name" "$@"; done
  count=$(($# / 2))
  for name in "$@"; do
    [ $count = 0 ] && break
    count=$((count - 1))
    [ -d $top/"$name" ] || continue
    echo 1 >$top/"$name"/cgroup.kill
    until rmdir $top/"$name" 2>/dev/null; do sleep 0.1; done
  done
  for process in $started; do wait "$process" 2>/dev/null; done
  started=
}

# The time, then what each has used, by one process: a second one might wait a whole round of 300 threads between.
now_and_used_us() { # NAME...
  for name in "$@"; do set -- "$@" $top/"$name"/cpu.stat && shift; done
  awk 'FILENAME == "/proc/uptime" { printf "%.0f", $1 * 1e6 } /^usage_usec/ { printf " %s", $2 }' /proc/uptime "$@"
}

measures() { # LABEL SECONDS NAME...: the CPU time that each gets in that time, in CPUs
  label=$1 seconds=$2
  shift 2
  before=$(now_and_used_us "$@")
  sleep "$seconds"
  after=$(now_and_used_us "$@")
  echo $before $after | awk -v names="$*" -v label="$label" '{
    n = split(names, name, " ")
    printf "{\"check\": \"%s\"", label
    for (i = 1; i <= n; i++) printf ", \"%s\": %.3f", name[i], ($(n + 2 + i) - $(i + 1)) / ($(n + 2) - $1)
    print "}"
  }'
}

one_against_300() { # loads with OPTION...
  groups a b
  hogs_in b 300
  loads_beside b -- "$@"
  hogs_in a 1
  measures one_against_300 4 a b
  gone $made
  ends INT
}

weights() {
  loads
  groups a b
  hogs_in b 24
  hogs_in a 8
  measures equal 4 a b
  echo 300 >$top/a/cpu.weight
  measures three_to_one 4 a b
  echo 25 >$top/a/cpu.weight
  measures one_to_four 4 a b
  gone $made
  ends INT
}

weights_before() { # they were set before it was loaded
  groups a b
  echo 300 >$top/a/cpu.weight
  hogs_in b 20
  hogs_in a 8
  loads_beside a b --
  measures three_to_one 4 a b
  gone $made
  ends INT
}

nested() {
  loads
  groups p p/one p/three q
  echo 300 >$top/p/three/cpu.weight
  for name in p/one p/three q; do hogs_in $name 8; done
  measures nested 6 p/one p/three q
  gone $made
  ends INT
}

moved() { # processes that run, one after the other
  loads
  groups a b
  hogs_in a 8
  hogs_in b 2
  measures before 2 a b
  for child in $(cat $top/a/cgroup.procs); do
    echo "$child" >$top/b/cgroup.procs
    echo "$child" >$top/a/cgroup.procs
    echo "$child" >$top/b/cgroup.procs
  done
  measures after 2 a b
  gone $made
  ends INT
}

removed() { # TIMES: while it is busy
  loads
  works 6
  for _ in $(seq "$1"); do
    groups a
    hogs_in a 20
    sleep 0.1
    gone $made
  done
  worked
  ends INT
}

limited() {
  loads
  groups a a/inner b
  echo "50000 100000" >$top/a/cpu.max
  hogs_in a/inner 4
  measures half_a_cpu 4 a
  hogs_in b 4
  measures half_a_cpu_beside_others 4 a b
  echo max >$top/a/cpu.max
  measures no_limit 4 a b
  gone $made
  ends INT
}

bomb_against() { # COUNT: threads of the job; each process of the bomb starts others as fast as it can, 1000 at most
  loads
  groups a b
  echo 1000 >$top/b/pids.max
  within b sh -c 'bomb() { while :; do bomb & done; }; bomb'
  until ! grep -q '^max 0$' $top/b/pids.events; do sleep 0.1; done
  hogs_in a "$1"
  measures "fork_bomb_against_$1" 5 a b
  gone $made
  ends INT
}

starved() { # SECONDS: longer than the kernel would have a thread wait
  groups a b
  echo 10000 >$top/a/cpu.weight
  echo 1 >$top/b/cpu.weight
  hogs_in b 100
  hogs_in a 8
  loads_beside a b --
  measures starved "$1" a b
  gone $made
  ends INT
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# alone MASK [COMMAND...]: a program that writes down who else runs on its CPUs while it works, and what it may use.
printf alone >/proc/self/comm
trace=/sys/kernel/tracing/instances/check
mkdir $trace
echo "$1" >$trace/tracing_cpumask
shift
echo 1 >$trace/events/sched/sched_switch/enable
if [ $# -gt 0 ]; then "$@"; else i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; fi
echo 0 >$trace/events/sched/sched_switch/enable
sed -n 's/.*==> next_comm=\(.*\) next_pid=.*/\1/p' $trace/trace | sort | uniq -c |
    grep -vE ' (swapper/|kworker/|ksoftirqd/|migration/|rcu|cpuhp/|idle_inject/|alone$)' >/tmp/others
rmdir $trace
echo "others: $(cat /tmp/others)"
sed -n 's/^Cpus_allowed_list:\t/cpus: /p' /proc/self/status

# Generated from linux/exclusive/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: Apache-2.0

# By the words before the cursor: `of COMMAND`, or `at N` if the user's command is word N.
function __coreloom_exclusive_state
    set -l words (commandline -opc)
    set -l of ''
    set -l due 0
    for at in (seq 2 (count $words))
        set -l word $words[$at]
        if test $due = 1
            set due 0
            continue
        end
        switch "$at:$of:$word"
            case 2::run 2::attach 2::plan 2::status 2::restore 2::verify
                set of $word
            case '3:plan:run'
                set of 'plan run'
            case '3:plan:attach'
                set of 'plan attach'
            case '*:--cgroup' '*:--unit' '*:--cpu' '*:--cpus' '*:--count' '*:--smt' '*:--sample' '*:--mechanism' '*:--max' '*:--wait' '*:--fifo' '*:--nice' '*:--as' '*:--report' '*:--log'
                set due 1
            case '*:run:--' '*:plan:--' '*:plan run:--'
                echo at (math $at + 1)
                return
            case '*:-*'
            case '*:run:*' '*:plan:*' '*:plan run:*'
                echo at $at
                return
        end
    end
    echo "of $of"
end

function __coreloom_exclusive_is
    contains -- (__coreloom_exclusive_state) $argv
end

# As if the user's command alone were there.
function __coreloom_exclusive_command
    set -l state (string split ' ' -- (__coreloom_exclusive_state))
    set -l words (commandline -opc)
    set -l begin
    if test $state[1] = at
        set begin (string escape -- $words[$state[2]..-1])
    end
    set -l line (string join ' ' -- $begin (commandline -ct))
    string match -q -- '-*' $line; or complete "-C$line"
end

complete -c coreloom-exclusive -f
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a run -d 'start COMMAND on a CPU that nobody else uses until it ends'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a attach -d 'the same for processes that run, one thread, a cgroup or a unit'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a plan -d 'print why which CPU, and every change that would be made; make none'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of plan'" -a 'run attach'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a status -d 'the reservations there are'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a restore -d 'take back what a killed tool left behind (ID, --all: of living ones, too)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a verify -d 'look whether the reservations hold'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -l cgroup -x -a '(path basename /sys/fs/cgroup/*/)' -d 'attach: all processes of this cgroup and of those in it, also who comes into it'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l unit -x -d 'attach: all processes of a unit of systemd\'s that runs (web is web.service); run: what the scope of the command is called'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l cpu -x -a 'auto' -d 'this CPU, or the one that is cheapest to clear (the default)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l cpus -x -d 'these CPUs (2-3 or 1,3)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l count -x -d 'N CPUs, chosen'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l smt -x -a 'idle share' -d 'other threads of their cores stay empty (the default), or go on'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l force -d 'CPU 0, too'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l sample -x -d 'watch the load so long before choosing (50ms; at most 1m)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l mechanism -x -a 'isolated root cpuset cpuset-v1 affinity' -d 'isolated, root, cpuset, cpuset-v1 or affinity; else the best that works'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l max -x -d 'give the CPUs back after TIME (500ms, 90, 10m, 2h); the program runs on'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l wait -x -d 'wait so long for CPUs that another reservation holds, instead of refusing (0)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l fifo -x -d 'run: the command has the real-time policy SCHED_FIFO, priority 1 to 99'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l nice -x -d 'run: the command has this nice value, -20 to 19'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -l move -d 'attach: take processes out of their systemd unit, so that a partition can be used'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l as -x -a '(__fish_complete_users)' -d 'run: as this user, in an environment of its own; without it the command runs as root, under sudo too'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l report -r -F -d 'the proof goes to FILE instead of the standard error'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status' 'of restore' 'of verify'" -l json -d 'the proof (status: the reservations; plan, verify, restore: what they say) as JSON'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of status'" -l prometheus -d 'status: as text for Prometheus'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status'" -l watch -d 'the counters, live (every second)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l trace -d 'count who ran on the CPU by tracefs: exact, some cost'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of restore'" -l log -r -F -d 'the log to FILE as well, with times'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of restore'" -l quiet -d 'no log, only warnings'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of restore'" -l all -d 'restore: also what living tools hold; the programs run on'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of restore'" -l repair -d 'restore: also write what somebody else has changed since'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of ' 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status' 'of restore' 'of verify'" -l help -s h -d 'print this'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -l version -s V -d 'print the version'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -a '(__fish_complete_pids)'
complete -c coreloom-exclusive -n "string match -q 'at *' (__coreloom_exclusive_state); or __coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -a "(__coreloom_exclusive_command)"

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
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a run -d 'run COMMAND on CPUs that no other task uses until it ends'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a attach -d 'the same for running processes, one thread, a cgroup or a unit'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a plan -d 'print which CPU would be chosen and why, and every change; change nothing'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of plan'" -a 'run attach'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a status -d 'show the current reservations'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a restore -d 'undo what a killed tool left behind (ID, --all: also running ones)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -a verify -d 'check that the reservations hold'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -l cgroup -x -a '(path basename /sys/fs/cgroup/*/)' -d 'attach: all processes of this cgroup and its descendants, including later ones'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l unit -x -d 'attach: all processes of a running systemd unit (web means web.service); run: name of the command\'s scope'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l cpu -x -a 'auto' -d 'this CPU, or the one that is cheapest to clear (default)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l cpus -x -d 'these CPUs (2-3 or 1,3)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l count -x -d 'N CPUs, chosen automatically'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l smt -x -a 'idle share' -d 'keep sibling hardware threads idle (default), or leave them to others'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l force -d 'allow CPU 0'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l sample -x -d 'how long to sample the load before choosing (default 50ms, at most 1m)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l mechanism -x -a 'isolated root affinity' -d 'isolated, root or affinity (default: the best that works)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l max -x -d 'release the CPUs after TIME (500ms, 90, 10m, 2h); the program keeps running'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l wait -x -d 'wait up to TIME for CPUs that another reservation holds (default 0: refuse)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l fifo -x -d 'run: run the command under SCHED_FIFO with this priority, 1 to 99'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l nice -x -d 'run: run the command with this nice value, -20 to 19'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -l move -d 'attach: move processes out of their systemd unit so that a partition can be used'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -l as -x -a '(__fish_complete_users)' -d 'run: run the command as USER or UID:GID, on a terminal of its own (default: as root)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l report -r -F -d 'write the proof to FILE instead of standard error'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status' 'of restore' 'of verify'" -l json -d 'print the proof (status: the reservations; plan, verify, restore: their output) as JSON'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of status'" -l prometheus -d 'status: in Prometheus text format'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status'" -l watch -d 'show the counters live (default: every second)'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach'" -l trace -d 'count with tracefs which tasks ran on the CPUs: exact, at some cost'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of restore'" -l log -r -F -d 'also write the log to FILE, with timestamps'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of restore'" -l quiet -d 'print only warnings and errors, no log'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of restore'" -l all -d 'restore: also release reservations whose tool runs; the programs keep running'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of restore'" -l repair -d 'restore: also restore values that others have changed since'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of ' 'of run' 'of attach' 'of plan' 'of plan run' 'of plan attach' 'of status' 'of restore' 'of verify'" -l help -s h -d 'print this help'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of '" -l version -s V -d 'print the version'
complete -c coreloom-exclusive -n "__coreloom_exclusive_is 'of attach' 'of plan attach'" -a '(__fish_complete_pids)'
complete -c coreloom-exclusive -n "string match -q 'at *' (__coreloom_exclusive_state); or __coreloom_exclusive_is 'of run' 'of plan' 'of plan run'" -a "(__coreloom_exclusive_command)"

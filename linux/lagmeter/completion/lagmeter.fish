# Generated from linux/lagmeter/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: GPL-2.0-only

# By the words before the cursor: `of COMMAND`, or `at N` if the user's command is word N.
function __lagmeter_state
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
            case '*:-p' '*:--pid' '*:-n' '*:--name' '*:-g' '*:--cgroup' '*:--as' '*:-t' '*:--time' '*:-c' '*:--cpus' '*:--json' '*:--perfetto' '*:--sample' '*:--interval'
                set due 1
            case '*::--'
                echo at (math $at + 1)
                return
            case '*:-*'
            case '*::*'
                echo at $at
                return
        end
    end
    echo "of $of"
end

function __lagmeter_is
    contains -- (__lagmeter_state) $argv
end

# As if the user's command alone were there.
function __lagmeter_command
    set -l state (string split ' ' -- (__lagmeter_state))
    set -l words (commandline -opc)
    set -l begin
    if test $state[1] = at
        set begin (string escape -- $words[$state[2]..-1])
    end
    set -l line (string join ' ' -- $begin (commandline -ct))
    string match -q -- '-*' $line; or complete "-C$line"
end

complete -c lagmeter -f
complete -c lagmeter -n "__lagmeter_is 'of '" -s p -l pid -x -a '(__fish_complete_pids)' -d 'the threads of one process'
complete -c lagmeter -n "__lagmeter_is 'of '" -s n -l name -x -d 'threads with this name'
complete -c lagmeter -n "__lagmeter_is 'of '" -s g -l cgroup -x -a '(path basename /sys/fs/cgroup/*/)' -d 'threads in this cgroup and its descendants, such as user.slice'
complete -c lagmeter -n "__lagmeter_is 'of '" -s a -l all -d 'all threads except kernel threads'
complete -c lagmeter -n "__lagmeter_is 'of '" -s k -l kernel -d 'include kernel threads'
complete -c lagmeter -n "__lagmeter_is 'of '" -l as -x -a '(__fish_complete_users)' -d 'run the command as USER or UID:GID, on a terminal of its own (default: as root)'
complete -c lagmeter -n "__lagmeter_is 'of '" -s t -l time -x -d 'stop after S seconds'
complete -c lagmeter -n "__lagmeter_is 'of '" -s c -l cpus -x -d 'number of CPUs they share (default: all); threads allowed on fewer are listed as pinned'
complete -c lagmeter -n "__lagmeter_is 'of '" -l json -r -F -d 'write all figures as JSON'
complete -c lagmeter -n "__lagmeter_is 'of '" -l perfetto -r -F -d 'write a timeline for ui.perfetto.dev'
complete -c lagmeter -n "__lagmeter_is 'of '" -l sample -x -d 'sample /proc every MS milliseconds instead of using BPF; needs no root'
complete -c lagmeter -n "__lagmeter_is 'of '" -l interval -x -d 'print the figures every S seconds (default: 1 on a terminal)'
complete -c lagmeter -n "__lagmeter_is 'of '" -s v -l verbose -d 'print libbpf messages'
complete -c lagmeter -n "__lagmeter_is 'of '" -s V -l version -d 'print the version'
complete -c lagmeter -n "__lagmeter_is 'of '" -s h -l help -d 'print this help'
complete -c lagmeter -n "string match -q 'at *' (__lagmeter_state); or __lagmeter_is 'of '" -a "(__lagmeter_command)"

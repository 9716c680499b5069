# Generated from linux/scx_dwrr/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: GPL-2.0-only

# By the words before the cursor: `of COMMAND`, or `at N` if the user's command is word N.
function __scx_dwrr_state
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
            case '*:-s' '*:--slice-us' '*:--stats' '*:--monitor' '*:--exit-dump-len'
                set due 1
            case '*:-*'
        end
    end
    echo "of $of"
end

function __scx_dwrr_is
    contains -- (__scx_dwrr_state) $argv
end

complete -c scx_dwrr -f
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -s s -l slice-us -x -d 'round slice of a nice 0 thread in microseconds (default 12000)'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l sleepers-wait -d 'make a woken thread wait its turn instead of running before others in the open rounds'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l no-cgroups -d 'ignore cgroups: cpu.weight and cpu.max have no effect'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l stats -x -d 'print the counters every SEC seconds, and their totals at the end'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l monitor -x -d 'print the counters of the running scx_dwrr every SEC seconds; load nothing'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l help-stats -d 'explain each counter'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -l exit-dump-len -x -d 'size of the kernel\'s dump after an error in bytes (default 32768)'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -s v -l verbose -d 'print libbpf messages and the verifier cost of each BPF program'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -s V -l version -d 'print the version'
complete -c scx_dwrr -n "__scx_dwrr_is 'of '" -s h -l help -d 'print this help'

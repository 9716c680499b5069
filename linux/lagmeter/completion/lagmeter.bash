# Generated from linux/lagmeter/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: GPL-2.0-only

_lagmeter_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

# The command that begins at word $1.
_lagmeter_command() {
  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $1
  elif declare -F _command_offset >/dev/null; then _command_offset $1
  elif (($1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$word")
  else _lagmeter_files; fi
}

_lagmeter() {
  local word=${COMP_WORDS[COMP_CWORD]} of= due= at options= words=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    # bash takes = for a word of its own.
    if [[ ${COMP_WORDS[at]} == = ]]; then due=${COMP_WORDS[at - 1]}; continue; fi
    if [[ $due ]]; then due=; continue; fi
    case $at:$of:${COMP_WORDS[at]} in
      *:-p | *:--pid | *:-n | *:--name | *:-g | *:--cgroup | *:--as | *:-t | *:--time | *:-c | *:--cpus | *:--json | *:--perfetto | *:--sample | *:--interval) due=${COMP_WORDS[at]} ;;
      *:'':--) _lagmeter_command $((at + 1)); return ;;
      *:-*) ;;
      *:'':*) _lagmeter_command $at; return ;;
    esac
  done
  if [[ $word == = ]]; then due=${COMP_WORDS[COMP_CWORD - 1]} word=; fi
  case $due in
    '') ;;
    -p | --pid) mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(echo [0-9]*)" -- "$word") ;;
    -g | --cgroup) mapfile -t COMPREPLY < <(cd /sys/fs/cgroup && compgen -d -- "$word") ;;
    --as) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
    --json) _lagmeter_files ;;
    --perfetto) _lagmeter_files ;;
  esac
  [[ $due ]] && return
  case $of in
    '') options='-p --pid -n --name -g --cgroup -a --all -k --kernel --as -t --time -c --cpus --json --perfetto --sample --interval -v --verbose -V --version -h --help' ;;
  esac
  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); return; fi
  case $of in
    '') _lagmeter_command $COMP_CWORD ;;
  esac
  [[ $words ]] || return
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _lagmeter lagmeter

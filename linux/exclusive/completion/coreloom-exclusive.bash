# Generated from linux/exclusive/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: Apache-2.0

_coreloom_exclusive_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

# The command that begins at word $1.
_coreloom_exclusive_command() {
  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $1
  elif declare -F _command_offset >/dev/null; then _command_offset $1
  elif (($1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$word")
  else _coreloom_exclusive_files; fi
}

_coreloom_exclusive() {
  local word=${COMP_WORDS[COMP_CWORD]} of= due= at options= words=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    # bash takes = for a word of its own.
    if [[ ${COMP_WORDS[at]} == = ]]; then due=${COMP_WORDS[at - 1]}; continue; fi
    if [[ $due ]]; then due=; continue; fi
    case $at:$of:${COMP_WORDS[at]} in
      1::run | 1::attach | 1::plan | 1::status | 1::restore | 1::verify) of=${COMP_WORDS[at]} ;;
      2:plan:run) of='plan run' ;;
      2:plan:attach) of='plan attach' ;;
      *:--cgroup | *:--unit | *:--cpu | *:--cpus | *:--count | *:--smt | *:--sample | *:--mechanism | *:--max | *:--wait | *:--fifo | *:--nice | *:--as | *:--report | *:--log) due=${COMP_WORDS[at]} ;;
      *:'run':-- | *:'plan':-- | *:'plan run':--) _coreloom_exclusive_command $((at + 1)); return ;;
      *:-*) ;;
      *:'run':* | *:'plan':* | *:'plan run':*) _coreloom_exclusive_command $at; return ;;
    esac
  done
  if [[ $word == = ]]; then due=${COMP_WORDS[COMP_CWORD - 1]} word=; fi
  case $due in
    '') ;;
    --cgroup) mapfile -t COMPREPLY < <(cd /sys/fs/cgroup && compgen -d -- "$word") ;;
    --cpu) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$word") ;;
    --smt) mapfile -t COMPREPLY < <(compgen -W 'idle share' -- "$word") ;;
    --mechanism) mapfile -t COMPREPLY < <(compgen -W 'isolated root affinity' -- "$word") ;;
    --as) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
    --report) _coreloom_exclusive_files ;;
    --log) _coreloom_exclusive_files ;;
  esac
  [[ $due ]] && return
  case $of in
    '') options='--help -h --version -V' words='run attach plan status restore verify' ;;
    'run' | 'plan run') options='--unit --cpu --cpus --count --smt --force --sample --mechanism --max --wait --fifo --nice --as --report --json --watch --trace --log --quiet --help -h' ;;
    'attach' | 'plan attach') options='--cgroup --unit --cpu --cpus --count --smt --force --sample --mechanism --max --wait --move --report --json --watch --trace --log --quiet --help -h' ;;
    'plan') options='--unit --cpu --cpus --count --smt --force --sample --mechanism --max --wait --fifo --nice --as --report --json --watch --trace --log --quiet --help -h' words='run attach' ;;
    'status') options='--json --prometheus --watch --help -h' ;;
    'restore') options='--json --log --quiet --all --repair --help -h' ;;
    'verify') options='--json --help -h' ;;
  esac
  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); return; fi
  case $of in
    'run' | 'plan' | 'plan run') _coreloom_exclusive_command $COMP_CWORD ;;
    'attach' | 'plan attach') mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(echo [0-9]*)" -- "$word") ;;
  esac
  [[ $words ]] || return
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _coreloom_exclusive coreloom-exclusive

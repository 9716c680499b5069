# Generated from linux/scx_dwrr/options.toml by `coreloom generate`; do not edit.
# SPDX-License-Identifier: GPL-2.0-only

_scx_dwrr_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

# The command that begins at word $1.
_scx_dwrr_command() {
  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $1
  elif declare -F _command_offset >/dev/null; then _command_offset $1
  elif (($1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$word")
  else _scx_dwrr_files; fi
}

_scx_dwrr() {
  local word=${COMP_WORDS[COMP_CWORD]} of= due= at options= words=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    # bash takes = for a word of its own.
    if [[ ${COMP_WORDS[at]} == = ]]; then due=${COMP_WORDS[at - 1]}; continue; fi
    if [[ $due ]]; then due=; continue; fi
    case $at:$of:${COMP_WORDS[at]} in
      *:-s | *:--slice-us | *:--stats | *:--monitor | *:--exit-dump-len) due=${COMP_WORDS[at]} ;;
      *:-*) ;;
    esac
  done
  if [[ $word == = ]]; then due=${COMP_WORDS[COMP_CWORD - 1]} word=; fi
  case $due in
    '') ;;
  esac
  [[ $due ]] && return
  case $of in
    '') options='-s --slice-us --sleepers-wait --no-cgroups --stats --monitor --help-stats --exit-dump-len -v --verbose -V --version -h --help' ;;
  esac
  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); return; fi
  case $of in
  esac
  [[ $words ]] || return
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _scx_dwrr scx_dwrr

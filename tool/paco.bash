# SPDX-License-Identifier: LGPL-2.1-or-later
# Completes command lines of paco in bash. Commands and options are those that the
# program's own help lists, so that there is no second list of them.

# Prints the names of commands.
_paco_commands ()
{
  "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# Prints the options of a command; a = follows those that take a value.
_paco_options ()
{
  "$1" help "$2" 2>/dev/null |
    sed -n 's/^  \(-.,\)\{0,1\} *\(--[a-z0-9-]*\)\(=\{0,1\}\).*/\2\3/p'
}

# Prints what an option may be, where that is one of a few words.
_paco_values ()
{
  case $1 in
  --backend) echo auto cpu cuda ;;
  --as) echo pnm pam png jpeg tiff dng dpx y4m raw ;;
  --mosaic) echo rggb grbg gbrg bggr ;;
  --range) echo full limited ;;
  esac
}

_paco ()
{
  local program=$1 current=${COMP_WORDS[COMP_CWORD]} option=
  local command=${COMP_WORDS[1]}

  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W "$(_paco_commands "$program") help --help --version" -- "$current")
    return
  fi
  if [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W "$(_paco_commands "$program")" -- "$current")
    return
  fi
  # bash takes "--backend=cpu" for three words.
  if [[ $current == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} current=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current != -* ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  if [[ $option == --* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_paco_values "$option")" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W "$(_paco_options "$program" "$command")" -- "$current")
    if [[ ${COMPREPLY[0]} == *= ]]; then
      compopt -o nospace 2>/dev/null
    fi
  fi
}

# Where there is nothing to say, names of files.
complete -o bashdefault -o default -F _paco paco

# Completions of ferry for bash. "ferry complete" knows the syntax, and the transfers of a ferryd that runs.

_ferry() {
  local cur words cword
  # Whole words: bash divides them at these characters.
  _get_comp_words_by_ref -n '=:' cur words cword
  local -a lines
  mapfile -t lines < <(command ferry complete -- "${words[@]:1:cword-1}" "$cur" 2> /dev/null)
  if [[ $cur == --*=* ]]; then cur=${cur#*=}; fi
  case ${lines[0]-} in
    files) _filedir ;;
    directories) _filedir -d ;;
    words)
      cur=${words[cword]}
      # bash replaces only what follows the last of the characters.
      local line kept=${cur%"${cur##*[=:]}"}
      COMPREPLY=()
      for line in "${lines[@]:1}"; do
        line=${line%%$'\t'*}
        if [[ $line == "$cur"* ]]; then COMPREPLY+=("${line#"$kept"}"); fi
      done
      ;;
  esac
}

complete -F _ferry ferry

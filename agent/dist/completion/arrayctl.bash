# Completion of arrayctl for bash: the words come from the program's own table.
_arrayctl() {
    local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=($(arrayctl --complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$word" 2>/dev/null | sort -u))
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    return 0
}
complete -F _arrayctl arrayctl storcli storcli64

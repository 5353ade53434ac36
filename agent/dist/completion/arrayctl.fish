# Completion of arrayctl for fish: the words come from the program's own table.
function __arrayctl_words
    set -l words (commandline -opc) (commandline -ct)
    arrayctl --complete $words[2..-1] 2>/dev/null | sort -u
end
for program in arrayctl storcli storcli64
    complete -c $program -f -a '(__arrayctl_words)'
end

# Completions of ferry for fish. "ferry complete" knows the syntax, and the transfers of a ferryd that runs.

function __ferry_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l token (commandline --cut-at-cursor --current-token)
    set -l lines (command ferry complete -- $words[2..] "$token" 2>/dev/null)
    # What precedes the path in "--output=path" stays.
    set -l path (string replace --regex -- '^--[^=]*=' '' "$token")
    set -l option (string match --regex -- '^--[^=]*=' "$token")
    switch "$lines[1]"
        case files
            printf '%s\n' "$option"(__fish_complete_path "$path")
        case directories
            printf '%s\n' "$option"(__fish_complete_directories "$path")
        case words
            printf '%s\n' $lines[2..]
    end
end

complete --command ferry --no-files --keep-order --arguments '(__ferry_complete)'

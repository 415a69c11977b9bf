"""Types an unfinished line into an interactive shell on a terminal, and prints the words that it completes it to.

`typed_line.py bash|zsh FILE LINE`: FILE has the completions. The shell inserts all candidates into the line, and then
prints the words of it, one in each line.
"""

import os
import pty
import sys

PROMPT = b"<ready>"
SETTINGS = {
    "bash": (
        ["bash", "--noprofile", "--norc", "--noediting", "-i"],
        "PS1='<rea''dy>'; PS2=; bind 'set enable-bracketed-paste off' 2> /dev/null; "
        ". /usr/share/bash-completion/bash_completion; . {file}; "
        "set -o emacs; bind '\"\\C-t\": insert-completions'",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='<rea''dy>'; PS2=; unsetopt zle_bracketed_paste prompt_sp 2> /dev/null; "
        "fpath=({directory} $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e; "
        "zle -C insert-all complete-word _generic; bindkey '^T' insert-all; "
        "zstyle ':completion:insert-all:*' completer _all_matches _complete; "
        "zstyle ':completion:insert-all:*' insert true",
    ),
}


def until(terminal, mark):
    """What the shell writes until a mark, which must come."""
    text = b""
    while mark not in text:
        text += os.read(terminal, 65536)
    return text


shell, file, line = sys.argv[1:]
command, settings = SETTINGS[shell]
process, terminal = pty.fork()
if process == 0:
    os.environ.update(TERM="dumb", COLUMNS="4000", LINES="200")
    os.execvp(command[0], command)
settings = settings.format(file=file, directory=os.path.dirname(file))
os.write(terminal, settings.encode() + b"\n")
until(terminal, PROMPT)
# To the end of the line, its candidates, to its beginning, and all of it as arguments.
os.write(terminal, line.encode() + b"\x14\x01printf '%s\\n' '<begin''>' \x05 '<end''>'\n")
text = until(terminal, b"<end>").decode()
words = text.split("<begin>")[-1].split("<end>")[0].split()
print("\n".join(words))
os.close(terminal)
os.waitpid(process, 0)

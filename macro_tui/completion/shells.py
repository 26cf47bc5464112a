"""Completion scripts of three shells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from macro_tui.completion.words import TypedCommand, TypedOption

PROGRAM = "macro-tui"
_BASH = """\
# completion of {program} for bash
_macro_tui() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${{COMP_WORDS[i]}} != -* ]] && {{ command=${{COMP_WORDS[i]}}; break; }}
    done
    if [[ -z $command ]]; then
        _macro_tui_among "{commands} --help --version"
        return
    fi
    local options= words=
    case $command in
{cases}
    esac
    case "$command $before" in
{valued}
    esac
    if [[ $word == -* ]]; then
        _macro_tui_among "$options"
    else
        _macro_tui_among "$words"
        _macro_tui_files
    fi
}}
_macro_tui_among() {{
    COMPREPLY=($(compgen -W "$1" -- "$word"))
}}
_macro_tui_files() {{
    # bash puts quotes and backslashes back where they are needed
    local IFS=$'\\n' plain=${{word#[\\"\\']}}
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "${{plain//\\\\/}}"))
}}
complete -F _macro_tui {program}
"""
_ZSH = """\
#compdef {program}
# completion of {program} for zsh
_macro_tui() {{
    local -a commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    case $words[2] in
{cases}
    esac
}}
if [[ $funcstack[1] == _macro_tui ]]; then
    _macro_tui "$@"
else
    (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit -i; }}
    compdef _macro_tui {program}
fi
"""


def bash(commands: Sequence[TypedCommand]) -> str:
    """For bash."""
    cases, valued = [], []
    for command in commands:
        flags = " ".join(flag for option in command.options for flag in option.flags)
        words = " ".join(command.words)
        cases.append(f'        {command.name}) options="{flags}" words="{words}" ;;')
        for option in command.options:
            if option.values is not None:
                names = "|".join(f'"{command.name} {flag}"' for flag in option.flags)
                valued.append(f"        {names}) {_bash_value(option)}return ;;")
    return _BASH.format(
        program=PROGRAM,
        commands=" ".join(command.name for command in commands),
        cases="\n".join(cases),
        valued="\n".join(valued),
    )


def _bash_value(option: TypedOption) -> str:
    if option.values:
        return f'_macro_tui_among "{" ".join(option.values)}"; '
    return "_macro_tui_files; " if option.is_file else ""


def zsh(commands: Sequence[TypedCommand]) -> str:
    """For zsh."""
    cases = []
    for command in commands:
        lines = [
            f"            '{flag}[{option.help}]{_zsh_value(option)}' \\"
            for option in command.options
            for flag in option.flags
        ]
        words = " ".join(command.words)
        either = f'\'*:file: _alternative "files:file:_files" "words:word:({words})"\''
        first = either if words else "'*:file:_files'"
        cases.append(f"        {command.name}) shift words; (( CURRENT-- )); _arguments \\")
        cases += [*lines, f"            {first} ;;"]
    return _ZSH.format(
        program=PROGRAM,
        commands="\n".join(f"        '{c.name}:{c.help}'" for c in commands),
        cases="\n".join(cases),
    )


def _zsh_value(option: TypedOption) -> str:
    if option.values is None:
        return ""
    if option.values:
        return f":value:({' '.join(option.values)})"
    return ":file:_files" if option.is_file else ":value:"


def fish(commands: Sequence[TypedCommand]) -> str:
    """For fish."""
    first = f"complete -c {PROGRAM} -f -n __fish_use_subcommand"
    lines = [f"# completion of {PROGRAM} for fish"]
    lines += [f"{first} -a {command.name} -d '{command.help}'" for command in commands]
    for command in commands:
        start = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{start} -a '{' '.join(command.words)}'")
        for option in command.options:
            names = " ".join(_fish_flag(flag) for flag in option.flags)
            lines.append(f"{start} {names}{_fish_value(option)} -d '{option.help}'")
    return "\n".join(lines) + "\n"


def _fish_flag(flag: str) -> str:
    return f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"


def _fish_value(option: TypedOption) -> str:
    if option.values is None:
        return ""
    if option.values:
        return f" -x -a '{' '.join(option.values)}'"
    return " -r" if option.is_file else " -x"


SHELLS: dict[str, Callable[[Sequence[TypedCommand]], str]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}

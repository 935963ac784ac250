# shellcheck shell=bash
# bash completion for weft. Commands and options are what the program itself says
# (weft help, weft COMMAND -h), so that this cannot fall behind it.

# The program that is being completed; nothing where it cannot be run.
_weft_program()
{
	type -P -- "${COMP_WORDS[0]}"
}

_weft_commands()
{
	"$1" help 2> /dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

# "--profile quick|full" and so on, an option a line.
_weft_options()
{
	"$1" "$2" -h < /dev/null 2> /dev/null |
		sed -n 's/^  \(--*[a-z][a-z-]*\( [A-Za-z0-9|-]*\)\{0,1\}\)\(  .*\)\{0,1\}$/\1/p'
}

# What the value of an option is called in -h; nothing for a flag.
_weft_value()
{
	_weft_options "$1" "$2" | sed -n "s/^$3 //p"
}

_weft_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_weft_value_words()
{
	case $1 in
	*\|*) _weft_words "${1//|/ }" "$2" ;;
	FILE | RUN | CAPTURE) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	FOLDER) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	sim) _weft_words sim "$2" ;;
	esac
}

_weft()
{
	local weft cur prev command value
	weft=$(_weft_program) || return
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	command=${COMP_WORDS[1]}
	COMPREPLY=()

	if [ "$COMP_CWORD" -eq 1 ]; then
		_weft_words "$(_weft_commands "$weft") help --version --help" "$cur"
		return
	fi
	if [ "$command" = help ]; then
		_weft_words "$(_weft_commands "$weft")" "$cur"
		return
	fi
	# readline cuts --profile=quick into three words.
	if [ "$cur" = "=" ]; then
		cur=
	elif [ "$prev" = "=" ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev in
	-*)
		value=$(_weft_value "$weft" "$command" "$prev")
		if [ -n "$value" ]; then
			_weft_value_words "$value" "$cur"
			return
		fi
		;;
	esac
	case $cur in
	-*)
		_weft_words "$(_weft_options "$weft" "$command" | cut -d' ' -f1) --help" "$cur"
		;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

complete -o filenames -F _weft weft

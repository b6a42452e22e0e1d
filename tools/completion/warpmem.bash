# Bash completion of warpmem: asks the program for its commands and options,
# so that it never lags behind.  Installed as
# share/bash-completion/completions/warpmem.

# The words a -h page offers: commands, or long options with their values.
_warpmem_help()
{
    "$1" "${@:2}" -h 2>/dev/null
}

_warpmem()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} words=() path=() i
    COMPREPLY=()
    # The commands typed so far: at most two words that are no options.
    for ((i = 1; i < COMP_CWORD && ${#path[@]} < 2; i++)); do
        case ${COMP_WORDS[i]} in
        -*) break ;;
        *) path+=("${COMP_WORDS[i]}") ;;
        esac
    done
    case ${path[0]:-} in
    trace | config | study) ;;
    ?*) path=("${path[0]}") ;;
    esac
    local help
    help=$(_warpmem_help "$program" "${path[@]}")

    # A value: one of the choices, a preset, a metric; else a file.
    if [[ $before == -* && $word != -* ]]; then
        local choices
        choices=$(sed -n "s/^ .*$before \([a-z|]*|[a-z|]*\) .*/\1/p" \
            <<<"$help" | head -n 1)
        case $before in
        -c | --config)
            mapfile -t words < <("$program" config list | cut -d' ' -f1)
            ;;
        -f | --format)
            mapfile -t words < <(sed -n 's/.*One of: \([a-z ]*\)\..*/\1/p' \
                <<<"$help" | tr ' ' '\n')
            ;;
        *) mapfile -t words < <(tr '|' '\n' <<<"$choices") ;;
        esac
    elif [[ $word == -* ]]; then
        mapfile -t words < <(grep -o -- '--[a-z][a-z-]*' <<<"$help" | sort -u)
    elif [ "${path[0]:-}" = metrics ]; then
        mapfile -t words < <("$program" metrics | grep '^[a-z]')
    elif [ "${path[*]}" = "config show" ]; then
        mapfile -t words < <("$program" config list | cut -d' ' -f1)
    else
        mapfile -t words < <(sed -n 's/^  \([a-z]\+\)  .*/\1/p' <<<"$help")
    fi
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$word")
    if [ ${#COMPREPLY[@]} -eq 0 ] && [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _warpmem warpmem

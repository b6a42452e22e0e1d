#!/usr/bin/env bash
# Installs what building (build), testing (test), checking the source (lint),
# opening reports in a browser (browser) or a cluster's test (slurm) needs and
# this machine lacks: with apt-get, and for the browser with npm into
# build/browser.  Where it cannot, it names what is missing and goes on: the
# build decides whether that matters.
#
#     tools/install_deps.sh build|test|lint|browser|slurm
set -euo pipefail

want=${1:-build}
case $want in
build | test | lint | browser | slurm) ;;
*)
    echo "usage: install_deps.sh build|test|lint|browser|slurm" >&2
    exit 2
    ;;
esac

# A package is wanted when a probe fails, not when dpkg does not know it: a
# compiler or library that came another way is good enough.
has_header()
{
    echo "#include <$1>" | cc -E -o /dev/null - 2>/dev/null
}

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
has_header stdio.h || missing+=(libc6-dev)
command -v cmake >/dev/null || missing+=(cmake)
command -v make >/dev/null || missing+=(make)
has_header zlib.h || missing+=(zlib1g-dev)
has_header yaml.h || missing+=(libyaml-dev)
has_header lzma.h || missing+=(liblzma-dev)
has_header jansson.h || missing+=(libjansson-dev)
has_header sqlite3.h || missing+=(libsqlite3-dev)
has_header libdeflate.h || missing+=(libdeflate-dev)
if [ "$want" != build ]; then
    has_header criterion/criterion.h || missing+=(libcriterion-dev)
    command -v python3 >/dev/null || missing+=(python3)
fi
if [ "$want" = lint ]; then
    command -v clang >/dev/null || missing+=(clang)
    command -v clang-format >/dev/null || missing+=(clang-format)
    command -v valgrind >/dev/null || missing+=(valgrind)
fi
if [ "$want" = slurm ]; then # for the test that starts one
    command -v sbatch >/dev/null || missing+=(slurm-wlm)
    PATH=$PATH:/usr/sbin command -v munged >/dev/null || missing+=(munge)
fi
if [ "$want" = browser ]; then
    command -v node >/dev/null || missing+=(nodejs)
    command -v npm >/dev/null || missing+=(npm)
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
        missing+=(chromium)
    python3 -c 'import pandas' 2>/dev/null ||
        /usr/bin/python3 -c 'import pandas' 2>/dev/null ||
        missing+=(python3-pandas)
fi

# What the browser tests need, pinned: their driver, a parser of Chrome trace
# events and a viewer of them.
packages=(playwright-core@1.65.1 @tracerbench/trace-model@8.0.0
    speedscope@1.25.0)
install_packages()
{
    local folder package absent=()
    folder=$(dirname "$0")/../build/browser
    if [ "$want" != browser ] || ! command -v npm >/dev/null; then
        return 0
    fi
    for package in "${packages[@]}"; do
        [ -d "$folder/node_modules/${package%@*}" ] || absent+=("$package")
    done
    if [ ${#absent[@]} -eq 0 ]; then
        return 0
    fi
    mkdir -p "$folder"
    # All of them: npm takes away what a call without a manifest omits.
    npm install --prefix "$folder" --no-audit --no-fund --no-save \
        "${packages[@]}" </dev/null >/dev/null ||
        echo "npm could not install ${absent[*]}: their tests are skipped"
}

if [ ${#missing[@]} -eq 0 ]; then
    install_packages
    exit 0
fi
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

name_and_go_on()
{
    echo "$1: ${missing[*]} (Debian names)"
    echo "Going on; install them yourself if the build stops below."
    exit 0
}

command -v apt-get >/dev/null || name_and_go_on "Not found here"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        name_and_go_on "Missing, and neither root nor sudo to install them"
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_missing()
{
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install \
        -y -q --no-install-recommends "${missing[@]}" </dev/null >"$log" 2>&1
}

echo "Installing: ${missing[*]}"
if install_missing; then
    install_packages
    exit 0
fi
# Stale or absent package lists are the usual reason.
if "${as_root[@]}" apt-get update -q </dev/null >"$log" 2>&1 &&
    install_missing; then
    install_packages
    exit 0
fi
tail -n 20 "$log" >&2
name_and_go_on "apt-get could not install"

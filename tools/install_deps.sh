#!/usr/bin/env bash
# Installs what building (build), testing (test), checking the source (lint),
# opening reports in a browser (browser), a cluster's test (slurm) or running on
# emulated machines (cross) needs and this machine lacks: with apt-get, and for
# the browser with npm into build/browser.  Where it cannot, it names what is
# missing and goes on: the build decides whether that matters.
#
#     tools/install_deps.sh build|test|lint|browser|slurm|cross
set -euo pipefail

want=${1:-build}
case $want in
build | test | lint | browser | slurm | cross) ;;
*)
    echo "usage: install_deps.sh build|test|lint|browser|slurm|cross" >&2
    exit 2
    ;;
esac

# A package is wanted when a probe fails, not when dpkg does not know it: a
# compiler or library that came another way is good enough.
has_header()
{
    echo "#include <$1>" | cc -E -o /dev/null - 2>/dev/null
}

has_fuzzer()
{
    echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return 0; }' |
        clang -w -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
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
    has_fuzzer || missing+=(libclang-rt-dev)
    command -v clang-format >/dev/null || missing+=(clang-format)
    command -v clang-tidy >/dev/null || missing+=(clang-tidy)
    command -v cppcheck >/dev/null || missing+=(cppcheck)
    command -v valgrind >/dev/null || missing+=(valgrind)
fi
if [ "$want" = slurm ]; then # for the test that starts one
    command -v sbatch >/dev/null || missing+=(slurm-wlm)
    PATH=$PATH:/usr/sbin command -v munged >/dev/null || missing+=(munge)
fi
if [ "$want" = cross ]; then
    command -v aarch64-linux-gnu-gcc >/dev/null ||
        missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
    command -v s390x-linux-gnu-gcc >/dev/null ||
        missing+=(gcc-s390x-linux-gnu libc6-dev-s390x-cross)
    command -v qemu-s390x >/dev/null || missing+=(qemu-user)
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

# Unpacks the static libraries of another machine into build/cross/MACHINE.
# apt-get works on state of its own, so that this machine's packages stay as
# they are: nothing is installed, no foreign architecture is added.
#
#     fetch_libraries DEBIAN_NAME MACHINE
fetch_libraries()
{
    local folder state package options
    folder=$(realpath -m "$(dirname "$0")/../build/cross/$2")
    if [ -f "$folder/whole" ] || ! command -v apt-get >/dev/null; then
        return 0
    fi
    state=$folder/apt
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    touch "$state/status"
    options=(-q -o "Dir::State::Lists=$state/lists"
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
        -o "APT::Architecture=$1" -o "APT::Architectures=$1"
        -o Acquire::Languages=none -o APT::Sandbox::User=root)
    if ! (cd "$state" && apt-get "${options[@]}" update &&
        apt-get "${options[@]}" download zlib1g-dev liblzma-dev libyaml-dev \
            libjansson-dev libdeflate-dev libsqlite3-dev) \
        </dev/null >"$folder/log" 2>&1; then
        tail -n 5 "$folder/log" >&2
        echo "No libraries of $1 from here: its tests are skipped"
        return 0
    fi
    for package in "$state"/*.deb; do
        dpkg-deb -x "$package" "$folder"
    done
    rm -rf "$state"
    touch "$folder/whole"
}

# What the browser tests need, pinned: their driver, a parser of Chrome trace
# events and a viewer of them.
packages=(playwright-core@1.65.1 @tracerbench/trace-model@8.0.0
    speedscope@1.25.0)
install_packages()
{
    local folder package absent=()
    if [ "$want" = cross ]; then
        fetch_libraries arm64 aarch64
        fetch_libraries s390x s390x
    fi
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

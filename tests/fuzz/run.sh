#!/usr/bin/env bash
# Fuzzes for a stated processor time, or for a moment that repeats itself.
#
#     tests/fuzz/run.sh [--seconds-of-cpu N] [--jobs N] [--scratch FOLDER]
#                       [TARGET...]
#     tests/fuzz/run.sh --smoke [TARGET...]
#     tests/fuzz/run.sh --minimise [--scratch FOLDER] [TARGET...]
#
# Builds preset fuzz and runs every target (default: all) until the processor
# time it has used, user and system, reaches N seconds (default 1800): wall
# time would say nothing on a shared machine.  Targets take turns in slices of
# SLICE seconds (default 600; each begins with all that was found before, which
# takes whole a minute) at nice 19, --jobs of them at a time (default 1).
# What a target found stays in FOLDER (default build/fuzz/scratch) with its
# clock, so that a run goes on where the last one was stopped; remove
# FOLDER/TARGET.log to start its clock anew, as after the fix of a finding.
# A finding ends the run: exit 1 and the path of the input that shows it.
#
# --smoke: a fixed seed and number of inputs from the committed corpus only.
# --minimise: adds to tests/fuzz/corpus what covers more there, and no more.
set -euo pipefail
cd "$(dirname "$0")/../.."

targets_all=(config study ncu result trace wmt layers whole)
corpus=tests/fuzz/corpus
scratch=build/fuzz/scratch
cpu_wanted=1800
jobs=1
slice=${SLICE:-600}
declare -A max_len=([result]=20000)
# About 20 s of processor time each.
declare -A smoke_runs=([config]=50000 [study]=50000 [ncu]=80000 [result]=2500
    [trace]=15000 [wmt]=25000 [layers]=30000 [whole]=1000)
action=fuzz

usage()
{
    sed -n '2,/^set -/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
}

targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds-of-cpu) cpu_wanted=${2:?} && shift ;;
    --jobs) jobs=${2:?} && shift ;;
    --scratch) scratch=${2:?} && shift ;;
    --smoke) action=smoke ;;
    --minimise) action=minimise ;;
    -*) usage ;;
    *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${targets_all[@]}")
for target in "${targets[@]}"; do
    [ -d "$corpus/$target" ] || {
        echo "run.sh: no target $target, there are: ${targets_all[*]}" >&2
        exit 2
    }
done

# What libFuzzer is told for every run: an input that takes a minute or 2 GiB
# is a finding too.
common=(-timeout=60 -rss_limit_mb=2048 -print_final_stats=1)

# Words that a target's inputs are made of; those of configurations and results
# from the lists that the program is made of.
with_dictionary()
{
    local dictionary=$scratch/$1.dict
    {
        if [ -f "tests/fuzz/dict/$1.dict" ]; then
            cat "tests/fuzz/dict/$1.dict"
        fi
        case $1 in
        config | study)
            sed -n 's/^WM_KEY(\([a-z0-9]*\), \([a-z0-9_]*\), .*/"\1.\2"/p' \
                sim/config/schema.def
            ;;
        result)
            sed -n 's/^WM_[A-Z]*([^"]*"\([a-z][a-z0-9_.]*\)".*/"\1"/p' \
                sim/model/counters.def sim/report/metrics.def
            ;;
        esac
    } >"$dictionary"
    common_of=("${common[@]}" "-max_len=${max_len[$1]:-8192}")
    if [ -s "$dictionary" ]; then
        common_of+=("-dict=$dictionary")
    fi
}

# A target's log has one line a slice: executions, CPU seconds, edges.
sum_of()
{
    local log=$scratch/$1.log
    [ -f "$log" ] || : >"$log"
    awk -v name="$1" -v wanted="$cpu_wanted" '
        { runs += $1; cpu += $2; if ($3 > edges) edges = $3; wall += $4 }
        END { printf "%-8s %10d executions %7.0f CPU s %7.0f s %6d edges\n",
                     name, runs, cpu, wall, edges
              exit cpu < wanted }' "$log"
}

# One slice of a target; appends to its log, fails with a finding.
run_slice()
{
    local target=$1 rc=0 out times
    out=$scratch/$target.out
    mkdir -p "$scratch/corpus/$target" "$scratch/findings"
    with_dictionary "$target"
    TIMEFORMAT='%U %S %R'
    times=$({ time nice -n 19 "$scratch/bin/fuzz_$target" "${common_of[@]}" \
        -max_total_time="$slice" \
        -artifact_prefix="$scratch/findings/$target-" \
        "$scratch/corpus/$target" "$corpus/$target" >"$out" 2>&1; } 2>&1) ||
        rc=$?
    awk -v times="$times" '
        / cov: / { for (i = 1; i < NF; i++)
                       if ($i == "cov:") edges = $(i + 1) }
        /stat::number_of_executed_units/ { runs = $2 }
        END { split(times, t, " ")
              print runs + 0, t[1] + t[2], edges + 0, t[3] }' \
        "$out" >>"$scratch/$target.log"
    if [ "$rc" -ne 0 ]; then
        echo "FINDING in $target (exit $rc), see $out:"
        grep -m 1 'Test unit written to' "$out" || tail -n 5 "$out"
        return 1
    fi
}

# Slices by turns, the target with the least time first, $jobs at a time.
fuzz()
{
    local target next least cpu failed=0
    mkdir -p "$scratch"
    while :; do
        local turn=()
        while read -r cpu target; do
            turn+=("$target")
        done < <(for target in "${targets[@]}"; do
            if ! sum_of "$target" >/dev/null; then
                echo "$(awk '{ c += $2 } END { print c + 0 }' \
                    "$scratch/$target.log") $target"
            fi
        done | sort -n | head -n "$jobs")
        [ ${#turn[@]} -gt 0 ] || break
        local ids=()
        for target in "${turn[@]}"; do
            run_slice "$target" &
            ids+=($!)
        done
        for next in "${ids[@]}"; do
            wait "$next" || failed=1
        done
        [ "$failed" -eq 0 ] || break
    done
    for target in "${targets[@]}"; do
        least=$(sum_of "$target") || true
        echo "$least $(find "$scratch/findings" -name "$target-*" 2>/dev/null |
            wc -l) findings"
    done
    [ "$failed" -eq 0 ]
}

# The same inputs each time, but for what the names of temporary files change:
# those of the corpus in the order of their names, a seed, a number, and one
# thread, since the coverage of several hangs on who comes first.  A finding is
# printed whole, for logs of machines that are gone.
smoke()
{
    local target rc out failed=0 passed=0
    out=$(mktemp)
    for target in "${targets[@]}"; do
        rc=0
        with_dictionary "$target"
        find "$corpus/$target" -type f | LC_ALL=C sort | paste -sd, >"$out.in"
        FUZZ_ONE_THREAD=1 \
            nice -n 19 "$scratch/bin/fuzz_$target" "${common_of[@]}" -seed=1 \
            -runs="${smoke_runs[$target]}" -seed_inputs="@$out.in" \
            -artifact_prefix="$scratch/findings/$target-" >"$out" 2>&1 || rc=$?
        if [ "$rc" -eq 0 ]; then
            passed=$((passed + 1))
            grep -E '[[:space:]]DONE[[:space:]]' "$out" |
                sed "s/^/$target: /; s/exec.s: .*//"
        else
            failed=$((failed + 1))
            echo "FINDING in $target (exit $rc):"
            tail -n 40 "$out"
            find "$scratch/findings" -name "$target-*" -newer "$out.in" \
                -exec base64 {} \;
        fi
    done
    rm -f "$out" "$out.in"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# libFuzzer's merge: of what is not large, few inputs that reach every
# edge.
minimise()
{
    local target small
    for target in "${targets[@]}"; do
        small=$TMPDIR/small-$target
        mkdir -p "$small" "$scratch/corpus/$target"
        find "$scratch/corpus/$target" -type f -size -5 -exec cp -t "$small" {} +
        "$scratch/bin/fuzz_$target" "${common[@]}" -set_cover_merge=1 -use_counters=0 \
            "$corpus/$target" "$small" >"$scratch/$target.merge" 2>&1
        printf '%-8s %s files, %s bytes\n' "$target" \
            "$(find "$corpus/$target" -type f | wc -l)" \
            "$(cat "$corpus/$target"/* | wc -c)"
    done
}

# The runtime is a package of its own; the corpus is replayed without it, too.
if ! echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return 0; }' |
    clang -w -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then
    echo "No clang with libFuzzer here (clang, libclang-rt-dev): skipped"
    [ "$action" = smoke ] || exit 1
    echo "0 passed, 0 failed"
    exit 0
fi

# Inputs become files: in memory, and gone with us, however a target ends.
root=/tmp
[ -w /dev/shm ] && root=/dev/shm
TMPDIR=$(mktemp -d "$root/warpmem-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

tools/build.sh fuzz
# Copies, so that a build beside a long run does not change what is run.
mkdir -p "$scratch/bin" "$scratch/findings"
for target in "${targets[@]}"; do
    cp -f "build/fuzz/tests/fuzz/fuzz_$target" "$scratch/bin/"
done
"$action"; exit

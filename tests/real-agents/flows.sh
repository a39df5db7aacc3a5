# Flows of hast from end to end with a real agent and a model that works only from the prompt. Sourced by `run`.
# Each case has a project, a fresh home and the agent as the only one on PATH; `hast` is the real binary.

FLOW_CASES=(good homes own-path lie weakened deleted 429 silence background parallel explore session kernel contract)

# A project in JavaScript, as a person would have it before `hast init`.
project() {
    mkdir -p "$PROJECT" && cd "$PROJECT" || return
    git init -q -b main && git config user.name User && git config user.email user@localhost
    printf 'exports.add = (a, b) => a + b;\n' | tee calc.js >other.js
    cat >calc.test.js <<'END'
const test = require("node:test");
const assert = require("node:assert");
test("add", () => assert.strictEqual(require("./calc.js").add(1, 2), 3));
test("add again", () => assert.strictEqual(require("./other.js").add(2, 2), 4));
END
    printf '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test"}}\n' >package.json
    git add -A && git commit -qm base
}

# The agent is pointed at the server with its homes below the given directory.
point() { # agent, directory of its homes
    local home=$HOME_DIR
    HOME_DIR=$2 RETRIES=1
    mkdir -p "$HOME_DIR"
    "point_$1"
    HOME_DIR=$home
}

# Variables that move homes are left out: the agent's homes are where the program looks by itself.
without_homes() {
    local kept=() one
    for one in "${ENV[@]}"; do
        case $one in CLAUDE_CONFIG_DIR=* | CODEX_HOME=* | GEMINI_CLI_HOME=* | QWEN_HOME=* | XDG_*=* | GOOSE_PATH_ROOT=* | COPILOT_HOME=* | COPILOT_CACHE_HOME=*) ;; *) kept+=("$one") ;; esac
    done
    ENV=("${kept[@]}")
}

# hast as the user of the case calls it.
hast_here() {
    (cd "$PROJECT" && PATH="$BIN:$PATH" clean HAST_TRUST=all timeout -k 10 240 "$HAST" "$@")
}

goal() { # id, file, what goes before the title's end, what goes before each line
    printf '%s- id: "%s"\n%s  title: "A function `sub` in the file `%s`, with a test%s"\n' "${4:-  }" "$1" "${4:-  }" "$2" "${3:-}"
    printf '%s  status: active\n%s  allowed_changes: ["*.js"]\n' "${4:-  }" "${4:-  }"
}

# Only the agent of the case, and a second one where two work, are on PATH.
programs() {
    BIN=$(dirname "$PROJECT")/bin
    mkdir -p "$BIN"
    for one in "$@"; do ln -s "$(program "$one")" "$BIN/$one"; done
}

# The words for a run of `auto`: how it ended, why the last attempt failed, how many there were.
ended() {
    node -e '
        const told = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8") || "{}");
        const attempts = told.attempts ?? [];
        const last = attempts.at(-1);
        const why = told.ending === "done" || !last ? "" : `, ${last.code}`;
        process.stdout.write(`${told.ending ?? told.status ?? `no answer: ${told.problem?.what ?? ""}`}${why}, ${attempts.length}`);
    ' "$1" 2>/dev/null || printf 'no answer'
}

# One case; prints what came of it in a few words. $OUT keeps what hast said.
flow_case() { # agent, case, number of the agent
    local agent=$1 case=$2 seconds=$((31536000 + $3)) partner=claude words
    local base=$SCRATCH/flow-$agent-$case
    PROJECT=$base/project HOME_DIR=$base/home TMP_DIR=$base/tmp OUT=$base/out
    mkdir -p "$HOME_DIR" "$TMP_DIR" "$OUT"
    URL=http://127.0.0.1:$PORT/flow-$case
    if [ "$agent" = aider ]; then printf 'has no tools'; return; fi
    [ "$agent" = claude ] && partner=codex
    (project) >"$OUT/project" 2>&1 || { printf 'no project'; return; }
    programs "$agent"
    if [ "$case" = homes ]; then point "$agent" "$base/moved"; else
        point "$agent" "$HOME_DIR"
        without_homes
    fi
    if [ "$case" = parallel ]; then
        local first=("${ENV[@]}")
        programs "$partner"
        point "$partner" "$HOME_DIR"
        without_homes
        ENV+=("${first[@]}")
    fi
    hast_here init >"$OUT/init" 2>&1 || { printf 'no init'; return; }
    grep -qx "ai_tool: $agent" "$PROJECT/.ai/config.yaml" || [ "$case" = parallel ] || { printf 'init did not choose it'; return; }
    # Some agents wait for a distant reset without a word until their time is over.
    printf 'max_retries: 1\ntimeout_minutes: %s\n' "$([ "$case" = 429 ] && echo 1 || echo 3)" >>"$PROJECT/.ai/config.yaml"
    case $case in
        silence) printf 'stall_minutes: 1\n' ;;
        own-path) printf 'room: own-path\n' ;;
    esac >>"$PROJECT/.ai/config.yaml"
    {
        printf 'goals:\n'
        case $case in
            parallel)
                printf '  - id: "목표"\n    title: "Both"\n    status: active\n    children:\n'
                goal 목표/1 calc.js '' '      ' && printf '        tool: %s\n' "$agent"
                goal 목표/2 other.js '' '      ' && printf '        tool: %s\n' "$partner"
                ;;
            background) goal 목표/1 calc.js "; sleep for $seconds seconds" ;;
            *) goal 목표/1 calc.js ;;
        esac
    } >"$PROJECT/.ai/goals.yaml"
    (cd "$PROJECT" && git add -A && git commit -qm hast) >>"$OUT/project" 2>&1
    case $case in
        explore | session | kernel | contract) words=$(other_flow "$case") ;;
        parallel) hast_here auto 목표 --recursive --parallel 2 --json >"$OUT/json" 2>"$OUT/error"; words=$(ended "$OUT/json") ;;
        *) hast_here auto --json >"$OUT/json" 2>"$OUT/error"; words=$(ended "$OUT/json") ;;
    esac
    printf '%s%s' "$words" "$(afterwards "$case" "$seconds")"
}

# Research, exploration, plans and contracts: whether the flow came to its end.
other_flow() {
    local asked='What is sub?'
    case $1 in
        explore) hast_here explore "$asked" >"$OUT/json" 2>"$OUT/error" && grep -lq 'adds two numbers' "$PROJECT"/.ai/explorations/*.md && printf 'answered' || printf 'no answer' ;;
        contract) hast_here contract start 'Add a function sub to calc.js.' --json >"$OUT/json" 2>"$OUT/error"; ended "$OUT/json" | sed 's/, 0$//' ;;
        *) hast_here "$1" start "$asked" --json >"$OUT/json" 2>"$OUT/error"; ended "$OUT/json" | sed 's/, 0$//' ;;
    esac
}

# What is in the home though every home of the agent was moved. hast's own state is no agent's.
made_in_home() {
    (cd "$HOME_DIR" && find . -mindepth 1 \( -path ./.local/state/hast -o -path ./.cache/hast \) -prune -o ! -type d -printf '%P\n') | head -3 | paste -sd' '
}

# What has to be so after a case, and is only said where it is not; and what the case is about.
afterwards() { # case, seconds that its background process sleeps
    local left made prompts
    case $1 in
        good | homes | own-path | background | parallel)
            grep -q 'exports.sub' "$PROJECT/calc.js" || printf ', NOT IN THE CHECKOUT'
            ls "$PROJECT"/.ai/handoffs/*.md >/dev/null 2>&1 || printf ', NO HANDOFF'
            ;;
        contract) grep -q 'exports.sub' "$PROJECT/calc.js" || printf ', NOT IN THE CHECKOUT' ;;
        explore | session | kernel) ;;
        *) grep -q 'exports.sub' "$PROJECT/calc.js" && printf ', IN THE CHECKOUT' ;;
    esac
    [ "$1" = parallel ] && ! grep -q 'exports.sub' "$PROJECT/other.js" && printf ', THE SECOND IS NOT IN THE CHECKOUT'
    if [ "$1" = homes ]; then
        made=$(made_in_home)
        [ -z "$made" ] || printf ', MADE %s' "$made"
    fi
    if [ "$1" = 429 ]; then
        hast_here agent limits --json 2>/dev/null | node -e '
            const { limits } = JSON.parse(require("fs").readFileSync(0, "utf8"));
            process.stdout.write(limits.map((one) => one.guess ? ", a guess" : ", until told").join("") || ", NO LIMIT");
        '
    fi
    # A percent sign in a path that the agent was told.
    prompts=$(find "$PROJECT" -name prompt.md)
    [ -n "$prompts" ] || printf ', NO PROMPT'
    [ -n "$prompts" ] && tr '\n' '\0' <<<"$prompts" | xargs -0 grep -q '%[0-9A-F][0-9A-F]' && printf ', PERCENT SIGN'
    left=$(pgrep -xfc "sleep $2" || true)
    [ "$left" = 0 ] || printf ', %s LEFT' "$left"
    [ "$1" = background ] && [ "$left" = 0 ] && printf ', 0 left'
    (cd "$PROJECT" && [ -z "$(git status --porcelain --untracked-files=no | grep -v '\.ai/goals.yaml')" ]) || printf ', CHECKOUT CHANGED'
}

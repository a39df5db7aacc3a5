# How each real agent is installed, pointed at the scripted server, and called. Sourced by `run`.
# A call is made in directory $TREE with home $HOME_DIR, the server at $URL (which ends in the script's name),
# the prompt in $PROMPT_FILE, and $RETRIES for those that can be told how often to retry. The flags are those of the
# presets in crates/hast-flow/src/agents/presets/.

ALL_AGENTS=(claude codex gemini qwen opencode goose copilot aider)
AGENTS=("${ALL_AGENTS[@]}")

declare -A PACKAGE=(
    [claude]=@anthropic-ai/claude-code@2.1.325
    [codex]=@openai/codex@0.166.0
    [gemini]=@google/gemini-cli@0.61.0
    [qwen]=@qwen-code/qwen-code@0.24.4
    [opencode]=opencode-ai@1.18.33
    [goose]=@aaif/goose@0.20.1
    [copilot]=@github/copilot@1.0.102
    [aider]=aider-chat==0.86.2
)

program() {
    case $1 in
        aider) echo "$CACHE/aider/bin/aider" ;;
        *) echo "$CACHE/$1/node_modules/.bin/$1" ;;
    esac
}

# An agent sees nothing of the caller's environment but what is named here, and what `point_NAME` puts into ENV:
# the variables that point it at the server and keep it quiet. All of them pass hast's filter for the preset.
clean() {
    env -i PATH="$PATH" LANG=C.UTF-8 TERM=dumb HOME="$HOME_DIR" TMPDIR="$TMP_DIR" "${ENV[@]}" "$@"
}

point_claude() {
    ENV=(ANTHROPIC_BASE_URL="$URL" ANTHROPIC_API_KEY=dummy CLAUDE_CONFIG_DIR="$HOME_DIR/.claude" IS_SANDBOX=1
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_MAX_RETRIES="$RETRIES")
}

call_claude() {
    clean "$(program claude)" -p --dangerously-skip-permissions --output-format stream-json --verbose <"$PROMPT_FILE"
}

point_codex() {
    mkdir -p "$HOME_DIR/.codex"
    cat >"$HOME_DIR/.codex/config.toml" <<TOML
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "$URL/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = $RETRIES
stream_max_retries = $RETRIES
[analytics]
enabled = false
[features]
plugins = false
apps = false
remote_plugin = false
plugin_discovery_prefetch = false
TOML
    ENV=(OPENAI_API_KEY=dummy CODEX_HOME="$HOME_DIR/.codex")
}

call_codex() {
    clean "$(program codex)" exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check \
        -c features.unbounded_connection_retries=false --json - <"$PROMPT_FILE"
}

point_gemini() {
    mkdir -p "$HOME_DIR/.gemini"
    echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"maxAttempts":'$((RETRIES + 1))'}}' \
        >"$HOME_DIR/.gemini/settings.json"
    ENV=(GEMINI_API_KEY=dummy GOOGLE_GEMINI_BASE_URL="$URL" GEMINI_CLI_HOME="$HOME_DIR" GEMINI_CLI_TRUST_WORKSPACE=true
        GEMINI_MODEL=gemini-2.5-pro)
}

call_gemini() {
    clean "$(program gemini)" --approval-mode yolo -o stream-json <"$PROMPT_FILE"
}

point_qwen() {
    ENV=(OPENAI_API_KEY=dummy OPENAI_BASE_URL="$URL/v1" OPENAI_MODEL=scripted QWEN_HOME="$HOME_DIR/.qwen")
}

call_qwen() {
    clean "$(program qwen)" --approval-mode yolo -o stream-json <"$PROMPT_FILE"
}

point_opencode() {
    local config='{"model":"p/m","provider":{"p":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"'$URL'/v1","apiKey":"dummy"},"models":{"m":{}}}},"permission":{"*":"allow"}}'
    ENV=(OPENCODE_CONFIG_CONTENT="$config" XDG_CONFIG_HOME="$HOME_DIR/config" XDG_DATA_HOME="$HOME_DIR/data"
        XDG_STATE_HOME="$HOME_DIR/state" XDG_CACHE_HOME="$HOME_DIR/cache" OPENCODE_DISABLE_AUTOUPDATE=1
        OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1)
}

call_opencode() {
    clean "$(program opencode)" run --auto --format json <"$PROMPT_FILE"
}

point_goose() {
    ENV=(GOOSE_PROVIDER=openai GOOSE_MODEL=scripted OPENAI_HOST="$URL" OPENAI_API_KEY=dummy GOOSE_MODE=auto
        GOOSE_DISABLE_KEYRING=1 GOOSE_TELEMETRY_ENABLED=false GOOSE_PATH_ROOT="$HOME_DIR/goose")
}

call_goose() {
    clean "$(program goose)" run --no-profile --with-builtin developer -q --output-format stream-json -i - <"$PROMPT_FILE"
}

point_copilot() {
    ENV=(COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL="$URL/v1" COPILOT_PROVIDER_API_KEY=dummy COPILOT_MODEL=scripted
        COPILOT_HOME="$HOME_DIR/.copilot" COPILOT_CACHE_HOME="$HOME_DIR/.cache/copilot")
}

call_copilot() {
    clean "$(program copilot)" --allow-all-tools --allow-all-paths --disable-builtin-mcps --no-auto-update \
        --output-format json <"$PROMPT_FILE"
}

point_aider() {
    ENV=(OPENAI_API_BASE="$URL/v1" OPENAI_API_KEY=dummy AIDER_MODEL=openai/scripted)
}

call_aider() {
    clean "$(program aider)" --yes-always --message-file "$PROMPT_FILE" --no-auto-commits \
        --chat-history-file /dev/null --input-history-file /dev/null --no-check-update --analytics-disable \
        --no-pretty --no-gitignore --no-show-model-warnings </dev/null
}

# The same call made by hast: the preset's own command line, under the guard, in the sandbox, with hast's limits.
# Arguments: the agent, seconds until it is ended, seconds of silence until it is ended; $SANDBOX is prefer or off.
# Prints one line of JSON.
# When `hast agent run` makes such calls, it takes the place of the example here.
supervised_call() {
    PATH="$(dirname "$(program "$1")"):$PATH" clean HAST_MARK="$MARK" SANDBOX="$SANDBOX" \
        "$SUPERVISED" "$1" "$TREE" "$PROMPT_FILE" "$OUT" "$2" "$3" "$HOME_DIR"
}

# How each real agent is installed, pointed at the scripted server, and called. Sourced by `run`.
# A call is made in directory $TREE with home $HOME_DIR, the server at $URL (which ends in the script's name),
# the prompt in $PROMPT_FILE. The flags are those of the presets in crates/hast-flow/src/agents/presets/.

AGENTS=(claude codex gemini qwen opencode goose copilot aider)

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

# An agent sees nothing of the caller's environment but what is named here.
clean() {
    env -i PATH="$PATH" LANG=C.UTF-8 TERM=dumb HOME="$HOME_DIR" TMPDIR="$TMP_DIR" "$@"
}

call_claude() {
    clean ANTHROPIC_BASE_URL="$URL" ANTHROPIC_API_KEY=dummy CLAUDE_CONFIG_DIR="$HOME_DIR/.claude" IS_SANDBOX=1 \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_MAX_RETRIES=1 \
        "$(program claude)" -p --dangerously-skip-permissions --output-format stream-json --verbose <"$PROMPT_FILE"
}

call_codex() {
    mkdir -p "$HOME_DIR/.codex"
    cat >"$HOME_DIR/.codex/config.toml" <<TOML
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "$URL/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[features]
plugins = false
apps = false
remote_plugin = false
plugin_discovery_prefetch = false
TOML
    clean SCRIPTED_KEY=dummy CODEX_HOME="$HOME_DIR/.codex" \
        "$(program codex)" exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check \
        -c features.unbounded_connection_retries=false --json - <"$PROMPT_FILE"
}

call_gemini() {
    mkdir -p "$HOME_DIR/.gemini"
    echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"maxAttempts":2}}' \
        >"$HOME_DIR/.gemini/settings.json"
    clean GEMINI_API_KEY=dummy GOOGLE_GEMINI_BASE_URL="$URL" GEMINI_CLI_HOME="$HOME_DIR" GEMINI_CLI_TRUST_WORKSPACE=true \
        "$(program gemini)" -m gemini-2.5-pro --approval-mode yolo -o stream-json <"$PROMPT_FILE"
}

call_qwen() {
    clean OPENAI_API_KEY=dummy OPENAI_BASE_URL="$URL/v1" OPENAI_MODEL=scripted QWEN_HOME="$HOME_DIR/.qwen" \
        "$(program qwen)" --approval-mode yolo -o stream-json <"$PROMPT_FILE"
}

call_opencode() {
    local config='{"provider":{"p":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"'$URL'/v1","apiKey":"dummy"},"models":{"m":{}}}},"permission":{"*":"allow"}}'
    clean OPENCODE_CONFIG_CONTENT="$config" XDG_CONFIG_HOME="$HOME_DIR/config" XDG_DATA_HOME="$HOME_DIR/data" \
        XDG_STATE_HOME="$HOME_DIR/state" XDG_CACHE_HOME="$HOME_DIR/cache" OPENCODE_DISABLE_AUTOUPDATE=1 \
        OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1 \
        "$(program opencode)" run --model p/m --auto --format json <"$PROMPT_FILE"
}

call_goose() {
    clean GOOSE_PROVIDER=openai GOOSE_MODEL=scripted OPENAI_HOST="$URL" OPENAI_API_KEY=dummy GOOSE_MODE=auto \
        GOOSE_DISABLE_KEYRING=1 GOOSE_TELEMETRY_ENABLED=false GOOSE_PATH_ROOT="$HOME_DIR/goose" \
        "$(program goose)" run --no-profile --with-builtin developer -q --output-format stream-json -i - <"$PROMPT_FILE"
}

call_copilot() {
    clean COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL="$URL/v1" COPILOT_PROVIDER_API_KEY=dummy COPILOT_MODEL=scripted \
        COPILOT_HOME="$HOME_DIR/.copilot" \
        "$(program copilot)" --allow-all-tools --allow-all-paths --disable-builtin-mcps --no-auto-update \
        --output-format json <"$PROMPT_FILE"
}

call_aider() {
    clean OPENAI_API_BASE="$URL/v1" OPENAI_API_KEY=dummy \
        "$(program aider)" --model openai/scripted --yes-always --message-file "$PROMPT_FILE" --no-auto-commits \
        --chat-history-file /dev/null --input-history-file /dev/null --no-check-update --analytics-disable \
        --no-pretty --no-gitignore --no-show-model-warnings </dev/null
}

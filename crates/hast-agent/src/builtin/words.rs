//! Problems of the built-in agent that a person has to solve, in both languages.

hast_flow::messages! {
    no_key(variable, wire) {
        en: "the variable {variable} has no API key; set it, or name another one with `key_env` below `builtin:` and `{wire}:` in .ai/config.yaml; a local server needs `base_url` there and no key",
        ko: "변수 {variable}에 API 키가 없습니다. 키를 정하거나, .ai/config.yaml의 `builtin:` 아래 `{wire}:`에 `key_env`로 다른 변수를 적으세요. 로컬 서버라면 키 없이 그곳에 `base_url`만 적으면 됩니다",
    }
    bad_address(address) {
        en: "`{address}` is no http address without a key in it; correct `base_url` of `builtin:` or the variable",
        ko: "`{address}`(은)는 키가 들어 있지 않은 http 주소가 아닙니다. `builtin:`의 `base_url`이나 변수를 고치세요",
    }
    bad_settings(why) {
        en: "the settings of `builtin:` cannot be read ({why}); check .ai/config.yaml with `hast verify`",
        ko: "`builtin:` 설정을 읽을 수 없습니다({why}). `hast verify`로 .ai/config.yaml을 확인하세요",
    }
    small_window(server, model, window, needed) {
        en: "{server} gives `{model}` a window of {window} tokens and would cut the prompt; this call needs {needed}. Give it more (Ollama: OLLAMA_CONTEXT_LENGTH, or `PARAMETER num_ctx` in a Modelfile; llama.cpp: -c)",
        ko: "{server}의 `{model}` 컨텍스트가 {window}토큰이라 프롬프트가 잘립니다. 이 호출에는 {needed}토큰이 필요합니다. 늘려 주세요(Ollama: OLLAMA_CONTEXT_LENGTH 또는 Modelfile의 `PARAMETER num_ctx`, llama.cpp: -c)",
    }
}

#[cfg(test)]
mod tests {
    use hast_flow::words::placeholders;

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in super::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}

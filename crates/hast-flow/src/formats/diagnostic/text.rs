//! The words of every finding.
use crate::messages;

messages! {
    cannot_read(why) { en: "the file cannot be read: {why}", ko: "파일을 읽을 수 없습니다: {why}" }
    cannot_read_next() { en: "check that it exists and that you may read it", ko: "파일이 있는지, 읽을 권한이 있는지 확인하세요" }
    too_large(bytes, limit) { en: "the file has {bytes} bytes, more than the limit of {limit}", ko: "파일이 {bytes}바이트로 한도 {limit}바이트를 넘습니다" }
    too_large_next() { en: "split it or remove what is not needed", ko: "파일을 나누거나 필요 없는 내용을 지우세요" }
    not_utf8(line, byte) { en: "line {line} is not UTF-8 text (byte {byte})", ko: "{line}번째 줄이 UTF-8 텍스트가 아닙니다(바이트 {byte})" }
    not_utf8_next() { en: "save the file as UTF-8", ko: "파일을 UTF-8로 저장하세요" }
    syntax(format, detail) { en: "this is not valid {format}: {detail}", ko: "올바른 {format} 형식이 아닙니다: {detail}" }
    syntax_next(format) { en: "correct the {format} at this place", ko: "이 위치의 {format} 문법을 고치세요" }
    tab_next() { en: "use spaces: YAML takes no tab at the beginning of a line", ko: "탭을 공백으로 바꾸세요. YAML은 줄 앞에 탭을 쓸 수 없습니다" }
    matches_nothing(glob) { en: "no file can match `{glob}`", ko: "`{glob}`에 맞는 파일은 있을 수 없습니다" }
    matches_nothing_next() { en: "write it from the top of the repository, without `..`, for example src/ or docs/*.md", ko: "저장소 최상위부터 `..` 없이 쓰세요. 예: src/, docs/*.md" }
    too_deep(limit) { en: "values are nested deeper than {limit} levels", ko: "값이 {limit}단계보다 깊게 중첩되어 있습니다" }
    too_many_nodes(limit) { en: "the file expands to more than {limit} values", ko: "파일을 펼치면 값이 {limit}개를 넘습니다" }
    alias_loop() { en: "the alias is inside the value that it names", ko: "별칭이 자기가 가리키는 값 안에 있습니다" }
    too_deep_next() { en: "write it with fewer levels and fewer aliases", ko: "중첩과 별칭을 줄여서 쓰세요" }
    duplicate_key(key, first_line) { en: "the key `{key}` is already on line {first_line}", ko: "키 `{key}`(은)는 {first_line}번째 줄에 이미 있습니다" }
    duplicate_key_next() { en: "keep one of the two", ko: "둘 중 하나만 남기세요" }
    key_not_text() { en: "a key must be plain text", ko: "키는 문자열이어야 합니다" }
    key_not_text_next() { en: "write the key as text", ko: "키를 문자열로 쓰세요" }
    torn_tail(bytes) { en: "the last line is cut off ({bytes} bytes), as a crash leaves it", ko: "마지막 줄이 잘려 있습니다({bytes}바이트). 비정상 종료의 흔적입니다" }
    torn_tail_next() { en: "nothing to do: readers skip it, and the next write cuts it off", ko: "할 일은 없습니다. 읽을 때 건너뛰고 다음 쓰기가 잘라냅니다" }
    unknown_field(name) { en: "unknown field `{name}`", ko: "알 수 없는 필드 `{name}`" }
    unknown_field_next() { en: "remove it, or check its spelling", ko: "지우거나 철자를 확인하세요" }
    unknown_field_near(near) { en: "did you mean `{near}`?", ko: "`{near}`(을)를 쓰려던 것인가요?" }
    missing_field(name) { en: "the field `{name}` is missing", ko: "필드 `{name}`(이)가 없습니다" }
    missing_field_next(name) { en: "add `{name}`", ko: "`{name}`(을)를 추가하세요" }
    missing_field_example(name, example) { en: "add it, for example `{name}: {example}`", ko: "추가하세요. 예: `{name}: {example}`" }
    wrong_type(expected, found) { en: "expected {expected}, found {found}", ko: "{expected}(이)가 필요한데 {found}(이)가 있습니다" }
    wrong_type_next(expected) { en: "write {expected} here", ko: "여기에 {expected}(을)를 쓰세요" }
    quote_text(text) { en: "expected text, but `{text}` without quotes is not text in YAML", ko: "문자열이 필요한데, 따옴표 없는 `{text}`(은)는 YAML에서 문자열이 아닙니다" }
    quote_text_next(text) { en: "put it in quotes: \"{text}\"", ko: "따옴표로 감싸세요: \"{text}\"" }
    not_one_of(value) { en: "`{value}` is not allowed here", ko: "`{value}`(은)는 쓸 수 없는 값입니다" }
    not_one_of_next(allowed) { en: "use one of: {allowed}", ko: "다음 중 하나를 쓰세요: {allowed}" }
    bad_form(value) { en: "`{value}` does not have the right form", ko: "`{value}`의 형식이 맞지 않습니다" }
    bad_form_next(example) { en: "write it like {example}", ko: "{example}처럼 쓰세요" }
    out_of_range(value) { en: "`{value}` is out of range", ko: "`{value}`(은)는 허용 범위를 벗어났습니다" }
    out_of_range_next(least, most) { en: "use a number from {least} to {most}", ko: "{least}부터 {most}까지의 수를 쓰세요" }
    empty(name) { en: "`{name}` is empty", ko: "`{name}`(이)가 비어 있습니다" }
    empty_next() { en: "write a value", ko: "값을 쓰세요" }
    no_table() { en: "there is no table with the expected columns", ko: "필요한 열을 가진 표가 없습니다" }
    no_table_next(columns) { en: "add a table with the header | {columns} |", ko: "다음 머리글의 표를 넣으세요: | {columns} |" }
    missing_column(name) { en: "the column `{name}` is missing", ko: "열 `{name}`(이)가 없습니다" }
    missing_column_next(name) { en: "add the column `{name}` to the header and to each row", ko: "머리글과 각 행에 열 `{name}`(을)를 추가하세요" }
    cell_count(expected, found) { en: "the row has {found} cells, the header {expected}", ko: "머리글은 {expected}칸인데 이 행은 {found}칸입니다" }
    cell_count_next(expected) { en: "make it {expected} cells; write a | inside a cell as \\|", ko: "{expected}칸으로 맞추세요. 칸 안의 |는 \\|로 씁니다" }
    no_front_matter() { en: "the file does not start with front matter", ko: "파일이 front matter로 시작하지 않습니다" }
    no_front_matter_next() { en: "start the file with a line ---, the fields, and a line ---", ko: "--- 줄, 필드, --- 줄로 파일을 시작하세요" }
    unclosed_front_matter() { en: "the front matter is not closed", ko: "front matter가 닫히지 않았습니다" }
    unclosed_front_matter_next() { en: "add a line --- after its last field", ko: "마지막 필드 다음에 --- 줄을 추가하세요" }
    newer_version(found, known) { en: "the file has version {found}, this hast knows {known}", ko: "파일 버전은 {found}인데 이 hast는 {known}까지 압니다" }
    newer_version_next() { en: "use a newer hast; this one will not write the file", ko: "더 새로운 hast를 쓰세요. 이 버전은 이 파일을 쓰지 않습니다" }
    duplicate_id(id, first_line) { en: "the id `{id}` is already on line {first_line}", ko: "id `{id}`(은)는 {first_line}번째 줄에 이미 있습니다" }
    duplicate_id_next() { en: "give one of the two another id", ko: "둘 중 하나에 다른 id를 주세요" }
    unknown_reference(id) { en: "there is no `{id}`", ko: "`{id}`(이)가 없습니다" }
    unknown_reference_next() { en: "name one that exists, or remove the reference", ko: "있는 것을 가리키거나 참조를 지우세요" }
    cycle(path) { en: "these wait for each other (line): {path}", ko: "서로를 기다립니다(줄): {path}" }
    cycle_next() { en: "remove one of the dependencies", ko: "의존 관계 하나를 지우세요" }
    not_its_owner(id, owner) { en: "`{id}` does not belong to `{owner}`", ko: "`{id}`(은)는 `{owner}`에 속하지 않습니다" }
    not_its_owner_next(owner) { en: "use an id that starts with `{owner}`", ko: "`{owner}`(으)로 시작하는 id를 쓰세요" }
    not_in_order(id, list) { en: "`{id}` is not in `{list}`, so it would never begin", ko: "`{id}`(이)가 `{list}`에 없어 시작되지 않습니다" }
    not_in_order_next(id, list) { en: "add `{id}` to `{list}`", ko: "`{list}`에 `{id}`(을)를 추가하세요" }
    no_placeholder(line) { en: "`{line}` does not say where the prompt goes", ko: "`{line}`에 프롬프트 자리가 없습니다" }
    no_placeholder_next() { en: "add {{prompt}}, {{prompt_file}} or {{stdin}} as a word of its own", ko: "{{prompt}}, {{prompt_file}}, {{stdin}} 중 하나를 독립된 단어로 넣으세요" }
    near_preset(near) { en: "did you mean `{near}`? Of a program of your own, say with {{prompt}}, {{prompt_file}} or {{stdin}} where the prompt goes", ko: "`{near}`(을)를 뜻했나요? 직접 쓰는 프로그램이라면 {{prompt}}, {{prompt_file}}, {{stdin}} 중 하나로 프롬프트 자리를 적으세요" }
    unclosed_quote(line) { en: "the quotes of the command line `{line}` do not close", ko: "명령줄 `{line}`의 따옴표가 닫히지 않았습니다" }
    unclosed_quote_next() { en: "close the quote, or write \\' for a single one", ko: "따옴표를 닫거나, 글자 그대로의 따옴표는 \\'로 적으세요" }
    runs_the_prompt(interpreter) { en: "`{interpreter}` would run the prompt as a program", ko: "`{interpreter}`(이)가 프롬프트를 프로그램으로 실행하게 됩니다" }
    runs_the_prompt_next() { en: "use {{stdin}}, or pass the prompt to a script as an argument: sh -c 'tool \"$1\"' sh {{prompt}}", ko: "{{stdin}}을 쓰거나, 스크립트의 인자로 넘기세요: sh -c 'tool \"$1\"' sh {{prompt}}" }
    placeholder_inside(placeholder) { en: "`{placeholder}` must be a word of its own", ko: "`{placeholder}`(은)는 독립된 단어여야 합니다" }
    placeholder_inside_next() { en: "take it out of the quotes: hast never hands a prompt to a shell", ko: "따옴표 밖으로 꺼내세요. hast는 프롬프트를 셸에 넘기지 않습니다" }
    none_of_these() { en: "one field is needed here, and none of those that fit is there", ko: "필드가 하나 필요한데 맞는 것이 없습니다" }
    none_of_these_next(allowed) { en: "write one of: {allowed}", ko: "다음 중 하나를 쓰세요: {allowed}" }
    more_than_one(found) { en: "only one of these can be here: {found}", ko: "다음 중 하나만 있을 수 있습니다: {found}" }
    more_than_one_next() { en: "keep one; in a list, give each an item of its own", ko: "하나만 남기세요. 목록이라면 항목을 따로 만드세요" }
    never_reached(after) { en: "this is never played: `{after}` before it is an ending", ko: "앞의 `{after}`(이)가 끝이라서 실행되지 않습니다" }
    never_reached_next(after) { en: "move `{after}` to the end, or remove what follows", ko: "`{after}`(을)를 맨 끝으로 옮기거나 뒤의 것을 지우세요" }
    old_field(name) { en: "`{name}` is an old name", ko: "`{name}`(은)는 예전 이름입니다" }
    old_field_next(instead) { en: "write `{instead}` instead; the old name is still read", ko: "`{instead}`(으)로 바꾸세요. 예전 이름도 아직 읽습니다" }
    no_effect(name) { en: "`{name}` has no effect: every goal works in a room of its own", ko: "`{name}`(은)는 효과가 없습니다. 모든 목표는 별도의 작업실에서 진행됩니다" }
    no_effect_next() { en: "remove the line", ko: "이 줄을 지우세요" }
    cannot_edit_next() { en: "change this line by hand", ko: "이 줄을 직접 고치세요" }
    too_few(found, least) { en: "there are {found} here, and at least {least} are needed", ko: "여기에는 {found}개가 있고, 적어도 {least}개가 필요합니다" }
    too_few_next(least) { en: "write {least} or more", ko: "{least}개 이상 적으세요" }
    not_growing(id, before) { en: "the id `{id}` does not come after `{before}`", ko: "id `{id}`(이)가 `{before}` 뒤의 값이 아닙니다" }
    not_the_first(id) { en: "the log begins with `{id}`: the lines before it are missing", ko: "로그가 `{id}`(으)로 시작합니다. 그 앞의 줄이 없습니다" }
    answered_twice(id) { en: "`{id}` was answered once more than it was asked", ko: "`{id}`의 답이 요청보다 한 번 더 있습니다" }
    log_next() { en: "a log is only added to: put the line back as it was", ko: "로그는 뒤에 덧붙이기만 합니다. 줄을 원래대로 되돌리세요" }
    contradicts(other, detail) { en: "this does not say what {other} says: {detail}", ko: "{other}의 내용과 다릅니다: {detail}" }
    contradicts_next(other) { en: "undo the edit of this file, or of {other}", ko: "이 파일이나 {other}의 편집을 되돌리세요" }
    missing_file(path, because) { en: "`{path}` is missing, although {because}", ko: "`{path}`(이)가 없습니다. 근거: {because}" }
    missing_file_next(path) { en: "put `{path}` back", ko: "`{path}`(을)를 되돌려 놓으세요" }
    custom_next() { en: "correct it and run hast verify again", ko: "고친 뒤 hast verify를 다시 실행하세요" }
    edit_through_alias() { en: "the value is written elsewhere and only named here by an alias", ko: "값은 다른 곳에 있고 여기는 별칭만 있습니다" }
    edit_anchored() { en: "the value has an anchor that other places use", ko: "다른 곳에서 쓰는 앵커가 붙은 값입니다" }
    edit_merge_key() { en: "the value comes from a merge key", ko: "병합 키(<<)에서 온 값입니다" }
    edit_not_a_scalar() { en: "the value is not a single word or text", ko: "단일 값이 아닙니다" }
    edit_not_found() { en: "the value to change is not there", ko: "바꿀 값이 없습니다" }
    edit_already_there() { en: "the field is already there", ko: "필드가 이미 있습니다" }
    edit_tagged() { en: "the value has a type tag", ko: "타입 태그가 붙은 값입니다" }
    edit_shares_line() { en: "something else stands on the same line", ko: "같은 줄에 다른 내용이 있습니다" }
    edit_changes_others() { en: "changing it would change other values too", ko: "이 값을 바꾸면 다른 값도 바뀝니다" }
}

//! `hast agent tool`: tools by hand, their schemas, and what is said when one cannot work.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::world::World;

#[test]
fn all_tools_are_listed_with_their_source() {
    let ran = World::new().run(&["agent", "tool", "--list"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 10), "{ran:?}");
    assert!(ran.out.contains("yf_prices        YFINANCE  "), "{}", ran.out);
    let ran = World::new().run(&["agent", "tool", "--list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(listed["tools"][0]["name"], "sec_company");
    assert_eq!(listed["tools"][9]["source"], serde_json::Value::Null);
}

#[test]
fn a_chart_is_drawn_by_hand() {
    let args = r#"{"title":"매출","kind":"bar","series":[{"name":"매출","points":[{"x":"2024","y":689.6}]}]}"#;
    let ran = World::new().run(&["agent", "tool", "chart", "--args", args]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("<!doctype html>") && ran.out.contains("매출: 689.6"));
    let ran = World::new().run(&["agent", "tool", "chart", "--schema"]);
    assert!(ran.out.contains("\"additionalProperties\": false"), "{}", ran.out);
}

#[test]
fn wrong_arguments_are_a_wrong_usage_with_all_findings() {
    let args = r#"{"concpet":"x","period":"weekly"}"#;
    let ran = World::new().run(&["agent", "tool", "sec_facts", "--args", args]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for expected in
        ["concpet", "weekly", "`concept` is missing", "hast agent tool sec_facts --schema"]
    {
        assert!(ran.err.contains(expected), "{expected}: {}", ran.err);
    }
    let ran = World::new().korean().run(&["agent", "tool", "nope"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`nope` 도구는 없습니다"), "{}", ran.err);
    let ran = World::new().run(&["agent", "tool", "yf_quote", "--args", "[1]"]);
    assert!(ran.code == 2 && ran.err.contains("not a JSON object"), "{ran:?}");
    assert_eq!(World::new().run(&["agent", "tool"]).code, 2);
}

#[test]
fn without_a_user_agent_the_message_says_what_to_set() {
    let args = r#"{"ticker":"MRBT"}"#;
    let ran = World::new().run(&["agent", "tool", "sec_company", "--args", args]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("sec.user_agent") && ran.err.contains("HAST_SEC_USER_AGENT"));
}

#[test]
fn the_user_agent_of_the_configuration_is_sent_to_the_source() {
    let config = "test_command: x\nai_tool: claude\nsec:\n  user_agent: Kim kim@example.com\n";
    let world = World::new().file(".ai/config.yaml", config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = vec![0; 4096];
        let read = stream.read(&mut asked).unwrap();
        let body = r#"{"0":{"cik_str":7,"ticker":"MRBT","title":"Moraebit Devices Inc."}}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8_lossy(&asked[..read]).into_owned()
    });
    let args = ["agent", "tool", "sec_company", "--json", "--args", r#"{"ticker":"mrbt"}"#];
    let output = world.command(&args).env("HAST_SEC_URL", &base).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["result"].as_str().unwrap().contains("\"cik\": \"0000000007\""), "{answer}");
    assert_eq!(answer["sources"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(server.join().unwrap().to_lowercase().contains("user-agent: kim kim@example.com"));
}

//! Pages of strangers over real HTTP: robots, redirects, private addresses, types, encodings, time.

use std::time::Duration;

use crate::loopback::{Manner, Reply, Scene, Server};
use hast_flow::tools::ToolFailure;
use serde_json::json;

const LONG: Duration = Duration::from_secs(20);

fn scene() -> Scene {
    Scene::with(Server::start(), &[]).direct(true, LONG)
}

fn fetch(scene: &Scene, url: &str) -> Result<String, ToolFailure> {
    let answer = scene.ask("web_fetch", &json!({ "url": url }))?;
    Ok(String::from_utf8(answer.bytes).unwrap())
}

#[test]
fn robots_txt_is_asked_first_and_obeyed_also_after_a_redirect() {
    let scene = scene();
    let rules = "User-agent: *\nDisallow: /private\n";
    scene.server.on("/robots.txt", Reply::new(200, "text/plain", rules));
    scene.server.on("/open", Reply::html("<p>open</p>"));
    scene.server.on("/moved", Reply::redirect("/private/x"));
    scene.server.on("/private/x", Reply::html("<p>closed</p>"));
    assert!(fetch(&scene, &scene.server.url("/open")).unwrap().contains("open"));
    for path in ["/private/x", "/moved"] {
        let failure = fetch(&scene, &scene.server.url(path)).unwrap_err();
        assert!(matches!(failure, ToolFailure::ForbiddenByRobots { .. }), "{failure:?}");
    }
    assert_eq!(scene.server.count("/private/x"), 0);
    assert_eq!(scene.server.seen()[0].target, "/robots.txt");
    assert!(scene.server.seen()[0].headers.contains("user-agent: hast/"));
}

#[test]
fn a_site_whose_robots_txt_is_out_of_order_is_not_entered() {
    let scene = scene();
    scene.server.on("/robots.txt", Reply::new(500, "text/plain", "x"));
    scene.server.on("/open", Reply::html("<p>open</p>"));
    let failure = fetch(&scene, &scene.server.url("/open")).unwrap_err();
    assert!(matches!(failure, ToolFailure::Unavailable { .. }), "{failure:?}");
    assert_eq!(scene.server.count("/open"), 0);
}

#[test]
fn private_addresses_are_closed_in_every_spelling() {
    let scene = Scene::with(Server::start(), &[]).direct(false, LONG);
    scene.server.on("/x", Reply::html("<p>secret</p>"));
    let port = scene.server.port;
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "[::ffff:127.0.0.1]",
        "127.1",
        "0.0.0.0",
        "169.254.169.254",
    ] {
        let failure = fetch(&scene, &format!("http://{host}:{port}/x")).unwrap_err();
        assert!(matches!(failure, ToolFailure::PrivateAddress { .. }), "{host}: {failure:?}");
    }
    assert_eq!(scene.server.seen().len(), 0);
}

#[test]
fn a_redirect_into_the_private_network_is_refused() {
    let scene = scene();
    let other = Server::start();
    other.on("/secret", Reply::html("<p>secret</p>"));
    scene.server.on("/go", Reply::redirect(&other.url("/secret")));
    let failure = fetch(&scene, &scene.server.url("/go")).unwrap_err();
    assert!(matches!(failure, ToolFailure::PrivateAddress { .. }), "{failure:?}");
    assert_eq!(other.seen().len(), 0);
}

#[test]
fn only_texts_are_read() {
    let scene = scene();
    for (media, readable) in [
        ("text/html", true),
        ("text/plain; charset=utf-8", true),
        ("application/xhtml+xml", true),
        ("application/pdf", false),
        ("image/png", false),
        ("application/octet-stream", false),
        ("", false),
    ] {
        let path = format!("/{}", media.replace(['/', ';', ' '], "-"));
        scene.server.on(&path, Reply::new(200, media, "<p>some text</p>"));
        let came = fetch(&scene, &scene.server.url(&path));
        assert_eq!(came.is_ok(), readable, "{media}: {came:?}");
        if let Err(failure) = came {
            assert!(matches!(failure, ToolFailure::WrongMedia { .. }), "{failure:?}");
        }
    }
}

#[test]
fn a_korean_page_in_an_old_encoding_is_read() {
    let scene = scene();
    let (page, _, _) = encoding_rs::EUC_KR.encode("<title>시장</title><p>매출이 17% 늘었다.</p>");
    scene.server.on("/k", Reply::new(200, "text/html; charset=euc-kr", page.into_owned()));
    let text = fetch(&scene, &scene.server.url("/k")).unwrap();
    assert!(text.contains("# 시장") && text.contains("매출이 17% 늘었다."), "{text}");
}

#[test]
fn a_page_that_never_ends_or_is_too_large_has_its_end() {
    let scene = Scene::with(Server::start(), &[]).direct(true, Duration::from_millis(300));
    scene.server.on("/robots.txt", Reply::new(404, "text/plain", ""));
    scene.server.on("/slow", Reply::html("<p>slow</p>").manner(Manner::Stuck));
    let failure = fetch(&scene, &scene.server.url("/slow")).unwrap_err();
    assert!(matches!(failure, ToolFailure::TimedOut { .. }), "{failure:?}");
    let scene = self::scene();
    scene.server.on("/bomb", Reply::html(vec![b'a'; 9 << 20]).manner(Manner::Gzip));
    let failure = fetch(&scene, &scene.server.url("/bomb")).unwrap_err();
    assert!(matches!(failure, ToolFailure::TooLarge { .. }), "{failure:?}");
}

#[test]
fn addresses_with_passwords_are_refused_and_not_repeated() {
    let scene = scene();
    let failure = fetch(&scene, "http://me:hunter2@example.com/").unwrap_err();
    assert!(matches!(failure, ToolFailure::BadUrl { .. }));
    assert!(!format!("{failure:?}").contains("hunter2"));
    let failure = fetch(&scene, "http://").unwrap_err();
    assert!(matches!(failure, ToolFailure::BadUrl { .. }), "{failure:?}");
}

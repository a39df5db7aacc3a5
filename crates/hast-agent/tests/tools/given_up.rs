//! Requests that nobody wants any more while their server keeps silent.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::loopback::{Manner, Reply, Scene};
use hast_flow::tools::ToolFailure;
use serde_json::json;

const TICKERS: &str = "/files/company_tickers.json";

#[test]
fn a_request_that_nobody_wants_any_more_is_given_up_and_its_connection_closed() {
    for manner in [Manner::Silent, Manner::Stuck] {
        let scene = Scene::new();
        scene.server.on(TICKERS, Reply::json("{}").manner(manner));
        let (told, came) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let scene = &scene;
            scope.spawn(move || told.send(scene.failure("sec_company", &json!({}))).unwrap());
            until(|| scene.server.count(TICKERS) == 1);
            scene.time.cancelled.store(true, Ordering::SeqCst);
            // Long before the request's own limit.
            let failure = came.recv_timeout(Duration::from_secs(20)).unwrap();
            assert_eq!(failure, ToolFailure::Cancelled);
            until(|| manner != Manner::Silent || scene.server.left() == 1);
        });
        assert_eq!(scene.server.count(TICKERS), 1, "and not asked again");
    }
}

fn until(so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !so() {
        assert!(Instant::now() < end, "waited in vain");
        std::thread::yield_now();
    }
}

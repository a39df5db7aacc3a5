//! Which addresses belong to the public network. Everything else is closed unless it was named.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Hosts that may be reached wherever they are, as `host:port`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    hosts: Vec<String>,
}

impl Named {
    pub fn new(hosts: impl IntoIterator<Item = String>) -> Self {
        Self { hosts: hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect() }
    }

    /// The host and port of an address that a person configured.
    pub fn of_url(url: &Url) -> Option<String> {
        Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
    }

    pub fn include(&self, host: &str, port: u16) -> bool {
        self.hosts.contains(&format!("{}:{port}", host.to_ascii_lowercase()))
    }

    /// Whether an address may be asked for, as far as its text tells; names are resolved later.
    pub fn allow(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        if self.include(host, url.port_or_known_default().unwrap_or_default()) {
            return true;
        }
        match url.host() {
            Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
            Some(Host::Domain(name)) => !is_local_name(name),
            None => false,
        }
    }
}

/// Names that only a private network knows.
fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];
    !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
}

pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !special
}

/// Only global unicast; an IPv4 address inside an IPv6 one is judged as itself.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            embedded(high, low)
        }
        [0x2002, high, low, ..] => embedded(high, low),
        // Teredo and the addresses of documentation.
        [0x2001, 0 | 0xdb8, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_loopback_and_special_addresses_are_not_public() {
        for closed in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "::7f00:1",
            "2001::1",
        ] {
            assert!(!is_public(closed.parse().unwrap()), "{closed}");
        }
        for open in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(open.parse().unwrap()), "{open}");
        }
    }

    #[test]
    fn an_address_in_any_spelling_is_judged() {
        let none = Named::default();
        for closed in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://db.internal/",
            "http://printer/",
            "http://a.localhost:8080/",
            "http://0/",
            "http://１２７.0.0.1/",
        ] {
            assert!(!none.allow(&Url::parse(closed).unwrap()), "{closed}");
        }
        assert!(none.allow(&Url::parse("https://example.com/").unwrap()));
    }

    #[test]
    fn a_named_host_is_open_on_its_port_only() {
        let named = Named::new(["127.0.0.1:8080".to_owned(), "Intra.Example:443".to_owned()]);
        let allow = |url: &str| named.allow(&Url::parse(url).unwrap());
        assert!(allow("http://127.0.0.1:8080/x"));
        assert!(!allow("http://127.0.0.1:8081/x"));
        assert!(!allow("http://127.0.0.2:8080/x"));
        assert!(allow("https://intra.example/"));
    }
}

//! Each language: what is found, where it belongs, and that comments and strings define nothing.

use super::*;
use crate::explore::blank::blank;
use crate::explore::tokens::tokens;

/// `kind container.name line-end`, one a definition.
fn found(code: &str, language: Language) -> String {
    let blanked = blank(code, language);
    let show = |definition: Definition| {
        let Definition { name, kind, line, end, container, is_test } = definition;
        let container = container.map_or(String::new(), |container| container + ".");
        let test = if is_test { " test" } else { "" };
        format!("{} {container}{name} {line}-{end}{test}\n", kind.name())
    };
    definitions(&tokens(&blanked), language).into_iter().map(show).collect()
}

#[test]
fn rust() {
    let code = r#"
pub struct Store<D: Disk> {
    disk: D,
}
impl<D: Disk> Store<D> {
    pub fn open(disk: D) -> Result<Self, [u8; 2]> {
        fn inner() {}
        let f: fn(u8) = |_| {}; // fn nothing() {}
        "fn nothing() {}"
    }
}
impl<T> fmt::Display for Wrapper<T> where T: X {
    fn fmt(&self) -> impl Iterator<Item = u8> {}
}
const MAX: usize = 3;
static mut NAMES: &[&str] = &["a"];
macro_rules! messages { () => {} }
type Short = Vec<u8>;
trait Port { fn look(&self); const N: u8; }
mod deep;
#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {}
}
fn last<'a>(x: &'a str) {}
"#;
    let expected = "\
type Store 2-4
method Store.open 6-10
function Store.inner 7-7
method Wrapper.fmt 13-13
constant MAX 15-15
constant NAMES 16-16
macro messages 17-17
type Short 18-18
type Port 19-19
method Port.look 19-19
constant Port.N 19-19
module deep 20-20
module tests 22-25 test
function tests.it_works 24-24 test
function last 26-26
";
    assert_eq!(found(code, Language::Rust), expected);
}

#[test]
fn python() {
    let code = "\
LIMIT = 3
class Store(Base):
    '''class Nothing'''
    def open(self,
             path):
        def inner():
            pass
        return path

    async def close(self): ...

def test_it():
    x = 'def no(): pass'  # def no()
if True:
    def late(): pass
";
    let expected = "\
constant LIMIT 1-1
type Store 2-10
method Store.open 4-8
function Store.inner 6-7
method Store.close 10-10
function test_it 12-13 test
function late 15-15
";
    assert_eq!(found(code, Language::Python), expected);
}

#[test]
fn typescript_and_javascript() {
    let code = r#"
export interface Shape { area(): number }
type Id = string;
export class Store<T> extends Base {
  private name = "class No {}";
  constructor(x) { super(x); if (x) { this.y() } }
  async load(id: Id): Promise<T> { return fetch(`${id} {`); }
  handler = (event) => { go(event); };
  static of() { return new Store(); }
}
export const limit = 3;
export const parse = async (text: string): Promise<Id> => {
  const inner = x => x;
  return inner(text);
};
export default function* main() { /function no() {/.test(x) }
enum Color { Red }
"#;
    let expected = "\
type Shape 2-2
method Shape.area 2-2
type Id 3-3
type Store 4-10
method Store.load 7-7
method Store.handler 8-8
method Store.of 9-9
constant limit 11-11
function parse 12-15
function inner 13-13
function main 16-16
type Color 17-17
";
    assert_eq!(found(code, Language::TypeScript), expected);
}

#[test]
fn go() {
    let code = "\
package a
type Server struct {
\tname string
}
const (
\tMax = size(3)
\tMin
)
type Port interface { Open() }
func (s *Server) Listen(a int) (n int, err error) {
\tf := func() {}
\treturn
}
func New() *Server { return &Server{name: `func no() {`} }
var Default = New()
type Id string
";
    let expected = "\
type Server 2-4
constant Max 6-6
constant Min 7-7
type Port 9-9
method Server.Listen 10-13
function New 14-14
constant Default 15-15
type Id 16-16
";
    assert_eq!(found(code, Language::Go), expected);
}

#[test]
fn java() {
    let code = r#"
public class Store<T> implements Port {
  private static final int MAX = 3;
  public Store(int a) { run(a); }
  @Override
  public List<T> load(String id) throws IOException {
    if (id == null) { return other(id); }
    return new ArrayList<>(id.length());
  }
  int[] all() { return null; }
  interface Inner { void go(int x); }
  record Pair(int a, int b) {}
}
"#;
    let expected = "\
type Store 2-13
constant Store.MAX 3-3
method Store.load 6-9
method Store.all 10-10
type Store.Inner 11-11
method Inner.go 11-11
type Store.Pair 12-12
";
    assert_eq!(found(code, Language::Java), expected);
}

#[test]
fn c_and_cpp() {
    let code = r#"
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct node { int x; } node_t;
static int helper(const char *s) {
  if (s) { return other(s); }
  return 0;
}
int declared(void);
namespace store {
class Disk final : public Base {
 public:
  explicit Disk(int a);
  virtual int read(char *to, size_t n) const = 0;
  void write() override { flush(); }
};
int Disk::sync(int a) noexcept
{
  return MAX(a, 1);
}
}
template <typename T> std::vector<T> all(T x) { return {x}; }
enum class Color { Red };
"#;
    let expected = "\
macro MAX 2-2
type node 3-3
type node_t 3-3
function helper 4-7
type store.Disk 10-15
method Disk.write 14-14
method Disk.sync 16-19
function all 21-21
type Color 22-22
";
    assert_eq!(found(code, Language::Cpp), expected);
}

#[test]
fn a_line_belongs_to_the_innermost_definition_around_it() {
    let code = "fn a() {\n  fn b() {\n    x();\n  }\n}\n";
    let blanked = blank(code, Language::Rust);
    let all = definitions(&tokens(&blanked), Language::Rust);
    assert_eq!(around(&all, 3).map(|found| found.name.as_str()), Some("b"));
    assert_eq!(around(&all, 5).map(|found| found.name.as_str()), Some("a"));
    assert_eq!(around(&all, 6), None);
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Language; 9] = [
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::C,
        Language::Cpp,
        Language::Text,
    ];

    proptest! {
        #[test]
        fn is_read_without_a_panic_and_ends_after_it_begins(
            code in "([a-z(){}<>;:=\\[\\]\"'`/*#\\\\\n .,&가]|fn |def |class |impl |func |typedef |r#\"){0,80}",
        ) {
            for language in ALL {
                let blanked = blank(&code, language);
                for definition in definitions(&tokens(&blanked), language) {
                    prop_assert!(definition.line <= definition.end, "{definition:?}");
                }
            }
        }
    }
}

//! HTML into Markdown, measured on samples: what must be kept is kept, what is around it is not.

use hast_agent::tools::markdown::{readable, whole};

fn of(html: &str) -> String {
    whole(html, &"https://a.example/dir/page".parse().unwrap())
}

fn page(html: &str) -> String {
    readable(html, &"https://a.example/dir/page".parse().unwrap())
}

#[test]
fn headings_lists_quotes_and_code_keep_their_form() {
    let html = "<h2>Head <i>line</i></h2><p>One<br>two  <b> three </b>four<ul><li>a<ul><li>b</ul><li>c</ul><ol start=3><li>x<li>y</ol><blockquote><p>q</blockquote><pre>let x;\n  y</pre><p>after";
    let expected = "## Head *line*\n\nOne  \ntwo **three** four\n\n- a\n  - b\n- c\n\n3. x\n4. y\n\n> q\n\n```\nlet x;\n  y\n```\n\nafter\n";
    assert_eq!(of(html), expected);
}

#[test]
fn tables_keep_their_cells_also_without_end_tags_and_with_spans() {
    let html =
        "<table><tr><th>Year<th>A<th>B<tr><td rowspan=2>2024<td>1<td>2|3<tr><td>4<td>5</table>";
    assert_eq!(
        of(html),
        "| Year | A | B |\n| --- | --- | --- |\n| 2024 | 1 | 2\\|3 |\n|  | 4 | 5 |\n"
    );
}

#[test]
fn a_number_in_three_cells_becomes_one() {
    let html = "<table><tr><td colspan=3>Item</td><td colspan=3>2024</td><td colspan=3>2023</td></tr>\
        <tr><td colspan=3>Sales</td><td>$</td><td>1,234</td><td></td><td>$</td><td>(56</td><td>)</td></tr>\
        <tr><td colspan=3>Margin</td><td></td><td>12</td><td>%</td><td></td><td>9</td><td>%</td></tr></table>";
    assert_eq!(
        of(html),
        "| Item | 2024 | 2023 |\n| --- | --- | --- |\n| Sales | $1,234 | $(56) |\n| Margin | 12% | 9% |\n"
    );
}

#[test]
fn tables_of_layout_are_text_and_bullets_are_lists() {
    assert_eq!(
        of("<table><tr><td>Item 7.</td><td>Discussion</td></tr></table>"),
        "Item 7. Discussion\n"
    );
    assert_eq!(
        of("<table><tr><td>•</td><td>one</td></tr><tr><td>•</td><td>two</td></tr></table>"),
        "- one\n- two\n"
    );
    assert_eq!(
        of("<table><tr><td><p>only</p></td></tr><tr><td>column</td></tr></table>"),
        "only\n\ncolumn\n"
    );
    assert_eq!(
        of(
            "<table><tr><td>a</td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>"
        ),
        "a b c\n"
    );
}

#[test]
fn what_is_around_the_content_is_left_out() {
    let long = "A sentence that is long enough to be what the page is about. ".repeat(5);
    let html = format!(
        "<title>T</title><nav>menu</nav><div>top</div><main><p>{long}</p><aside>ad</aside></main><footer>foot</footer>"
    );
    let text = page(&html);
    assert!(text.starts_with("# T\n\nA sentence"), "{text}");
    for unwanted in ["menu", "top", "ad\n", "foot"] {
        assert!(!text.contains(unwanted), "{unwanted}: {text}");
    }
    // A page that calls nothing its content is read as it is; a page of menus too.
    assert_eq!(page("<nav>menu</nav><p>short"), "short\n");
    assert_eq!(page("<nav><p>only a menu"), "only a menu\n");
}

#[test]
fn what_cannot_be_seen_is_not_read() {
    let html = "<p>a<span style='color:red; Display : none'>hidden</span>b<p hidden>c<p>d<script>var e='<p>f</p>'</script><style>g{}</style><template>h</template><div aria-hidden=true>i<div>j</div></div>k";
    assert_eq!(of(html), "ab\n\nd\n\nk\n");
}

#[test]
fn links_are_absolute_and_never_scripts() {
    let html = "<p><a href='../x?a=1'>one</a> <a href='javascript:alert(1)'>two</a> <a href='#top'>three</a> <img src=i.png alt='a picture'>";
    assert_eq!(
        page(html),
        "[one](https://a.example/x?a=1) two three ![a picture](https://a.example/dir/i.png)\n"
    );
    assert_eq!(of(html), "one two three\n");
}

#[test]
fn text_cannot_become_markup() {
    assert_eq!(
        of("<p># not &lt;b&gt; a * heading [x](y) `c`"),
        "\\# not \\<b> a \\* heading \\[x\\](y) \\`c\\`\n"
    );
    assert_eq!(of("<p>- no list<p>&gt; no quote"), "\\- no list\n\n\\> no quote\n");
}

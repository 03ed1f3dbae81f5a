import Testing

@testable import DocumentEngine

@Suite("Markdown for the page")
struct MarkdownPageTests {
  @Test(
    "Nothing rendered can fetch, run or lead away",
    arguments: [
      "<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "![pixel](https://evil.example/p.png)",
      "[here](https://evil.example/?q=secret)", "[x](javascript:alert(1))", "<https://evil.example>",
      "[a]: http://e.x\n\n[a]",
      "<a href=\"http://evil.example\">x</a>", "<style>@import 'http://e.x'</style>", "<svg/onload=alert(1)>",
      "| a |\n|---|\n| ![p](http://e.x/i) |", "`<b>`", "```html\n<iframe src=http://e.x>\n```",
      "<!-- --> <base href=//e.x>",
      "![a[b](http://e.x)](http://e.y)", "<div\n<script>", "&lt;script&gt;", "[![i](http://e.x/1)](http://e.x/2)",
    ])
  func harmless(text: String) {
    let html = MarkdownPage.html(from: text, sentences: [text])
    for tag in ["<script", "<img", "<a ", "<style", "<svg", "<iframe", "<base", "<div", "<b>"] {
      #expect(!html.contains(tag), "\(html)")
    }
    #expect(html.firstMatch(of: /<[a-z][^>]*(href|src|style|on[a-z]+)=/) == nil, "\(html)")
  }

  @Test("A link shows its words and its address; an image its description")
  func links() {
    #expect(
      MarkdownPage.html(from: "See [the guide](https://a.example/x).")
        == "<p>See the guide (https://a.example/x).</p>\n")
    #expect(MarkdownPage.html(from: "<https://a.example>") == "<p>https://a.example</p>\n")
    #expect(MarkdownPage.html(from: "![A boiler](b.png)") == "<p>A boiler</p>\n")
  }

  @Test("Tables, lists, code and headings come out, headings below the page's own")
  func blocks() {
    let html = MarkdownPage.html(
      from: "# Filter\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```swift\nlet a = 1\n```")
    #expect(html.contains("<h3>Filter</h3>") && html.contains("<li>one</li>") && html.contains("<td>1</td>"))
    #expect(html.contains("<code class=\"language-swift\">let a = 1"))
  }

  @Test("Sentences are found again through emphasis, lists and softened line breaks")
  func sentences() {
    let text = "1. Change the **filter** every (six) months.\n2. Wait. *Then\nstart* \"it\". See `app.swift` now."
    let html = MarkdownPage.html(
      from: text,
      sentences: [
        "1. Change the **filter** every (six) months.", "2. Wait.", "*Then\nstart* \"it\".", "See `app.swift` now.",
      ])
    #expect(html.contains("<span data-s=\"0\">Change the</span> <strong><span data-s=\"0\">filter</span></strong>"))
    #expect(html.contains("<span data-s=\"0\">every (six) months.</span>"))
    #expect(html.contains("<span data-s=\"1\">Wait.</span>"))
    #expect(html.contains("<em><span data-s=\"2\">Then</span>\n<span data-s=\"2\">start</span></em>"))
    #expect(html.contains("<span data-s=\"2\">&quot;it&quot;.</span>"))
    #expect(html.contains("<code><span data-s=\"3\">app.swift</span></code>"))
    // A sign before the first word is the sentence's own.
    let paragraphs = MarkdownPage.html(from: "§ 9 All go. § 10 None.", sentences: ["§ 9 All go.", "§ 10 None."])
    #expect(paragraphs == "<p><span data-s=\"0\">§ 9 All go.</span> <span data-s=\"1\">§ 10 None.</span></p>\n")
  }

  @Test("Sentences in a table's cells are marked, and marks in the text itself count for nothing")
  func cells() {
    let html = MarkdownPage.html(from: "| Part | Months |\n|---|---|\n| Filter | 6 |", sentences: ["| Filter | 6 |"])
    #expect(
      html.contains("<td><span data-s=\"0\">Filter</span></td>")
        && html.contains("<td><span data-s=\"0\">6</span></td>"))
    #expect(MarkdownPage.html(from: "a\u{E000}<b>\u{E001}c\u{E002}") == "<p>a&lt;b&gt;c</p>\n")
  }

  @Test("Sentences that are not in the text, empty ones and hostile ones change nothing else")
  func strangeSentences() {
    let plain = MarkdownPage.html(from: "One. Two.")
    #expect(MarkdownPage.html(from: "One. Two.", sentences: ["", "…", "Elsewhere entirely.", "\u{0}"]) == plain)
    #expect(
      MarkdownPage.html(from: "مرحبا بكم. 你好。", sentences: ["مرحبا بكم.", "你好。"]).contains(
        "<span data-s=\"1\">你好。</span>"))
    #expect(MarkdownPage.html(from: String(repeating: "> ", count: 5000) + "x", sentences: ["x"]).contains("x"))
  }
}

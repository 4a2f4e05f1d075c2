import { describe, expect, test } from "bun:test";
import { written } from "./testing/written.ts";

describe("headings", () => {
  test.each<[string, string]>([
    ["<h1>A</h1>", "# A"],
    ["<h6>Six</h6>", "###### Six"],
    ["<h2>  A\n b </h2>", "## A b"],
    ["<h2></h2><p>x</p>", "x"],
    ["<h2><b>Bold</b></h2>", "## Bold"],
    ["<h2>a <em>b</em></h2>", "## a *b*"],
    ["<h3>C#</h3>", "### C#"],
    ["<h3>a #</h3>", "### a \\#"],
    ["<h2>a<br>b</h2>", "## a b"],
    ["<h2>1. One</h2>", "## 1. One"],
    ['<h2 id="x">X <a class="headerlink" href="#x">¶</a></h2>', "## X"],
    ['<h2><a href="#x">X</a></h2>', "## X"],
    ['<h2><a href="/y">Y</a></h2>', "## [Y](https://site.test/y)"],
    ['<h2><a href="#x"><svg></svg></a>X</h2>', "## X"],
    ['<a href="/a"><h2>Linked</h2></a>', "## [Linked](https://site.test/a)"],
    ['<a href="/a"><h3>T</h3><p>Words.</p></a>', "### [T](https://site.test/a)\n\nWords."],
    ['<div role="heading" aria-level="4">Role</div>', "#### Role"],
    ["<h2><div>a</div><div>b</div></h2>", "## a b"],
    ['<h2><img src="/i.png" alt="Pic"></h2>', "## ![Pic](https://site.test/i.png)"],
    ['<h2>T <span class="mw-editsection">[edit]</span></h2>', "## T"],
    ["<ul><li><h3>In item</h3></li></ul>", "- ### In item"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("paragraphs", () => {
  test.each<[string, string]>([
    ["<p>a</p><p>b</p>", "a\n\nb"],
    ["a<p>b</p>c", "a\n\nb\n\nc"],
    ["<div>a</div><div>b</div>", "a\n\nb"],
    ["<p>a<br>b</p>", "a  \nb"],
    ["<p>a<br><br>b</p>", "a\n\nb"],
    ["<p>a<br></p>", "a"],
    ["<p>a\n   b\tc</p>", "a b c"],
    ["<span>a</span> <span>b</span>", "a b"],
    ["<span>a</span><span>b</span>", "ab"],
    ["<p>a <b> b </b> c</p>", "a **b** c"],
    ["<p>a&nbsp;b&nbsp;&nbsp;c</p>", "a b c"],
    ["<p>&nbsp;</p><p>x</p>", "x"],
    ["<p>a​b­c</p>", "abc"],
    ["<div>a<div>b</div>c</div>", "a\n\nb\n\nc"],
    ['<span style="display:block">a</span><span style="display:block">b</span>', "a\n\nb"],
    ['<div style="display:inline-block">a</div> <div style="display:inline-block">b</div>', "a b"],
    ["<my-card><p>a</p></my-card>", "a"],
    ["<my-time>now</my-time>, then", "now, then"],
    ["<address>a<br>b</address>", "a  \nb"],
    ["a<hr>b", "a\n\n---\n\nb"],
    ["<p>x</p><!-- c --><p>y</p>", "x\n\ny"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("marks", () => {
  test.each<[string, string]>([
    ["<b>a</b> <i>b</i> <s>c</s> <code>d</code>", "**a** *b* ~~c~~ `d`"],
    ["<b>a</b><b>b</b>", "**ab**"],
    ["<b>a <b>b</b> c</b>", "**a b c**"],
    ["<b>a</b> <b>b</b>", "**a b**"],
    ["<p>x<b> a </b>y</p>", "x **a** y"],
    ["<b>a<i>b</i></b>", "**a*b***"],
    ["<i><b>a</b></i>", "***a***"],
    ["<b></b>x<i> </i>y", "x y"],
    ['<b>"q"</b>word', '<strong>"q"</strong>word'],
    ["<b>a:</b> b", "**a:** b"],
    ["<p><b>a<br>b</b></p>", "**a**  \n**b**"],
    ["<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"],
    ["<em>a</em><strong>b</strong>", "*a*<strong>b</strong>"],
    ["<code>a`b</code>", "``a`b``"],
    ["<code>`a`</code>", "`` `a` ``"],
    ["<code>a <b>b</b></code>", "`a b`"],
    ["<code> a </code>", "`a`"],
    ['<code><a href="/x">f</a></code>', "[`f`](https://site.test/x)"],
    ["<kbd>Ctrl</kbd>+<kbd>C</kbd>", "`Ctrl`+`C`"],
    ["E=mc<sup>2</sup>, H<sub>2</sub>O", "E=mc<sup>2</sup>, H<sub>2</sub>O"],
    ['<p>Fact<sup id="r1"><a href="#n1">[1]</a></sup>.</p>', "Fact[\\[1\\]](https://site.test/docs/page?x=1#n1)."],
    ["<q>a</q>", "“a”"],
    ["<mark>a</mark><u>b</u><small>c</small>", "abc"],
    ['<abbr title="World Wide Web">WWW</abbr>', "WWW"],
    ["<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字(かんじ)"],
    ["<del>old</del> <ins>new</ins>", "~~old~~ new"],
    ["<var>x</var>", "*x*"],
    ['<i class="icon" aria-hidden="true"></i> Save', "Save"],
    ["<p>a<b>。</b>b</p>", "a<strong>。</strong>b"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("links", () => {
  test.each<[string, string]>([
    ['<a href="../up">up</a>', "[up](https://site.test/up)"],
    ['<base href="https://other.test/x/"><a href="y">y</a>', "[y](https://other.test/x/y)"],
    ['<a href="#s">here</a>', "[here](https://site.test/docs/page?x=1#s)"],
    ['<a href="javascript:alert(1)">click</a>', "click"],
    ['<a href="data:text/html,x">d</a>', "d"],
    ['<a href="mailto:a@b.test">mail</a>', "[mail](mailto:a@b.test)"],
    ['<a href="tel:+123">call</a>', "[call](tel:+123)"],
    ["<a>no address</a>", "no address"],
    ['<a href="/x" title="T">a</a>', '[a](https://site.test/x "T")'],
    ['<a href="/x" title="a">a</a>', "[a](https://site.test/x)"],
    ['<a href="/x" title="say &quot;hi&quot;">a</a>', '[a](https://site.test/x "say \\"hi\\"")'],
    ['<a href="/a_(b)">p</a>', "[p](https://site.test/a_%28b%29)"],
    ['<a href="/a b">s</a>', "[s](https://site.test/a%20b)"],
    ['<a href="/x">[a]</a>', "[\\[a\\]](https://site.test/x)"],
    ['<a href="/x"></a>y', "y"],
    ['<a href="/x" aria-label="Home"></a>', "[Home](https://site.test/x)"],
    ['<a href="/x" title="Home"><svg></svg></a>', "[Home](https://site.test/x)"],
    ['<a href="/x"><svg><title>Search</title></svg></a>', "[Search](https://site.test/x)"],
    ['<a href="/x"><span class="sr-only">Menu</span><i class="i"></i></a>', "[Menu](https://site.test/x)"],
    ['<a href="/x"><img src="/i.png" alt="Logo"></a>', "[![Logo](https://site.test/i.png)](https://site.test/x)"],
    ['<a href="/x"><img src="data:image/gif;base64,AA" alt="Logo"></a>', "[Logo](https://site.test/x)"],
    ['<a href="/x"> a </a>b', "[a](https://site.test/x) b"],
    ['<a href="/x"><b>a</b></a>', "[**a**](https://site.test/x)"],
    ['<b><a href="/x">a</a> b</b>', "**[a](https://site.test/x) b**"],
    ['<a href="/x"><div>a</div></a>', "[a](https://site.test/x)"],
    ['<a href="/x"><p>a</p><p>b</p></a>', "[a](https://site.test/x)\n\nb"],
    [
      '<a href="/x"><img src="/i.png"><p>a</p></a>',
      "[![](https://site.test/i.png)](https://site.test/x)\n\n[a](https://site.test/x)",
    ],
    ['<a href="https://x.test/">https://x.test/</a>', "<https://x.test/>"],
    ['<a href="HTTP://X.test">x</a>', "[x](http://x.test/)"],
    ['<a href="//cdn.test/x">x</a>', "[x](https://cdn.test/x)"],
    ['Hi!<a href="/x">x</a>', "Hi\\![x](https://site.test/x)"],
    ['<a href="/x">a</a><a href="/y">b</a>', "[a](https://site.test/x)[b](https://site.test/y)"],
    ['<a href="/x">a|b</a>', "[a|b](https://site.test/x)"],
    ['<a href="/ü">u</a>', "[u](https://site.test/%C3%BC)"],
    ['<a href="ftp://f.test/">f</a>', "[f](ftp://f.test/)"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("lists", () => {
  test.each<[string, string]>([
    ["<ul><li>a</li><li>b</li></ul>", "- a\n- b"],
    ["<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"],
    ['<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ['<ol><li value="5">a<li>b</ol>', "5. a\n6. b"],
    ["<ol reversed><li>a<li>b</ol>", "2. a\n1. b"],
    ["<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>", "- a\n  - b\n    - c"],
    ["<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a\n   1. b\n2. c"],
    ["<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"],
    ["<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n- b"],
    ["<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n\n- c"],
    ["<ul><li>a<pre>x\ny</pre></li></ul>", "- a\n\n  ```\n  x\n  y\n  ```"],
    ["<ul><li></li><li>a</li></ul>", "- a"],
    [
      '<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>',
      "- [x] done\n- [ ] open",
    ],
    ['<ul><li><label><input type="checkbox">t</label></li></ul>', "- [ ] t"],
    ["<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b"],
    ["<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"],
    ["<li>a</li><li>b</li>", "- a\n- b"],
    ["<p>x</p><li>a</li>", "x\n\n- a"],
    ["<ul>\n<div><li>a</li></div>\n<li>b</li></ul>", "- a\n- b"],
    ["<ul>text<li>a</li></ul>", "- text\n- a"],
    ["<ul><li>a<ol start=4><li>b</ol></ul>", "- a\n\n  4. b"],
    ["<ul><li><blockquote>q</blockquote></li></ul>", "- > q"],
    ["<menu><li>a</menu>", "- a"],
    ["<ul><li>a<br>b</li></ul>", "- a  \n  b"],
    ["<ul><li><table><tr><th>a<tr><td>b</table></ul>", "- | a |\n  | --- |\n  | b |"],
    ['<ol start="-2"><li>a</ol>', "0. a"],
    ["<ul><li><div>a</div><div>b</div></ul>", "- a\n\n  b"],
    ["<dl><dt>T</dt><dd>d</dd></dl>", "- **T**  \n  d"],
    ["<dl><dt>A<dt>B<dd>d<dd>e</dl>", "- **A**  \n  **B**  \n  d\n\n  e"],
    ["<dl><dt><code>f(x)</code></dt><dd><p>a</p><pre>c</pre></dd></dl>", "- **`f(x)`**  \n  a\n\n  ```\n  c\n  ```"],
    ["<dl><div><dt>T</dt><dd>d</dd></div></dl>", "- **T**  \n  d"],
    ["<dl><dd>only</dd></dl>", "- only"],
    ["<ul><li>a</li></ul><dl><dt>T</dt><dd>d</dd></dl>", "- a\n\n* **T**  \n  d"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("quotes, pictures, media", () => {
  test.each<[string, string]>([
    ["<blockquote>a</blockquote>", "> a"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"],
    ["<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"],
    ["<blockquote><pre>x\n\ny</pre></blockquote>", "> ```\n> x\n>\n> y\n> ```"],
    ["<blockquote></blockquote>x", "x"],
    ["<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"],
    ['<img src="/i.png" alt="A">', "![A](https://site.test/i.png)"],
    ['<img src="/i.png">', "![](https://site.test/i.png)"],
    ['<img src="/i.png" alt="a" title="t">', '![a](https://site.test/i.png "t")'],
    ['<img src="/i.png" alt="[a]">', "![\\[a\\]](https://site.test/i.png)"],
    ['<img src="data:image/png;base64,AA" alt="inline">text', "text"],
    ['<img src="data:image/png;base64,AA" data-src="/late.png" alt="late">', "![late](https://site.test/late.png)"],
    ['<img srcset="/s.png 1x, /b.png 2x" alt="s">', "![s](https://site.test/b.png)"],
    ['<picture><source srcset="/w.webp 300w, /v.webp 600w"><img alt="p"></picture>', "![p](https://site.test/v.webp)"],
    ['<img src="/p.gif" width="1" height="1">x', "x"],
    ['<img class="emoji" alt="😀" src="/e.png"> hi', "😀 hi"],
    ['<img alt="👍🏽" src="/e.png"> hi', "👍🏽 hi"],
    ['<img class="smilie" alt=":D" src="/e.gif"> hi', ":D hi"],
    ['<img class="smilie" alt="Smile" src="/e.gif">', "![Smile](https://site.test/e.gif)"],
    ["<figure><img src=/i.png alt=A><figcaption>Cap</figcaption></figure>", "![A](https://site.test/i.png)\n\nCap"],
    [
      '<iframe src="https://www.youtube.com/embed/abcdefghijk" title="Talk"></iframe>',
      "[Talk](https://www.youtube.com/watch?v=abcdefghijk)",
    ],
    ['<iframe src="https://ads.test/x" title="Ad"></iframe>x', "x"],
    ['<video src="/v.mp4" title="Film"></video>', "[Film](https://site.test/v.mp4)"],
    ['<audio><source src="/a.mp3">Your browser is old.</audio>', "<https://site.test/a.mp3>"],
    ["<details><summary>More</summary><p>x</p></details>", "**More**\n\nx"],
    ["<details><summary><h3>H</h3></summary>x</details>", "### H\n\nx"],
    ["<object data=/x.pdf>Fallback</object>", "Fallback"],
    [
      '<frameset><frame src="/nav" name="Nav"><frame src="/main"></frameset>',
      "[Nav](https://site.test/nav)\n\n<https://site.test/main>",
    ],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("formulas", () => {
  test.each<[string, string]>([
    [
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      "$x^2$",
    ],
    [
      '<math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">\\frac{1}{2}</annotation></semantics></math>',
      "$$\n\\frac{1}{2}\n$$",
    ],
    [
      "<math><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>b</mi></mfrac></math>",
      "$a^{2}+\\frac{1}{b}$",
    ],
    [
      '<span class="katex"><span class="katex-mathml"><math><semantics><mi>y</mi><annotation encoding="application/x-tex">y</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>y</span></span></span>',
      "$y$",
    ],
    ['<p><script type="math/tex">a_b</script>', "$a_b$"],
    ['<p>So <script type="math/tex; mode=display">a</script> holds.</p>', "So\n\n$$\na\n$$\n\nholds."],
    [
      '<span class="mwe-math-mathml-inline" style="display: none"><math><semantics><mi>z</mi><annotation encoding="application/x-tex">{\\displaystyle z}</annotation></semantics></math></span><img class="mwe-math-fallback-image-inline" src="/z.svg" alt="z">',
      "$z$",
    ],
    ["<p>It costs $5 or $10.</p>", "It costs $5 or $10."],
    ['<p>$5 and <script type="math/tex">x</script></p>', "\\$5 and $x$"],
    ["<p>a $$ b</p>", "a \\$\\$ b"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("content that is left out", () => {
  test.each<[string, string]>([
    ["<p>seen</p><p hidden>hidden</p><script>1</script><style>p{}</style><template>t</template>", "seen"],
    ['<p style="display: none">x</p>y', "y"],
    ['<p style="color:red;visibility:hidden">x</p>y', "y"],
    ["<noscript>x</noscript>y", "y"],
    ["<svg><text>x</text></svg>y", "y"],
    ['<span class="visually-hidden">x</span>y', "y"],
    ['<p aria-hidden="true">Shown to eyes</p>', "Shown to eyes"],
    ['<div class="modal" aria-hidden="true">x</div>y', "y"],
    ['<div id="onetrust-consent-sdk">Cookies</div>y', "y"],
    ['<div class="cookie-banner">c</div>y', "y"],
    ["<dialog>x</dialog>y", "y"],
    ["<dialog open>x</dialog>", "x"],
    ['<p hidden="until-found">x</p>', "x"],
    ["<textarea>x</textarea><input value=v>y", "y"],
    ["<select><option>S<option>M</select>", "S, M"],
    ["<button>Send</button>", "Send"],
    ["<label>Name <input></label>", "Name"],
    ["<canvas>x</canvas>y", "y"],
    ['<div><template shadowrootmode="open"><h2>S</h2><slot></slot></template>light</div>', "## S\n\nlight"],
    [
      '<div><template shadowrootmode="open"><slot name="t">no</slot><p>m</p><slot></slot></template>x<b slot="t">T</b></div>',
      "**T**\n\nm\n\nx",
    ],
    ['<body style="display:none">x', "x"],
    ["<object><param name=a>x</object>", "x"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

describe("escapes", () => {
  test.each<[string, string]>([
    ["a_b * c", "a_b * c"],
    ["*a*", "\\*a\\*"],
    ["_a_", "\\_a\\_"],
    ["snake_case_name", "snake_case_name"],
    ["__init__", "\\_\\_init\\_\\_"],
    ["a * b", "a * b"],
    ["# no", "\\# no"],
    ["1. no", "1\\. no"],
    ["1) no", "1\\) no"],
    ["- no", "\\- no"],
    ["+ no", "\\+ no"],
    ["&gt; no", "\\> no"],
    ["---", "\\---"],
    ["===", "\\==="],
    ["~~a~~", "\\~\\~a\\~\\~"],
    ["~5 km", "~5 km"],
    ["`a`", "\\`a\\`"],
    ["a\\b", "a\\b"],
    ["a\\*b", "a\\\\\\*b"],
    ["&lt;div&gt;", "\\<div>"],
    ["a &lt; b", "a < b"],
    ["&amp;amp;", "\\&amp;"],
    ["AT&amp;T", "AT&T"],
    ["[a](b)", "[a\\](b)"],
    ["[1]", "[1]"],
    ["[x] a", "\\[x] a"],
    ["[a]: b", "\\[a\\]: b"],
    ["!", "!"],
    ["a | b", "a | b"],
    ["<p>a</p>|---|", "a\n\n\\|---|"],
    ["http://x.test/a_b", "http://x.test/a_b"],
    ["http://x.test/~u/_x_", "<http://x.test/~u/_x_>"],
    ["a@b.test", "a@b.test"],
    ["2 + 2 = 4", "2 + 2 = 4"],
    ["C:\\dir", "C:\\dir"],
    ["100%", "100%"],
    ["a<br>- b", "a  \n\\- b"],
    ["<li>[ ] a", "- \\[ ] a"],
    ["$x$", "$x\\$"],
    ["— dash", "— dash"],
    ["#tag", "#tag"],
    ["1.5", "1.5"],
    ["*", "\\*"],
    ["5 * 3 * 2", "5 * 3 * 2"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

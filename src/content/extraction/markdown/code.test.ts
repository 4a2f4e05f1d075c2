import { describe, expect, test } from "bun:test";
import { written } from "./testing/written.ts";

describe("code", () => {
  test.each<[string, string]>([
    ["<pre>bare</pre>", "```\nbare\n```"],
    ["<pre><code>a\n  b\n</code></pre>", "```\na\n  b\n```"],
    ['<pre><code class="language-js">x</code></pre>', "```js\nx\n```"],
    ['<pre class="lang-py">x</pre>', "```py\nx\n```"],
    ['<pre class="highlight-source-rust"><code>fn main() {}</code></pre>', "```rust\nfn main() {}\n```"],
    ['<div class="highlight highlight-source-shell"><pre>ls</pre></div>', "```shell\nls\n```"],
    ['<pre class="brush: java; gutter: true">x</pre>', "```java\nx\n```"],
    ['<div data-lang="go"><pre><code>x</code></pre></div>', "```go\nx\n```"],
    ['<pre><code class="hljs javascript">x</code></pre>', "```javascript\nx\n```"],
    ['<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>', "```python\nx\n```"],
    ['<pre class="sourceCode haskell"><code>x</code></pre>', "```haskell\nx\n```"],
    ['<pre data-language="ts"><code>x</code></pre>', "```ts\nx\n```"],
    ['<pre><code class="language-none">x</code></pre>', "```\nx\n```"],
    ["<pre>a ``` b</pre>", "```\na ``` b\n```"],
    ["<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    ["<pre>a<br>b</pre>", "```\na\nb\n```"],
    ["<pre><code><div>a</div><div>b</div></code></pre>", "```\na\nb\n```"],
    ['<pre><span class="line-number">1</span>a\n<span class="line-number">2</span>b</pre>', "```\na\nb\n```"],
    ["<pre>x<button>Copy</button></pre>", "```\nx\n```"],
    ["<pre>  \n</pre>x", "x"],
    ["<pre>a &lt;b&gt; &amp; *c*</pre>", "```\na <b> & *c*\n```"],
    ["<pre>\ta b</pre>", "```\n\ta b\n```"],
    ["<xmp><b>x</b></xmp>", "```\n<b>x</b>\n```"],
    ['<pre><code><span class="k">if</span> x:\n    y</code></pre>', "```\nif x:\n    y\n```"],
    [
      '<pre class="shiki"><code><span class="line">a</span>\n<span class="line">b</span></code></pre>',
      "```\na\nb\n```",
    ],
    [
      '<pre><code>a\n<span class="highlight-code-line">  b</span><span class="highlight-code-line">  c</span>\nd</code></pre>',
      "```\na\n  b\n  c\nd\n```",
    ],
    ['<pre><span class="line">a</span>b</pre>', "```\na\nb\n```"],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});

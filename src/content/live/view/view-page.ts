import { createHash } from "node:crypto";
import { html, raw } from "../../../lib/text/html.ts";
import { htmlPage } from "../../../lib/text/html-page.ts";
import { PAGE_STYLE } from "../../../lib/text/page-style.ts";
import { VIEW_SCRIPT } from "./view-script.ts";

const STYLE = `${PAGE_STYLE}
main { max-width: 82rem; margin: 0 auto; padding: 1rem }
h1 { margin: 0; font-size: 1.25rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; margin: .75rem 0 }
dt { color: var(--soft) }
dd { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; margin: 0; min-width: 0; overflow-wrap: anywhere }
canvas { display: block; max-width: 100%; max-height: 80vh; margin: 0 auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; touch-action: manipulation }
.control { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem; margin: .75rem 0 }
.control[hidden] { display: none }
.control label { flex: 1 1 12rem; color: var(--soft) }
input { display: block; width: 100% }
input, button { font: inherit; padding: .35rem .75rem; background: var(--panel); color: var(--ink); border: 1px solid var(--soft); border-radius: 6px }
`;

function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The header fields of the page: it loads nothing, runs only its own script, and connects only to its own origin. */
export const VIEW_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src ${sourceOf(STYLE)}; script-src ${sourceOf(VIEW_SCRIPT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const BODY = html`<main>
<h1>Live view of a browser</h1>
<p id="status" role="status">Connecting.</p>
<dl><dt>Page</dt><dd><bdi id="title"></bdi></dd><dt>Address</dt><dd><bdi id="address"></bdi></dd></dl>
<div id="control" class="control" role="group" aria-label="Control" hidden>
<label>Text for the page<input id="text" autocomplete="off" spellcheck="false"></label>
<button type="button" id="type">Type it</button>
<button type="button" data-key="Tab" data-code="9">Tab</button>
<button type="button" data-key="Enter" data-code="13">Enter</button>
<button type="button" data-key="Backspace" data-code="8">Backspace</button>
<button type="button" data-key="PageUp" data-code="33">Page up</button>
<button type="button" data-key="PageDown" data-code="34">Page down</button>
</div>
<canvas id="picture" role="img" aria-label="The page in the browser, as it changes" width="1280" height="720"></canvas>
</main>
<script>${raw(VIEW_SCRIPT)}</script>`;

/** The page on which a person watches a browser, and acts in it if the token allows it. It is the same for all browsers: its script has the token from the fragment. */
export const VIEW_PAGE = htmlPage({ title: "Live view", style: STYLE, isListed: false }, BODY);

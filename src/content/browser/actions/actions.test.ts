/** Steps in a page, also in pages that are hostile to them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { call, outcomeOf, type Reply } from "../../testing/client.ts";
import { startTestService, type TestService } from "../../testing/service.ts";

setDefaultTimeout(patient(60_000));

const log = `<pre id="log"></pre><script>const log = (text) => { document.getElementById("log").textContent += text + ";"; };</script>`;

/** Pages by their paths. */
const PAGES: Readonly<Record<string, string>> = {
  "/form": `${log}<title>Form</title><form action="/sent"><input id="name" name="name" value="old" oninput="log('input')" onchange="log('change')">
    <textarea id="words">old words</textarea><input id="day" type="date"><div id="edit" contenteditable>old</div><input id="fixed" readonly>
    <select id="road" name="road" onchange="log('road ' + value)"><option value="a1">A 1<option value="b2" disabled>B 2<option value="c3">C 3</select>
    <button id="go" disabled>Go</button></form>
    <p id="menu" onmouseover="log('over')" ondblclick="log('double')" oncontextmenu="log('right')">Menu</p>
    <script>addEventListener("keydown", (event) => log([event.ctrlKey ? "ctrl" : "", event.key].join("")));
      setTimeout(() => { document.getElementById("go").disabled = false; }, 300);</script>`,
  "/buttons": `${log}<p class="b" onclick="log(1); this.remove()">one</p><p class="b" onclick="log(2)">two</p><p class="b" onclick="log(3)">three</p>`,
  "/list": `<ul id="list"></ul><script>let pages = 0;
    const add = () => { for (let n = 0; n < 20; n += 1) list.insertAdjacentHTML("beforeend", "<li style='height: 100px'>item " + (pages * 20 + n)); pages += 1; };
    add(); let waiting = false;
    addEventListener("scroll", () => { if (waiting || pages === 5 || innerHeight + scrollY < document.documentElement.scrollHeight - 50) return;
      waiting = true; fetch("/more").then(() => { add(); waiting = false; }); });</script>`,
  "/endless": `<div id="all"></div><script>const add = () => all.insertAdjacentHTML("beforeend", "<p style='height: 20000px'>x</p>"); add(); addEventListener("scroll", add);</script>`,
  "/links": `<title>Links</title><a id="blank" target="_blank" href="/landed">blank</a><a id="file" href="file:///etc/passwd">file</a>
    <a id="script" href="javascript:void(document.title='ran')">script</a><button id="open" onclick="window.open('/window')">open</button>
    <button id="leave" onclick="location.href='/landed'">leave</button><a id="download" href="/download">download</a><a id="chrome" href="chrome://version">chrome</a>
    <button id="before" onclick="onbeforeunload = (event) => event.preventDefault()">stay</button>`,
  "/landed": `<title>Landed</title><p id="here">landed</p>`,
  "/sent": `<title>Sent</title><p>sent</p>`,
  "/moves": `<style>@keyframes move { to { transform: translateX(400px) } }</style><button id="b" style="animation: move 0.7s linear infinite alternate">catch me</button>
    <script>setInterval(() => { b.style.marginLeft = Math.random() * 100 + "px" }, 5)</script>`,
  "/covered": `<button id="b">below</button><div style="position: fixed; inset: 0">over all</div>`,
  "/dialogs": `<button id="b" onclick="for (let n = 0; n < 200; n += 1) { alert('a' + n); confirm('c'); prompt('p') }">ask</button>`,
  "/alerts": `<button id="b" onclick="for (;;) alert('again')">for ever</button>`,
  "/options": `<select id="s"></select><script>s.innerHTML = "<option>x".repeat(10001)</script>`,
  "/million": `<p>million</p><script>addEventListener("load", () => { const s = document.createElement("select"); s.id = "s"; s.append(...Array.from({ length: 1e6 }, () => new Option("x"))); document.body.append(s) })</script>`,
  "/reloads": `<button id="b" onclick="sessionStorage.on = 1; location.reload()">loop</button><script>if (sessionStorage.on) location.href = "/reloads?" + Math.random()</script>`,
  "/spins": `<button id="b" onclick="for (;;);">spin</button>`,
  "/eats": `<button id="b" onclick="this.remove()">once</button><p>rest of the page</p>`,
  "/overrides": `<p>own</p><script>for (const name of ["querySelector", "querySelectorAll", "elementFromPoint"]) Document.prototype[name] = () => { throw new Error("mine") };
    Element.prototype.getBoundingClientRect = () => ({ left: 9e9, top: 9e9, right: 9e9, bottom: 9e9 }); JSON.stringify = () => "forged"; Promise = undefined;</script><button id="b" onclick="document.title='clicked'">b</button>`,
};

let made: TestService;
let site: Bun.Server<undefined>;
let hits: string[] = [];

beforeAll(async () => {
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      hits.push(pathname + search);
      if (pathname === "/download") return new Response("MZ", { headers: { "content-disposition": "attachment" } });
      return new Response(PAGES[pathname] ?? "more", { headers: { "content-type": "text/html" } });
    },
  });
  made = await startTestService();
});

afterAll(async () => {
  await made.close();
  await site.stop(true);
});

function act(path: string, actions: readonly object[], more: object = {}): Promise<Reply> {
  hits = [];
  return call(made.service, "/scrape", {
    url: new URL(path, site.url).href,
    format: "text",
    timeout: 40,
    actions,
    ...more,
  });
}

interface Step {
  readonly url: string;
  readonly title: string;
  readonly value?: string;
  readonly content?: string;
  readonly height?: number;
  readonly dialogs?: readonly unknown[];
  readonly windows?: readonly string[];
  readonly screenshot?: { readonly base64: string };
}

async function steps(
  path: string,
  actions: readonly object[],
): Promise<{ readonly results: readonly Step[]; readonly text: string }> {
  const { json, ...reply } = await act(path, actions);
  expect([json["detail"], reply.status]).toEqual([undefined, 200]);
  // The response has a result for each step.
  return { results: json["actions"] as readonly Step[], text: String(json["content"]) };
}

async function failure(path: string, actions: readonly object[], more: object = {}): Promise<Reply["json"]> {
  const reply = await act(path, actions, more);
  expect([path, outcomeOf(reply)]).toEqual([path, "500 action-failed"]);
  return reply.json;
}

const click = (selector: string, more: object = {}) => ({ type: "click", selector, timeout: 30, ...more });
const value = (script: string) => ({ type: "evaluate", script });

const later = (script: string) => value(`setTimeout(() => { ${script} }, 200); 1`);

test("fields are filled, and the result of each step is returned", async () => {
  const { results, text } = await steps("/form", [
    { type: "fill", selector: "#name", text: "Ada" },
    { type: "write", text: "!" },
    { type: "press", key: "Tab" },
    { type: "fill", selector: "#words", text: "" },
    { type: "fill", selector: "#day", text: "2026-01-31" },
    { type: "fill", selector: "#edit", text: "new" },
    { type: "select", selector: "#road", values: ["C 3"] },
    { type: "hover", selector: "#menu" },
    click("#menu", { clicks: 2 }),
    click("#menu", { button: "right" }),
    value("['name', 'words', 'day', 'road'].map((id) => document.getElementById(id).value).concat(edit.textContent)"),
    { type: "screenshot", format: "jpeg" },
    { type: "scrape" },
    value("log.name; document.getElementById('log').textContent"),
    click("#go"),
  ]);
  expect(results[10]?.value).toBe('["Ada!","","2026-01-31","c3","new"]');
  expect(results[11]?.screenshot?.base64).toStartWith("/9j");
  expect(results[12]?.content).toContain("Menu");
  for (const event of ["input;", "Tab;change;", "road c3;", "over;", "double;", "right;"])
    expect(results[13]?.value).toContain(event);
  expect(results.at(-1)).toMatchObject({ title: "Sent", url: `${site.url.href}sent?name=Ada%21&road=c3` });
  expect(text).toBe("sent");
});

test("a key with modifiers replaces what it has selected, and Enter sends a form", async () => {
  const { text } = await steps("/form", [
    click("#name"),
    { type: "press", key: "Control+a" },
    { type: "write", text: "all new" },
    { type: "wait", selector: "#go:enabled" },
    { type: "press", key: "Enter" },
  ]);
  expect([text, hits.some((path) => path.startsWith("/sent?name=all+new"))]).toEqual(["sent", true]);
});

test("a click reaches all elements if it is asked to", async () => {
  const { text } = await steps("/buttons", [click(".b", { all: true })]);
  expect(text).toMatch(/1;3;|1;2;3;/);
  const one = await steps("/buttons", [click(".b")]);
  expect(one.text).toContain("1;");
});

test("a list is scrolled to its end, some windows down, or up to a limit if it has no end", async () => {
  const { results, text } = await steps("/list", [{ type: "scroll", timeout: 30 }]);
  expect([results[0]?.height ?? 0, text.includes("item 99")]).toEqual([expect.any(Number), true]);
  const some = await steps("/list", [
    { type: "scroll", times: 2 },
    value("String(scrollY)"),
    { type: "scroll", direction: "up", times: 1 },
  ]);
  expect(Number(some.results[1]?.value)).toBeGreaterThan(1000);
  const endless = await steps("/endless", [{ type: "scroll", timeout: 40 }]);
  expect(endless.results[0]?.height).toBeLessThan(600_000);
});

test("waits end with their state: a time, a text, an element, its absence, and quiet", async () => {
  const { results } = await steps("/landed", [
    { type: "wait", milliseconds: 10 },
    later("document.body.append('words to come')"),
    { type: "wait", text: "words to come" },
    later("document.body.insertAdjacentHTML('beforeend', '<i id=late>late</i>')"),
    { type: "wait", selector: "#late" },
    later("late.remove()"),
    { type: "wait", selector: "#late", state: "gone" },
    later("fetch('/slow').then(() => { document.title = 'fetched' })"),
    { type: "wait", text: "words", timeout: 5 },
    { type: "wait", quiet: true },
  ]);
  expect(results).toHaveLength(10);
});

test("links that open windows open in place, and a page can leave, but not for files", async () => {
  expect((await steps("/links", [click("#blank")])).text).toBe("landed");
  expect((await steps("/links", [click("#leave")])).text).toBe("landed");
  expect((await steps("/links", [click("#before"), click("#leave")])).text).toBe("landed");
  const { results } = await steps("/links", [
    click("#open"),
    click("#file"),
    click("#chrome"),
    click("#download"),
    click("#script"),
  ]);
  expect(results[0]?.windows).toEqual([`${site.url.href}window`]);
  expect(results.map(({ url }) => url)).toEqual(Array.from({ length: 5 }, () => `${site.url.href}links`));
  expect(results.at(-1)?.title).toBe("ran");
});

const FAILURES: readonly (readonly [what: string, path: string, actions: readonly object[], detail: RegExp])[] = [
  ["an element that is not there", "/landed", [click("#none", { timeout: 1 })], /step 1 \(click\): no element matches/],
  ["a selector that is not valid", "/landed", [click("((")], /its selector is not a CSS selector/],
  ["an element that moves for ever", "/moves", [click("#b", { timeout: 2 })], /does not stop moving/],
  ["an element below another one", "/covered", [click("#b", { timeout: 2 })], /is covered by div/],
  ["a field that is read-only", "/form", [{ type: "fill", selector: "#fixed", text: "x" }], /read-only/],
  ["an element without text", "/form", [{ type: "fill", selector: "#menu", text: "x" }], /not a field for text/],
  [
    "an option that is disabled",
    "/form",
    [{ type: "select", selector: "#road", values: ["b2"] }],
    /no option that fits/,
  ],
  [
    "a list that is too long",
    "/options",
    [{ type: "select", selector: "#s", values: ["x"] }],
    /more than 10000 options/,
  ],
  ["a key that does not exist", "/form", [{ type: "press", key: "Nokey" }], /there is no key "Nokey"/],
  ["the second step", "/eats", [click("#b"), click("#b", { timeout: 1 })], /step 2 \(click\): no element matches/],
  ["a text that does not come", "/landed", [{ type: "wait", text: "never", timeout: 0.5 }], /not done within 0.5 s/],
  ["a script that throws", "/landed", [value("nothing.here")], /its script threw ReferenceError/],
  ["a script that does not parse", "/landed", [value("for (")], /its script threw SyntaxError/],
  ["a script without end", "/landed", [{ ...value("for (;;);"), timeout: 1 }], /did not end in time|not done within/],
  [
    "a promise without end",
    "/landed",
    [{ ...value("new Promise(() => {})"), timeout: 1 }],
    /did not end in time|not done within/,
  ],
  [
    "a result that is too long",
    "/landed",
    [value("'x'.repeat(5e8)")],
    /more than 1000000 characters|browser cannot do it/,
  ],
  [
    "a long result whose length is false",
    "/landed",
    [value("JSON.stringify = () => ['x'.repeat(2e6)]; ({})")],
    /more than 1000000 characters/,
  ],
  [
    "a result with a trap",
    "/landed",
    [value("new Proxy({}, { ownKeys() { throw new Error('trap') } })")],
    /threw Error: trap/,
  ],
  ["a page that spins", "/spins", [click("#b", { timeout: 2 })], /not done within 2 s/],
  ["alerts for ever", "/alerts", [click("#b", { timeout: 2 })], /not done within 2 s/],
  [
    "a page that reloads itself",
    "/reloads",
    [click("#b", { timeout: 20 })],
    /redirects more than 20 times|not done within/,
  ],
];

for (const [what, path, actions, detail] of FAILURES) {
  test(`a step that fails is named: ${what}`, async () => {
    const problem = await failure(path, actions);
    expect(problem["detail"]).toMatch(detail);
    expect(problem["action"]).toMatchObject({ index: /step 2/.test(detail.source) ? 1 : 0 });
  });
}

test("the error of a step has the state of the page, and a picture of it if wanted", async () => {
  const actions = [click("#leave"), click("#none", { timeout: 1 })];
  const { action } = await failure("/links", actions, { action_screenshot: true });
  expect(action).toMatchObject({ index: 1, type: "click", url: `${site.url.href}landed`, title: "Landed" });
  expect(action).toMatchObject({ screenshot: expect.stringMatching(/^\/9j/) });
});

test("dialogs are dismissed and named up to a limit", async () => {
  const { results } = await steps("/dialogs", [click("#b", { timeout: 30 })]);
  expect(results[0]?.dialogs).toHaveLength(20);
  expect(results[0]?.dialogs?.[0]).toEqual({ type: "alert", message: "a0" });
});

test("a page cannot mislead the steps by its own functions, and one that takes all time ends", async () => {
  const { results } = await steps("/overrides", [click("#b")]);
  expect(results[0]?.title).toBe("clicked");
  const million = await act("/million", [{ type: "select", selector: "#s", values: ["x"] }], { timeout: 4 });
  // by the time or by the memory of the tab, whichever ends first on this machine
  const ends = ["500 page-timeout", "500 action-failed", "500 page-failed"];
  expect(ends).toContain(outcomeOf(million));
  expect((await act("/landed", [click("#none", { timeout: 1 })])).json).toMatchObject({ action: { title: "Landed" } });
});

test("steps that contradict each other are refused before the page is loaded", async () => {
  for (const [actions, more] of [
    [[{ type: "wait" }], {}],
    [[{ type: "wait", milliseconds: 1, text: "x" }], {}],
    [[{ type: "wait", text: "x", state: "gone" }], {}],
    [
      [
        { type: "wait", milliseconds: 40_000 },
        { type: "wait", milliseconds: 40_000 },
      ],
      {},
    ],
    [[{ type: "fly" }], {}],
    [[click("#b", { timeout: 61 })], {}],
    [Array.from({ length: 51 }, () => ({ type: "scrape" })), {}],
    [Array.from({ length: 11 }, () => ({ type: "scrape" })), {}],
    [[click("#b")], { engine: "static" }],
  ] as const) {
    expect([actions, outcomeOf(await act("/landed", actions, more))]).toEqual([actions, "400 invalid-parameters"]);
  }
  expect(hits).toEqual([]);
});

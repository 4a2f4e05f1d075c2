/** A web site for tests, on a loopback address, that records the requests to it. */
export interface TestSite {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The paths with queries of all requests so far. */
  readonly hits: readonly string[];
  /** Resolves when a path with this prefix was requested. */
  hit(path: string): Promise<void>;
  close(): Promise<void>;
}

const HTML = { "content-type": "text/html; charset=utf-8" };

function html(body: string, head = "<title>Test</title>"): Response {
  return new Response(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, { headers: HTML });
}

const NEVER = new Promise<Response>(() => undefined);

const ARTICLE_TEXT =
  "A toll road charges each traveller for the stretch that was driven, and for nothing else. ".repeat(6);

/** A page that tries to reach the address in its query by a fetch, an image, a frame and a socket, and reports which succeeded. */
const PROBE = `<script>
  const to = new URLSearchParams(location.search).get("to");
  const fail = () => "blocked";
  const image = new Promise((done) => { const i = new Image(); i.onload = () => done("reached"); i.onerror = () => done("blocked"); i.src = to + "image.svg"; });
  const socket = new Promise((done) => { const s = new WebSocket(to.replace("http", "ws") + "socket"); s.onopen = () => done("reached"); s.onerror = () => done("blocked"); });
  const frame = document.createElement("iframe"); frame.src = to + "frame"; document.body.append(frame);
  navigator.sendBeacon(to + "beacon", "x");
  const worker = new Worker(URL.createObjectURL(new Blob(["fetch(" + JSON.stringify(to + "worker") + ", {mode: 'no-cors'}).then(() => postMessage('reached'), () => postMessage('blocked'))"])));
  const threaded = new Promise((done) => { worker.onmessage = (event) => done(event.data); });
  const fetched = fetch(to + "fetch", { mode: "no-cors" }).then(() => "reached", fail);
  const script = new Promise((done) => { const s = document.createElement("script"); s.onload = () => done("reached"); s.onerror = () => done("blocked"); s.src = to + "script.js"; document.head.append(s); });
  Promise.all([fetched, image, socket, threaded, script]).then((all) => { document.body.append(Object.assign(document.createElement("p"), { id: "done", textContent: all.join(" ") })); });
</script>`;

type Page = (request: Request, url: URL) => Response | Promise<Response>;

const PAGES: Readonly<Record<string, Page>> = {
  "/article": () =>
    html(
      `<nav><a href="/home">Home</a> <a href="/about">About</a></nav>
       <article><h1>Toll roads</h1><p>${ARTICLE_TEXT}</p>
       <h2>Prices</h2><table><tr><th>Road</th><th>Toll</th></tr><tr><td>A1</td><td>3</td></tr></table>
       <ul><li><input type="checkbox" checked> paid</li><li><input type="checkbox"> open</li></ul>
       <pre><code class="hljs language-js">let toll = 3;</code></pre>
       <p>${ARTICLE_TEXT} <a href="next?page=2">Next</a> <img src="data:image/gif;base64,AA" alt="dot"> <img src="road.png" alt="A road"></p>
       </article><script>var hidden = "never shown";</script><style>p { color: red }</style>
       <footer><a href="/article#top">Top</a><a href="javascript:void 0">Nothing</a><a href="/home">Home again</a></footer>`,
      "<title>Toll roads - The Daily</title>",
    ),
  "/signed-article": () =>
    html(
      `<main><article><h1>Fords</h1><p>By <a rel="author" href="/people/ines">Inês Prado</a></p>
       <p>${ARTICLE_TEXT}</p><p>${ARTICLE_TEXT}</p></article></main>`,
      `<title>Fords</title><meta name="author" content="Inês Prado">
       <meta property="article:published_time" content="2026-03-04T08:00:00Z"><meta http-equiv="content-language" content="en">`,
    ),
  "/shared-worker": () =>
    html(`<script>const worker = new SharedWorker("/worker.js");
      worker.port.onmessage = (event) => document.body.insertAdjacentHTML("beforeend", "<p id=done>" + event.data + "</p>");
      worker.port.start();</script>`),
  "/worker.js": () =>
    new Response("onconnect = (event) => event.ports[0].postMessage(navigator.userAgent)", {
      headers: { "content-type": "text/javascript" },
    }),
  // One byte of each page of memory: little CPU time, because a process that uses more waits for all others.
  "/greedy": () =>
    html(
      `<script>setTimeout(() => { const kept = new Uint8Array(9 * 2 ** 27); for (let at = 0; at < kept.length; at += 4096) kept[at] = 1; window.kept = kept; })</script><script async src="/never"></script>`,
    ),
  "/late": () =>
    html(
      `<script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<p id=late>late</p>"), 300)</script>`,
    ),
  "/late-part": () =>
    html(
      `<p>early</p><script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<p id=late>late</p>"), 300)</script>`,
    ),
  "/scrolled-through": () =>
    html(`<p>words</p><div style="height: 30000px"></div><script>onscroll = () => fetch("/scrolled-to")</script>`),
  "/stays-empty": () => html("<script>document.body.dataset.ran = 1</script>"),
  // If the result is text, pictures are not loaded, but scripts are.
  "/fetches": () =>
    html(`<div id="root"></div><script>addEventListener("load", () => fetch("/slow-data").then((answer) => answer.text()).then((text) => {
      document.getElementById("root").innerHTML = "<p>" + text + "</p>";
    }))</script>`),
  "/slow-data": async () => {
    await Bun.sleep(300);
    return new Response("fetched after the load");
  },
  "/polls": () =>
    html(
      `<p>polled</p><div id="root"></div><script>setInterval(() => fetch("/slow-data"), 50); document.write("x")</script>`,
    ),
  "/challenge": () =>
    new Response("<title>Just a moment...</title><p>Verify you are human</p><script>window._cf_chl_opt = {}</script>", {
      status: 403,
      headers: HTML,
    }),
  "/pending-image": () => html(`<p id="ready">parsed</p><img src="/never"><script async src="/never"></script>`),
  "/never": () => NEVER,
  "/spin": () => html("<p>before</p><script>while (true);</script>"),
  "/spin-late": () => html("<p>before</p><script>addEventListener('load', () => { while (true); })</script>"),
  "/alerts": () =>
    html("<script>for (let i = 0; i < 50; i += 1) { alert(i); confirm(i); prompt(i); }</script><p>after</p>"),
  "/alerts-for-ever": () => html("<script>for (;;) alert('again')</script>"),
  "/download": () =>
    new Response("MZ", {
      headers: { "content-type": "application/octet-stream", "content-disposition": "attachment" },
    }),
  "/loop": (_request, url) => Response.redirect(`/loop?n=${Number(url.searchParams.get("n")) + 1}`, 302),
  "/script-loop": (_request, url) =>
    html(`<script>location.replace("/script-loop?n=${Number(url.searchParams.get("n")) + 1}")</script>`),
  "/refresh": () => html("going", `<meta http-equiv="refresh" content="0; url=/article">`),
  "/popups": () =>
    html(
      `<script>for (let i = 0; i < 5; i += 1) window.open("/popup?" + i); document.title = "opened"</script><p>main</p>`,
    ),
  "/cookies": (request) => {
    const response = html(
      `<p id="cookie">${request.headers.get("cookie") ?? "none"}</p><p id="stored"></p>
       <script>document.getElementById("stored").textContent = localStorage.getItem("seen") ?? "none"; localStorage.setItem("seen", "yes")</script>`,
    );
    response.headers.set("set-cookie", "visitor=1; Path=/");
    return response;
  },
  "/login": (_request, url) => {
    const response = html("<p>welcome</p>");
    response.headers.set("set-cookie", `name=${url.searchParams.get("name") ?? ""}; Path=/; HttpOnly`);
    return response;
  },
  "/refused-login": () =>
    new Response("<p>no</p>", { status: 403, headers: { ...HTML, "set-cookie": "tried=1; Path=/; Max-Age=100" } }),
  "/hoard": () =>
    html("<p>hoarded</p><script>for (let n = 0; n < 400; n += 1) localStorage.setItem(n, 'x'.repeat(1e4))</script>"),
  "/emoji": () => html("<p>a😀b😀</p>"),
  "/missing": () => new Response("<h1>Gone</h1>", { status: 404, headers: HTML }),
  "/missing-text": () => new Response("none here", { status: 404, headers: { "content-type": "text/plain" } }),
  "/empty": () => html(""),
  "/no-content": () => new Response(null, { status: 204 }),
  "/leads-nowhere": () => html(`<p>stays</p><script>location = "/no-content"</script>`),
  "/stops-itself": () => html(`<p>stays</p><img src="/never"><script>setTimeout(() => stop(), 50)</script>`),
  "/echo": async (request) =>
    Response.json({ headers: Object.fromEntries(request.headers), body: await request.text() }),
  "/post": () =>
    html(`<p id="size"></p><script>
      fetch("/echo", { method: "POST", body: "x".repeat(300000) }).then((r) => r.json()).then((j) => { document.body.insertAdjacentHTML("beforeend", "<p id=done>" + j.body.length + "</p>") })
    </script>`),
  "/redirect": (_request, url) => Response.redirect(url.searchParams.get("to") ?? "/", 302),
  "/probe": () => html(PROBE),
  "/flood": () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
        },
      }),
      { headers: HTML },
    ),
  "/deep": () => html(`${"<div>".repeat(10_000)}bottom${"</div>".repeat(10_000)}`),
};

export function startSite(hostname = "127.0.0.1"): TestSite {
  const hits: string[] = [];
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      hits.push(url.pathname + url.search);
      for (const check of waiting) check();
      return PAGES[url.pathname]?.(request, url) ?? html(`<p>${url.pathname}</p>`);
    },
  });
  const port = server.port ?? 0;
  return {
    url: `http://${hostname}:${port}`,
    host: hostname,
    port,
    hits,
    hit(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => {
        if (!hits.some((known) => known.startsWith(path))) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      return promise;
    },
    async close() {
      await server.stop(true);
    },
  };
}

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { extractText, getDocumentProxy } from "unpdf";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { decodePng } from "../testing/png.ts";
import { startTestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const WHITE = "#ffffff";
const RED = "#ff0000";
const GREEN = "#008000";
const BLUE = "#0000ff";
const PURPLE = "#800080";

const page = (body: string, style = "") =>
  new Response(
    `<!doctype html><style>body { margin: 0 } ${style}</style><title>Page</title><p id="top">words</p>${body}`,
    {
      headers: { "content-type": "text/html; charset=utf-8" },
    },
  );

/** A block that grows from nothing in a minute. */
const GROWING = `<style>@keyframes grow { from { width: 0 } to { width: 100px } }
  b { display: block; height: 20px; background: green; animation: grow 60s both }</style><b></b>`;

const AT_REST = `<p id="a"></p><p id="b"></p><p id="c"></p><p id="d"></p><script>
  a.animate([{ width: 0 }, { width: "100px" }], { duration: 60_000, fill: "forwards" });
  b.animate([{ background: "red" }, { background: "black" }], { duration: 60_000, iterations: Infinity });
  requestAnimationFrame(() => requestAnimationFrame(() => {
    c.style.width = "50px";
    c.ontransitionend = () => { c.style.width = "100px"; c.ontransitionend = null };
  }));
  d.attachShadow({ mode: "open" }).innerHTML = ${JSON.stringify(GROWING)};
</script>
<iframe srcdoc="${GROWING.replaceAll('"', "&quot;")}" width="100" height="20"></iframe>
<svg width="100" height="60">
  <rect height="20" width="0" fill="green"><animate attributeName="width" to="100" dur="60s" fill="freeze"/></rect>
  <rect y="20" width="100" height="20" fill="red"><animate attributeName="fill" to="blue" begin="1s" dur="1s" fill="freeze"/></rect>
  <rect y="40" width="100" height="20" fill="green"><animateTransform attributeName="transform" type="translate"
    from="500" to="600" dur="60s" repeatCount="indefinite"/></rect>
</svg>`;
const AT_REST_STYLE = `* { margin: 0; border: 0 } p { height: 20px; background: green } iframe, svg { display: block }
  #top { background: none } #a, #c { width: 0 } #c { transition: width 60s linear } #d { background: none }`;

/** Blocks that scripts of the page move, or fill after a request. */
const MOVED = `<p id="a"></p><p id="b"></p><p id="c"></p><p id="d"></p><script>
  let start;
  requestAnimationFrame(function move(now) {
    start ??= now;
    a.style.width = Math.min(100, (now - start) / 5) + "px";
    if (now - start < 500) requestAnimationFrame(move);
  });
  fetch("/late.svg").then(() => { b.style.width = "100px" });
  new FontFace("Late", "url(/late-font)").load().catch(() => { c.style.width = "100px" });
  onload = () => {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href: "/late.css" });
    document.head.append(sheet);
  };
</script>`;
const MOVED_STYLE = "* { margin: 0 } p { width: 0; height: 20px; background: green } #top { background: none }";

/** A block that a script widens for a second, without requests. */
const WIDENED = `<p id="a"></p><div style="height: 500px"></div><script>
  let start;
  requestAnimationFrame(function move(now) {
    start ??= now;
    a.style.width = Math.min(100, (now - start) / 10) + "px";
    if (now - start < 1_000) requestAnimationFrame(move);
  });
</script>`;

/** Blocks that are transparent without their endless animation. */
const PULSING = `<p id="a"></p><p id="b"></p><p id="c"></p>`;
const PULSING_STYLE = `* { margin: 0 } p { height: 20px; background: green } #a, #b { opacity: 0 } #top { background: none }
  #a { animation: appear 60s infinite alternate } @keyframes appear { to { opacity: 1 } }
  #b { animation: turn 60s 30s infinite } @keyframes turn { from { opacity: 1 } 60% { opacity: 0 } }
  #c { animation: pulse 60s infinite } @keyframes pulse { from, to { opacity: 0 } }`;

const EXTENDED = `<div style="height: 1000px"></div>
<section><div style="height: 1000px; background: green">late words</div></section>
<div id="appears">words that appear</div><div id="photo"></div><div id="end"></div><div id="bar"></div><div id="drawer"></div><script>
  new IntersectionObserver((entries) => {
    if (entries[0].isIntersecting) photo.style.background = "url(/late.svg)";
  }).observe(photo);
</script>`;
const EXTENDED_STYLE = `#top { margin: 0; height: 20px } section { content-visibility: auto; contain-intrinsic-size: auto 10px }
  #appears { height: 100px; background: purple; animation: appear linear both; animation-timeline: view();
    animation-range: entry 0% cover 40% }
  @keyframes appear { from { visibility: hidden; translate: -100vw } to { visibility: visible; translate: 0 } }
  #photo, #end { height: 100px }
  #bar { position: fixed; inset: auto 0 0; height: 50px; background: red; transition: all 60s }
  #drawer { position: fixed; inset: auto 0 0; height: 50px; background: red; transform: translateY(100%) }`;

/** A page with parts that belong to the window: a layer behind the content, a bar at its lower edge, and a menu beside it. */
const WINDOWED = `<div id="layer"></div><div id="high">words</div><div id="bar"></div><div id="end"></div><div id="menu"></div>`;
const WINDOWED_STYLE = `#top { display: none } body { overflow-x: hidden } #high { height: 900px }
  #layer { position: fixed; inset: 0; z-index: -1; background: purple }
  #bar { position: sticky; bottom: 0; height: 50px; background: red } #end { height: 50px }
  #menu { position: absolute; top: 0; left: 800px; width: 300px; height: 50px; background: blue }`;

const FIXED_BACKGROUNDS: Readonly<Record<string, string>> = {
  "/fixed-background": "body { background: linear-gradient(green, green) fixed no-repeat }",
  "/fixed-background-of-block": "div { background: linear-gradient(green, green) fixed }",
  "/fixed-background-of-part":
    "body::before { content: ''; position: fixed; inset: 0; z-index: -1; background: green }",
};

/** Pages that scroll inside an element. */
const SHELL = `<div id="bar">Bar</div><main id="view"><div style="height: 900px">first words</div><div style="height: 90px; background: green"></div>
  <div style="height: 2000px">middle words</div><div style="height: 10px; background: blue"></div><p>last words</p></main>`;
const SHELL_STYLE =
  "#top { display: none } p { margin: 0; height: 20px } #bar { height: 20px; flex: none } html, body { height: 100% }";
const SHELLS: Readonly<Record<string, string>> = {
  "/shell": "html, body { overflow: hidden } #bar { display: none } #view { height: 100%; overflow: auto }",
  "/shell-column": "body { display: flex; flex-direction: column } #view { flex: 1; min-height: 0; overflow-y: auto }",
  "/shell-grid":
    "body { display: grid; height: 100vh; grid-template-rows: auto minmax(0, 1fr) } #view { overflow: scroll }",
  "/shell-fixed": "#view { position: fixed; inset: 0; overflow: auto }",
};

const PAGES: Readonly<Record<string, () => Response | Promise<Response>>> = {
  "/at-rest": () => page(AT_REST, AT_REST_STYLE),
  "/view-transition": () =>
    page(
      `<div id="a"></div><script>document.startViewTransition(() => { a.style.background = "green" })</script>`,
      `#a { height: 100px; background: red }
      ::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) { animation-duration: 60s }`,
    ),
  "/smooth": () =>
    page(
      `<div style="height: 1500px"></div><div style="height: 1000px; background: green"></div>
      <script>scrollTo(0, 1600)</script>`,
      "html { scroll-behavior: smooth }",
    ),
  "/moved": () => page(MOVED, MOVED_STYLE),
  "/widened": () => page(WIDENED, MOVED_STYLE),
  "/left": () => page(LEFT, ".box { height: 300px; margin-top: 300px; background: green; opacity: 0 }"),
  "/framed": () =>
    page(
      `<iframe src="/in-frame"></iframe>`,
      "#top { display: none } html, body { height: 100% } iframe { width: 100%; height: 100%; border: 0 }",
    ),
  "/framed-fixed": () =>
    page(
      `<iframe src="/in-frame"></iframe>`,
      "#top { display: none } iframe { position: fixed; inset: 0; width: 100vw; height: 100vh; border: 0 }",
    ),
  "/in-frame": () =>
    page(
      `<div style="height: 970px"></div><div style="height: 10px; background: green"></div><p>last words</p>`,
      "p { margin: 0; height: 20px }",
    ),
  "/styled-late": () =>
    page(`<em>plain</em><strong>styled</strong><script>
      onload = () => {
        document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/late.css" }));
      };
    </script>`),
  "/late.css": async () => {
    await Bun.sleep(300);
    return new Response("#d { width: 100px } em { display: none }", { headers: { "content-type": "text/css" } });
  },
  "/late-font": async () => {
    await Bun.sleep(300);
    return new Response("no font");
  },
  "/pulsing": () => page(PULSING, PULSING_STYLE),
  "/windowed": () => page(WINDOWED, WINDOWED_STYLE),
  ...Object.fromEntries(
    Object.entries(FIXED_BACKGROUNDS).map(([path, style]) => [
      path,
      () => page(`<div style="height: 1000px">words</div>`, `html { height: 100% } #top { display: none } ${style}`),
    ]),
  ),
  "/extended": () => page(EXTENDED, EXTENDED_STYLE),
  "/cut-body": () =>
    page(
      `<div style="height: 990px"></div><div style="height: 10px; background: green"></div>`,
      "#top { margin: 0; height: 20px } html, body { height: 100%; overflow: hidden }",
    ),
  ...Object.fromEntries(
    Object.entries(SHELLS).map(([path, style]) => [path, () => page(SHELL, `${SHELL_STYLE} ${style}`)]),
  ),
  "/lazy": () =>
    page(`<div style="height: 9000px"></div><img loading="lazy" src="/late.svg" alt="no picture">
      <iframe loading="lazy" src="/lazy-frame" width="300" height="200"></iframe>`),
  "/lazy-frame": async () => {
    await Bun.sleep(300);
    return page("words of the frame");
  },
  "/sheet": () =>
    page(
      `<em>on screen</em><strong>on paper</strong>`,
      `@page { size: A5 landscape } @media print { em { display: none } } @media screen { strong { display: none } }`,
    ),
  "/late.svg": async () => {
    // The picture is late compared to the scrolling, which it must not depend on.
    await Bun.sleep(500);
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="blue"/></svg>`;
    return new Response(picture, { headers: { "content-type": "image/svg+xml" } });
  },
};

/** Boxes that are visible only while they are in the window. */
const LEFT = `<div class="box"></div><div class="box"></div><div class="box"></div><script>
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) target.style.opacity = isIntersecting ? 1 : 0;
  }, { threshold: 0.5 });
  for (const box of document.querySelectorAll(".box")) observer.observe(box);
</script>`;

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => PAGES[new URL(request.url).pathname]?.() ?? new Response("", { status: 404 }),
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.stop(true);
});

async function shown(path: string, more: Record<string, unknown> = {}) {
  const url = `http://127.0.0.1:${site.port}${path}`;
  const { status, bytes } = await call(service, "/screenshot", { url, width: 400, height: 300, timeout: 20, ...more });
  expect(status).toBe(200);
  return decodePng(bytes);
}

async function printed(path: string, more: Record<string, unknown> = {}) {
  const url = `http://127.0.0.1:${site.port}${path}`;
  const { status, bytes } = await call(service, "/pdf", { url, timeout: 20, ...more });
  expect(status).toBe(200);
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: true });
  return { text, view: (await document.getPage(1)).view };
}

test.each(Object.keys(SHELLS))(
  "%s is shown and printed as a whole, although it scrolls inside an element",
  async (path) => {
    const { height, colour } = await shown(path, { full_page: true });
    expect(height).toBeGreaterThanOrEqual(3020);
    expect(height).toBeLessThan(3100);
    expect([colour(200, 950), colour(200, height - 25)]).toEqual([GREEN, BLUE]);
    const { text } = await printed(path);
    expect(text).toContain("first words");
    expect(text).toContain("last words");
  },
);

test("a picture of the window of such a page shows its top", async () => {
  const { height, colour } = await shown("/shell");
  expect([height, colour(200, 250)]).toEqual([300, WHITE]);
});

describe("animations at their end", () => {
  test("of scripts, transitions, shadow trees, frames and SVG", async () => {
    const { colour } = await shown("/at-rest");
    const rows = Array.from({ length: 8 }, (_, row) => colour(90, 30 + 20 * row));
    expect(rows).toEqual([GREEN, GREEN, GREEN, GREEN, GREEN, GREEN, BLUE, GREEN]);
  });

  test("of what scripts move, and after their requests", async () => {
    const { colour } = await shown("/moved");
    expect([30, 50, 70, 90].map((y) => colour(95, y))).toEqual([GREEN, GREEN, GREEN, GREEN]);
  });

  test("of what scripts move without requests", async () => {
    expect((await shown("/widened")).colour(95, 30)).toBe(GREEN);
    expect((await shown("/widened", { full_page: true })).colour(95, 30)).toBe(GREEN);
  });

  test("of what is transparent without its endless animation", async () => {
    const { colour } = await shown("/pulsing");
    expect([30, 50, 70].map((y) => colour(95, y))).toEqual([GREEN, GREEN, GREEN]);
  });

  test("of view transitions", async () => {
    expect((await shown("/view-transition")).colour(200, 120)).toBe(GREEN);
  });

  test("of smooth scrolling, and a full page is shown from its top", async () => {
    expect((await shown("/smooth")).colour(200, 150)).toBe(GREEN);
    expect((await shown("/smooth", { full_page: true })).colour(200, 1000)).toBe(WHITE);
  });
});

describe("a full page", () => {
  test("shows what scripts hide again outside of the window", async () => {
    const { colour } = await shown("/left", { full_page: true });
    expect([450, 1050, 1650].map((y) => colour(200, y))).toEqual([GREEN, GREEN, GREEN]);
  });

  test("shows content that the window does not render, late backgrounds, and bars at its end", async () => {
    const { height, colour } = await shown("/extended", { full_page: true });
    expect(height).toBe(2320);
    const seen = [250, 290, 1100, 1900, 2100, 2200, 2240, 2300].map((y) => colour(200, y));
    expect(seen).toEqual([WHITE, WHITE, GREEN, GREEN, PURPLE, BLUE, WHITE, RED]);
  });

  test("shows what belongs to the window as in a window of the page's size, and nothing that the window cuts", async () => {
    const { width, height, colour } = await shown("/windowed", { full_page: true });
    expect([width, height]).toEqual([400, 1000]);
    expect([100, 275, 890, 925, 990].map((y) => colour(200, y))).toEqual([PURPLE, PURPLE, PURPLE, RED, PURPLE]);
  });

  test.each(Object.keys(FIXED_BACKGROUNDS))("shows a background below the first window: %s", async (path) => {
    const { height, colour } = await shown(path, { full_page: true });
    expect([height, colour(200, 200), colour(200, 900)]).toEqual([1000, GREEN, GREEN]);
  });

  test("shows all of a body that is cut at the window's height", async () => {
    const { height, colour } = await shown("/cut-body", { full_page: true });
    expect([height, colour(200, 1015)]).toEqual([1020, GREEN]);
  });

  test.each(["/framed", "/framed-fixed"])("shows all of a frame that takes the window: %s", async (path) => {
    const { height, colour } = await shown(path, { full_page: true });
    expect([height, colour(200, 995)]).toEqual([1020, GREEN]);
    expect((await printed(path)).text).toContain("last words");
  });

  test("leaves bars in the window of a picture that shows no more than it", async () => {
    expect((await shown("/extended")).colour(200, 290)).toBe(RED);
  });
});

describe("a printed page", () => {
  test("shows content that the window does not render, and what appears when it is scrolled to", async () => {
    const { text } = await printed("/extended");
    expect(text).toContain("late words");
    expect(text).toContain("words that appear");
  });

  test("has the style sheets that scripts add after it has loaded", async () => {
    const { text } = await printed("/styled-late");
    expect(text).toContain("styled");
    expect(text).not.toContain("plain");
  });

  test("has its lazy pictures and frames", async () => {
    const { text } = await printed("/lazy");
    expect(text).toContain("words of the frame");
    expect(text).not.toContain("no picture");
  });

  test("has the style for paper, on the paper of the request", async () => {
    const { text, view } = await printed("/sheet", { landscape: true, scale: 0.1 });
    expect(text).toContain("on paper");
    expect(text).not.toContain("on screen");
    expect(view).toEqual([0, 0, 792, 612]);
  });
});

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { extractText, getDocumentProxy } from "unpdf";
import { PNG_SIGNATURE, pngChunk } from "../../lib/text/png.ts";
import { call, type Reply } from "../testing/client.ts";
import { decodePng } from "../testing/png.ts";
import { startTestService } from "../testing/service.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const HTML = { "content-type": "text/html; charset=utf-8" };

/** A picture of one colour. */
function plainPng(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.alloc(1 + width * 3);
  for (let at = 1; at < row.length; at += 3) row.set([red, green, blue], at);
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const end = pngChunk("IEND", Buffer.alloc(0));
  return Buffer.concat([PNG_SIGNATURE, pngChunk("IHDR", header), pngChunk("IDAT", data), end]);
}

const GREEN = plainPng(400, 400, [0, 128, 0]);

const page = (body: string, style = "") =>
  new Response(`<!doctype html><style>body { margin: 0 } ${style}</style><title>Page</title>${body}`, {
    headers: HTML,
  });

const block = (colour: string, height: number, text = "") =>
  `<div style="background: ${colour}; height: ${height}px">${text}</div>`;

const NEVER = new Promise<Response>(() => undefined);
const hits: string[] = [];

const PAGES: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  "/": () => page(`<h1>Words</h1><p>A page with some words on it.</p>${block("#336699", 600)}`),
  "/redirect": () => Response.redirect("/long#end", 302),
  "/long": () => page(`${block("#ff0000", 1000, "top")}${block("#0000ff", 1000)}<p>words</p>${block("#00ff00", 990)}`),
  "/fixed": () =>
    page(
      `<div class="bar">bar</div>${block("#ffffff", 3000, "words")}`,
      ".bar { position: fixed; inset: 0 0 auto; height: 50px; background: #ff0000 }",
    ),
  "/window": () => page(`<p>words</p><script>document.title = innerWidth + "x" + innerHeight</script>`),
  "/endless": () =>
    page(`<div id="all">words</div><script>
      const more = () => { for (let i = 0; i < 20; i += 1) all.insertAdjacentHTML("beforeend", "<p style='height: 100px'>more</p>") };
      more();
      addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 500) more() });
    </script>`),
  "/lazy": () =>
    page(`<p>words</p>${block("#ffffff", 5000)}<img loading="lazy" src="/green.png" width="400" height="400">
      <div id="late" style="height: 400px"></div><script>
      new IntersectionObserver((entries) => { if (entries[0].isIntersecting) late.style.background = "#800080" }).observe(late);
    </script>`),
  "/wide": () => page(`<p>words</p><div style="width: 2000px; height: 100px; background: #ff0000"></div>`),
  "/wide-left": () =>
    page(`<div dir="rtl"><p>words</p><div style="width: 2000px; height: 100px; background: #ff0000"></div></div>
      <script>document.documentElement.dir = "rtl"</script>`),
  "/moving": () =>
    page(
      `<div id="in">words</div><div id="turning"></div><div id="late"></div>
      <script>requestAnimationFrame(() => requestAnimationFrame(() => { late.style.background = "#0000ff" }))</script>`,
      `div { height: 100px }
      #in { background: #ff0000; animation: in 60s both } @keyframes in { from { opacity: 0 } to { opacity: 1 } }
      #turning { background: #00ff00; animation: turn 60s infinite } @keyframes turn { from, to { background: #000000 } }
      #late { background: #ffffff; transition: background 60s }`,
    ),
  "/green.png": () => new Response(new Uint8Array(GREEN), { headers: { "content-type": "image/png" } }),
  "/late": () =>
    page(
      `<p>words</p><script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<b id=late>late</b>"), 200)</script>`,
    ),
  "/missing": () => new Response("<h1>Gone</h1><p>No such page here.</p>", { status: 404, headers: HTML }),
  "/blank": () => page(""),
  "/challenge": () =>
    new Response("<title>Just a moment...</title><p>Checking your browser", {
      status: 403,
      headers: { ...HTML, "cf-mitigated": "challenge" },
    }),
  "/pending": () => page(`${block("#336699", 600, "words that are here")}<img src="/never">`),
  "/never": () => NEVER,
  "/print": () =>
    page(
      `<h1>Printed words</h1>${block("#ff0000", 100)}<p>${"many words and more words ".repeat(900)}</p><p>the last words</p>`,
    ),
  "/file.pdf": () => new Response(PASSED_ON, { headers: { "content-type": "application/pdf" } }),
  "/file.bin": () => new Response("MZ", { headers: { "content-type": "application/octet-stream" } }),
};

const PASSED_ON = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    hits.push(pathname);
    return PAGES[pathname]?.(request) ?? new Response("", { status: 404 });
  },
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.stop(true);
});

function url(path: string): string {
  return `http://127.0.0.1:${site.port}${path}`;
}

const screenshot = (path: string, more: Record<string, unknown> = {}) =>
  call(service, "/screenshot", { url: url(path), timeout: 20, ...more });
const pdf = (path: string, more: Record<string, unknown> = {}) =>
  call(service, "/pdf", { url: url(path), timeout: 20, ...more });

async function sizeOf({ bytes }: Reply): Promise<string> {
  const { width, height, format } = await new Bun.Image(bytes).metadata();
  return `${format} ${width}x${height}`;
}

/** The status and the fields that the errors of a rejected request name. */
function refusal({ status, json }: Reply): unknown[] {
  // Each response that rejects fields lists them.
  const errors = json["errors"] as readonly { readonly path: string; readonly message: string }[] | undefined;
  return [status, ...(errors ?? []).map(({ path, message }) => `${path} ${message}`)];
}

describe("screenshot", () => {
  test.each([
    [{}, "image/png", "png 1280x720"],
    [{ format: "png", width: 1, height: 1 }, "image/png", "png 1x1"],
    [{ format: "jpeg", width: 333, height: 777 }, "image/jpeg", "jpeg 333x777"],
    [{ format: "webp", width: 640, height: 480, quality: 50 }, "image/webp", "webp 640x480"],
    [{ format: "png", width: 10_000, height: 300 }, "image/png", "png 10000x300"],
    [{ format: "jpeg", width: 300, height: 10_000, quality: 0 }, "image/jpeg", "jpeg 300x10000"],
  ])("%j returns %s of exactly %s", async (more, type, size) => {
    const reply = await screenshot("/", more);
    expect([reply.status, reply.headers.get("content-type"), await sizeOf(reply)]).toEqual([200, type, size]);
  });

  test("shows the page in a window of the requested size, from its first script on", async () => {
    const reply = await screenshot("/long", { width: 500, height: 1500 });
    const { colour } = decodePng(reply.bytes);
    expect([colour(250, 999), colour(250, 1000), colour(250, 1499)]).toEqual(["#ff0000", "#0000ff", "#0000ff"]);
  });

  test("continues to the end of the page with full_page, and reports the page's URL", async () => {
    const reply = await screenshot("/redirect", { width: 200, height: 100, full_page: true });
    const { width, height, colour } = decodePng(reply.bytes);
    expect(width).toBe(200);
    expect(height).toBeGreaterThan(2990);
    expect([colour(100, 500), colour(100, 1500), colour(100, height - 1)]).toEqual(["#ff0000", "#0000ff", "#00ff00"]);
    expect(reply.headers.get("x-turnpike-final-url")).toBe(url("/long#end"));
    expect(reply.headers.get("x-turnpike-status")).toBe("200");
    expect(reply.headers.get("x-turnpike-truncated")).toBe("false");
    expect(reply.headers.get("x-turnpike-engine")).toBe("browser");
    expect(reply.headers.has("x-turnpike-partial")).toBe(false);
  });

  test("shows fixed elements once, at the top of a full page", async () => {
    const { height, colour } = decodePng((await screenshot("/fixed", { full_page: true, width: 300 })).bytes);
    const red = Array.from({ length: height }, (_, y) => y).filter((y) => colour(250, y) === "#ff0000");
    expect([height, red.length, red[0], red.at(-1)]).toEqual([3000, 50, 0, 49]);
  });

  test("loads lazy content before it shows a full page", async () => {
    const { height, colour } = decodePng((await screenshot("/lazy", { full_page: true, width: 500 })).bytes);
    expect([colour(100, height - 500), colour(100, height - 100)]).toEqual(["#008000", "#800080"]);
  });

  test.each(["/wide", "/wide-left"])("shows the whole width of a full page: %s", async (path) => {
    const reply = await screenshot(path, { full_page: true, width: 500, height: 300 });
    expect([await sizeOf(reply), reply.headers.get("x-turnpike-truncated")]).toEqual(["png 2000x300", "false"]);
    const { colour } = decodePng(reply.bytes);
    expect([colour(0, 100), colour(1999, 100)]).toEqual(["#ff0000", "#ff0000"]);
  });

  test.each([false, true])("shows animations at their end, full_page %p", async (fullPage) => {
    const { colour } = decodePng((await screenshot("/moving", { full_page: fullPage })).bytes);
    expect([colour(600, 50), colour(600, 150), colour(600, 250)]).toEqual(["#ff0000", "#00ff00", "#0000ff"]);
  });

  test("cuts a page that has no end, and says so", async () => {
    const reply = await screenshot("/endless", { full_page: true, width: 100, format: "jpeg", quality: 10 });
    expect([await sizeOf(reply), reply.headers.get("x-turnpike-truncated")]).toEqual(["jpeg 100x30000", "true"]);
    const webp = await screenshot("/endless", { full_page: true, width: 100, format: "webp", quality: 0 });
    expect(await sizeOf(webp)).toBe("webp 100x16383");
    const wide = await screenshot("/endless", {
      full_page: true,
      width: 4000,
      height: 900,
      format: "jpeg",
      quality: 0,
    });
    expect([await sizeOf(wide), wide.headers.get("x-turnpike-truncated")]).toEqual(["jpeg 4000x10000", "true"]);
  });

  test("joins the bands of a large picture without a seam", async () => {
    const reply = await screenshot("/long", { width: 4100, height: 2500 });
    expect(await sizeOf(reply)).toBe("png 4100x2500");
    const { colour } = decodePng(reply.bytes);
    const seams = Array.from({ length: 2500 }, (_, y) => y).filter((y) => colour(3000, y) !== colour(3001, y));
    expect(seams).toEqual([]);
    expect([colour(4099, 999), colour(4099, 1000), colour(0, 1999)]).toEqual(["#ff0000", "#0000ff", "#0000ff"]);
    for (const format of ["jpeg", "webp"]) {
      expect(await sizeOf(await screenshot("/long", { width: 4100, height: 2500, format }))).toBe(
        `${format} 4100x2500`,
      );
    }
  });

  test.each([["jpeg"], ["webp"]])("returns a smaller %s for a lower quality", async (format) => {
    const sizes = [];
    for (const quality of [0, 40, 95]) sizes.push((await screenshot("/", { format, quality })).bytes.length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(new Set(sizes).size).toBe(3);
  });

  test("shows pictures, in pages and as documents", async () => {
    const { colour } = decodePng((await screenshot("/green.png", { width: 200, height: 200 })).bytes);
    expect(colour(100, 100)).toBe("#008000");
  });

  test("waits for the selector", async () => {
    const reply = await screenshot("/late", { selector: "#late" });
    expect(reply.status).toBe(200);
    expect((await screenshot("/late", { selector: "#never", timeout: 1 })).json["type"]).toBe(
      "urn:turnpike:error:page-timeout",
    );
  });

  test("captures many large pictures at once, and no process of the browser is stopped for its memory", async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => screenshot("/", { width: 3300, height: 3100, format: "jpeg", quality: 10 })),
    );
    expect(await Promise.all(replies.map(sizeOf))).toEqual(replies.map(() => "jpeg 3300x3100"));
  });
});

async function read({ bytes }: Reply) {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: true });
  const first = await document.getPage(1);
  const [, , width = 0, height = 0] = first.view;
  const colours = (await first.getOperatorList()).argsArray.flat().filter((value) => value === "#ff0000");
  return { pages: document.numPages, text, width, height, red: colours.length > 0, first };
}

describe("pdf", () => {
  test("prints all of the page on letter paper", async () => {
    const reply = await pdf("/print");
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const { pages, text, width, height, red } = await read(reply);
    expect([width, height, red]).toEqual([612, 792, true]);
    expect(pages).toBeGreaterThan(1);
    expect(text).toContain("Printed words");
    expect(text).toContain("the last words");
    expect(reply.headers.get("x-turnpike-final-url")).toBe(url("/print"));
    expect(reply.headers.get("x-turnpike-status")).toBe("200");
  });

  test("turns the paper, and uses its size", async () => {
    const { width, height } = await read(await pdf("/print", { paper_width: 8, paper_height: 10, landscape: true }));
    expect([width, height]).toEqual([720, 576]);
  });

  test("omits backgrounds, scales, and keeps margins free", async () => {
    expect((await read(await pdf("/print", { print_background: false }))).red).toBe(false);
    const small = await read(await pdf("/print", { scale: 0.5 }));
    const large = await read(await pdf("/print", { scale: 2 }));
    expect(large.pages).toBeGreaterThan(2 * small.pages);
    const margins = { margin_top: 2, margin_bottom: 1, margin_left: 3, margin_right: 0 };
    const { first } = await read(await pdf("/print", margins));
    const { items } = await first.getTextContent();
    const places = items.flatMap((item) => ("transform" in item && item.str.trim() !== "" ? [item.transform] : []));
    expect(Math.min(...places.map(([, , , , x]) => Number(x)))).toBeCloseTo(216, 0);
    expect(Math.max(...places.map(([, , , , , y]) => Number(y)))).toBeLessThan(792 - 144);
    expect(Math.min(...places.map(([, , , , , y]) => Number(y)))).toBeGreaterThan(72);
  });

  test("includes the lazy pictures of the page", async () => {
    hits.length = 0;
    expect((await pdf("/lazy")).status).toBe(200);
    expect(hits).toContain("/green.png");
  });

  test("returns a document that is already a PDF, and rejects other documents", async () => {
    const reply = await pdf("/file.pdf");
    expect([reply.status, Buffer.from(reply.bytes).toString()]).toEqual([200, PASSED_ON]);
    expect(reply.headers.get("x-turnpike-engine")).toBe("static");
    expect((await pdf("/file.bin")).json["type"]).toBe("urn:turnpike:error:page-type-unsupported");
  });

  test.each([
    [{ margin_left: 5, margin_right: 4 }, ["margin_left", "margin_right"]],
    [{ margin_top: 10.5 }, ["margin_top"]],
    [{ margin_bottom: 8, landscape: true }, ["margin_bottom"]],
    [{ paper_width: 1 }, ["paper_width"]],
    [{ paper_height: 0.6, landscape: true }, ["paper_height"]],
  ])("rejects %j, which leaves nothing to print on", async (more, paths) => {
    const message = "must leave at least 0.5 inches to print on";
    expect(refusal(await pdf("/print", more))).toEqual([400, ...paths.map((path) => `${path} ${message}`)]);
  });
});

describe("both", () => {
  test.each([
    ["/screenshot", { width: 0 }, "width must be at least 1"],
    ["/screenshot", { width: 10_001 }, "width must be at most 10000"],
    ["/screenshot", { height: 10_001 }, "height must be at most 10000"],
    ["/screenshot", { height: 1.5 }, "height must be of type int"],
    ["/screenshot", { format: "gif" }, "format must be one of png, jpeg, webp"],
    ["/screenshot", { format: "jpeg", quality: 101 }, "quality must be at most 100"],
    ["/screenshot", { format: "jpeg", quality: -1 }, "quality must be at least 0"],
    ["/screenshot", { quality: 80 }, ' requires "format" with "quality"'],
    ["/screenshot", { element: "p" }, "element is not a field of this operation"],
    ["/screenshot", { engine: "static" }, 'engine must be "auto" or "browser"'],
    ["/screenshot", { selector: "p[" }, "selector is not a CSS selector"],
    ["/pdf", { scale: 0.05 }, "scale must be at least 0.1"],
    ["/pdf", { scale: 2.1 }, "scale must be at most 2"],
    ["/pdf", { paper_width: 0 }, "paper_width must be at least 0.5"],
    ["/pdf", { paper_height: 201 }, "paper_height must be at most 200"],
    ["/pdf", { margin_top: -1 }, "margin_top must be at least 0"],
    ["/pdf", { landscape: "yes" }, "landscape must be of type boolean"],
    ["/pdf", { engine: "static" }, 'engine must be "auto" or "browser"'],
    ["/pdf", { full_page: true }, "full_page is not a field of this operation"],
    ["/pdf", { timeout: 121 }, "timeout must be at most 120"],
  ])("%s rejects %j", async (path, more, message) => {
    expect(refusal(await call(service, path, { url: url("/"), ...more }))).toEqual([400, message]);
  });

  test.each([["/screenshot"], ["/pdf"]])("%s sells no challenge and no empty page", async (path) => {
    const types = [];
    for (const shown of ["/challenge", "/blank", "/file.bin"]) {
      types.push((await call(service, path, { url: url(shown), timeout: 20 })).json["type"]);
    }
    const names = ["page-challenge", "page-empty", "page-type-unsupported"];
    expect(types).toEqual(names.map((name) => `urn:turnpike:error:${name}`));
  });

  test.each([["/screenshot"], ["/pdf"]])(
    "%s shows an error page that is accepted, with its status in the head",
    async (path) => {
      const reply = await call(service, path, { url: url("/missing"), timeout: 20, accept_status: [404] });
      expect([reply.status, reply.headers.get("x-turnpike-status")]).toEqual([200, "404"]);
    },
  );

  test("the part that has loaded at the timeout is returned if the caller accepts it", async () => {
    expect((await screenshot("/pending", { timeout: 1 })).json["type"]).toBe("urn:turnpike:error:page-timeout");
    const reply = await screenshot("/pending", { timeout: 1, partial: true, width: 300, height: 300 });
    expect([reply.status, reply.headers.get("x-turnpike-partial")]).toEqual([200, "true"]);
    expect(decodePng(reply.bytes).colour(250, 250)).toBe("#336699");
  });
});

/**
 * A service made of common libraries: puppeteer-core as in its README, a new page for each request, Readability on
 * jsdom, turndown. It accepts the same requests as the content service. Arguments: browser, folder.
 */
import { Readability } from "@mozilla/readability";
import { JSDOM, VirtualConsole } from "jsdom";
import puppeteer from "puppeteer-core";
import TurndownService from "turndown";

const [executablePath = "", userDataDir = "", environment = "{}"] = process.argv.slice(2);
// The bench passes an object of strings.
const env = JSON.parse(environment) as Record<string, string>;
const browser = await puppeteer.launch({
  executablePath,
  userDataDir,
  headless: true,
  pipe: true,
  waitForInitialPage: false,
  env: { ...process.env, ...env },
  args: ["--no-sandbox", "about:blank"],
});

interface Asked {
  readonly url: string;
  readonly urls?: readonly string[];
}

async function read(url: string): Promise<{ title: string; content: string }> {
  const page = await browser.newPage();
  try {
    await page.goto(url, { waitUntil: "load" });
    // If a page renders itself, puppeteer waits for its content, as its users would do.
    if (url.includes("/script/")) await page.waitForSelector("main");
    const html = await page.content();
    const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
    const article = new Readability(window.document).parse();
    const content = new TurndownService().turndown(article?.content ?? html);
    window.close();
    return { title: article?.title ?? "", content };
  } finally {
    await page.close();
  }
}

async function capture(url: string, kind: "screenshot" | "pdf"): Promise<Uint8Array> {
  const page = await browser.newPage();
  try {
    if (kind === "screenshot") await page.setViewport({ width: 1280, height: 720 });
    await page.goto(url, { waitUntil: "load" });
    return kind === "screenshot"
      ? await page.screenshot()
      : await page.pdf({ format: "letter", printBackground: true });
  } finally {
    await page.close();
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const asked = (await request.json()) as Asked;
    const { pathname } = new URL(request.url);
    if (pathname === "/batch") return Response.json({ results: await Promise.all((asked.urls ?? []).map(read)) });
    if (pathname === "/screenshot" || pathname === "/pdf") {
      return new Response(Buffer.from(await capture(asked.url, pathname.slice(1) === "pdf" ? "pdf" : "screenshot")));
    }
    return Response.json(await read(asked.url));
  },
});
console.log(`port ${server.port}`);

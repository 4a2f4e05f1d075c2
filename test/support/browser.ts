/** A browser for tests of pages: the packaged one, controlled by the test. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { browserPrograms } from "../../src/content/browser/program/find.ts";
import { createStateFolder } from "../../src/content/testing/state-folder.ts";

const AXE = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

export interface TestBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const state = createStateFolder();
  const { value: program } = await browserPrograms(undefined, state.path).next();
  if (program === undefined) throw new Error("Cannot test pages: there is no browser");
  const browser = await puppeteer.launch({
    executablePath: program.path,
    // The browser ends with the pipe, and so with a test process that is killed or that stops at its first failure.
    pipe: true,
    env: { ...process.env, ...program.environment },
    args: ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const close = async (): Promise<void> => {
    await browser.close();
    state.remove();
  };
  return { browser, close };
}

export type Scheme = "light" | "dark";

/** Sets the size and colour scheme. Smooth scrolling is off, because a click misses an element that moves. */
export async function dress(page: Page, width: number, scheme: Scheme): Promise<void> {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules whose result depends on colours. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** The errors that axe finds: rule and place. */
export async function errors(page: Page, rules: readonly string[] = ALL_RULES): Promise<unknown> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
  return await page.evaluate(`axe.run(document, ${options})
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]))`);
}

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { patient } from "../../lib/testing/patience.ts";
import { MARK } from "../page/page.ts";
import { Deadline } from "../page/deadline.ts";
import { openRawTab, type RawTab } from "../testing/raw-tab.ts";
import { CdpError, type CdpFields } from "./program/cdp.ts";
import { pageOf, type ScriptedPage } from "./page-scripts.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let tab: RawTab;
beforeAll(async () => {
  tab = await openRawTab();
});
afterAll(() => tab.close());

type Call = RawTab["call"];

const received = () => Promise.resolve(false);

/** The page that the tab shows. `call` replaces the tab's calls to the browser. */
function pageIn(
  call: Call = (method, params) => tab.call(method, params),
  deadline = new Deadline(patient(30_000), undefined),
): ScriptedPage {
  return pageOf({ call, frame: () => tab.frameId, deadline, shown: () => undefined, received });
}

async function failureOf(promise: Promise<unknown>): Promise<Pick<TurnpikeError, "code" | "message" | "errors">> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof TurnpikeError) return error;
    throw error;
  }
  throw new Error("Cannot tell the failure: the call did not fail");
}

test("a glimpse has the address and the type of an HTML page, if its condition is true", async () => {
  await tab.show("<title>Tides</title><p>words");
  const seen = await pageIn().glimpse("document.title === 'Tides'");
  expect(seen).toMatchObject({ engine: "browser", body: "", contentType: "text/html", complete: true });
  expect(seen?.finalUrl).toStartWith("data:text/html,");
  expect(await pageIn().glimpse("document.title === 'Ebbs'")).toBeUndefined();
});

describe("a script of the caller", () => {
  test.each<[script: string, text: string]>([
    ["1 + 1", "2"],
    ["'words'", "words"],
    ["({ a: [1, null] })", '{"a":[1,null]}'],
    ["undefined", ""],
    ["null", "null"],
    ["0 / 0", "NaN"],
    ["-0", "-0"],
    ["2n ** 70n", "1180591620717411303424n"],
    ["Promise.resolve('late')", "late"],
    ["document.title", "Tides"],
    ["own", "the page's"],
  ])("%s returns %j", async (script, text) => {
    await tab.show("<title>Tides</title><script>var own = `the page's`</script>");
    expect(await pageIn().evaluate(script)).toBe(text);
  });

  test.each<[script: string, code: string, words: string]>([
    ["(", "invalid-parameters", "it does not parse"],
    ["throw new Error('not so')", "scrape-failed", "it threw Error: not so"],
    ["throw 'a text'", "scrape-failed", 'it threw "a text"'],
    ["eval('(')", "scrape-failed", "it threw SyntaxError"],
    ["Promise.reject(new TypeError('no'))", "scrape-failed", "it threw TypeError: no"],
    ["const loop = {}; loop.loop = loop; loop", "scrape-failed", "Cannot evaluate the script: "],
    ["throw 'x'.repeat(10000)", "scrape-failed", "x".repeat(200)],
  ])("%s fails with %s", async (script, code, words) => {
    await tab.show("<p>x");
    const failure = await failureOf(pageIn().evaluate(script));
    expect(failure.code).toBe(code as typeof failure.code);
    expect(failure.message).toContain(words);
    expect(failure.message.length).toBeLessThan(400);
    if (code === "invalid-parameters") expect(failure.errors?.[0]?.path).toBe("evaluate");
  });
});

test("scripts of the page cannot change the text that is read from it", async () => {
  await tab.show(`<p>words</p><script>
    Object.defineProperty(Element.prototype, "outerHTML", { get: () => "forged" });
    Document.prototype.querySelectorAll = () => [];
    JSON.stringify = () => "forged";
  </script>`);
  const { body } = await pageIn().snapshot();
  expect(body).toContain("<p>words</p>");
  expect(body).not.toContain(">forged");
});

test("elements are marked only while they are read, and closed trees are read", async () => {
  await tab.show(`<p class=a>one</p><p>two</p><div id=host></div><script>
    host.attachShadow({ mode: "closed" }).innerHTML = "<b>inside</b>"</script>`);
  const { body } = await pageIn().snapshot({ mark: { first: ".a", all: "p" } });
  expect(body).toContain(`<p class="a" ${MARK}="0 1">one</p><p ${MARK}="1">two</p>`);
  expect(body).toContain(`<template shadowrootmode="closed"><b>inside</b></template>`);
  expect(await tab.run(`document.querySelectorAll("[${MARK}]").length`)).toBe(0);
});

test("a page without closed trees is read even if the browser does not describe its elements", async () => {
  await tab.show(`<div style="height: 9px"></div><p>words</p>`);
  const asked: string[] = [];
  const page = pageIn((method, params) => {
    asked.push(method);
    return method === "DOM.describeNode" ? Promise.reject(new CdpError(method, "gone")) : tab.call(method, params);
  });
  expect((await page.snapshot()).body).toContain("<p>words</p>");
  expect(asked).toContain("DOM.describeNode");
});

describe("waiting for a selector", () => {
  test.each<[what: string, change: string]>([
    ["is added", "document.body.append(Object.assign(document.createElement('p'), { id: 'late' }))"],
    ["gets an attribute", "document.querySelector('p').id = 'late'"],
    ["changes without a mutation", "document.querySelector('input').value = 'x'"],
  ])("ends when the element %s", async (_what, change) => {
    await tab.show("<p></p><input required>");
    const page = pageIn();
    let isThere = false;
    const wait = async (): Promise<void> => {
      await page.waitFor("#late, input:valid");
      isThere = true;
    };
    const waiting = wait();
    // The page responds only after the wait has begun.
    expect(await tab.run("1")).toBe(1);
    expect(isThere).toBe(false);
    await tab.run(change);
    await waiting;
  });

  test("continues in the document that replaces the first one", async () => {
    await tab.show("<p>first</p>");
    const waiting = pageIn().waitFor("#second");
    await tab.run("1");
    await tab.show("<p>none</p>");
    await tab.show("<p id=second>second</p>");
    await waiting;
    expect(await tab.run("document.body.textContent")).toBe("second");
  });

  test("fails with the visit", async () => {
    await tab.show("<p>first</p>");
    const deadline = new Deadline(patient(30_000), undefined);
    const page = pageIn(() => Promise.reject(new CdpError("Runtime.evaluate", "no context")), deadline);
    const waiting = failureOf(page.waitFor("p"));
    deadline.stop(new TurnpikeError("page-timeout", "over"));
    expect((await waiting).code).toBe("page-timeout");
  });

  test.each(["p", "p > a:not([href]), #x", ":has(> img)"])("%s is a selector", async (selector) => {
    await tab.show("<p>x");
    await pageIn().assertSelector(selector);
  });

  test.each(["", "p >", "a[", "::", "p:nope", '"'])("%j is not a selector", async (selector) => {
    await tab.show("<p>x");
    const { code, errors } = await failureOf(pageIn().assertSelector(selector));
    expect([code, errors?.[0]?.path]).toEqual(["invalid-parameters", "selector"]);
  });
});

test("a response that is too long is not requested again", async () => {
  let calls = 0;
  const page = pageIn((method): Promise<CdpFields> => {
    calls += 1;
    if (method === "Page.createIsolatedWorld") return Promise.resolve({ executionContextId: 1 });
    return Promise.reject(new CdpError(method, "the response is longer than 67108864 bytes"));
  });
  const failure: unknown = await page.waitFor("p").catch((error: unknown) => error);
  expect(String(failure)).toContain("longer than");
  expect(calls).toBe(2);
});

test("a document is complete when its response has ended, whatever its scripts open", async () => {
  await tab.show("<p>x");
  expect(await pageIn().isPartial()).toBe(false);
  await tab.run("document.open(); document.write('<p>anew')");
  expect(await tab.run("document.readyState")).toBe("loading");
  expect(await pageIn().isPartial()).toBe(false);
});

import { expect, jest, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { CdpError, type CdpFields, type CdpListener } from "../../browser/program/cdp.ts";
import { type Calls, type Picture, type Shown } from "./screencast.ts";
import { Viewers } from "./viewers.ts";

const AREA = { deviceWidth: 800, deviceHeight: 600, offsetTop: 0 };

/** A browser that records calls, and sends what a test tells it to. Its session with a page has the name of the page. */
class ScriptedBrowser implements Calls {
  readonly calls: string[] = [];
  /** The responses to the next calls to begin with a page. */
  readonly starts: (() => Promise<CdpFields>)[] = [];
  readonly #pages: CdpFields[] = [];
  readonly #listeners = new Map<string, CdpListener>();

  send(method: string, params: CdpFields = {}, session = ""): Promise<CdpFields> {
    this.calls.push(`${method} ${typeof params["targetId"] === "string" ? params["targetId"] : session}`.trim());
    if (method === "Target.setDiscoverTargets") for (const page of this.#pages) this.#announce(page);
    if (method === "Page.startScreencast") return this.starts.shift()?.() ?? Promise.resolve({});
    return Promise.resolve({ sessionId: params["targetId"] ?? "root" });
  }

  listen(session: string, listener: CdpListener | undefined): void {
    if (listener === undefined) this.#listeners.delete(session);
    else this.#listeners.set(session, listener);
  }

  tell(session: string, method: string, params: CdpFields): void {
    this.#listeners.get(session)?.(method, params);
  }

  page(targetId: string, more: CdpFields = {}): void {
    const targetInfo = {
      targetId,
      type: "page",
      title: `title of ${targetId}`,
      url: `http://${targetId}.test/`,
      ...more,
    };
    this.#pages.push(targetInfo);
    this.#announce(targetInfo);
  }

  #announce(targetInfo: CdpFields): void {
    this.tell("root", "Target.targetCreated", { targetInfo });
  }

  /** The pages of which pictures were taken, in order. */
  get attached(): readonly string[] {
    return this.calls.flatMap((call) => /^Target\.attachToTarget (.*)/.exec(call)?.[1] ?? []);
  }

  picture(page: string, bytes: number): void {
    this.tell(page, "Page.screencastFrame", {
      sessionId: 1,
      metadata: AREA,
      data: Buffer.alloc(bytes, 1).toString("base64"),
    });
  }

  count(call: string): number {
    return this.calls.filter((one) => one === call).length;
  }
}

class RecordingViewer {
  isReady = true;
  hasEnded = false;
  shown: Shown | undefined;
  picture: Picture | undefined;
  times = 0;

  show(shown: Shown, picture: Picture | undefined): void {
    this.times += 1;
    this.shown = shown;
    this.picture = picture;
  }

  ended(): void {
    this.hasEnded = true;
  }
}

async function watched() {
  const browser = new ScriptedBrowser();
  const viewers = new Viewers(browser);
  const viewer = new RecordingViewer();
  viewers.enter(viewer);
  await until(() => browser.calls.includes("Target.setDiscoverTargets root"));
  return { browser, viewers, viewer };
}

const ACK = "Page.screencastFrameAck a";

test("the browser takes the next picture when a viewer is ready, and no other", async () => {
  const { browser, viewers, viewer } = await watched();
  browser.page("a");
  await until(() => browser.calls.includes("Page.startScreencast a"));
  viewer.isReady = false;
  browser.picture("a", 10);
  browser.picture("a", 20);
  await until(() => viewer.picture?.bytes.length === 20);
  expect(browser.count(ACK)).toBe(0);
  viewer.isReady = true;
  viewers.ask();
  await until(() => browser.count(ACK) === 2);
});

test("the browser starts again when a page is still after three pictures, since it may have dropped its last one", async () => {
  const { browser } = await watched();
  browser.page("a");
  const begun = (times: number) => until(() => browser.count("Page.startScreencast a") === times);
  await begun(1);
  for (const bytes of [10, 20, 30]) browser.picture("a", bytes);
  await begun(2);
  expect([browser.count(ACK), browser.count("Page.stopScreencast a")]).toEqual([3, 1]);
  for (const bytes of [30, 30]) browser.picture("a", bytes);
  await until(() => browser.count(ACK) === 5);
  browser.picture("a", 40);
  await begun(3);
  expect(browser.count(ACK)).toBe(6);
});

test("a page that does not respond does not hold the view, and a page that refused is tried again", async () => {
  const { browser } = await watched();
  const refusal = new CdpError("Page.startScreencast", "Not attached to an active page");
  browser.starts.push(
    () => new Promise(() => undefined),
    () => Promise.reject(refusal),
  );
  browser.page("a");
  await until(() => browser.calls.includes("Page.startScreencast a"));
  browser.page("b");
  await until(() => browser.count("Page.startScreencast b") === 2);
  expect(browser.attached).toEqual(["a", "b", "b"]);
});

test("a picture above the limit is left out, and acknowledged", async () => {
  const { browser, viewer } = await watched();
  browser.page("a");
  await until(() => browser.calls.includes("Page.startScreencast a"));
  browser.picture("a", 1024 * 1024 + 1);
  await until(() => browser.count(ACK) === 1);
  expect(viewer.picture).toBeUndefined();
  browser.picture("a", 1024 * 1024);
  await until(() => viewer.picture?.bytes.length === 1024 * 1024);
});

test("titles and addresses are cut, and workers and pages that are loaded in advance are passed over", async () => {
  const { browser, viewer } = await watched();
  browser.page("a", { title: "t".repeat(1_000), url: `data:,${"u".repeat(10_000)}` });
  await until(() => (viewer.shown?.title ?? "") !== "");
  expect([viewer.shown?.title.length, viewer.shown?.url.length]).toEqual([200, 2_000]);
  browser.page("b");
  browser.page("c", { subtype: "prerender" });
  browser.page("d", { type: "worker" });
  await until(() => browser.attached.length > 1);
  expect(browser.attached).toEqual(["a", "b"]);
});

test("a view ends its sessions with its last viewer, and begins again with the page that was used last", async () => {
  const { browser, viewers, viewer } = await watched();
  browser.page("a");
  browser.page("b");
  viewers.use("a");
  await until(() => viewer.shown?.url === "http://a.test/");
  viewers.leave(viewer);
  expect(browser.calls.slice(-2)).toEqual(["Target.detachFromTarget", "Target.detachFromTarget"]);
  browser.picture("a", 10);
  viewers.enter(viewer);
  const before = browser.attached.length;
  await until(() => browser.attached.length > before);
  expect(browser.attached[before]).toBe("a");
  viewers.end();
  expect(viewer.hasEnded).toBe(true);
  const late = new RecordingViewer();
  viewers.enter(late);
  expect(late.hasEnded).toBe(true);
});

test("a page gets at most 50 inputs that it has not taken, and 100 in a second", async () => {
  const { browser, viewers, viewer } = await watched();
  browser.page("a");
  await until(() => browser.calls.includes("Page.startScreencast a"));
  browser.picture("a", 10);
  await until(() => viewer.picture !== undefined);
  const act = (times: number) => {
    for (let n = 0; n < times; n += 1) viewers.act({ type: "text", page: viewer.shown?.page ?? -1, text: "x" });
    return browser.count("Input.dispatchKeyEvent a");
  };
  jest.useFakeTimers();
  try {
    expect(act(60)).toBe(50);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(act(60)).toBe(90);
    jest.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(act(10)).toBe(100);
  } finally {
    jest.useRealTimers();
  }
});

import { afterAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { connect, type Page } from "puppeteer-core";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { hasNamespaces } from "../../testing/namespaces.ts";
import { startSite } from "../../testing/site.ts";
import { type Sold, startLiveService } from "../testing/live-service.ts";
import { RawClient } from "../testing/raw-client.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const test = anyTest.skipIf(!hasNamespaces);
const site = startSite();
const { buy, about, close } = await startLiveService();

afterAll(async () => {
  await close();
  await site.close();
});

interface Message {
  readonly title: string;
  readonly url: string;
  readonly page: number;
  readonly controls: boolean;
  readonly picture: Buffer;
}

/** A viewer that keeps all messages, and asks for the next one while `asks` is set. */
class Watch {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  asks = true;
  readonly #socket: WebSocket;

  constructor({ view, viewToken }: Pick<Sold, "view" | "viewToken">) {
    this.#socket = new WebSocket(view, ["turnpike.view", `turnpike.secret.${viewToken}`]);
    this.#socket.binaryType = "nodebuffer";
    this.#socket.addEventListener("message", ({ data }) => {
      const bytes = data as unknown as Buffer; // as chosen above
      const end = bytes.indexOf("\n");
      const shown = JSON.parse(bytes.toString("utf8", 0, end)) as Omit<Message, "picture">; // the service writes it
      this.messages.push({ ...shown, picture: bytes.subarray(end + 1) });
      if (this.asks) this.ask();
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.closed = promise;
    this.#socket.addEventListener("close", ({ code }) => resolve(code));
  }

  ask(): void {
    this.#socket.send("next");
  }

  act(input: object): void {
    this.#socket.send(JSON.stringify({ page: this.messages.at(-1)?.page, ...input }));
  }

  close(): void {
    this.#socket.close();
  }

  get pictures(): readonly Buffer[] {
    return this.messages.map(({ picture }) => picture).filter(({ length }) => length > 0);
  }

  /** Waits until the page that is shown has an address, and a picture of it has come. */
  async sees(url: string): Promise<void> {
    await until(() => this.messages.at(-1)?.url === url, 20_000, `the view of ${url}`);
    const at = this.messages.findLastIndex((message) => message.url !== url);
    await until(() => this.messages.slice(at + 1).some(({ picture }) => picture.length > 0), 20_000, "a picture");
  }
}

const plain = (name: string): string => `data:text/html,<title>${name}</title><h1>${name}</h1>`;

async function paint(page: Page, colour: string): Promise<void> {
  await page.evaluate(`document.body.style.background = "${colour}"`);
}

test("a viewer sees the page that the client used last, and pictures of its changes", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const first = await browser.newPage();
  await first.goto(plain("first"));
  const watch = new Watch(sold);
  await watch.sees(plain("first"));
  await until(() => watch.messages.at(-1)?.title === "first", 20_000, "the title");
  expect(watch.pictures.at(-1)?.subarray(0, 2).toString("hex")).toBe("ffd8");
  const before = watch.pictures.length;
  await paint(first, "green");
  await until(() => watch.pictures.length > before, 20_000, "a picture of the change");
  // Another process has this page.
  await first.goto(`${site.url}/article`);
  await watch.sees(`${site.url}/article`);
  const second = await browser.newPage();
  await second.goto(plain("second"));
  await watch.sees(plain("second"));
  await first.evaluate("1");
  await watch.sees(`${site.url}/article`);
  await first.close();
  await watch.sees(plain("second"));
  await browser.disconnect();
  expect((await about(sold, "DELETE")).status).toBe(200);
  expect(await watch.closed).toBe(1000);
});

test("only the token for viewers opens a view, and it gives no control", async () => {
  const sold = await buy();
  const upgrade = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  const page = sold.view.replace("ws", "http");
  const view = async (fields: object) => (await fetch(page, { headers: { ...upgrade, ...fields } })).status;
  expect([
    await view({}),
    await view({ "sec-websocket-protocol": "turnpike.view, turnpike.secret.x" }),
    await view({ "sec-websocket-protocol": `turnpike.view, turnpike.secret.${sold.token}` }),
    await view({ "x-browser-token": sold.token }),
  ]).toEqual([404, 404, 404, 404]);
  const control = sold.url.replace("ws", "http").replace(sold.token, sold.viewToken);
  expect((await fetch(control, { headers: upgrade })).status).toBe(404);
  expect((await about({ id: sold.id, token: sold.viewToken })).status).toBe(404);
  await about(sold, "DELETE");
});

test("one picture waits for a viewer that does not read, and others are dropped", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(plain("busy"));
  const [slow, quick] = [new Watch(sold), new Watch(sold)];
  slow.asks = false;
  await page.evaluate(
    `setInterval(() => { document.body.style.background = "#" + Math.random().toString(16).slice(2, 8) }, 20)`,
  );
  await until(() => slow.messages.length > 0);
  const from = quick.pictures.length;
  await until(() => quick.pictures.length >= from + 10, 20_000, "ten pictures");
  expect(slow.messages.length).toBe(1);
  slow.ask();
  await until(() => slow.messages.length === 2);
  const seen = quick.pictures.findIndex((picture) => picture.equals(slow.pictures.at(-1) ?? Buffer.alloc(0)));
  // The tenth picture, or a newer one.
  expect(seen === -1 || seen >= from + 9).toBe(true);
  await browser.disconnect();
  await about(sold, "DELETE");
});

test("a viewer that was slow sees the last state of a page that is still", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(plain("still"));
  const watch = new Watch(sold);
  watch.asks = false;
  await until(() => watch.messages.length > 0);
  const frame = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";
  for (let n = 0; n < 20; n += 1) await page.evaluate(`document.body.style.background = "rgb(${n},0,0)"; ${frame}`);
  // Noise makes a picture that is larger than all before it.
  await page.evaluate(`document.body.innerHTML = "<canvas width=700 height=500>"; {
    const canvas = document.querySelector("canvas").getContext("2d");
    const image = canvas.createImageData(700, 500);
    for (let n = 0; n < image.data.length; n += 1) image.data[n] = Math.random() * 256;
    canvas.putImageData(image, 0, 0);
  } ${frame}`);
  watch.asks = true;
  watch.ask();
  await until(() => (watch.pictures.at(-1)?.length ?? 0) > 50_000, 20_000, "the noise");
  await browser.disconnect();
  await about(sold, "DELETE");
});

test("a client takes pictures of its own while a viewer watches, and after it", async () => {
  const sold = await buy();
  const client = await RawClient.open(sold.url);
  const { targetId } = (await client.call(1, "Target.createTarget", { url: plain("own") }))["result"] as Record<
    string,
    string
  >; // as the protocol defines it
  const attached = await client.call(2, "Target.attachToTarget", { targetId, flatten: true });
  const session = (attached["result"] as Record<string, string>)["sessionId"]; // as above
  const watch = new Watch(sold);
  await watch.sees(plain("own"));
  await client.call(3, "Page.startScreencast", { format: "png" }, session);
  let id = 10;
  const frame = async () => {
    const colour = `document.body.style.background = "rgb(${id}, 0, 0)"`;
    await client.call(id++, "Runtime.evaluate", { expression: colour }, session);
    const { params } = await client.next(({ method }) => method === "Page.screencastFrame");
    const { data, sessionId } = params as { data: string; sessionId: number }; // as above
    await client.call(id++, "Page.screencastFrameAck", { sessionId }, session);
    return Buffer.from(data, "base64").toString("latin1", 1, 4);
  };
  const count = watch.pictures.length;
  expect([await frame(), await frame()]).toEqual(["PNG", "PNG"]);
  await until(() => watch.pictures.length > count);
  watch.close();
  await watch.closed;
  expect(await frame()).toBe("PNG");
  client.close();
  await about(sold, "DELETE");
});

test("four viewers watch a browser at one time", async () => {
  const sold = await buy();
  const watches = Array.from({ length: 4 }, () => new Watch(sold));
  // The browser has no page yet, which is a message too.
  for (const watch of watches) await until(() => watch.messages.length > 0);
  expect(await new Watch(sold).closed).toBe(1013);
  watches[0]?.close();
  await watches[0]?.closed;
  const next = new Watch(sold);
  await until(() => next.messages.length > 0);
  expect(next.messages[0]).toMatchObject({ title: "", url: "" });
  await about(sold, "DELETE");
  expect(await next.closed).toBe(1000);
});

/** A page that shows what happens to it in its title. */
const RECORDER = `data:text/html,${encodeURIComponent(`<title>-</title><style>* { margin: 0 } body { height: 3000px }</style>
  <button style="width: 50vw; height: 50vh; position: fixed">press</button>
  <input autofocus style="position: fixed; left: 60vw; top: 60vh">
  <script>
    const say = (text) => { document.title += " " + text };
    document.querySelector("button").onclick = (event) => say("clicked" + (event.shiftKey ? " shift" : ""));
    document.querySelector("input").oninput = (event) => say(event.target.value);
    addEventListener("keydown", ({ key, code }) => { if (key.length > 1) say(key + "/" + code) });
    addEventListener("scroll", () => say("at" + scrollY), { once: true });
  </script>`)}`;

const press = (x: number, y: number, modifiers = 0) =>
  (["move", "down", "up"] as const).map((action) => {
    const button = action === "move" ? "none" : "left";
    return { type: "mouse", action, x, y, button, clicks: action === "move" ? 0 : 1, modifiers };
  });

test("a person with the token for control clicks, types and scrolls in the page that is shown, and in no other", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(RECORDER);
  const watch = new Watch({ ...sold, viewToken: sold.controlToken });
  await watch.sees(RECORDER.slice(0, 2_000));
  expect(watch.messages.at(-1)?.controls).toBe(true);
  const says = (text: string) => until(async () => (await page.title()).includes(text), 20_000, text);
  // An input for a page that was shown before does nothing.
  for (const one of press(0.1, 0.1, 8)) watch.act({ ...one, page: 0 });
  for (const one of press(0.1, 0.1)) watch.act(one);
  await says("clicked");
  for (const one of press(0.65, 0.62)) watch.act(one);
  const enter = { type: "key", key: "Enter", code: "Enter", keyCode: 13, modifiers: 0 };
  watch.act({ type: "key", action: "down", key: "a", code: "KeyA", keyCode: 65, modifiers: 0 });
  watch.act({ type: "key", action: "up", key: "a", code: "KeyA", keyCode: 65, modifiers: 0 });
  await says(" a");
  watch.act({ type: "text", text: "\u{1f600}" });
  await says(" a\u{1f600}");
  watch.act({ ...enter, action: "down" });
  watch.act({ ...enter, action: "up" });
  await says("Enter/Enter");
  watch.act({ type: "wheel", x: 0.5, y: 0.5, dx: 0, dy: 300 });
  await says("at");
  expect(await page.title()).not.toContain("shift");
  await browser.disconnect();
  await about(sold, "DELETE");
});

test("an input of a person who may only watch, and one that is not valid, end the view and do nothing", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(RECORDER);
  const click = press(0.1, 0.1)[1] ?? {};
  const tries: readonly (readonly [token: string, input: object])[] = [
    [sold.viewToken, click],
    [sold.controlToken, { ...click, x: 1.5 }],
    [sold.controlToken, { ...click, commands: ["selectAll"] }],
    [sold.controlToken, { type: "Input.insertText", text: "x" }],
    [sold.controlToken, { method: "Page.navigate", params: { url: "about:blank" } }],
  ];
  for (const [viewToken, input] of tries) {
    const watch = new Watch({ ...sold, viewToken });
    await watch.sees(RECORDER.slice(0, 2_000));
    watch.act(input);
    expect(await watch.closed).toBe(1008);
  }
  expect(await page.title()).toBe("-");
  await browser.disconnect();
  await about(sold, "DELETE");
});

import { type CdpConnection, type CdpFields } from "../../browser/program/cdp.ts";
import { type Area, callOf, type Input } from "./input.ts";

/** Milliseconds between two pictures, and between two messages to a viewer. @bound */
export const FRAME_MS = 100;
/** Milliseconds for which a page is shown before another one can take its place. */
const STAY_MS = 500;
/** Bytes of a picture. A larger one is not shown. @bound */
const MAX_PICTURE_BYTES = 1024 * 1024;
/** Pixels of a picture in either direction, and its quality in percent. */
const MAX_PIXELS = 1280;
const QUALITY = 60;
/** Pictures that the browser sends before the first is acknowledged. It drops further ones, even the last one of a change. */
const MAX_IN_FLIGHT = 3;
/** Characters of the title and of the address of a page, beyond which they are cut. */
const MAX_TITLE = 200;
const MAX_ADDRESS = 2_000;
/** Pages of a browser of which the view knows. The one that was used first is forgotten. @bound */
const MAX_PAGES = 200;

/** Inputs of people that a page has not taken yet, beyond which further ones are dropped. @bound */
const MAX_OPEN_INPUTS = 50;

/** The part of a connection to a browser that a view uses. */
export type Calls = Pick<CdpConnection, "listen" | "send">;

interface Text {
  readonly title: string;
  readonly url: string;
}

/** The text of the page that is shown. Each page that is shown has a higher number than the one before. */
export interface Shown extends Text {
  readonly page: number;
}

/** A picture, as JPEG. Each has a higher number than the one before. */
export interface Picture {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * Follows the page of a browser that was used last, and takes pictures of it. It has a session of its own with the browser, so
 * that the client's sessions do not see it.
 */
export class Screencast {
  readonly #cdp: Calls;
  readonly #onChange: () => void;
  /** By target, the page that was used last at the end. */
  readonly #pages = new Map<string, Text>();
  #root = "";
  #session = "";
  #target = "";
  #page = 0;
  /** The area of the last picture of the page. */
  #area: Area | undefined;
  #openInputs = new Set<Input>();
  #picture: Picture | undefined;
  #pictures = 0;
  /** The pictures that the browser has sent and that were not acknowledged. */
  #unacknowledged: number[] = [];
  /** Pictures since the browser was last called to begin. */
  #sent = 0;
  /** True from the beginning, until the browser has told of all its pages. */
  #isFollowing = true;
  #closed = false;

  /** `onChange` is called when there is another picture or text. */
  constructor(cdp: Calls, onChange: () => void) {
    this.#cdp = cdp;
    this.#onChange = onChange;
  }

  get picture(): Picture | undefined {
    return this.#picture;
  }

  get shown(): Shown {
    return { ...(this.#pages.get(this.#target) ?? { title: "", url: "" }), page: this.#page };
  }

  /** Begins, with the page of the target if there is one. Fails if the browser has ended. */
  async start(target: string): Promise<void> {
    const { sessionId } = await this.#cdp.send("Target.attachToBrowserTarget");
    this.#root = String(sessionId);
    if (this.#closed) return this.#detach(this.#root);
    this.#cdp.listen(this.#root, (method, params) => this.#observe(method, params));
    // The browser tells of all its pages before it responds.
    await this.#cdp.send("Target.setDiscoverTargets", { discover: true }, this.#root);
    this.use(target);
    this.#isFollowing = false;
    await this.#follow();
  }

  /** The client has used a page. */
  use(target: string): void {
    const page = this.#pages.get(target);
    if (page === undefined) return;
    this.#pages.delete(target);
    this.#pages.set(target, page);
    void this.#follow();
  }

  /** Lets the browser take the next picture. True if it waits for more of these calls. */
  next(): boolean {
    const frame = this.#unacknowledged.shift();
    if (frame !== undefined) this.#call("Page.screencastFrameAck", { sessionId: frame }, this.#session);
    // The page is still, and the browser may have dropped its last picture. It sends one when it starts again.
    else if (this.#sent >= MAX_IN_FLIGHT) {
      this.#call("Page.stopScreencast", {}, this.#session);
      this.#begin(this.#session);
    }
    return frame !== undefined;
  }

  /** Passes an input on to the page, if the page is the one that the person has seen. Drops it if the page takes none. */
  act(input: Input): void {
    const open = this.#openInputs;
    if (input.page !== this.#page || this.#area === undefined || open.size >= MAX_OPEN_INPUTS) return;
    open.add(input);
    const [method, params] = callOf(input, this.#area);
    const taken = this.#cdp.send(method, params, this.#session);
    void taken.catch(() => undefined).finally(() => open.delete(input));
  }

  close(): void {
    this.#closed = true;
    if (this.#session !== "") this.#detach(this.#session);
    if (this.#root !== "") this.#detach(this.#root);
  }

  #observe(method: string, params: CdpFields): void {
    if (method === "Target.targetDestroyed") {
      this.#pages.delete(String(params["targetId"]));
      void this.#follow();
    }
    if (method !== "Target.targetCreated" && method !== "Target.targetInfoChanged") return;
    // As the protocol defines it.
    const { targetId, type, subtype, title, url } = params["targetInfo"] as Readonly<Record<string, string>>;
    // A page with a subtype is loaded in advance, and perhaps never shown.
    if (type !== "page" || subtype !== undefined || targetId === undefined) return;
    this.#pages.set(targetId, { title: title?.slice(0, MAX_TITLE) ?? "", url: url?.slice(0, MAX_ADDRESS) ?? "" });
    const [oldest = ""] = this.#pages.keys();
    if (this.#pages.size > MAX_PAGES) this.#pages.delete(oldest);
    if (targetId === this.#target) this.#onChange();
    else void this.#follow();
  }

  /** Shows the page that was used last, and again as long as that is another one. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (let target = this.#last(); target !== this.#target && !this.#closed; target = this.#last()) {
      await this.#show(target).catch(() => undefined);
      await Bun.sleep(STAY_MS);
    }
    this.#isFollowing = false;
  }

  #last(): string {
    return [...this.#pages.keys()].at(-1) ?? "";
  }

  /** Fails if the page has been closed meanwhile. */
  async #show(target: string): Promise<void> {
    if (this.#session !== "") this.#detach(this.#session);
    this.#session = "";
    this.#target = target;
    this.#page += 1;
    this.#area = undefined;
    // A page that has gone does not respond to its inputs.
    this.#openInputs = new Set();
    this.#picture = undefined;
    this.#unacknowledged = [];
    this.#sent = 0;
    this.#onChange();
    if (target === "") return;
    const { sessionId } = await this.#cdp.send(
      "Target.attachToTarget",
      { targetId: target, flatten: true },
      this.#root,
    );
    const session = String(sessionId);
    if (this.#closed) return this.#detach(session);
    this.#session = session;
    this.#cdp.listen(session, (method, params) => this.#receive(method, params));
    this.#begin(session);
  }

  /** The page does not respond while its script runs, and the browser refuses while the page changes its process. */
  #begin(session: string): void {
    this.#sent = 0;
    const picture = { format: "jpeg", quality: QUALITY, maxWidth: MAX_PIXELS, maxHeight: MAX_PIXELS };
    this.#cdp.send("Page.startScreencast", picture, session).catch(() => {
      if (session !== this.#session) return;
      this.#target = "";
      void this.#follow();
    });
  }

  #receive(method: string, params: CdpFields): void {
    if (method !== "Page.screencastFrame") return;
    this.#unacknowledged.push(Number(params["sessionId"]));
    this.#sent += 1;
    // The protocol gives the pixels as numbers.
    const { deviceWidth, deviceHeight, offsetTop } = params["metadata"] as Readonly<Record<string, number>>;
    this.#area = { width: deviceWidth ?? 0, height: deviceHeight ?? 0, top: offsetTop ?? 0 };
    const bytes = Buffer.from(String(params["data"]), "base64");
    this.#pictures += 1;
    if (bytes.length <= MAX_PICTURE_BYTES) this.#picture = { number: this.#pictures, bytes };
    this.#onChange();
  }

  #detach(session: string): void {
    this.#cdp.listen(session, undefined);
    this.#call("Target.detachFromTarget", { sessionId: session }, "");
  }

  /** Calls without regard to the result: the page, or the browser, may have gone. */
  #call(method: string, params: CdpFields, session: string): void {
    this.#cdp.send(method, params, session).catch(() => undefined);
  }
}

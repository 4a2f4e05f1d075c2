import { type ErrorCode, TurnpikeError, type FailedAction } from "../../../lib/errors.ts";
import { within } from "../../../lib/time/within.ts";
import { type PageAction } from "../../page/action.ts";
import { type ActionResult } from "../../page/page.ts";
import { PageExcess } from "../../egress/page-excess.ts";
import { CdpError, type CdpFields } from "../program/cdp.ts";
import { type ActionHost, StepError } from "./host.ts";
import { press } from "./keys.ts";
import { click, evaluate, fill, hover, scroll, select, wait } from "./steps.ts";

/** The error of a step in a page. Its problem has the step, and the page at that time. */
class ActionError extends TurnpikeError {
  constructor(action: FailedAction, reason: string, picture: Uint8Array | undefined) {
    const shown = picture === undefined ? {} : { screenshot: Buffer.from(picture).toString("base64") };
    super("action-failed", `Cannot do step ${action.index + 1} (${action.type}): ${reason}`, undefined, {
      action: { ...action, ...shown },
    });
  }
}

/** Maximum bytes of the pictures of all steps, and characters of the pages that the steps read. */
const MAX_PICTURES = 16 * 1024 * 1024;
const MAX_SCRAPED = 20_000_000;
/** Milliseconds that a step has after its timeout to tell why it failed. */
const GRACE_MS = 2_000;
/** Milliseconds in which a failed page says what it shows, and the quality of its picture. */
const STATE_MS = 2_000;
const STATE_QUALITY = 50;

/** Milliseconds that a page has after an input to begin to load another document. */
const REACTION = "new Promise((done) => { setTimeout(done, 250); requestAnimationFrame(() => setTimeout(done, 0)); })";

/** Runs the steps in their order. Calls `begin` before each. Fails with a StepError, or with an error of the visit. */
export async function runActions(
  host: ActionHost,
  actions: readonly PageAction[],
  begin: (index: number, type: PageAction["type"]) => void,
): Promise<readonly ActionResult[]> {
  const results: ActionResult[] = [];
  for (const [at, action] of actions.entries()) {
    host.deadline.doing(`step ${at + 1} (${action.type}) of`);
    const left = {
      pictures: MAX_PICTURES - results.reduce((sum, { picture }) => sum + (picture?.bytes.length ?? 0), 0),
      scraped: MAX_SCRAPED - results.reduce((sum, { source }) => sum + (source?.body.length ?? 0), 0),
    };
    begin(at, action.type);
    const made = await within(action.timeoutMs + GRACE_MS, stepOf(host, action, left), () => {
      throw new StepError(`it was not done within ${action.timeoutMs / 1000} s`);
    });
    const { dialogs, windows } = host.takeNotices();
    results.push({
      type: action.type,
      ...(await stateOf((method, params) => host.call(method, params))),
      ...made,
      ...(dialogs.length === 0 ? {} : { dialogs }),
      ...(windows.length === 0 ? {} : { windows }),
    });
  }
  return results;
}

interface Room {
  readonly pictures: number;
  readonly scraped: number;
}

async function stepOf(host: ActionHost, action: PageAction, room: Room): Promise<Partial<ActionResult>> {
  switch (action.type) {
    case "click":
      return await acted(host, click(host, action));
    case "hover":
      return await acted(host, hover(host, action));
    case "fill":
      return await acted(host, fill(host, action));
    case "write":
      return await acted(host, host.call("Input.insertText", { text: action.text }));
    case "press":
      return await acted(host, press(host, action.key));
    case "select":
      return await acted(host, select(host, action));
    case "scroll":
      return { height: await scroll(host, action) };
    case "wait":
      return await acted(host, wait(host, action));
    case "screenshot": {
      const { bytes } = await host.picture(action.picture);
      if (bytes.length > room.pictures)
        throw new StepError(`the pictures of all steps have more than ${MAX_PICTURES} bytes`);
      return { picture: { bytes, contentType: `image/${action.picture.format}` } };
    }
    case "scrape": {
      const source = await host.snapshot();
      if (source.body.length > room.scraped)
        throw new StepError(`the pages of all steps have more than ${MAX_SCRAPED} characters`);
      return { source };
    }
    case "evaluate": {
      const value = await evaluate(host, action);
      return { ...(await acted(host, Promise.resolve())), value };
    }
    default:
      throw new Error(`Cannot do a step '${String(action satisfies never)}'`);
  }
}

/** Waits for a step, and for the document that it makes the page load. */
async function acted(host: ActionHost, step: Promise<unknown>): Promise<object> {
  await step;
  await host.run(REACTION);
  await host.settled();
  return {};
}

/** The browser itself knows this, whatever the page does. */
async function stateOf(ask: ActionHost["call"]): Promise<Pick<ActionResult, "url" | "title">> {
  // The protocol gives a TargetInfo.
  const { url, title } = (await ask("Target.getTargetInfo", {}))["targetInfo"] as CdpFields;
  return { url: String(url).slice(0, MAX_STATE), title: String(title).slice(0, MAX_STATE) };
}

const MAX_STATE = 2_048;

/** The step that a tab does, and the calls by which the state of its page is read at any time. */
export interface StepUnderWay {
  readonly index: number;
  readonly type: PageAction["type"];
  readonly pictureOfFailure: boolean;
  readonly ask: ActionHost["call"];
}

/** The error of a visit that ended during a step. Errors that are not of the page are left as they are. */
export async function stepFailure(
  error: unknown,
  { index, type, pictureOfFailure, ask }: StepUnderWay,
): Promise<unknown> {
  const isOfPage = error instanceof StepError || error instanceof CdpError || error instanceof TurnpikeError;
  const isOfService = error instanceof PageExcess || (error instanceof TurnpikeError && !OF_PAGE.has(error.code));
  if (!isOfPage || isOfService) return error;
  const state = await inTime(stateOf(ask));
  const picture = pictureOfFailure && state !== undefined ? await inTime(shotOf(ask)) : undefined;
  const reason = error instanceof CdpError ? "the browser cannot do it in this page" : error.message;
  return new ActionError({ index, type, ...state }, reason, picture);
}

const OF_PAGE: ReadonlySet<ErrorCode> = new Set(["page-failed", "page-timeout", "page-empty", "address-refused"]);

/** The result of a call to a page that may not respond, and may be gone. */
async function inTime<T>(called: Promise<T>): Promise<T | undefined> {
  try {
    return await within(STATE_MS, called);
  } catch {
    return undefined;
  }
}

/** The window as it is, without waiting for anything. */
async function shotOf(ask: ActionHost["call"]): Promise<Uint8Array> {
  const { data } = await ask("Page.captureScreenshot", { format: "jpeg", quality: STATE_QUALITY });
  return Buffer.from(String(data), "base64");
}

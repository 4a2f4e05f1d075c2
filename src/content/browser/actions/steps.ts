import { type PageAction, type Scrolling } from "../../page/action.ts";
import { within } from "../../../lib/time/within.ts";
import { type CdpFields } from "../program/cdp.ts";
import { countOf, locate, type Place } from "./element.ts";
import { type ActionHost, StepError } from "./host.ts";

/** Elements that a click with `all` clicks. */
const MAX_CLICKED = 20;
/** Options of a list that are compared. */
const MAX_OPTIONS = 10_000;
/** Scrolls to the end of a page that grows, its pixels, and the milliseconds that it has to grow. */
const MAX_SCROLLS = 200;
const MAX_SCROLLED_PIXELS = 500_000;
const GROWTH_MS = 1_000;
/** Milliseconds without a request after which a page is quiet. */
const QUIET_MS = 500;
/** Characters of the result of a script. */
const MAX_VALUE = 1_000_000;

type Of<T extends PageAction["type"]> = Extract<PageAction, { readonly type: T }>;

/** Clicks the element, or all of them. Fails with a StepError. */
export async function click(host: ActionHost, action: Of<"click">): Promise<void> {
  const { selector, all, timeoutMs } = action;
  let count = await countOf(host, selector, MAX_CLICKED);
  const most = all ? MAX_CLICKED : 1;
  let place = 0;
  for (let clicked = 0; clicked < most && (clicked === 0 || place < count); clicked += 1) {
    await clickAt(host, await locate(host, { selector, place, timeoutMs }), action);
    if (!all) return;
    const left = await countOf(host, selector, MAX_CLICKED);
    // An element that its click has removed gives its place to the next one.
    if (left >= count) place += 1;
    count = left;
  }
}

async function clickAt(
  host: ActionHost,
  { x, y }: Place,
  { button, clicks }: Pick<Of<"click">, "button" | "clicks">,
): Promise<void> {
  await host.call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  for (let clickCount = 1; clickCount <= clicks; clickCount += 1) {
    const event = { x, y, button, clickCount };
    await host.call("Input.dispatchMouseEvent", { type: "mousePressed", ...event });
    await host.call("Input.dispatchMouseEvent", { type: "mouseReleased", ...event });
  }
}

/** Moves the pointer over the element. Fails with a StepError. */
export async function hover(host: ActionHost, { selector, timeoutMs }: Of<"hover">): Promise<void> {
  await countOf(host, selector, 1);
  const { x, y } = await locate(host, { selector, timeoutMs });
  await host.call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
}

/** Types of fields whose value is set as a whole. */
const WHOLE = "color, date, datetime-local, month, range, time, week";

/** Focuses a field and selects its content. Fields with a picker get the text as their value. */
const FOCUS = `((selector, text) => {
  const element = document.querySelector(selector);
  if (element === null) return "no element matches";
  const isField = element.matches("input, textarea");
  if (!isField && !element.isContentEditable) return "its element is not a field for text";
  if (element.readOnly) return "its element is read-only";
  element.focus();
  if (isField && "${WHOLE}".split(", ").includes(element.type)) {
    element.value = text;
    if (element.value !== text) return "its field does not take this value";
    for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true }));
    return "done";
  }
  if (isField) element.select();
  else getSelection().selectAllChildren(element);
  return "selected";
})`;

/** Replaces the content of a field. Fails with a StepError. */
export async function fill(host: ActionHost, { selector, text, timeoutMs }: Of<"fill">): Promise<void> {
  await countOf(host, selector, 1);
  const at = await locate(host, { selector, timeoutMs });
  await clickAt(host, at, { button: "left", clicks: 1 });
  const outcome = await host.run(`${FOCUS}(${JSON.stringify(selector)}, ${JSON.stringify(text)})`);
  if (outcome === "done") return;
  if (outcome !== "selected") throw new StepError(String(outcome));
  if (text !== "") return void (await host.call("Input.insertText", { text }));
  for (const type of ["keyDown", "keyUp"]) {
    await host.call("Input.dispatchKeyEvent", { type, key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 });
  }
}

/** Chooses the options of a list by their value or text. */
const SELECT = `((selector, values) => {
  const list = document.querySelector(selector);
  if (list === null || list.localName !== "select") return "its element is not a list of options";
  if (list.disabled) return "its element is disabled";
  if (list.options.length > ${MAX_OPTIONS}) return "its list has more than ${MAX_OPTIONS} options";
  const wanted = new Set(values);
  const found = new Set();
  const options = [...list.options];
  const chosen = options.filter((option) => {
    const key = wanted.has(option.value) ? option.value : wanted.has(option.label.trim()) ? option.label.trim() : undefined;
    if (key === undefined || option.disabled || found.has(key)) return false;
    found.add(key);
    return true;
  });
  const missing = values.find((value) => !found.has(value));
  if (missing !== undefined) return "its list has no option that fits";
  if (!list.multiple && chosen.length > 1) return "its list takes one option";
  list.focus();
  const picked = new Set(chosen);
  for (const option of options) option.selected = picked.has(option);
  for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
  return "";
})`;

/** Chooses options of a list. Fails with a StepError. */
export async function select(host: ActionHost, { selector, values, timeoutMs }: Of<"select">): Promise<void> {
  await countOf(host, selector, 1);
  // Designers often lay another element over a list.
  await locate(host, { selector, timeoutMs, covers: false });
  const reason = await host.run(`${SELECT}(${JSON.stringify(selector)}, ${JSON.stringify(values)})`);
  if (reason !== "") throw new StepError(String(reason));
}

/** Scrolls once. It returns the height of the content, and whether it has moved. */
const SCROLL = `((selector, direction, toEnd) => {
  const box = selector === null ? document.scrollingElement : document.querySelector(selector);
  if (box === null) return null;
  const page = selector === null ? innerHeight : box.clientHeight;
  const before = box.scrollTop;
  const by = (direction === "up" ? -1 : 1) * (toEnd ? box.scrollHeight : page);
  box.scrollBy({ top: by, behavior: "instant" });
  return { height: box.scrollHeight, moved: box.scrollTop !== before };
})`;

/** Waits for at most some milliseconds until the content is higher. */
const GROWN = `((selector, height, ms) => new Promise((done) => {
  const end = performance.now() + ms;
  const look = () => {
    const box = selector === null ? document.scrollingElement : document.querySelector(selector);
    if (box !== null && box.scrollHeight > height) done(true);
    else if (performance.now() > end) done(false);
    else setTimeout(look, 50);
  };
  look();
}))`;

/** Scrolls, and returns the pixels of the content. A list that grows without end is left at a limit. */
export async function scroll(host: ActionHost, { selector, direction, times }: Scrolling): Promise<number> {
  const at = JSON.stringify(selector ?? null);
  let height = 0;
  for (let scrolls = 0; scrolls < Math.min(times ?? MAX_SCROLLS, MAX_SCROLLS); scrolls += 1) {
    // The script returns an object, or null.
    const seen = (await host.run(
      `${SCROLL}(${at}, ${JSON.stringify(direction)}, ${times === undefined})`,
    )) as CdpFields | null;
    if (seen === null) throw new StepError("no element matches");
    height = Number(seen["height"]);
    if (height > MAX_SCROLLED_PIXELS) break;
    if (times !== undefined) {
      await host.run("new Promise((done) => setTimeout(done, 50))");
      continue;
    }
    if (direction === "up") break;
    await host.received(GROWTH_MS);
    if ((await host.run(`${GROWN}(${at}, ${height}, ${GROWTH_MS})`)) !== true) break;
  }
  return height;
}

/** Waits for an element, or its absence. */
const AWAIT_ELEMENT = `((selector, state) => new Promise((done) => {
  const look = () => {
    const all = [...document.querySelectorAll(selector)];
    const fits = state === "gone" ? !all.some((element) => element.checkVisibility()) : all.some((element) => state === "attached" || element.checkVisibility());
    if (fits) done(true);
    else setTimeout(look, 50);
  };
  look();
}))`;

const AWAIT_TEXT = `((text) => new Promise((done) => {
  const look = () => {
    if ((document.body?.innerText ?? "").includes(text)) done(true);
    else setTimeout(look, 100);
  };
  look();
}))`;

/** Waits for a time or a state of the page. Fails with a StepError. */
export async function wait(host: ActionHost, action: Of<"wait">): Promise<void> {
  if ("ms" in action) return await host.deadline.sleep(action.ms);
  if ("text" in action) return void (await host.run(`${AWAIT_TEXT}(${JSON.stringify(action.text)})`));
  if ("quiet" in action) return await untilQuiet(host, action.timeoutMs);
  const { selector, state } = action;
  await countOf(host, selector, 1);
  await host.run(`${AWAIT_ELEMENT}(${JSON.stringify(selector)}, ${JSON.stringify(state)})`);
}

async function untilQuiet(host: ActionHost, timeoutMs: number): Promise<void> {
  for (;;) {
    await host.received(timeoutMs);
    const before = host.requests();
    await host.deadline.sleep(QUIET_MS);
    if (host.requests() === before) return;
  }
}

/** Runs a script in the world of the page, and returns its last value as text or JSON, cut in the page itself. */
export async function evaluate(host: ActionHost, { script, timeoutMs }: Of<"evaluate">): Promise<string> {
  const expression = `(async () => {
    const value = await (0, eval)(${JSON.stringify(script)});
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text === undefined ? "" : text.length > ${MAX_VALUE} ? null : text;
  })()`;
  const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
  const response = await within(timeoutMs, host.call("Runtime.evaluate", params), () => {
    // Its own failure, after that, would say less.
    host.call("Runtime.terminateExecution", {}).catch(() => undefined);
    throw new StepError("its script did not end in time");
  });
  // The protocol gives a RemoteObject, and ExceptionDetails if the script threw.
  const { result, exceptionDetails: thrown } = response as {
    result: CdpFields;
    exceptionDetails?: { exception?: { description?: string } };
  };
  if (thrown !== undefined) {
    const [first = "an error"] = (thrown.exception?.description ?? "an error").split("\n", 1);
    throw new StepError(`its script threw ${first.slice(0, 300)}`);
  }
  const { value } = result;
  // A page can replace JSON.stringify by a function that returns anything of any size.
  if (typeof value !== "string" || value.length > MAX_VALUE)
    throw new StepError(`its script returned more than ${MAX_VALUE} characters`);
  return value;
}

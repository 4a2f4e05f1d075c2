import { type ActionHost, StepError } from "./host.ts";

/** Milliseconds between two looks for an element. */
const LOOK_MS = 50;

/** The middle of an element in the window. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Looks for the element at `place` among those that match, until it can be clicked: it is shown, enabled, at rest for two
 * frames, and nothing covers it. Shadow trees that are open are searched for what covers it.
 */
const LOCATE = `(async (selector, place, ms, covers) => {
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(100)]);
  const end = performance.now() + ms;
  let reason;
  const at = (x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === found) break;
      found = inner;
    }
    return found;
  };
  const holds = (element, other) => {
    for (let node = other; node !== null; node = node.parentNode ?? node.host ?? null) if (node === element) return true;
    return other !== null && (other.contains(element) && other.localName === "label" || element.labels !== undefined && [...element.labels ?? []].some((label) => label.contains(other)));
  };
  do {
    const element = document.querySelectorAll(selector)[place];
    if (element === undefined) reason = "no element matches";
    else if (!element.checkVisibility({ visibilityProperty: true })) reason = "its element is not visible";
    else if (element.matches(":disabled")) reason = "its element is disabled";
    else {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const before = element.getBoundingClientRect();
      await frame();
      await frame();
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
      const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
      if (!element.isConnected) reason = "its element was removed";
      else if (left !== before.left || top !== before.top) reason = "its element does not stop moving";
      else if (right - left === 0 || bottom - top === 0) reason = "its element has no size";
      else if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) reason = "its element is outside of the window";
      else {
        const other = covers ? at(x, y) : element;
        if (holds(element, other)) {
          const link = element.closest("a[target], form[target]");
          if (link !== null) link.target = "_self";
          return { x, y };
        }
        reason = "its element is covered by " + (other?.localName ?? "nothing");
      }
    }
    await pause(${LOOK_MS});
  } while (performance.now() < end);
  return { reason };
})`;

/** The element that a step uses: the one at this place among those that match. */
export interface Sought {
  readonly selector: string;
  readonly place?: number;
  readonly timeoutMs: number;
  /** False: the element may be covered. Default: true. */
  readonly covers?: boolean;
}

/** The place of an element that can be used. Fails with a StepError. A link that opens a window opens in this one. */
export async function locate(
  host: ActionHost,
  { selector, place = 0, timeoutMs, covers = true }: Sought,
): Promise<Place> {
  const ms = Math.max(LOOK_MS, Math.min(timeoutMs, host.deadline.leftMs - REPLY_MS));
  const found = await host.run(`${LOCATE}(${JSON.stringify(selector)}, ${place}, ${ms}, ${covers})`);
  // The script returns one of these objects.
  const { x = 0, y = 0, reason } = found as Partial<Place> & { readonly reason?: string };
  if (reason !== undefined) throw new StepError(reason);
  return { x, y };
}

/** Milliseconds before the end of a visit in which the reason of a failure comes. */
const REPLY_MS = 300;

/** The number of elements that match, up to `most`. Throws a StepError if the text is not a selector. */
export async function countOf(host: ActionHost, selector: string, most: number): Promise<number> {
  const count = await host.run(
    `(() => { try { return Math.min(document.querySelectorAll(${JSON.stringify(selector)}).length, ${most}); } catch { return -1; } })()`,
  );
  if (count === -1) throw new StepError("its selector is not a CSS selector");
  return Number(count);
}

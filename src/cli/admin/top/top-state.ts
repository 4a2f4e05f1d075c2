import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { type PaymentSummary } from "../../../gateway/admin/shapes/payments.ts";
import { type AdminEvent } from "../../../gateway/admin/shapes/events.ts";
import { type Key } from "./keys.ts";
import { between, isRestart, type Window } from "../../../gateway/admin/figures/rates.ts";

/** Snapshots that rates are computed from. They are a second apart, so rates are means over five seconds. */
const WINDOW = 6;
/** Seconds of request rates in the chart. @bound */
const HISTORY = 60;
/** Events that are kept; the oldest is dropped. */
const MAX_EVENTS = 200;

const SORTS = ["requests", "errors", "p95", "bytes", "name"] as const;
export type Sort = (typeof SORTS)[number];

/** The sections of the screen, from top to bottom. `buyers` is shown if there were requests on priced routes. */
const SECTIONS = ["routes", "buyers", "servers", "events"] as const;
export type Section = (typeof SECTIONS)[number];

/** The data that `turnpike top` shows, and the settings that keys change. */
export class TopState {
  readonly origin: string;
  version = "";
  /** Why the last request to the gateway failed. Undefined: it succeeded. */
  trouble: string | undefined;
  snapshot: OverviewSnapshot | undefined;
  rates: Window | undefined;
  money: PaymentSummary | undefined;
  /** Requests a second, newest last. */
  readonly history: number[] = [];
  /** Newest first. */
  readonly events: AdminEvent[] = [];
  sort: Sort = "requests";
  isReversed = false;
  focus: Section = "routes";
  isPaused = false;
  showsHelp = false;
  /** Rows that each section is scrolled by. */
  readonly offsets: Record<Section, number> = { routes: 0, buyers: 0, servers: 0, events: 0 };
  readonly #window: OverviewSnapshot[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  get sections(): readonly Section[] {
    return SECTIONS.filter((section) => section !== "buyers" || (this.snapshot?.funnel ?? []).length > 0);
  }

  took(snapshot: OverviewSnapshot): void {
    this.trouble = undefined;
    if (this.snapshot?.time_ms === snapshot.time_ms) return;
    const last = this.#window.at(-1);
    if (last !== undefined && (isRestart(last, snapshot) || snapshot.time_ms < last.time_ms)) {
      this.#window.length = 0;
      this.rates = undefined;
    }
    const lately = this.#window.at(-1);
    this.#window.push(snapshot);
    if (this.#window.length > WINDOW) this.#window.shift();
    const [oldest] = this.#window;
    if (oldest !== undefined && oldest !== snapshot) this.rates = between(oldest, snapshot);
    this.history.push(lately === undefined ? 0 : between(lately, snapshot).perSecond);
    if (this.history.length > HISTORY) this.history.shift();
    this.snapshot = snapshot;
  }

  /** Adds an event. Log lines are skipped: there are too many. */
  add(event: AdminEvent): void {
    if (event.kind === "log") return;
    // After a reconnect the gateway sends its recent events again.
    if (this.events.some(({ id }) => id === event.id)) return;
    this.events.unshift(event);
    if (this.events.length > MAX_EVENTS) this.events.pop();
  }

  /** Applies a key to the view. The terminal's owner handles the key to quit. */
  press(key: Key): void {
    if (key === "help") this.showsHelp = !this.showsHelp;
    else if (key === "pause") this.isPaused = !this.isPaused;
    else if (key === "reverse") this.isReversed = !this.isReversed;
    else if (key === "sort") this.sort = turned(SORTS, this.sort, 1);
    else if (key === "sort-back") this.sort = turned(SORTS, this.sort, -1);
    else if (key === "focus") this.focus = turned(this.sections, this.focus, 1);
    else if (key in STEPS) this.offsets[this.focus] = Math.max(this.offsets[this.focus] + (STEPS[key] ?? 0), 0);
  }
}

const STEPS: Partial<Readonly<Record<Key, number>>> = { up: -1, down: 1, "page-up": -10, "page-down": 10 };

function turned<T>(all: readonly T[], now: T, by: number): T {
  return all[(all.indexOf(now) + by + all.length) % all.length] ?? now;
}

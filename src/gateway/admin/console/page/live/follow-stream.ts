import { session } from "../api/client.ts";
import { isVisible } from "./visible.ts";

const RETRY_MS = 3_000;
/** Milliseconds for which events are collected, so that a burst is drawn once. */
const BATCH_MS = 250;

interface Following {
  /** The path of the stream. If it rejects, it is called again later. */
  readonly begin: () => string | Promise<string>;
  readonly kinds: readonly string[];
  /** Keeps an event. The gateway's events have the shape of its description. */
  readonly take: (kind: string, data: never) => void;
  /** Shows the kept events. */
  readonly show: () => void;
  readonly onLive: (isLive: boolean) => void;
}

/**
 * Reads a stream of events while the page is visible and has a session, and opens a lost one again. A hidden tab has no stream: a
 * browser allows few connections to one address, and the gateway few readers. Returns the function that ends it.
 */
export function followStream({ begin, kinds, take, show, onLive }: Following): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let batch: ReturnType<typeof setTimeout> | undefined;
  let begun = 0;
  const close = (): void => {
    begun += 1;
    clearTimeout(timer);
    source?.close();
    source = undefined;
    onLive(false);
  };
  const retry = (): void => {
    close();
    if (isWanted()) timer = setTimeout(open, RETRY_MS);
  };
  const connect = (path: string): void => {
    source = new EventSource(path);
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        take(kind, JSON.parse(data) as never);
        batch ??= setTimeout(() => {
          batch = undefined;
          show();
        }, BATCH_MS);
      });
    }
    source.addEventListener("open", () => onLive(true));
    source.addEventListener("error", retry);
  };
  const open = (): void => {
    close();
    if (!isWanted()) return;
    const path = begin();
    if (typeof path === "string") return connect(path);
    const own = begun;
    path.then(
      (found) => (own === begun && isWanted() ? connect(found) : undefined),
      () => (own === begun ? retry() : undefined),
    );
  };
  open();
  const stops = [isVisible.follow(open), session.follow(open)];
  return () => {
    for (const stop of stops) stop();
    clearTimeout(batch);
    close();
  };
}

function isWanted(): boolean {
  return isVisible.value && session.value.kind === "open";
}

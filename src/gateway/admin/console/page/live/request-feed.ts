import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "../api/client.ts";
import { type WatchedRequest } from "../api/shapes.ts";
import { isVisible } from "./visible.ts";

/** Requests that a page keeps. */
const MAX_REQUESTS = 200;
const RETRY_MS = 3_000;
/** Milliseconds for which requests are collected, so that a burst is drawn once. */
const BATCH_MS = 250;

export type ShownRequest = WatchedRequest & { readonly id: number };

export interface Requests {
  /** Newest first. */
  readonly requests: readonly ShownRequest[];
  /** Requests that no filter has seen, and that this page was too slow for. */
  readonly missed: number;
  readonly isLive: boolean;
}

const NONE: Requests = { requests: [], missed: 0, isLive: false };

/** Requests as they end, from a path of the admin interface; undefined: the last ones stay. */
export function useRequests(path: string | undefined): Requests & { readonly clear: () => void } {
  const [state, setState] = useState(NONE);
  const waiting = useRef<readonly ShownRequest[]>([]);
  const last = useRef(path);
  const forget = (): void => {
    waiting.current = [];
    setState((before) => ({ ...NONE, isLive: before.isLive }));
  };
  useEffect(() => {
    if (path === undefined) {
      setState((before) => ({ ...before, isLive: false }));
      return undefined;
    }
    // The requests before did not have to match the new filter.
    if (path !== last.current) forget();
    last.current = path;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let batch: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      batch = undefined;
      const found = waiting.current.toReversed();
      waiting.current = [];
      setState((before) => ({ ...before, requests: [...found, ...before.requests].slice(0, MAX_REQUESTS) }));
    };
    const close = (): void => {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    };
    const open = (): void => {
      close();
      if (!isVisible.value || session.value.kind !== "open") return;
      source = new EventSource(path);
      // The gateway's events have the shape of its description.
      source.addEventListener("request", ({ data }: MessageEvent<string>) => {
        waiting.current = [...waiting.current, JSON.parse(data) as ShownRequest].slice(-MAX_REQUESTS);
        batch ??= setTimeout(flush, BATCH_MS);
      });
      for (const kind of ["missed", "lost"]) {
        source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
          const { missed = 0, lost = 0 } = JSON.parse(data) as { missed?: number; lost?: number };
          setState((before) => ({ ...before, missed: before.missed + missed + lost }));
        });
      }
      source.addEventListener("open", () => setState((before) => ({ ...before, isLive: true })));
      source.addEventListener("error", () => {
        setState((before) => ({ ...before, isLive: false }));
        close();
        timer = setTimeout(open, RETRY_MS);
      });
    };
    open();
    const stops = [isVisible.follow(open), session.follow(open)];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(batch);
      close();
    };
  }, [path]);
  return { ...state, clear: forget };
}

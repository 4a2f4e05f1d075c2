import { useEffect, useRef, useState } from "preact/hooks";
import { type WatchedRequest } from "../api/shapes.ts";
import { followStream } from "./follow-stream.ts";

/** Requests that a page keeps. */
const MAX_REQUESTS = 200;

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
    return followStream({
      begin: () => path,
      kinds: ["request", "missed", "lost"],
      take(kind, data: ShownRequest & { readonly missed?: number; readonly lost?: number }) {
        if (kind === "request") waiting.current = [...waiting.current, data].slice(-MAX_REQUESTS);
        else setState((before) => ({ ...before, missed: before.missed + (data.missed ?? 0) + (data.lost ?? 0) }));
      },
      show() {
        const found = waiting.current.toReversed();
        waiting.current = [];
        setState((before) => ({ ...before, requests: [...found, ...before.requests].slice(0, MAX_REQUESTS) }));
      },
      onLive: (isLive) => setState((before) => ({ ...before, isLive })),
    });
  }, [path]);
  return { ...state, clear: forget };
}

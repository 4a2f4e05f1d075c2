import { useEffect, useRef, useState } from "preact/hooks";
import { call, session } from "../api/client.ts";
import { type Problem, problemOf, sameOr } from "../api/problem.ts";
import { onEvents } from "./event-feed.ts";
import { isVisible } from "./visible.ts";

/** Data that a view shows. The last data stays while a later request fails. */
export interface Resource<T> extends State<T> {
  readonly reload: () => void;
}

export interface Reading {
  /** Milliseconds between two requests while the page is visible. */
  readonly everyMs?: number;
  /** Kinds of events after which the data is read again. */
  readonly on?: readonly string[];
}

interface State<T> {
  readonly data: T | undefined;
  readonly etag: string | undefined;
  readonly problem: Problem | undefined;
}

/** Reads a path of the admin interface while the view is shown. */
export function useResource<T>(path: string, { everyMs, on }: Reading = {}): Resource<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, etag: undefined, problem: undefined });
  const reload = useRef<() => void>(() => undefined);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    const read = async (): Promise<void> => {
      if (isAsking || session.value.kind !== "open") return;
      isAsking = true;
      clearTimeout(timer);
      try {
        const { body, etag } = await call<T>(path, { signal: abort.signal });
        if (!abort.signal.aborted) setState({ data: body, etag, problem: undefined });
      } catch (error) {
        if (!abort.signal.aborted)
          setState((before) => ({ ...before, problem: sameOr(before.problem, problemOf(error)) }));
      }
      isAsking = false;
      if (everyMs !== undefined && isVisible.value && !abort.signal.aborted) {
        timer = setTimeout(() => void read(), everyMs);
      }
    };
    reload.current = () => void read();
    void read();
    const stops = [
      session.follow(() => void read()),
      isVisible.follow(() => {
        if (isVisible.value) void read();
      }),
      ...(on === undefined ? [] : [onEvents(on, () => void read())]),
    ];
    return () => {
      abort.abort();
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [path]);
  return { ...state, reload: () => reload.current() };
}

/** Tabs of the console, which send the same requests as the real page. */
import { KEY } from "./gateway.ts";

export const TABS = 4;
/** The interval of the visible page (overview-feed.ts). */
const POLL_MS = 2000;

const headers = { "x-api-key": KEY };

/** Opens the tabs at different times between two polls, as real users do. The returned function closes them. */
export function openTabs(url: string): () => void {
  const end = new AbortController();
  const { signal } = end;
  const timers: (() => void)[] = [];
  const poll = async (): Promise<void> => {
    try {
      await (await fetch(`${url}/v1/overview`, { headers, signal })).text();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const follow = async (): Promise<void> => {
    try {
      await (await fetch(`${url}/v1/events`, { headers, signal })).text();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  for (let n = 0; n < TABS; n += 1) {
    void follow();
    const first = setTimeout(
      () => {
        void poll();
        const others = setInterval(() => void poll(), POLL_MS);
        timers.push(() => clearInterval(others));
      },
      (n * POLL_MS) / TABS,
    );
    timers.push(() => clearTimeout(first));
  }
  return () => {
    for (const stop of timers) stop();
    end.abort();
  };
}

import { messageOf } from "../../lib/caught.ts";
import { sayNote } from "../common/terminal.ts";
import { type AdminClient, AdminUnreachable } from "./admin-client.ts";
import { AdminRefused } from "./admin-refused.ts";
import { readEvents, type ServerSentEvent } from "./server-events.ts";

/** Milliseconds until a lost stream is requested again. The time doubles with each failure, up to the maximum. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** Gives `use` the events of a stream as they arrive. Requests a lost stream again, by the path of that moment. */
export async function followStream(
  client: AdminClient,
  path: () => string,
  use: (event: ServerSentEvent) => Promise<void>,
): Promise<never> {
  let wait = RETRY_MS;
  // The first connection must succeed. A later failure may be a restart of the gateway.
  let isKnown = false;
  for (;;) {
    try {
      const request = { path: path(), headers: { accept: "text/event-stream" } };
      for await (const event of readEvents(client.stream(request, new AbortController().signal))) {
        isKnown = true;
        wait = RETRY_MS;
        await use(event);
      }
      isKnown = true;
      sayNote("the stream has ended; connecting again");
    } catch (error) {
      const mayReturn = error instanceof AdminUnreachable || (error instanceof AdminRefused && error.status >= 500);
      if (!isKnown || !mayReturn) throw error;
      sayNote(`${messageOf(error)}; asking again`);
    }
    await Bun.sleep(wait);
    wait = Math.min(wait * 2, MAX_RETRY_MS);
  }
}

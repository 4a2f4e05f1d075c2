import { join } from "node:path";
import { type BrowserOpener } from "./browser/program/browser-opener.ts";
import { type ContentOptions } from "./content-options.ts";
import { ANYWHERE, PUBLIC_WEB } from "./egress/guard.ts";
import { LiveBrowsers } from "./live/live-browsers.ts";

/** The browsers that a service sells by the minute. Undefined if it sells none; if it cannot, the log says why. */
export async function openLive(
  { live, stateDir, allowPrivate, log }: Pick<ContentOptions, "live" | "stateDir" | "allowPrivate" | "log">,
  chosen: BrowserOpener["program"],
): Promise<LiveBrowsers | undefined> {
  if (live === undefined) return undefined;
  const { command, ...settings } = live;
  if (chosen === undefined) {
    log("error", "Browsers by the minute are not sold: this service has no browser of its own machine");
    return undefined;
  }
  const options = {
    ...settings,
    cell: { ...chosen, command, folder: join(stateDir, "browser") },
    egress: { policy: allowPrivate ? ANYWHERE : PUBLIC_WEB },
    now: Date.now,
    clock: () => performance.now(),
    random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  };
  return await LiveBrowsers.open(options, log);
}

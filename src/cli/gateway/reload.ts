import { stamped } from "../../lib/text/stamped.ts";
import { diagnosticText } from "../../gateway/config/diagnostic.ts";
import { whyNot } from "../../gateway/admin/running-config/config-events.ts";
import { type LiveConfig } from "../../gateway/admin/running-config/live-config.ts";
import { type Actor, type EventSink } from "../../gateway/telemetry/event.ts";
import { hangup } from "./held-signals.ts";
import { say, sayError, sayWarning } from "../common/terminal.ts";

const SIGNAL: Actor = { kind: "signal", key: "-", address: "" };

/** A running gateway, and the events that receive its log lines. */
interface Reloadable {
  readonly config: LiveConfig;
  readonly events: Pick<EventSink, "addLine">;
}

/** Reads the configuration again on SIGHUP, also for a SIGHUP that arrived during the start. */
export function reloadOnHangup(running: Reloadable): void {
  // Reloads run one after the other, so that the last state of the file wins. One waiting reload is enough for all signals
  // that arrive before it runs.
  let turn = Promise.resolve();
  let waits = false;
  hangup.heed(() => {
    if (waits) return;
    waits = true;
    turn = turn.then(() => {
      waits = false;
      return reload(running);
    });
  });
}

/** Applies the file as it is now, or reports why it cannot. */
async function reload({ config: running, events }: Reloadable): Promise<void> {
  const tell = (print: typeof say, text: string): void => {
    print(stamped(text));
    events.addLine(text);
  };
  const { path } = running.file;
  if (path === null) {
    tell(sayError, "Cannot reload: there is no configuration file (--config)");
    return;
  }
  const outcome = await running.reload(SIGNAL);
  if (outcome.kind === "done" || outcome.kind === "invalid") {
    for (const warning of outcome.warnings) tell(sayWarning, `${path}: warning: ${diagnosticText(warning)}`);
  }
  if (outcome.kind === "done") {
    for (const key of outcome.restart) tell(sayWarning, `${path}: warning: ${key}: takes effect at the next start`);
    for (const { op, path: pointer } of outcome.discarded) {
      tell(sayWarning, `${path}: warning: a change in memory is discarded: ${op} ${pointer}`);
    }
    tell(say, `reloaded ${path}`);
    return;
  }
  const [only, ...more] = outcome.kind === "invalid" ? outcome.problems.map(diagnosticText) : [whyNot(outcome)];
  const isOne = more.length === 0 && only !== undefined;
  if (!isOne) for (const problem of [only ?? "", ...more]) tell(sayError, `${path}: ${problem}`);
  tell(sayError, `Cannot reload ${path}: ${isOne ? only : whyNot(outcome)}; the old configuration stays in use`);
}

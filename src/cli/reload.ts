import { findingText } from "../gateway/config/finding.ts";
import { whyNot } from "../gateway/admin/running-config/config-events.ts";
import { type RunningConfig } from "../gateway/admin/running-config/running-config.ts";
import { type Actor, type EventSink } from "../gateway/telemetry/event.ts";
import { hangup } from "./held-signals.ts";
import { say, sayError, sayWarning } from "./terminal.ts";

const SIGNAL: Actor = { kind: "signal", key: "-", address: "" };

/** What runs, and where the lines of its log go. */
interface Reloadable {
  readonly config: RunningConfig;
  readonly events: Pick<EventSink, "addLine">;
}

/** Has SIGHUP read the configuration again, one that came while the gateway was started too. */
export function reloadOnHangup(running: Reloadable): void {
  // One after the other, so that the file's last state is what stays; one that waits reads it late enough for all that come.
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

/** Serves by the file as it is now; where that fails, says why. */
async function reload({ config: running, events }: Reloadable): Promise<void> {
  const tell = (print: typeof say, text: string): void => {
    print(text);
    events.addLine(text);
  };
  const { path } = running.file;
  if (path === null) {
    tell(sayError, "Cannot reload: there is no configuration file (--config)");
    return;
  }
  const outcome = await running.reload(SIGNAL);
  if (outcome.kind === "done" || outcome.kind === "invalid") {
    for (const warning of outcome.warnings) tell(sayWarning, `${path}: warning: ${findingText(warning)}`);
  }
  if (outcome.kind === "done") {
    for (const key of outcome.restart) tell(sayWarning, `${path}: warning: ${key}: changes with the next start only`);
    for (const { op, path: pointer } of outcome.discarded) {
      tell(sayWarning, `${path}: warning: a change in memory is discarded: ${op} ${pointer}`);
    }
    tell(say, `reloaded ${path}`);
    return;
  }
  const [only, ...more] = outcome.kind === "invalid" ? outcome.problems.map(findingText) : [whyNot(outcome)];
  const isOne = more.length === 0 && only !== undefined;
  if (!isOne) for (const problem of [only ?? "", ...more]) tell(sayError, `${path}: ${problem}`);
  tell(sayError, `Cannot reload ${path}: ${isOne ? only : whyNot(outcome)}; the old configuration stays`);
}

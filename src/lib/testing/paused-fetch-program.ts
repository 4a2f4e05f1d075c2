/** Requests the URL of its argument with a timeout in milliseconds, and prints the response or the name of the error. */
import { timeoutSignal } from "../time/timeout-signal.ts";

const [url = "", ms = "0"] = process.argv.slice(2);
const result = await fetch(url, { signal: timeoutSignal(Number(ms)) }).then(
  (response) => response.text(),
  (error: unknown) => (error instanceof Error ? error.name : String(error)),
);
process.stdout.write(result);

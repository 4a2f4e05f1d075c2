import { countedLine, RepeatedLines } from "../../gateway/telemetry/repeated-lines.ts";
import { sayLog } from "./terminal.ts";

/** The log of a service without a supervisor: lines with the time, repeated ones counted. */
export function serviceLog(): (line: string) => void {
  const lines = new RepeatedLines((text, repeats) => sayLog(countedLine(text, repeats)));
  return (line) => lines.add(line);
}

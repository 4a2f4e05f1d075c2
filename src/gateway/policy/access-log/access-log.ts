import { type LineBytes } from "../../../lib/memory/line-bytes.ts";
import { type LoggedRequest } from "../../exchange/exchange.ts";
import { headValue } from "../../exchange/head-fields.ts";
import { type HiddenParameters } from "../../exchange/hidden-parameters.ts";

/**
 * The end of a request. `at`: milliseconds since the epoch. `elapsedMs`: milliseconds since the exchange began.
 * `hidden`: the query parameters that the log redacts.
 */
export interface Finished {
  readonly at: number;
  readonly elapsedMs: number;
  readonly hidden: HiddenParameters;
}

/** Writes the log line of a request, without the line's end. `finished` is used again for the next line. */
export type LogLine = (line: LineBytes, exchange: LoggedRequest, finished: Finished) => void;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

let combinedSecond = -1;
let combinedTime = "";

/** `10/Oct/2000:13:55:36 +0000`. The text is composed once a second. */
function clfTime(at: number): string {
  const second = Math.floor(at / 1000);
  if (second === combinedSecond) return combinedTime;
  const iso = new Date(at).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? "";
  combinedSecond = second;
  combinedTime = `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
  return combinedTime;
}

/** The client's text for a place in quotes, or between spaces. Characters that could end the place or the line are escaped. */
function quoted(text: string, unsafe = /["\\\u0000-\u001f\u007f-\uffff]/g): string {
  return text.replaceAll(unsafe, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** One line in the combined format of Apache and nginx. */
export function combinedLine(line: LineBytes, exchange: LoggedRequest, { at, hidden }: Finished): void {
  const { head, consumer = "" } = exchange;
  const user = consumer === "" ? "-" : quoted(consumer, /["\\\u0000-\u0020\u007f-\uffff]/g);
  const referer = quoted(hidden.url(headValue(head, "referer") ?? "-"));
  const agent = quoted(headValue(head, "user-agent") ?? "-");
  const request = quoted(`${head.method} ${head.path}${hidden.query(head.query)} ${exchange.protocol}`);
  // 499 is nginx's code for a client that closed its connection before there was a response.
  const status = exchange.status === 0 ? 499 : exchange.status;
  const loss = exchange.loss === undefined ? "" : ` loss=${exchange.loss}`;
  const truncated = (exchange.truncated ?? "") === "" ? "" : ` truncated=${exchange.truncated}`;
  line.text(
    `${exchange.clientAddress} - ${user} [${clfTime(at)}] "${request}" ${status} ${exchange.bytesSent} "${referer}" "${agent}"${loss}${truncated}`,
  );
}

import { TurnpikeError } from "../../../lib/errors.ts";
import { MAX_CAPTURE_BYTES, type PrintRequest } from "../../page/capture.ts";
import { CdpError } from "../program/cdp.ts";
import { type CaptureHost, hasLateParts, showAll } from "./show-all.ts";

/** Pixels. A page is scrolled down this far, so that its lazily loaded pictures are printed. @bound */
const SHOWN_PIXELS = 30_000;

/** Bytes that are read at one time. */
const READ_BYTES = 4 * 1024 * 1024;

/** Prints the page as a PDF. If a part of the page may load lazily, it first scrolls through the page. */
export async function printPage(host: CaptureHost, request: PrintRequest): Promise<Uint8Array<ArrayBuffer>> {
  host.deadline.doing("printing");
  if (await hasLateParts(host)) await showAll(host, SHOWN_PIXELS, "paper");
  try {
    const response = await host.call("Page.printToPDF", { ...request, transferMode: "ReturnAsStream" });
    return await readStream(host, String(response["stream"]));
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    throw new TurnpikeError("page-failed", "Cannot print the page: the browser returned no PDF");
  }
}

/** Reads the document in pieces. In one message its length would have no limit. */
async function readStream(host: CaptureHost, handle: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (let ended = false; !ended; ) {
    const { data, base64Encoded, eof } = await host.call("IO.read", { handle, size: READ_BYTES });
    const chunk = Buffer.from(String(data), base64Encoded === true ? "base64" : "utf8");
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_CAPTURE_BYTES) {
      throw new TurnpikeError("page-failed", `Cannot print the page: its PDF has more than ${MAX_CAPTURE_BYTES} bytes`);
    }
    ended = eof === true;
  }
  await host.call("IO.close", { handle });
  return new Uint8Array(Buffer.concat(chunks));
}

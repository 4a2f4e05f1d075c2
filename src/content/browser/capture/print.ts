import { TurnpikeError } from "../../../lib/errors.ts";
import { MAX_CAPTURE_BYTES, type PrintRequest } from "../../page/capture.ts";
import { CdpError } from "../cdp.ts";
import { type CaptureHost, hasLateParts, showAll } from "./show-all.ts";

/** How far down a page is scrolled, so that its late pictures are there; in pixels. @bound */
const SHOWN_PIXELS = 30_000;

/** Read at one time; in bytes. */
const READ_BYTES = 4 * 1024 * 1024;

/** Prints the page as a PDF, after it was scrolled through if a part of it may come late. */
export async function printPage(host: CaptureHost, request: PrintRequest): Promise<Uint8Array<ArrayBuffer>> {
  host.deadline.doing("printing");
  if (await hasLateParts(host)) await showAll(host, SHOWN_PIXELS);
  try {
    const response = await host.call("Page.printToPDF", { ...request, transferMode: "ReturnAsStream" });
    return await readStream(host, String(response["stream"]));
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    throw new TurnpikeError("page-failed", "Cannot print the page: the browser makes no PDF of it");
  }
}

/** One message with all of it would be as long as the page likes. */
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

import { readFile } from "node:fs/promises";
import { messageOf } from "../../lib/caught.ts";
import { fieldLine, trimOws } from "../../lib/http/fields.ts";
import { BODY_VIEW_BYTES, type RequestView } from "../../gateway/filters/own-abi/views.ts";

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/** Reads a request in HTTP/1.1 syntax; lines may end with LF. Throws with the number of the invalid line. */
export async function readRequestFile(path: string): Promise<RequestView> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new Error(`Cannot read the request: ${messageOf(error)}`, { cause: error });
  }
  const text = bytes.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const body = end === null ? new Uint8Array() : bytes.subarray(end.index + end[0].length);
  const [first = "", ...lines] = head.replace(/\r?\n$/, "").split(/\r?\n/);
  const [, method, target] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) throw wrong(path, 1, "it must be like GET /path HTTP/1.1");
  const fields = lines.map((line, i) => {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw wrong(path, i + 2, "it must be like Name: value");
    return fieldLine(name, trimOws(value));
  });
  return {
    method,
    path: target,
    fields: fields.join(""),
    bodyLength: body.length,
    body: body.subarray(0, BODY_VIEW_BYTES),
  };
}

function wrong(path: string, line: number, expected: string): Error {
  return new Error(`Cannot read the request in ${path}: line ${line} is wrong; ${expected}`);
}

/** Bytes of one answer; no content operation gives more. */
export const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** The body of a gateway's answer, unpacked. Throws where it breaks off, and where it has more than MAX_ANSWER_BYTES. */
export async function readAnswer(response: Pick<Response, "body">): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readUpTo(response, MAX_ANSWER_BYTES);
  if (bytes === undefined) throw new Error(`Cannot read the response: it has more than ${MAX_ANSWER_BYTES} bytes`);
  return bytes;
}

/** The body of an answer; undefined where it has more than `most` bytes. Throws where it breaks off. */
async function readUpTo(response: Pick<Response, "body">, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The body of a stranger's answer as JSON; undefined where it has more than `most` bytes or is none. Throws where it breaks off. */
export async function readJsonUpTo(response: Pick<Response, "body">, most: number): Promise<unknown> {
  const bytes = await readUpTo(response, most);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer).toString("utf8"));
    return value;
  } catch {
    return undefined;
  }
}

/** The same as JSON. Throws where it is none, too. */
export async function readJsonAnswer(response: Pick<Response, "body">): Promise<unknown> {
  const value: unknown = JSON.parse(new TextDecoder().decode(await readAnswer(response)));
  return value;
}

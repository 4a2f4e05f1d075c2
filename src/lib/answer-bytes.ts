/** Bytes of one answer; no content operation gives more. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The body of a gateway's answer, unpacked. Throws where it breaks off, and where it has more than MAX_ANSWER_BYTES. */
export async function readAnswer(response: Pick<Response, "body">): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) {
      throw new Error(`Cannot take the answer: it has more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The same as JSON. Throws where it is none, too. */
export async function readJsonAnswer(response: Pick<Response, "body">): Promise<unknown> {
  const value: unknown = JSON.parse(new TextDecoder().decode(await readAnswer(response)));
  return value;
}

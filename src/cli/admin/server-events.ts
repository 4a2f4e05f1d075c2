/** Characters of one event, and of a line that has not ended: the gateway's are 8 KiB at most. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** One event of a stream (HTML standard, server-sent events). */
export interface ServerSentEvent {
  readonly id: string;
  readonly data: string;
}

/** Reads events from the bytes of a stream; comments are left out. Throws where one is beyond all measure. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  let data: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (line === "") {
        if (data.length > 0) yield { id, data: data.join("\n") };
        data = [];
        length = 0;
      } else if (field === "id") id = value;
      else if (field === "data") {
        data.push(value);
        length += value.length;
      }
    }
    if (rest.length + length > MAX_EVENT_LENGTH) throw new Error("Cannot read the events: one is too long");
  }
}

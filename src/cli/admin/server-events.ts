/** Characters of one event, and of an unfinished line; those of the gateway have 8 KiB at most. A longer one is an error. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** One event of a stream (HTML standard, server-sent events). */
export interface ServerSentEvent {
  readonly id: string;
  readonly data: string;
}

/** Parses the events of a byte stream and skips comments. Throws if an event is too long. */
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

import {
  MAX_QUEUE_BYTES,
  MAX_QUEUE_MESSAGES,
  MAX_QUEUES,
  MAX_SHARED_BYTES,
  MAX_SHARED_ENTRIES,
} from "../module/proxy-wasm-bounds.ts";

interface SharedValue {
  readonly bytes: Uint8Array;
  readonly cas: number;
}

interface SharedQueue {
  readonly messages: Uint8Array[];
  /** The listeners that have registered the queue. Only the last one is called for messages. */
  ears: Ear[];
}

const MAX_CAS = 0xffff_ffff;

/** Called for a message in a queue, from within the filter that sends the message. */
type Ear = (queue: number) => void;

/** The shared data and shared queues of the filters of one worker. Names include the id of their VM. */
export class SharedStore {
  readonly #values = new Map<string, SharedValue>();
  readonly #queues: SharedQueue[] = [];
  readonly #queueIds = new Map<string, number>();
  #valueBytes = 0;
  #queueBytes = 0;
  #lastCas: number;

  /** `lastCas`: the number of the last change. The next one has the next number. */
  constructor(lastCas = 0) {
    this.#lastCas = lastCas;
  }

  get(key: string): SharedValue | undefined {
    return this.#values.get(key);
  }

  /** `cas` is 0, or the number from `get`. If the value has changed since then, the result is `mismatch`. */
  set(key: string, bytes: Uint8Array, cas: number): "ok" | "mismatch" | "full" {
    const known = this.#values.get(key);
    if (cas !== 0 && cas !== known?.cas) return "mismatch";
    const more = key.length + bytes.length - (known === undefined ? 0 : key.length + known.bytes.length);
    const isFull = known === undefined && this.#values.size >= MAX_SHARED_ENTRIES;
    if (isFull || this.#valueBytes + more > MAX_SHARED_BYTES) return "full";
    this.#valueBytes += more;
    this.#lastCas = (this.#lastCas % MAX_CAS) + 1;
    this.#values.set(key, { bytes, cas: this.#lastCas });
    return "ok";
  }

  /**
   * Returns the id of a queue, 1 or more, and creates the queue if needed. Returns 0 if there are too many queues. The
   * last listener to register a queue is called for its messages.
   */
  register(name: string, ready: Ear): number {
    let id = this.#queueIds.get(name) ?? 0;
    if (id === 0) {
      if (this.#queues.length >= MAX_QUEUES) return 0;
      id = this.#queues.push({ messages: [], ears: [] });
      this.#queueIds.set(name, id);
    }
    const queue = this.#queues[id - 1];
    if (queue !== undefined) queue.ears = [...queue.ears.filter((ear) => ear !== ready), ready];
    return id;
  }

  /** The id of a queue; 0 if there is no such queue. */
  resolve(name: string): number {
    return this.#queueIds.get(name) ?? 0;
  }

  enqueue(id: number, message: Uint8Array): "ok" | "unknown" | "full" {
    const queue = this.#queues[id - 1];
    if (queue === undefined) return "unknown";
    const isFull = queue.messages.length >= MAX_QUEUE_MESSAGES || this.#queueBytes + message.length > MAX_QUEUE_BYTES;
    if (isFull) return "full";
    this.#queueBytes += message.length;
    queue.messages.push(message);
    queue.ears.at(-1)?.(id);
    return "ok";
  }

  dequeue(id: number): Uint8Array | "unknown" | "empty" {
    const queue = this.#queues[id - 1];
    if (queue === undefined) return "unknown";
    const message = queue.messages.shift();
    if (message === undefined) return "empty";
    this.#queueBytes -= message.length;
    return message;
  }

  forget(ready: Ear): void {
    for (const queue of this.#queues) queue.ears = queue.ears.filter((ear) => ear !== ready);
  }
}

/** The messages of a client in PostgreSQL's protocol 3.0 (chapter 55.7). All values are sent as text. */

/** A parameter of a statement. It is sent as text. */
export type Value = string | number | null;

/** A statement to run. All processes give the same text the same name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const PROTOCOL_3_0 = 196_608;
const SSL_REQUEST = 80_877_103;
const FIRST_BYTES = 4096;

/** Collects messages in one buffer. */
export class Messages {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #start = 0;

  startup(parameters: Readonly<Record<string, string>>): this {
    this.#begin();
    this.#int32(PROTOCOL_3_0);
    for (const [name, value] of Object.entries(parameters)) this.#string(name).#string(value);
    return this.#string("").#end();
  }

  sslRequest(): this {
    this.#begin();
    return this.#int32(SSL_REQUEST).#end();
  }

  /** The response to a request for a password: the password, its MD5 hash, or SCRAM's last message. */
  password(text: string): this {
    this.#begin("p");
    return this.#string(text).#end();
  }

  saslInitial(mechanism: string, message: string): this {
    this.#begin("p");
    return this.#string(mechanism).#int32(Buffer.byteLength(message)).#text(message).#end();
  }

  saslResponse(message: string): this {
    this.#begin("p");
    return this.#text(message).#end();
  }

  parse(name: string, text: string): this {
    this.#begin("P");
    return this.#string(name).#string(text).#int16(0).#end();
  }

  bind(name: string, values: readonly Value[]): this {
    this.#begin("B");
    this.#string("").#string(name).#int16(0).#int16(values.length);
    for (const value of values) {
      if (value === null) this.#int32(-1);
      else this.#sized(String(value));
    }
    return this.#int16(0).#end();
  }

  execute(): this {
    this.#begin("E");
    return this.#string("").#int32(0).#end();
  }

  sync(): this {
    this.#begin("S");
    return this.#end();
  }

  terminate(): this {
    this.#begin("X");
    return this.#end();
  }

  /** Returns a copy of all messages so far, and empties the buffer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #begin(type?: string): void {
    if (type !== undefined) this.#text(type);
    this.#start = this.#length;
    this.#int32(0);
  }

  #end(): this {
    this.#bytes.writeInt32BE(this.#length - this.#start, this.#start);
    return this;
  }

  /** Writes a value after its length. NUL is removed, because text in PostgreSQL cannot contain it. */
  #sized(value: string): void {
    const text = value.includes("\0") ? value.replaceAll("\0", "") : value;
    const at = this.#length;
    this.#int32(0).#text(text);
    this.#bytes.writeInt32BE(this.#length - at - 4, at);
  }

  #string(text: string): this {
    this.#text(text);
    this.#room(1);
    this.#bytes[this.#length++] = 0;
    return this;
  }

  #text(text: string): this {
    // A UTF-16 unit becomes three bytes at most.
    this.#room(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
    return this;
  }

  #int16(value: number): this {
    this.#room(2);
    this.#length = this.#bytes.writeInt16BE(value, this.#length);
    return this;
  }

  #int32(value: number): this {
    this.#room(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
    return this;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

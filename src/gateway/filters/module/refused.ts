/** A module that is not taken: the message is the reason, in words for its author. */
export class ModuleRefused extends Error {
  /** The byte of the file that the reason is about. */
  readonly offset: number | undefined;

  constructor(reason: string, offset?: number) {
    super(offset === undefined ? reason : `${reason} (at byte ${offset})`);
    this.name = "ModuleRefused";
    this.offset = offset;
  }

  /** A refusal that another thread has told of. */
  static told(message: string, offset: number | undefined): ModuleRefused {
    const refused = new ModuleRefused(message);
    return Object.assign(refused, { offset });
  }
}

/** A number as the specification of WebAssembly writes opcodes: 0x0b. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, "0")}`;
}

/** The gateway refuses a module. The message is the reason, for the module's author. */
export class ModuleRefused extends Error {
  /** The offset in the file to which the reason refers. */
  readonly offset: number | undefined;

  constructor(reason: string, offset?: number) {
    super(offset === undefined ? reason : `${reason} (at byte ${offset})`);
    this.name = "ModuleRefused";
    this.offset = offset;
  }

  /** A refusal that another thread has reported. */
  static told(message: string, offset: number | undefined): ModuleRefused {
    const refused = new ModuleRefused(message);
    return Object.assign(refused, { offset });
  }
}

/** A number in the WebAssembly specification's notation for opcodes: 0x0b. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, "0")}`;
}

const NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"] as const;

/** What `open` makes of the system's C library, by the first name that there is one by; undefined where there is none. */
export function fromCLibrary<T>(open: (name: string) => T): T | undefined {
  for (const name of NAMES) {
    try {
      return open(name);
    } catch {
      // Another C library, perhaps.
    }
  }
  return undefined;
}

const NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"] as const;

/** The first result of `open` with names of the system's C library; undefined if each call throws. */
export function fromCLibrary<T>(open: (name: string) => T): T | undefined {
  for (const name of NAMES) {
    try {
      return open(name);
    } catch {
      // The next name may exist.
    }
  }
  return undefined;
}

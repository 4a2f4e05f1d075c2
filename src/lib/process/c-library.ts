import { dlopen, type FFIFunction, type Library } from "bun:ffi";

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

/** Functions of the C library of Linux, loaded with the first call; undefined if there is no such library. */
export function cFunctions<const Types extends Record<string, FFIFunction>>(
  types: Types,
): () => Library<Types>["symbols"] | undefined {
  let loaded: Library<Types>["symbols"] | undefined;
  let isTried = false;
  return () => {
    if (!isTried && process.platform === "linux") loaded = fromCLibrary((name) => dlopen(name, types).symbols);
    isTried = true;
    return loaded;
  };
}

import { type Pointer, ptr } from "bun:ffi";

/** Memory that functions of the C library read and write. */
export interface NativeMemory {
  /** Keep a reference to it as long as the address is used. */
  readonly buffer: ArrayBuffer;
  readonly address: Pointer;
}

/**
 * Allocates memory whose address may be kept. A typed array that was made from a length has no such address: the runtime
 * moves its bytes when it compiles code that uses the array, and a C function would then write into memory that belongs
 * to something else. Get the address of such an array again for each call.
 */
export function nativeMemory(byteLength: number): NativeMemory {
  const buffer = new ArrayBuffer(byteLength);
  return { buffer, address: ptr(new Uint8Array(buffer)) };
}

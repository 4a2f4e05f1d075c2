import { BufferPool } from "../memory/buffer-pool.ts";

/** A pool that no test exhausts. */
export function plentyOfBuffers(): BufferPool {
  return new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 2 });
}

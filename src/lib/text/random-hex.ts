/** 32 random bytes as hex. Uses no API of a single runtime: this code also runs in the callers' programs. */
export function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

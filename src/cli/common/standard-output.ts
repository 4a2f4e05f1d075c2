/** Each write reports its error by its own promise. */
function ignore(): void {}

/**
 * Resolves when the whole text is written. Rejects with EPIPE if the reader has closed the pipe. `Bun.write` would repeat
 * parts of the text on a full pipe.
 */
export function writeStandard(text: string | Uint8Array): Promise<void> {
  const { stdout } = process;
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}

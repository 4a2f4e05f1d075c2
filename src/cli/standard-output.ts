/** Whoever writes hears of it by his own promise. */
function ignore(): void {}

/** Resolves once all of it is with whoever reads; rejects with EPIPE where nobody does. `Bun.write` repeats parts of it where a pipe is full. */
export function writeStandard(text: string | Uint8Array): Promise<void> {
  const { stdout } = process;
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}

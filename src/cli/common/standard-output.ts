/** Each write reports its error by its own promise. */
function ignore(): void {}

/** Prints a line, or several. Rejects if it cannot be written, which `console.log` does not notice. */
export function printLine(text: string): Promise<void> {
  return writeStandard(`${text}\n`);
}

/** Resolves when the text is written; EPIPE without a reader. `Bun.write` repeats parts of it on a full pipe. */
export function writeStandard(text: string | Uint8Array): Promise<void> {
  const { stdout } = process;
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}

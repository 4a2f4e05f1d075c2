/** A service's line, with the UTC time unless systemd's journal adds its own (JOURNAL_STREAM). */
export function stamped(text: string, clock: () => number = Date.now): string {
  return (process.env["JOURNAL_STREAM"] ?? "") === "" ? `${new Date(clock()).toISOString()} ${text}` : text;
}

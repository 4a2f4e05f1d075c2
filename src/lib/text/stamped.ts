/**
 * A line of a running service: it starts with the UTC time. systemd's journal, which sets JOURNAL_STREAM, adds its own
 * time.
 */
export function stamped(text: string, clock: () => number = Date.now): string {
  return (process.env["JOURNAL_STREAM"] ?? "") === "" ? `${new Date(clock()).toISOString()} ${text}` : text;
}

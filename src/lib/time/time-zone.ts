/** True for the name of a time zone, such as `Europe/Vienna`, and for an offset such as `+01:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

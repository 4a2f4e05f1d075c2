const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** An age in its two largest units: `2 h 3 min`. */
export function ageText(ms: number): string {
  const first = UNITS.findIndex(([, unit]) => ms >= unit);
  const [name, unit] = UNITS[first] ?? ["s", 1000];
  const whole = Math.max(Math.floor(ms / unit), 0);
  const next = UNITS[first + 1];
  const rest = next === undefined || first < 0 ? 0 : Math.floor((ms - whole * unit) / next[1]);
  return `${whole} ${name}${next === undefined || rest === 0 ? "" : ` ${rest} ${next[0]}`}`;
}

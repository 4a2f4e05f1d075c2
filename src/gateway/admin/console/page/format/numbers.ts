import { ageText } from "../../../../../lib/time/age-text.ts";

/** A dash, shown if there is no value. */
export const NONE = "–";

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A count with separated thousands: 12,345. */
export function count(value: number): string {
  return GROUPED.format(value);
}

/** "1 route", "2 routes". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** At most three digits and a unit: 0.4, 12, 345, 6.7 k, 8.9 M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_500_000) return `${digits(value / 1e9)} G`;
  if (size >= 999_500) return `${digits(value / 1e6)} M`;
  if (size >= 9_999.5) return `${digits(value / 1e3)} k`;
  if (size >= 999.5) return GROUPED.format(value);
  return digits(value);
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.95) return value.toFixed(Number.isInteger(value) ? 0 : 1);
  if (size === 0) return "0";
  return size < 0.05 ? value.toPrecision(1) : value.toFixed(1);
}

/** A share (1 is all) in percent: 0 %, 0.02 %, 4.1 %, 100 %. */
export function percent(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return NONE;
  const value = share * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.01) return "< 0.01 %";
  if (value < 1) return `${value.toFixed(2)} %`;
  return `${Math.min(value, 99.9).toFixed(1)} %`;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes in a unit that leaves three digits: 512 B, 1.5 KiB, 64 MiB. */
export function bytes(value: number): string {
  let unit = 0;
  let size = value;
  while (size >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const text = unit === 0 || size >= 99.95 || Number.isInteger(size) ? size.toFixed(0) : size.toFixed(1);
  return `${text} ${BYTE_UNITS[unit]}`;
}

/** A short duration: 20 µs, 0.4 ms, 12 ms, 345 ms, 1.23 s, 45 s, 3 min. */
export function milliseconds(value: number): string {
  if (value === 0) return "0 ms";
  if (value < 0.0995) return `${(value * 1000).toFixed(value < 0.0095 ? 1 : 0)} µs`;
  if (value < 9.95) return `${value.toFixed(1)} ms`;
  if (value < 999.5) return `${value.toFixed(0)} ms`;
  if (value < 9_995) return `${(value / 1000).toFixed(2)} s`;
  if (value < 119_500) return `${(value / 1000).toFixed(0)} s`;
  return ageText(value);
}

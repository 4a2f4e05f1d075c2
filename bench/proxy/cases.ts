/** One load: which of the origin's answers, over how many connections. */
export interface Case {
  readonly name: string;
  readonly about: string;
  readonly path: string;
  readonly connections: number;
}

export const CASES: readonly Case[] = [
  { name: "small1", about: "small JSON, 1 connection", path: "/small", connections: 1 },
  { name: "small64", about: "small JSON, 64 connections", path: "/small", connections: 64 },
  { name: "small512", about: "small JSON, 512 connections", path: "/small", connections: 512 },
  { name: "64k", about: "64 KiB, 64 connections", path: "/64k", connections: 64 },
  { name: "1m", about: "1 MiB, 64 connections", path: "/1m", connections: 64 },
];

export const SMALL_BODY = JSON.stringify({
  id: 4711,
  name: "turnpike",
  tags: ["a", "b", "c"],
  price: "0.001",
  ok: true,
});

/** Bytes of the large bodies, by path. */
export const LARGE_BODIES: Readonly<Record<string, number>> = { "/64k": 64 * 1024, "/1m": 1024 * 1024 };

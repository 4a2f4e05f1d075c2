import { expect, test } from "bun:test";
import { parseAllocated, parseCalls, parseCollections } from "./counts.ts";

test("the table of strace is read by groups, with errors or without", () => {
  const calls = parseCalls(`% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 45.00    0.450000           4     10000           sendto
 40.00    0.400000           4      9000       700 recvfrom
 10.00    0.100000           4      1000           epoll_pwait2
  4.00    0.040000           4       130           madvise
  1.00    0.010000           4        20           getpid
------ ----------- ----------- --------- --------- ----------------
100.00    1.000000           4     20150       700 total
`);
  expect(Object.fromEntries(calls)).toEqual({ send: 10_000, receive: 9000, wait: 1000, madvise: 130, other: 20 });
});

test("collections are counted with what was allocated before them", () => {
  const log = `Requesting GC because bytes allocated this cycle: 8401418 exceed bytes allowed: 8388608 normal bytes: 8401418
[GC<0x1>: START M 8784kb => EdenCollection, a=0kb hf=0.000 => 124kb END]
GC END!
[GC<0x1>: START M 544kb => FullCollection, a=0kb hf=0.000 => 100kb END]
Requesting GC because bytes allocated this cycle: 100 exceed bytes allowed: 50 normal bytes: 100
`;
  expect(parseAllocated(log)).toBe(8_401_518);
  expect(parseCollections(log)).toBe(2);
});

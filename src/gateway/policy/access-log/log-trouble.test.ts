import { beforeEach, expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { LOGS_FAILING, zoneShape } from "../../telemetry/metrics/layout.ts";
import { LogTrouble } from "./log-trouble.ts";

const BEGAN = 'warning: Cannot write the access log "/a": ENOSPC. Lines are lost until it can be written again';

let zone: SharedZone;
let logged: string[];
let first: LogTrouble;
let second: LogTrouble;

beforeEach(() => {
  zone = SharedZone.local(zoneShape(2));
  logged = [];
  first = workerAt(1);
  second = workerAt(2);
});

function workerAt(row: number): LogTrouble {
  return new LogTrouble({ zone, row }, (message) => void logged.push(message));
}

test("the failure of a log is reported once for all workers, and its end once with the lines that all of them lost", () => {
  first.begins("/a", "ENOSPC");
  second.begins("/a", "ENOSPC");
  expect(logged).toEqual([BEGAN]);
  first.lost(3);
  second.lost(4);
  first.ends("/a");
  expect(logged).toEqual([BEGAN]);
  second.ends("/a");
  expect(logged.slice(1)).toEqual(['The access log "/a" can be written again: 7 lines were lost']);
  first.begins("/a", "ENOSPC");
  first.ends("/a");
  expect(logged.slice(2)).toEqual([BEGAN, 'The access log "/a" can be written again: 0 lines were lost']);
});

test("a failing log that is not used any more does not count", () => {
  first.begins("/old", "EACCES");
  second.begins("/a", "ENOSPC");
  first.forget();
  second.ends("/a");
  expect(logged.at(-1)).toBe('The access log "/a" can be written again: 0 lines were lost');
});

test("the report of a worker that died while its log failed is out of date", () => {
  first.begins("/a", "ENOSPC");
  zone.cells(1)[LOGS_FAILING] = 0;
  second.begins("/a", "ENOSPC");
  expect(logged).toEqual([BEGAN, BEGAN]);
  second.ends("/a");
  expect(logged).toHaveLength(3);
});

test("of two workers whose logs recover at the same time, one reports it", () => {
  first.begins("/a", "ENOSPC");
  second.begins("/a", "ENOSPC");
  // The first worker has counted its recovery, and reports it after the second one.
  zone.cells(1)[LOGS_FAILING] = 0;
  second.ends("/a");
  zone.cells(1)[LOGS_FAILING] = 1;
  first.ends("/a");
  expect(logged).toEqual([BEGAN, 'The access log "/a" can be written again: 0 lines were lost']);
});

/** What the suite asks since the package's version: other kinds, other expectations, and targeted fields (RFC 9213). */

/** RFC 9111 §5.1: an Age that is no number is ignored, and of a list the first member counts. */
const CACHED = [
  "age-parse-nonnumeric",
  "age-parse-negative",
  "age-parse-float",
  "age-parse-prefix",
  "age-parse-prefix-twoline",
  "age-parse-dup-0",
  "age-parse-dup-0-twoline",
  "age-parse-dup-old",
];
/** RFC 9111 §5.3: what is no date has passed. */
const NOT_CACHED = ["utc", "aest", "2-digit-year", "no-comma", "multiple-spaces", "date-dashes"]
  .concat("time-periods", "1-digit-hour", "multiple-lines")
  .map((id) => `freshness-expires-invalid-${id}`);
const OPTIMAL = [
  "32bit",
  "far-future",
  "rfc850",
  "ansi-c",
  "wrong-case-weekday",
  "wrong-case-month",
  "wrong-case-tz",
].map((id) => `freshness-expires-${id}`);
/** Dates that the package writes without their comma. */
const DATES = new Map([
  ["freshness-expires-32bit", "Tue, 19 Jan 2038 14:14:08 GMT"],
  ["freshness-expires-far-future", "Sun, 21 Nov 2286 04:46:39 GMT"],
]);
const CHECKS = ["age-parse-parameter", "age-parse-numeric-parameter"];

const NOW = ["Date", 0];
/** Id, kind, Cache-Control or empty, CDN-Cache-Control, whether the second request is answered from the cache, other fields. */
const TARGETED = [
  ["max-age", "optimal", "", "max-age=3600", true],
  ["max-age-max", "optimal", "", "max-age=2147483648", true],
  ["max-age-max-plus", "optimal", "", "max-age=99999999999", true],
  ["max-age-age", "required", "", "max-age=3600", false, ["Age", "7200"], NOW],
  ["max-age-space-before-equals", "check", "max-age=1", "max-age =100", false],
  ["max-age-space-after-equals", "check", "max-age=1", "max-age= 100", false],
  ["max-age-0", "required", "", "max-age=0", false],
  ["max-age-extension", "optimal", "", "foobar, max-age=3600", true],
  ["max-age-case-insensitive", "check", "", "MaX-aGe=3600", true],
  ["max-age-expires", "optimal", "", "max-age=3600", true, ["Expires", -10_000], NOW],
  ["max-age-cc-max-age-invalid-expires", "optimal", "", "max-age=3600", true, ["Expires", "0", false], NOW],
  ["max-age-0-expires", "required", "", "max-age=0", false, ["Expires", 10_000], NOW],
  ["max-age-short-cc-max-age", "optimal", "max-age=1", "max-age=3600", true],
  ["max-age-long-cc-max-age", "required", "max-age=3600", "max-age=1", false],
  ["private", "required", "max-age=10000", "private", false, ["Expires", 10_000], NOW],
  ["no-cache", "required", "max-age=10000", "no-cache", false, ["Expires", 10_000], NOW],
  ["no-store-cc-fresh", "required", "max-age=10000", "no-store", false, ["Expires", 10_000], NOW],
  ["fresh-cc-nostore", "required", "no-store", "max-age=10000", true],
  ["cc-invalid-sh-type-unknown", "required", "no-store", "max-age=10000, &&&&&", false],
  ["cc-invalid-sh-type-wrong", "required", "no-store", 'max-age="10000"', false],
];
/** Those that say something only where a targeted field is followed at all. */
const NEEDS_NOTHING = ["private", "no-cache"];
const NEEDS_FRESHNESS = ["max-age", "max-age-max", "max-age-max-plus", "no-store-cc-fresh", "fresh-cc-nostore"];

function targetedTest([id, kind, control, targeted, isCached, ...others]) {
  const needed = NEEDS_FRESHNESS.includes(id) ? ["freshness-none"] : ["cdn-max-age"];
  const fields = [["CDN-Cache-Control", targeted, false], ...others];
  return {
    id: `cdn-${id}`,
    name: `CDN-Cache-Control: ${targeted}, beside Cache-Control: ${control}`,
    kind,
    depends_on: NEEDS_NOTHING.includes(id) ? [] : needed,
    requests: [
      {
        response_headers: control === "" ? fields : [["Cache-Control", control], ...fields],
        setup: true,
        pause_after: true,
      },
      { expected_type: isCached ? "cached" : "not_cached" },
    ],
  };
}

/** A part of ten bytes, and then a range that lies in it; the package's own parts contradict their Content-Range. */
function partTest(id, range, text) {
  const fields = [
    ["Cache-Control", "max-age=3600"],
    ["Content-Range", "bytes 5-9/10"],
  ];
  return {
    id: `part-${id}`,
    name: `A part serves ${range}`,
    kind: "own",
    requests: [
      {
        request_headers: [["Range", "bytes=-5"]],
        response_status: [206, "Partial Content"],
        response_headers: fields,
        response_body: "56789",
        setup: true,
      },
      {
        request_headers: [["Range", range]],
        expected_type: "cached",
        expected_status: 206,
        expected_response_text: text,
      },
    ],
  };
}

const LATER = [
  { id: "cdn-cache-control", tests: TARGETED.map(targetedTest) },
  {
    id: "part",
    tests: [
      partTest("same", "bytes=-5", "56789"),
      partTest("inner", "bytes=6-8", "678"),
      partTest("open", "bytes=6-", "6789"),
      partTest("suffix", "bytes=-1", "9"),
    ],
  },
];

/** The package's suites, as they ask today. */
export function withLaterTests(suites) {
  for (const test of suites.flatMap(({ tests }) => tests)) {
    const expected = CACHED.includes(test.id) ? "cached" : "not_cached";
    if (CACHED.includes(test.id) || NOT_CACHED.includes(test.id)) {
      test.kind = "required";
      test.requests.at(-1).expected_type = expected;
    }
    if (OPTIMAL.includes(test.id)) test.kind = "optimal";
    const date = DATES.get(test.id);
    if (date !== undefined) test.requests[0].response_headers[0] = ["Expires", date, false];
    if (CHECKS.includes(test.id)) test.kind = "check";
  }
  return [...suites, ...LATER];
}

interface FilterCounts {
  readonly invocations: readonly { readonly outcome: string; readonly count: number }[];
}

/** The outcomes of a filter's invocations, in groups for operators. */
export interface FilterOutcomes {
  readonly all: number;
  readonly rejected: number;
  readonly parked: number;
  /** Failures by their kind, such as `fuel`. */
  readonly failures: readonly (readonly [kind: string, count: number])[];
}

/** Outcomes of successful invocations. */
const FINE: ReadonlySet<string> = new Set(["allow", "modify", "reject", "park", "unchanged", "gone"]);

/** Adds up the invocations of a filter over their phases. */
export function outcomesOf({ invocations }: FilterCounts): FilterOutcomes {
  const counts = new Map<string, number>();
  for (const { outcome, count } of invocations) counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  return {
    all: [...counts.values()].reduce((sum, count) => sum + count, 0),
    rejected: counts.get("reject") ?? 0,
    parked: counts.get("park") ?? 0,
    failures: [...counts].filter(([outcome]) => !FINE.has(outcome)),
  };
}

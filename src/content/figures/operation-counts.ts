/** The calls of one operation since the start of the service, and their failures. */
export interface OperationFigures {
  calls: number;
  /** Failed calls by the code of the error. */
  failures: Record<string, number>;
}

/** Counts calls by operation, and failures by error code. Both come from fixed lists. */
export class OperationCounts {
  readonly #byName = new Map<string, OperationFigures>();

  called(name: string): void {
    this.#of(name).calls += 1;
  }

  failed(name: string, code: string): void {
    const { failures } = this.#of(name);
    failures[code] = (failures[code] ?? 0) + 1;
  }

  read(): Record<string, OperationFigures> {
    return Object.fromEntries(this.#byName);
  }

  #of(name: string): OperationFigures {
    return this.#byName.getOrInsert(name, { calls: 0, failures: {} });
  }
}

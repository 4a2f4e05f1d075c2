/** Logistic regression with a penalty on the squares of all weights but the first, by Newton's method. */

export interface Example {
  /** The first is 1, for the intercept. */
  readonly inputs: readonly number[];
  readonly truth: number;
  /** Fixed log-odds that are added to the fitted ones. */
  readonly offset: number;
}

const ROUNDS = 50;

/** The weights; one for each input of the examples. */
export function fitted(examples: readonly Example[], penalty: number): number[] {
  const size = examples[0]?.inputs.length ?? 0;
  let weights = Array.from({ length: size }, () => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { slope, curve } = derivatives(examples, weights, penalty);
    const step = solved(curve, slope);
    weights = weights.map((weight, at) => weight + (step[at] ?? 0));
    if (Math.max(...step.map(Math.abs)) < 1e-8) break;
  }
  return weights;
}

function derivatives(
  examples: readonly Example[],
  weights: readonly number[],
  penalty: number,
): { slope: number[]; curve: number[][] } {
  const slope = weights.map((weight, at) => (at === 0 ? 0 : -penalty * weight));
  const curve = weights.map((_, row) => weights.map((__, column) => (row !== column ? 0 : row === 0 ? 1e-9 : penalty)));
  for (const { inputs, truth, offset } of examples) {
    const probability = logistic(offset + inputs.reduce((sum, input, at) => sum + input * (weights[at] ?? 0), 0));
    const variance = probability * (1 - probability);
    for (const [row, input] of inputs.entries()) {
      slope[row] = (slope[row] ?? 0) + (truth - probability) * input;
      const line = curve[row] ?? [];
      for (const [column, other] of inputs.entries()) line[column] = (line[column] ?? 0) + variance * input * other;
    }
  }
  return { slope, curve };
}

/** Gauss-Jordan elimination with the largest pivot. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (let at = 0; at < rows.length; at += 1) {
    const size = (row: number): number => Math.abs(rows[row]?.[at] ?? 0);
    let pivot = at;
    for (let row = at + 1; row < rows.length; row += 1) if (size(row) > size(pivot)) pivot = row;
    [rows[at], rows[pivot]] = [rows[pivot] ?? [], rows[at] ?? []];
    const first = rows[at] ?? [];
    for (const [index, row] of rows.entries()) {
      if (index === at) continue;
      const factor = (row[at] ?? 0) / (first[at] ?? 1);
      for (let column = at; column < row.length; column += 1)
        row[column] = (row[column] ?? 0) - factor * (first[column] ?? 0);
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}

export function logistic(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** The use of a language model since the start of the service, its limits and its state. */
export interface ModelFigures {
  readonly calls: number;
  /** Calls without a response. */
  readonly failures: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The tokens of the call that used most. */
  readonly largest_call: number;
  /** The day in UTC, as YYYY-MM-DD, and its tokens, with those that are reserved for calls under way. */
  readonly day: string;
  readonly tokens_of_day: number;
  readonly max_tokens_per_day: number;
  readonly max_tokens_per_question: number;
  /** Whether the model is not asked, because it does not work. */
  readonly is_stopped: boolean;
}

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Sample = readonly [labels: string, value: number];

/** The figures in Prometheus' text format. */
export function modelMetrics(figures: ModelFigures): string {
  const { calls, failures } = figures;
  const metrics: readonly (readonly [name: string, type: "counter" | "gauge", help: string, ...samples: Sample[]])[] = [
    [
      "calls_total",
      "counter",
      "Calls of the language model, with checks of a model that failed.",
      ['{result="ok"}', calls - failures],
      ['{result="failed"}', failures],
    ],
    [
      "tokens_total",
      "counter",
      "Tokens of the language model; calls without a count have the most that they may use.",
      ['{direction="input"}', figures.input_tokens],
      ['{direction="output"}', figures.output_tokens],
    ],
    ["largest_call_tokens", "gauge", "Tokens of the call that used most.", ["", figures.largest_call]],
    ["day_tokens", "gauge", "Tokens of this day in UTC, used or reserved.", ["", figures.tokens_of_day]],
    ["day_tokens_limit", "gauge", "Maximum tokens of a day.", ["", figures.max_tokens_per_day]],
    ["question_tokens_limit", "gauge", "Maximum tokens of a question.", ["", figures.max_tokens_per_question]],
    [
      "stopped",
      "gauge",
      "1 while the language model is not asked, because it does not work.",
      ["", Number(figures.is_stopped)],
    ],
  ];
  return metrics
    .map(([name, type, help, ...samples]) => {
      const full = `turnpike_model_${name}`;
      const lines = samples.map(([labels, value]) => `${full}${labels} ${value}\n`);
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("")}`;
    })
    .join("");
}

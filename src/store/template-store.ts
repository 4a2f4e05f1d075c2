/** The knowledge of a content service about the pages of a template. Digests stand for the template and for its last page. */
export interface LearnedTemplate {
  readonly key: string;
  /** Whether scripts change the content of its pages. */
  readonly changes: boolean;
  /** Pages with equal results in sequence. */
  readonly equal: number;
  readonly page: string;
  /** Unix milliseconds of the last comparison. */
  readonly at: number;
}

/** The templates that the content services of a fleet have learned. */
export interface TemplateStore {
  /** Adds templates, each key once. Resolves with the templates of all services that are newer than at the last call. */
  exchange(learned: readonly LearnedTemplate[]): Promise<readonly LearnedTemplate[]>;
  close(): Promise<void>;
}

/** Maximum number of remembered templates, and the milliseconds until one is forgotten: a week. @bound */
export const MAX_TEMPLATES = 20_000;
export const KEPT_TEMPLATE_MS = 7 * 24 * 3_600_000;

import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../api/problem.ts";

/** An action of a form or dialog: whether it is under way, and why the last one failed. */
export function useAction(act: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  /** False: it failed. */
  const run = async (): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      return true;
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}

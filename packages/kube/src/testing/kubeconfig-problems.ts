import { KubeconfigError, type Problems } from '../config/kubeconfig-error.ts'

/** What was complained about so far. */
export function problemsIn(problems: Problems): readonly string[] {
  try {
    problems.throwIfAny()
    return []
  } catch (error) {
    if (error instanceof KubeconfigError) return error.problems
    throw error
  }
}

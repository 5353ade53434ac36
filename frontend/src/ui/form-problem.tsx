import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { problemOf, splitFields } from '@/lib/problem'
import { ProblemNotice } from './ProblemNotice'

/** Puts the server's field messages at the fields, next to those of the form itself. */
export function showFieldProblems<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'setError' | 'getValues'>,
  error: Error,
) {
  const { byField } = splitFields(problemOf(error), Object.keys(form.getValues()))
  for (const [field, message] of Object.entries(byField)) {
    form.setError(field as Path<Values>, { type: 'server', message })
  }
}

/** What is left of a problem once the fields have theirs. */
export function FormProblem({ error, fields }: { error: Error | null; fields: string[] }) {
  if (error === null) return null
  const problem = problemOf(error)
  const { byField, rest } = splitFields(problem, fields)
  if (problem.status === 422 && Object.keys(byField).length > 0 && rest.length === 0) return null
  return <ProblemNotice problem={problem} fields={rest} />
}

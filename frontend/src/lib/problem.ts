import { i18n } from './i18n'
import { ownWords, sentence } from './told'

/**
 * RFC 9457 problems travel unchanged from the response up to the form that caused them: the status,
 * the stable code and the fields are never turned into text and guessed back.
 */
export interface ProblemField {
  pointer: string
  message: string
}

export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail?: string | null
  instance?: string | null
  params?: Record<string, string> | null
  errors?: ProblemField[] | null
}

/** Why, in the language of the page; a code it has no words for is named. */
export function problemDetail(problem: Problem): string {
  const english = problem.detail ?? problem.title
  if (i18n.language === 'en') return english
  const own = ownWords(['reason', 'serverText'], problem.code, problem.params)
  return own ?? i18n.t('problem.untold', { code: problem.code })
}

/** What is wrong with one field, in the language of the page. */
export function fieldMessage({ message }: Pick<ProblemField, 'message'>): string {
  if (i18n.language === 'en') return message
  const own = sentence(message)
  return own === message ? i18n.t('problem.field') : own
}

export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problemDetail(problem))
    this.problem = problem
  }

  get status() {
    return this.problem.status
  }

  get code() {
    return this.problem.code
  }
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  return 'title' in body && 'status' in body && typeof body.status === 'number'
}

/** A problem from whatever came back; answers of proxies are not problem documents. */
export function toProblem(
  body: unknown,
  response: Pick<Response, 'status' | 'statusText'>,
): Problem {
  if (isProblem(body)) return { ...body, code: body.code ?? 'unknown' }
  return {
    type: 'about:blank',
    title: response.statusText || `HTTP ${response.status}`,
    status: response.status,
    code: response.status >= 502 && response.status <= 504 ? 'unreachable' : 'unknown',
  }
}

/** The request never reached the server: what is shown for it is of the page (ProblemNotice). */
export const UNREACHABLE: Problem = {
  type: 'about:blank',
  title: '',
  status: 0,
  code: 'unreachable',
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  const detail = error instanceof Error ? error.message : String(error)
  return {
    type: 'about:blank',
    title: i18n.t('problem.unexpected'),
    status: 0,
    code: 'unexpected',
    detail,
  }
}

/**
 * Field messages by form field: "/body/strip_bytes" and "/strip_bytes" both belong to
 * "strip_bytes". Errors that match no field of the form stay with the form as a whole.
 */
export function splitFields(problem: Problem, fields: readonly string[]) {
  const byField: Record<string, string> = {}
  const rest: ProblemField[] = []
  for (const error of problem.errors ?? []) {
    const path = error.pointer.replace(/^#?\/(body\/)?/, '').split('/')
    const field = path[0] ?? ''
    if (fields.includes(field)) byField[field] ??= fieldMessage(error)
    else rest.push(error)
  }
  return { byField, rest }
}

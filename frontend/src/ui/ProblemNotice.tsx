import { useTranslation } from 'react-i18next'
import { fieldMessage, type Problem, type ProblemField, problemDetail } from '@/lib/problem'
import { Notice } from './Notice'
import classes from './ProblemNotice.module.css'

interface ProblemNoticeProps {
  problem: Problem
  /** Field messages the form has not shown at a field. */
  fields?: ProblemField[]
}

/** What the server objects to, in its words; a lost race (412, 428) says what to do instead. */
export function ProblemNotice({ problem, fields = problem.errors ?? [] }: ProblemNoticeProps) {
  const { t, i18n } = useTranslation()
  if (problem.status === 412 || problem.status === 428) {
    return (
      <Notice tone="warn" live>
        {t('problem.stale')}
      </Notice>
    )
  }
  if (problem.code === 'unreachable') {
    return (
      <Notice tone="crit" title={t('problem.unreachableTitle')} live>
        {t('problem.unreachableText')}
      </Notice>
    )
  }
  const title = (i18n.language === 'en' && problem.title) || t('problem.title')
  const detail = problemDetail(problem)
  return (
    <Notice tone="crit" title={title} live>
      {detail !== title && <p>{detail}</p>}
      {fields.length > 0 && (
        <ul>
          {fields.map((field) => (
            <li key={field.pointer + field.message}>
              <code>{field.pointer}</code> {fieldMessage(field)}
            </li>
          ))}
        </ul>
      )}
      <p className={classes.code}>{t('problem.code', { code: problem.code })}</p>
    </Notice>
  )
}

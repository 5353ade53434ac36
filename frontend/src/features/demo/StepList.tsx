import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Status } from '@/ui/Status'
import classes from './StepList.module.css'
import { type Half, type Scenario, STRIPE_NAME } from './scenario'

export type Running = Half['step'] | 'stripe' | null

/** What is to be done, is being done and was done, with links to what came of it. */
export function StepList({ scenario, running }: { scenario: Scenario; running: Running }) {
  const { t } = useTranslation()
  const { halves, stripe } = scenario
  return (
    <ol className={classes.steps}>
      {halves.map(({ step, name, controller, virtualDrive }) => (
        <Step
          key={step}
          text={t(`demo.steps.${step}`, { name, controller: controller.path })}
          isRunning={running === step}
          result={
            virtualDrive && (
              <Link
                to="/virtual-drives/$virtualDriveId"
                params={{ virtualDriveId: virtualDrive.id }}
              >
                {t('demo.openResult', { name })}
              </Link>
            )
          }
        />
      ))}
      <Step
        text={t('demo.steps.stripe', { name: STRIPE_NAME })}
        isRunning={running === 'stripe'}
        result={
          stripe && (
            <Link
              to="/hosts/$hostId/stripes/$stripeKey"
              params={{ hostId: stripe.members[0].host_id, stripeKey: stripe.key }}
            >
              {t('demo.openResult', { name: STRIPE_NAME })}
            </Link>
          )
        }
      />
    </ol>
  )
}

interface StepProps {
  text: string
  isRunning: boolean
  /** A link to what came of it, once it is there. */
  result: ReactNode
}

function Step({ text, isRunning, result }: StepProps) {
  const { t } = useTranslation()
  return (
    <li>
      <span className={classes.text}>{text}</span>
      {result ? (
        <Status tone="ok" icon={CircleCheck}>
          {t('demo.state.done')}
        </Status>
      ) : isRunning ? (
        <Status tone="info" icon={RefreshCw}>
          {t('demo.state.running')}
        </Status>
      ) : (
        <Status tone="idle" icon={CircleDashed}>
          {t('demo.state.open')}
        </Status>
      )}
      {result}
    </li>
  )
}

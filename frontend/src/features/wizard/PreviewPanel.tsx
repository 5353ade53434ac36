import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Controller, Drive, VirtualDriveCreate, VirtualDrivePreview } from '@/api/types'
import { virtualDriveChanges } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { asksConsent, lacksSize, riskKey, toCreate, type Wish } from '@/entities/wishes/wish'
import { problemOf } from '@/lib/problem'
import { ActionButton } from '@/ui/ActionButton'
import classes from '@/ui/Choosing.module.css'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { DataConsent } from './DataConsent'
import { PreviewResultView } from './PreviewResultView'
import { RiskConsent } from './RiskConsent'
import { SameElsewhere } from './SameElsewhere'
import type { Preview } from './use-preview'

interface PreviewPanelProps {
  wish: Wish
  request: VirtualDrivePreview | undefined
  preview: Preview
  controller: Controller
  drives: Drive[]
  onChange: (part: Partial<Wish>) => void
}

const OFFLINE_STATUSES = [503, 504]

export function PreviewPanel(props: PreviewPanelProps) {
  const { t } = useTranslation()
  const { wish, request, preview, drives } = props
  return (
    <div className={classes.preview}>
      <Panel title={t('wizard.preview')}>
        <Stack gap="md">
          {request === undefined && (
            <p>{t(lacksSize(wish) ? 'wizard.sizeNeeded' : 'wizard.previewWaiting')}</p>
          )}
          {request !== undefined && !preview.isCurrent && !preview.error && (
            <p className={classes.stale} role="status">
              {t('wizard.previewChecking')}
            </p>
          )}
          {preview.error && <PreviewFailure error={preview.error} />}
          {preview.result && !preview.error && (
            <PreviewResultView
              result={preview.result}
              drives={drives}
              isCurrent={preview.isCurrent}
              withPolicies={wish.preset !== null}
            />
          )}
          <DataConsent
            refusals={preview.result?.refusals ?? []}
            drives={drives.filter(
              (drive) => wish.driveIds.includes(drive.id) || wish.spareIds.includes(drive.id),
            )}
            serials={wish.serials}
            onChange={(serials) => props.onChange({ serials })}
          />
          <RiskConsent wish={wish} risks={preview.result?.risks ?? []} onChange={props.onChange} />
          <CreateButton {...props} />
          {request && preview.result && (
            <SameElsewhere
              cli={preview.result.cli}
              body={toCreate(
                request,
                preview.result.plan_digest,
                asksConsent(wish, preview.result.risks),
              )}
            />
          )}
        </Stack>
      </Panel>
    </div>
  )
}

function PreviewFailure({ error }: { error: Error }) {
  const { t } = useTranslation()
  const problem = problemOf(error)
  if (OFFLINE_STATUSES.includes(problem.status) || problem.code === 'host_offline') {
    return (
      <Notice tone="warn" live>
        {t('wizard.previewOffline')}
      </Notice>
    )
  }
  return <ProblemNotice problem={problem} />
}

function CreateButton({ wish, request, preview, controller }: PreviewPanelProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useChange(
    (body: VirtualDriveCreate) => virtualDriveChanges.create(body, controller),
    {
      done: wish.name ? t('wizard.created', { name: wish.name }) : t('wizard.createdUnnamed'),
      onDone: (command) => {
        const made = command.objects.find((object) => object.kind === 'virtual_drive')
        void (made
          ? navigate({
              to: '/virtual-drives/$virtualDriveId',
              params: { virtualDriveId: made.id },
            })
          : navigate({ to: '/hosts/$hostId', params: { hostId: command.host_id } }))
      },
    },
  )

  const result = preview.result
  const asks = result !== undefined && asksConsent(wish, result.risks)
  const reason = () => {
    if (lacksSize(wish)) return t('wizard.sizeNeeded')
    if (request === undefined) return t('wizard.notReady')
    if (preview.error) return t('wizard.previewOffline')
    if (!preview.isCurrent || !result) return t('wizard.stillChecking')
    if (!result.ok) return t('wizard.refusedReason')
    const missing = asks && wish.acceptedRisks !== riskKey(result.risks)
    return missing ? t('policy.presetRiskNeeded') : undefined
  }

  return (
    <>
      <ActionButton
        fullWidth
        size="md"
        loading={create.isPending}
        blockedReason={blockedText(controller.blocked, 'vd_create') ?? reason()}
        onClick={() => {
          if (!request || !result) return
          create.mutate(toCreate(request, result.plan_digest, asks), {
            // The plan may have changed under us: show the new one.
            onError: preview.refresh,
          })
        }}
      >
        {wish.name ? t('wizard.createNamed', { name: wish.name }) : t('wizard.create')}
      </ActionButton>
      {create.isPending && <p role="status">{t('wizard.creating')}</p>}
      <ChangeFailure error={create.error} />
    </>
  )
}

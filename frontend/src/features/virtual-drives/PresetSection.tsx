import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { controllerQuery } from '@/api/controllers'
import type { PolicyPreset, PolicyPreview, VirtualDrive } from '@/api/types'
import { policyPreviewQuery } from '@/api/virtual-drives'
import { PolicyOutcome } from '@/entities/virtual-drives/PolicyOutcome'
import { PresetSelect } from '@/entities/virtual-drives/PresetSelect'
import { type Policies, policyBody } from '@/entities/virtual-drives/presets'
import { problemOf } from '@/lib/problem'
import { ProblemNotice } from '@/ui/ProblemNotice'

interface PresetSectionProps {
  virtualDrive: VirtualDrive
  value: PolicyPreset | null
  policies: Policies
  onChange: (preset: PolicyPreset | null) => void
}

const wishOf = (preset: PolicyPreset | null, policies: Policies): PolicyPreview | undefined =>
  preset === null ? undefined : policyBody(preset, policies)

/** What the host would make of the preset with what was changed in it; undefined: not known. */
export function usePolicyPreview(
  virtualDrive: VirtualDrive,
  preset: PolicyPreset | null,
  policies: Policies,
) {
  const query = useQuery({
    ...policyPreviewQuery(virtualDrive, wishOf(preset, policies)),
    placeholderData: keepPreviousData,
  })
  return {
    error: query.error,
    result: preset === null ? undefined : query.data,
    isCurrent: !query.isPlaceholderData && !query.isFetching,
  }
}

/** A preset of the controller, and the host's answer to it before anything is changed. */
export function PresetSection({ virtualDrive, value, policies, onChange }: PresetSectionProps) {
  const { t } = useTranslation()
  const controller = useQuery(controllerQuery(virtualDrive.controller_id))
  const { result, error, isCurrent } = usePolicyPreview(virtualDrive, value, policies)
  return (
    <>
      <PresetSelect presets={controller.data?.presets ?? []} value={value} onChange={onChange} />
      {value !== null && !result && !error && <p role="status">{t('policy.outcomePending')}</p>}
      {value !== null && error && <ProblemNotice problem={problemOf(error)} />}
      {result && (
        <div aria-busy={!isCurrent}>
          <PolicyOutcome {...result} />
        </div>
      )}
    </>
  )
}

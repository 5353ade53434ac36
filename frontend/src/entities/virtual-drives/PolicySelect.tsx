import { NativeSelect } from '@mantine/core'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { POLICY_OPTIONS, type PolicyName } from './policy-options'

interface PolicySelectProps<Name extends PolicyName> {
  name: Name
  label: string
  description?: string | undefined
  value: (typeof POLICY_OPTIONS)[Name][number]
  onChange: (value: (typeof POLICY_OPTIONS)[Name][number]) => void
}

/** A choice that puts data at risk says so where it is made. */
function riskOf(value: string): string | undefined {
  return value === 'always_write_back' ? i18n.t('policy.riskLoss') : undefined
}

export function PolicySelect<Name extends PolicyName>(props: PolicySelectProps<Name>) {
  const options: readonly string[] = POLICY_OPTIONS[props.name]
  return (
    <NativeSelect
      label={props.label}
      description={props.description ?? riskOf(props.value)}
      value={props.value}
      data={options.map((value) => ({ value, label: word('policyWord', value) }))}
      onChange={(event) => {
        const { value } = event.currentTarget
        if (options.includes(value)) {
          props.onChange(value as (typeof POLICY_OPTIONS)[Name][number])
        }
      }}
    />
  )
}

import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './ConfirmDialog.module.css'
import { Notice } from './Notice'

/**
 * Three grades of danger.
 * - `plain`: can be undone; one button.
 * - `consent`: takes redundancy or changes a promise; the consequences must be ticked.
 * - `typed`: destroys data; the name (or serial number) of the thing must be typed.
 */
export type Grade =
  | { kind: 'plain' }
  | { kind: 'consent'; label: string }
  | { kind: 'typed'; expected: string; label: string }

interface ConfirmDialogProps {
  opened: boolean
  title: string
  /** The verb and its object, never "OK": "Delete archive". */
  verb: string
  grade: Grade
  consequences?: string[]
  /** What it is about, above the consequences. */
  children?: ReactNode
  /** Choices that go with it, below the consequences. */
  options?: ReactNode
  /** What went wrong with the last try; the dialog stays open. */
  failure?: ReactNode
  pending: boolean
  /** False while what was entered cannot be done. */
  complete?: boolean
  onConfirm: (typed: string) => void
  onClose: () => void
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} size="lg">
      {/* Mounted with the dialog only, so that what was typed never outlives it. */}
      {props.opened && <ConfirmForm {...props} />}
    </Modal>
  )
}

function ConfirmForm(props: ConfirmDialogProps) {
  const { grade, consequences = [], complete = true } = props
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [consented, setConsented] = useState(false)
  const [mismatch, setMismatch] = useState(false)
  const ready = complete && (grade.kind !== 'consent' || consented)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (props.pending || !ready) return
    if (grade.kind === 'typed' && typed !== grade.expected) {
      setMismatch(true)
      return
    }
    props.onConfirm(typed)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {props.children}
        {consequences.length > 0 && (
          <Notice tone={grade.kind === 'typed' ? 'crit' : 'warn'}>
            <ul>
              {consequences.map((consequence) => (
                <li key={consequence}>{consequence}</li>
              ))}
            </ul>
          </Notice>
        )}
        {props.options}
        {grade.kind === 'consent' && (
          <Checkbox
            label={grade.label}
            checked={consented}
            onChange={(event) => setConsented(event.currentTarget.checked)}
          />
        )}
        {grade.kind === 'typed' && (
          <TextInput
            label={grade.label}
            description={
              <>
                {t('confirm.type')} <code className={classes.expected}>{grade.expected}</code>
              </>
            }
            value={typed}
            error={mismatch ? t('confirm.mismatch', { expected: grade.expected }) : undefined}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setMismatch(false)
            }}
          />
        )}
        {props.failure}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            type="submit"
            {...(grade.kind === 'plain' ? {} : { color: 'red' })}
            loading={props.pending}
            disabled={!ready}
          >
            {props.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/test/render'
import { ConfirmDialog, type Grade } from './ConfirmDialog'

function open(grade: Grade) {
  const onConfirm = vi.fn()
  const view = renderUi(
    <ConfirmDialog
      opened
      title="Delete archive"
      verb="Delete it"
      grade={grade}
      consequences={['All data are lost.']}
      pending={false}
      onConfirm={onConfirm}
      onClose={() => {}}
    />,
  )
  return { ...view, onConfirm, verb: () => screen.getByRole('button', { name: 'Delete it' }) }
}

describe('ConfirmDialog', () => {
  it('confirms the plain grade with one click', async () => {
    const { user, onConfirm, verb } = open({ kind: 'plain' })
    await user.click(verb())
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('wants the consequences ticked in the second grade', async () => {
    const { user, onConfirm, verb } = open({ kind: 'consent', label: 'I know' })
    expect(verb()).toBeDisabled()
    await user.click(screen.getByRole('checkbox', { name: 'I know' }))
    await user.click(verb())
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('refuses another name in the third grade, and says so', async () => {
    const { user, onConfirm, verb } = open({ kind: 'typed', expected: 'archive', label: 'Name' })
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Archive')
    await user.click(verb())
    expect(onConfirm).not.toHaveBeenCalled()
    expect(screen.getByText(/This is not “archive”/)).toBeVisible()
  })

  it('passes the typed name on when it is right, also by Enter', async () => {
    const { user, onConfirm } = open({ kind: 'typed', expected: 'archive', label: 'Name' })
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'archive{Enter}')
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith('archive')
  })

  it('lists what will happen', () => {
    open({ kind: 'plain' })
    expect(screen.getByText('All data are lost.')).toBeVisible()
  })
})

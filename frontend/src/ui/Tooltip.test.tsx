import { Modal } from '@mantine/core'
import { screen, waitForElementToBeRemoved } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/test/render'
import { Tooltip } from './Tooltip'

const show = (label: string | undefined, onFocus = vi.fn()) =>
  renderUi(
    <Tooltip label={label}>
      <button type="button" onFocus={onFocus}>
        Size
      </button>
    </Tooltip>,
  )
const button = () => screen.getByRole('button', { name: 'Size' })

describe('a tooltip', () => {
  it('shows with the focus of the keyboard and describes its element', async () => {
    const onFocus = vi.fn()
    const { user } = show('512 bytes', onFocus)
    expect(button()).not.toHaveAccessibleDescription()
    await user.tab()
    expect(onFocus).toHaveBeenCalledOnce()
    expect(screen.getByRole('tooltip')).toHaveTextContent('512 bytes')
    expect(button()).toHaveAccessibleDescription('512 bytes')
    await user.tab()
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument()
  })

  it('shows under a pointer, which may rest on it, and goes with the pointer', async () => {
    const { user } = show('512 bytes')
    await user.hover(button())
    const tooltip = await screen.findByRole('tooltip')
    await user.hover(tooltip)
    await new Promise((done) => setTimeout(done, 300))
    expect(tooltip).toBeInTheDocument()
    await user.unhover(tooltip)
    await waitForElementToBeRemoved(tooltip)
  })

  it('is closed by Escape', async () => {
    const { user } = show('512 bytes')
    await user.tab()
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument()
    expect(button()).toHaveFocus()
  })

  it('leaves the dialog that it is in open', async () => {
    const onClose = vi.fn()
    const { user } = renderUi(
      <Modal opened onClose={onClose} withCloseButton={false}>
        <Tooltip label="512 bytes">
          <button type="button">Size</button>
        </Tooltip>
      </Modal>,
    )
    button().blur()
    await user.tab()
    expect(screen.getByRole('tooltip')).toBeInTheDocument()
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument()
    expect(onClose).not.toHaveBeenCalled()
    await user.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('stays after a tap until the next one elsewhere', async () => {
    const { user } = show('512 bytes')
    await user.pointer([{ keys: '[TouchA]', target: button() }])
    const tooltip = await screen.findByRole('tooltip')
    await new Promise((done) => setTimeout(done, 300))
    expect(tooltip).toBeInTheDocument()
    await user.pointer([{ keys: '[TouchA]', target: document.body }])
    expect(tooltip).not.toBeInTheDocument()
  })

  it('is not there without a text', async () => {
    const { user } = show(undefined)
    await user.tab()
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument()
  })
})

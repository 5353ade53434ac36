import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/test/render'
import { ActionButton } from './ActionButton'
import { theme } from './theme/theme'

describe('ActionButton', () => {
  it('acts when nothing stands against it', async () => {
    const onClick = vi.fn()
    const { user } = renderUi(<ActionButton onClick={onClick}>Pull</ActionButton>)
    await user.click(screen.getByRole('button', { name: 'Pull' }))
    expect(onClick).toHaveBeenCalledOnce()
  })

  it('stays reachable, does nothing, and tells why when blocked', async () => {
    const onClick = vi.fn()
    const { user } = renderUi(
      <ActionButton onClick={onClick} blockedReason="The host is offline.">
        Pull
      </ActionButton>,
    )
    await user.tab()
    const button = screen.getByRole('button', { name: 'Pull' })
    expect(button).toHaveFocus()
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(button).toHaveAccessibleDescription('The host is offline.')
    await user.keyboard('{Enter}')
    await user.click(button)
    expect(onClick).not.toHaveBeenCalled()
    expect(await screen.findByRole('tooltip')).toHaveTextContent('The host is offline.')
  })

  it('keeps the focus when the action becomes possible, and when it is no longer', async () => {
    const pull = (blockedReason?: string) => (
      <MantineProvider theme={theme} env="test">
        <ActionButton blockedReason={blockedReason}>Pull</ActionButton>
      </MantineProvider>
    )
    const { rerender } = render(pull('The host is offline.'))
    await userEvent.tab()
    for (const reason of [undefined, 'The host is offline again.']) {
      rerender(pull(reason))
      expect(screen.getByRole('button', { name: 'Pull' })).toHaveFocus()
    }
  })
})

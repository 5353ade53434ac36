import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderUi } from '@/test/render'
import { type ActionItem, ActionList } from './ActionList'

const item = (id: string, blockedReason?: string) => ({
  id,
  label: id,
  explanation: `Does ${id}.`,
  blockedReason,
  onClick: () => undefined,
})

const names = () => screen.getAllByRole('listitem').map((each) => each.textContent)

it('shows what is possible, and the rest with its reasons on demand', async () => {
  const { user } = renderUi(
    <ActionList items={[item('a', 'Busy.'), item('b'), item('c', 'Gone.')]} />,
  )
  expect(names()).toEqual(['bDoes b.'])
  await user.click(screen.getByRole('button', { name: 'Show 2 actions that are not possible now' }))
  expect(names()).toEqual(['aBusy.', 'bDoes b.', 'cGone.'])
  expect(screen.queryByRole('button', { name: /not possible now/ })).toBeNull()
})

it('keeps what was possible in its place, and adds what becomes possible', () => {
  const list = (items: ActionItem[]) => (
    <MantineProvider env="test">
      <ActionList items={items} />
    </MantineProvider>
  )
  const { rerender } = render(list([item('a', 'Busy.'), item('b')]))
  rerender(list([item('a'), item('b', 'Gone.')]))
  expect(names()).toEqual(['aDoes a.', 'bGone.'])
})

it('says why where nothing at all is possible', () => {
  renderUi(<ActionList items={[item('a', 'Busy.')]} />)
  expect(names()).toEqual(['aBusy.'])
})

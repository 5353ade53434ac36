import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderUi } from '@/test/render'
import { PageTabs } from './PageTabs'

const TABS = ['first', 'second', 'third'] as const
type Id = (typeof TABS)[number]

function Page({ start }: { start?: Id }) {
  const [value, setValue] = useState<Id | undefined>(start)
  const tabs = TABS.map((id) => ({
    id,
    label: `The ${id}`,
    count: id === 'third' ? 2 : 0,
    render: () => <p>{`All of the ${id}`}</p>,
  }))
  return <PageTabs label="Parts" tabs={tabs} value={value} onChange={setValue} />
}

it('shows the first one, and only that', () => {
  renderUi(<Page />)
  expect(screen.getByRole('tablist', { name: 'Parts' })).toBeVisible()
  expect(screen.getByRole('tab', { name: 'The first' })).toHaveAttribute('aria-selected', 'true')
  expect(screen.getByRole('tabpanel', { name: 'The first' })).toHaveTextContent('All of the first')
  expect(screen.queryByText('All of the second')).toBeNull()
  expect(screen.getByRole('tab', { name: 'The third 2' })).toBeVisible()
})

it('follows the arrow keys, Home and End', async () => {
  const { user } = renderUi(<Page start="second" />)
  await user.tab()
  expect(screen.getByRole('tab', { name: 'The second' })).toHaveFocus()
  await user.keyboard('{ArrowRight}')
  expect(screen.getByText('All of the third')).toBeVisible()
  await user.keyboard('{Home}{Enter}')
  expect(screen.getByText('All of the first')).toBeVisible()
  await user.keyboard('{End}{Enter}')
  expect(screen.getByText('All of the third')).toBeVisible()
})

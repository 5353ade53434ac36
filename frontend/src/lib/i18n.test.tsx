import { screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '@/test/render'
import { formatBytes, formatDateTime, formatRelative } from './format'
import { startLanguage } from './i18n'

afterEach(async () => {
  await startLanguage('en')
})

describe('language', () => {
  it('is that of words, numbers and dates', async () => {
    await startLanguage('de')
    expect(document.documentElement.lang).toBe('de')
    expect(formatBytes(1_250_000)).toBe('1,25 MB')
    expect(formatDateTime('2026-03-05T10:00:00Z')).toContain('März 2026')
    expect(formatRelative(0, 180_000)).toBe('vor 3 Minuten')
    renderApp('/')
    expect(await screen.findByRole('heading', { name: 'Flotte' })).toBeVisible()
  })

  it('is not used before it is known', async () => {
    vi.resetModules()
    const { i18n } = await import('./i18n')
    const t = vi.spyOn(i18n, 't')
    await import('@/App')
    expect(t).not.toHaveBeenCalled()
  })
})

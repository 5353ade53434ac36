import { screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '@/test/render'
import { formatBytes, formatDateTime, formatRelative } from './format'
import { startLanguage } from './i18n'
import { preferredLanguage } from './language'

afterEach(async () => {
  await startLanguage('en')
})

describe('language', () => {
  it('is the first of the browser that there is, unless one was chosen', () => {
    const languages = vi.spyOn(navigator, 'languages', 'get')
    languages.mockReturnValue(['fr-CH', 'de-CH', 'en'])
    expect(preferredLanguage()).toBe('de')
    languages.mockReturnValue(['fr', 'it'])
    expect(preferredLanguage()).toBe('en')
    localStorage.setItem('arraywright-language', 'de')
    expect(preferredLanguage()).toBe('de')
    localStorage.setItem('arraywright-language', 'tlh')
    expect(preferredLanguage()).toBe('en')
  })

  it('is that of words, numbers and dates', async () => {
    await startLanguage('de')
    expect(document.documentElement.lang).toBe('de')
    expect(formatBytes(1_250_000)).toBe('1,25 MB')
    expect(formatDateTime('2026-03-05T10:00:00Z')).toContain('März 2026')
    expect(formatRelative(0, 180_000)).toBe('vor 3 Minuten')
    renderApp('/')
    expect(await screen.findByRole('heading', { name: 'Flotte' })).toBeVisible()
  })
})

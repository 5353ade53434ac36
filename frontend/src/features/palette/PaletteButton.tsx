import { useHotkeys } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './PaletteButton.module.css'

// Not before somebody looks for something: the first page does not wait for it.
const Palette = lazy(() => import('./Palette').then((module) => ({ default: module.Palette })))

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** Opens the search over everything; a key does so from any page. */
export function PaletteButton() {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  // Also while a field has the focus.
  useHotkeys([['mod+K', () => setOpen(true)]], [])
  return (
    <>
      <button
        type="button"
        className={classes.button}
        aria-label={t('palette.open')}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Search size={16} aria-hidden />
        <span className={classes.text}>{t('palette.find')}</span>
        {/* Drawn by its style, so that it is no part of the name that one says to press it. */}
        <span aria-hidden className={classes.keys} data-keys={KEYS} />
      </button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

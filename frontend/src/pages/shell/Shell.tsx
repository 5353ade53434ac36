import { ActionIcon } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PaletteButton } from '@/features/palette/PaletteButton'
import { Logo } from '@/ui/Logo'
import { LiveBadge } from './LiveBadge'
import { LiveProvider } from './live-status'
import { Navigation } from './Navigation'
import classes from './Shell.module.css'
import { ThemeButton } from './ThemeButton'
import { UserMenu } from './UserMenu'
import { useRouteFocus } from './use-route-focus'

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const announced = useRouteFocus()
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  // Remembers on which page the menu was opened, so that a navigation closes it.
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const menuButton = useRef<HTMLButtonElement>(null)
  const isOpen = openedAt === pathname

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !isOpen) return
    setOpenedAt(null)
    menuButton.current?.focus()
  }

  return (
    <LiveProvider>
      <a href="#content" className={classes.skip}>
        {t('shell.skip')}
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from anywhere in it */}
      <div className={classes.shell} onKeyDown={onKeyDown}>
        <header className={classes.header}>
          <ActionIcon
            ref={menuButton}
            variant="subtle"
            color="gray"
            size="lg"
            className={classes.menuButton ?? ''}
            aria-label={isOpen ? t('shell.closeMenu') : t('shell.openMenu')}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpenedAt(isOpen ? null : pathname)}
          >
            {isOpen ? <X size={20} aria-hidden /> : <MenuIcon size={20} aria-hidden />}
          </ActionIcon>
          <Link to="/" className={classes.home} aria-label={t('shell.product')}>
            <Logo />
          </Link>
          <div className={classes.tools}>
            <PaletteButton />
            <LiveBadge />
            <ThemeButton />
            <UserMenu />
          </div>
        </header>
        <div id="navigation" className={classes.sidebar} data-open={isOpen}>
          <Navigation />
        </div>
        <main id="content" tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
      <div aria-live="polite" className={classes.announcer}>
        {announced}
      </div>
    </LiveProvider>
  )
}

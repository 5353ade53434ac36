import type { NavigateOptions } from '@tanstack/react-router'
import type { Found, FoundKind } from '@/api/find'
import type { PageOf } from '@/api/types'
import { i18n } from '@/lib/i18n'

export interface Entry {
  key: string
  title: string
  details?: string
  to: NavigateOptions
  /** Leads to the list with what is not shown here. */
  isMore?: boolean
}

export interface Section {
  title: string
  entries: Entry[]
}

/** Pages that need no role. */
const PAGES = [
  ['fleet', '/'],
  ['virtualDrives', '/virtual-drives'],
  ['groups', '/drive-groups'],
  ['drives', '/drives'],
  ['batteries', '/batteries'],
  ['alerts', '/alerts'],
  ['operations', '/operations'],
  ['events', '/events'],
  ['lab', '/lab'],
  ['tokens', '/tokens'],
  ['account', '/account'],
] as const

export function pageSection(q: string): Section {
  const entries = PAGES.map(([name, to]) => ({
    key: `page${to}`,
    title: i18n.t(`shell.${name}`),
    to: { to },
  }))
  const words = q.toLowerCase()
  return {
    title: i18n.t('palette.pages'),
    entries: entries.filter(({ title }) => title.toLowerCase().includes(words)),
  }
}

const OPENS: Record<FoundKind, (id: string) => NavigateOptions> = {
  hosts: (hostId) => ({ to: '/hosts/$hostId', params: { hostId } }),
  drives: (driveId) => ({ to: '/drives/$driveId', params: { driveId } }),
  'drive-groups': (groupId) => ({ to: '/drive-groups/$groupId', params: { groupId } }),
  'virtual-drives': (virtualDriveId) => ({
    to: '/virtual-drives/$virtualDriveId',
    params: { virtualDriveId },
  }),
  batteries: (batteryId) => ({ to: '/batteries/$batteryId', params: { batteryId } }),
}

const LISTS = {
  hosts: '/',
  drives: '/drives',
  'drive-groups': '/drive-groups',
  'virtual-drives': '/virtual-drives',
  batteries: '/batteries',
} as const

export function foundSection(kind: FoundKind, q: string, page: PageOf<Found>): Section {
  const entries: Entry[] = page.items.map(({ id, title, details }) => ({
    key: `${kind}/${id}`,
    title,
    details: details.filter(Boolean).join(' · '),
    to: OPENS[kind](id),
  }))
  if (page.next_cursor !== null) {
    const rest = page.total === null ? undefined : page.total - entries.length
    entries.push({
      key: `${kind}/more`,
      title:
        rest === undefined
          ? i18n.t('palette.moreUncounted')
          : i18n.t('palette.more', { count: rest }),
      to: { to: LISTS[kind], search: { q } },
      isMore: true,
    })
  }
  return { title: i18n.t(`palette.kind.${kind}`), entries }
}

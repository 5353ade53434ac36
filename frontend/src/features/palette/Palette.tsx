import { Modal, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SHORTEST } from '@/api/find'
import { useWords } from '@/lib/use-words'
import classes from './Palette.module.css'
import type { Entry, Section } from './sections'
import { useSections } from './use-sections'

/** Finds a page or an object by a part of what it is called, and opens it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal opened onClose={onClose} title={t('palette.title')} size="lg" padding="md">
      <Finder onClose={onClose} />
    </Modal>
  )
}

function Finder({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const id = useId()
  const router = useRouter()
  const [typed, setTyped] = useState('')
  const q = useWords(typed) ?? ''
  // Other words find other things: the first of them is chosen.
  const [chosen, setChosen] = useState({ q, index: 0 })
  const index = chosen.q === q ? chosen.index : 0
  const { sections, isPending, failed } = useSections(q)
  const entries = sections.flatMap((section) => section.entries)
  // What is found later may be shorter than what was chosen in.
  const active = entries[Math.min(index, entries.length - 1)]
  const idOf = (entry: Entry) => `${id}-${entry.key}`

  function open(entry: Entry) {
    onClose()
    void router.navigate(entry.to)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && active) {
      event.preventDefault()
      const next = (entries.indexOf(active) + step + entries.length) % entries.length
      setChosen({ q, index: next })
      const entry = entries[next]
      if (entry) document.getElementById(idOf(entry))?.scrollIntoView({ block: 'nearest' })
    }
    if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) {
      event.preventDefault()
      open(active)
    }
  }

  return (
    <>
      <TextInput
        data-autofocus
        mt={4}
        type="search"
        size="md"
        aria-label={t('palette.label')}
        placeholder={t('palette.placeholder')}
        leftSection={<Search size={17} aria-hidden />}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={active ? idOf(active) : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {entries.length > 0 && (
        <div id={`${id}-found`} role="listbox" aria-label={t('palette.found')}>
          {sections.map((section) => (
            <SectionView key={section.title} {...{ section, active, idOf, open }} />
          ))}
        </div>
      )}
      <p className={classes.note} role="status">
        {note()}
      </p>
    </>
  )

  function note() {
    if (failed) return t('palette.failed')
    if (isPending) return t('common.loading')
    if (q !== '' && q.length < SHORTEST) return t('palette.tooShort', { count: SHORTEST })
    if (q !== '' && entries.length === 0) return t('palette.none', { words: q })
    return q === '' ? t('palette.hint') : ''
  }
}

interface SectionViewProps {
  section: Section
  active: Entry | undefined
  idOf: (entry: Entry) => string
  open: (entry: Entry) => void
}

function SectionView({ section, active, idOf, open }: SectionViewProps) {
  const headingId = useId()
  return (
    <div role="group" aria-labelledby={headingId} className={classes.section}>
      <p id={headingId} className={classes.heading}>
        {section.title}
      </p>
      {section.entries.map((entry) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
        <div
          key={entry.key}
          id={idOf(entry)}
          role="option"
          tabIndex={-1}
          aria-selected={entry === active}
          className={classes.entry}
          data-more={entry.isMore}
          onClick={() => open(entry)}
        >
          <span className={classes.name}>{entry.title}</span>
          {entry.details && <span className={classes.details}>{entry.details}</span>}
        </div>
      ))}
    </div>
  )
}

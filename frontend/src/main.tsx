import '@/ui/styles'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguage } from '@/lib/i18n'
import { preferredLanguage } from '@/lib/language'
import { App } from './App'

async function start() {
  const root = document.getElementById('root')
  if (root === null) throw new Error('the page has no #root')
  // Better in English than not at all.
  await startLanguage(preferredLanguage()).catch(() => startLanguage('en'))
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

void start()

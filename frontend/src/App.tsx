import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createQueryClient } from '@/api/query-client'
import { noteSession } from '@/api/session'
import { cspNonce, shareCspNonce } from '@/lib/csp-nonce'
import { createAppRouter } from '@/router'
import { Toasts } from '@/ui/Toasts'
import { cssVariablesResolver, theme } from '@/ui/theme/theme'

// The key is read by the script in index.html too.
const colorSchemeManager = localStorageColorSchemeManager({ key: 'arraywright-color-scheme' })

shareCspNonce()

// The layout of the pages notices, and leads to the login page.
const queryClient = createQueryClient(() => noteSession(queryClient, null))
const router = createAppRouter(queryClient)

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={cspNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  )
}

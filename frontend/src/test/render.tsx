import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { createQueryClient } from '@/api/query-client'
import { createAppRouter } from '@/router'
import { Toasts } from '@/ui/Toasts'
import { theme } from '@/ui/theme/theme'

/** Components of the UI kit: no routes, no server. */
export function renderUi(children: ReactNode) {
  const user = userEvent.setup()
  const view = render(
    <MantineProvider theme={theme} env="test">
      {children}
    </MantineProvider>,
  )
  return { user, ...view }
}

/** The console at an address, against the mocked server. */
export function renderApp(address: string) {
  const user = userEvent.setup()
  const client = createQueryClient(() => {})
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } })
  const router = createAppRouter(client)
  router.update({
    ...router.options,
    history: createMemoryHistory({ initialEntries: [address] }),
  })
  const view = render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { user, client, router, ...view }
}

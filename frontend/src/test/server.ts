import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { Command } from '@/api/types'
import * as make from './factories'
import { catalogue, choicePrediction } from './factories-lab'

/** The whole server by default: one host with a RAID 5 of four drives and four free ones. */
const page = <Item>(items: Item[]) => ({ items, next_cursor: null, total: items.length })
export const api = (path: string) => `http://localhost/api/v1${path}`

export const list = <Item>(path: string, items: Item[]) =>
  http.get(api(path), () => HttpResponse.json(page(items)))

/** A list that answers as it is asked; keeps what it was asked. */
export function askedList<Item>(
  path: string,
  answer: (asked: URLSearchParams) => {
    items: Item[]
    next_cursor?: string | null
    total?: number | null
  },
) {
  const asked: URLSearchParams[] = []
  const handler = http.get(api(path), ({ request }) => {
    const params = new URL(request.url).searchParams
    asked.push(params)
    return HttpResponse.json({ next_cursor: null, total: null, ...answer(params) } as never)
  })
  return { handler, asked }
}

export const get = <Body>(path: string, body: Body) =>
  http.get(api(path), () => HttpResponse.json(body as never))

export const refuse = (
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  status: number,
  code: string,
  detail: string,
) =>
  http[method](api(path), () =>
    HttpResponse.json(make.problem(status, code, detail), {
      status,
      headers: { 'Content-Type': 'application/problem+json' },
    }),
  )

/** Answers and keeps what was sent. */
export function record<Body>(
  method: 'post' | 'patch' | 'delete',
  path: string,
  answer: Body,
  status = 200,
) {
  const requests: { body: unknown; headers: Headers }[] = []
  const handler = http[method](api(path), async ({ request }) => {
    const text = await request.text()
    requests.push({ body: text === '' ? undefined : JSON.parse(text), headers: request.headers })
    return HttpResponse.json(answer as never, { status })
  })
  return { handler, requests }
}

/** A command that ends otherwise than well while its request waits. */
export function recordEnd(method: 'post' | 'patch' | 'delete', path: string, command: Command) {
  const { code = command.state, text = '' } = command.reason ?? {}
  const problem = { ...make.problem(409, code, text), command }
  return record(method, path, problem, 409)
}

const drives = [
  ...[0, 1, 2, 3].map((slot) => make.member(slot)),
  ...[4, 5, 6, 7].map((slot) => make.drive(slot)),
]

export const server = setupServer(
  get('/auth/session', make.session()),
  get('/version', { version: '0.1.0', protocol: 1, server_id: 's', demo: false }),
  get('/fleet', make.fleet()),
  list('/hosts', [make.host()]),
  get('/hosts/:id', make.host()),
  list('/controllers', [make.controller()]),
  list('/enclosures', [make.enclosure()]),
  list('/drives', drives),
  http.get(api('/drives/:id'), ({ params }) =>
    HttpResponse.json(drives.find((drive) => drive.id === params.id)),
  ),
  list('/drive-groups', [make.group()]),
  get('/drive-groups/:id', make.group()),
  list('/virtual-drives', [make.virtualDrive()]),
  get('/virtual-drives/:id', make.virtualDrive()),
  refuse('get', '/virtual-drives/:id/latency', 422, 'unknown_command', 'Not known.'),
  refuse('get', '/drives/:id/latency', 422, 'unknown_command', 'Not known.'),
  list('/batteries', []),
  get('/batteries/:id', make.battery()),
  get('/controllers/:id', make.controller({ cache: make.cache() })),
  get('/metrics/history', make.history()),
  get('/lab/catalogue', catalogue()),
  list('/lab/scenarios', []),
  http.post(api('/lab/choices'), () => HttpResponse.json(choicePrediction())),
  list('/operations', []),
  list('/events', [make.event(1)]),
  list('/alerts', []),
  list('/users', [make.user()]),
  list('/api-tokens', []),
  list('/enrolment-tokens', []),
)

import type { LiveItem } from './live/protocol'

/**
 * The one place that says what makes an answer of the server old. Each resource names the objects
 * whose changes touch it; nobody else decides what is asked again. Query keys are made here too, so
 * that there is no query without a row in this table.
 */

/**
 * What touches a resource besides objects of the stream.
 * `command`: a command of this tab has ended. `presence`: a host has come or gone, which changes what
 * is possible with its objects though none of them has a new revision.
 */
export type Cause = LiveItem['kind'] | 'command_ended' | 'presence'

interface Rule {
  /** An object of these kinds touches the lists, and of the details only its own. */
  own?: Cause[]
  /** These touch whatever is held of the resource. */
  any?: Cause[]
}

export const RESOURCES = {
  session: { any: ['user'] },
  version: {},

  fleet: { any: ['host', 'alert', 'presence'] },
  hosts: { own: ['host'] },
  'enrolment-tokens': { any: ['enrolment_token', 'host'] },

  controllers: { own: ['controller'], any: ['presence'] },
  enclosures: { own: ['enclosure'], any: ['presence'] },
  drives: { own: ['drive'], any: ['presence'] },
  'drive-groups': { own: ['drive_group'], any: ['presence'] },
  'virtual-drives': { own: ['virtual_drive'], any: ['presence'] },
  batteries: { own: ['battery'], any: ['presence'] },

  operations: { own: ['operation'], any: ['presence'] },
  commands: { own: ['command'], any: ['presence'] },
  events: { any: ['event', 'presence'] },
  alerts: { own: ['alert'], any: ['presence'] },

  // The host answers these itself: from what it has, and only while it is there.
  preview: {
    any: ['host', 'controller', 'drive', 'drive_group', 'virtual_drive', 'battery', 'presence'],
  },
  'policy-preview': { any: ['controller', 'virtual_drive', 'battery', 'presence'] },
  foreign: { any: ['controller', 'drive_group', 'command_ended', 'presence'] },
  undo: { any: ['controller', 'drive_group', 'virtual_drive', 'command_ended', 'presence'] },
  latency: { any: ['command_ended', 'presence'] },
  'bad-blocks': { own: ['drive', 'virtual_drive'], any: ['presence'] },
  // A sample a minute: asked again by the clock.
  metrics: { any: ['presence'] },

  users: { any: ['user'] },
  'api-tokens': { any: ['api_token', 'user'] },
  audit: {
    any: ['command', 'host', 'alert', 'user', 'api_token', 'enrolment_token', 'saved_scenario'],
  },

  // A simulation is the same tomorrow.
  'lab-catalogue': {},
  'lab-choice': {},
  'lab-measured': {},
  'lab-simulation': {},
  'lab-saved': { any: ['saved_scenario'] },
} satisfies Record<string, Rule>

export type Resource = keyof typeof RESOURCES
export type ResourceKey = readonly [Resource, 'list' | 'detail', ...unknown[]]

declare module '@tanstack/react-query' {
  interface Register {
    queryKey: ResourceKey
  }
}

/** All of it, or what a filter leaves of it. */
export const list = (resource: Resource, ...filter: unknown[]): ResourceKey => [
  resource,
  'list',
  ...filter,
]

/** Of one object; `part` says what of it. */
export const detail = (resource: Resource, id: string, ...part: unknown[]): ResourceKey => [
  resource,
  'detail',
  id,
  ...part,
]

/** What a command may change of its host. The stream tells too, but perhaps later. */
export const COMMAND_CAUSES: Cause[] = [
  'controller',
  'drive',
  'drive_group',
  'virtual_drive',
  'battery',
  'operation',
  'command_ended',
]

const ruleOf = (key: ResourceKey): Rule => RESOURCES[key[0]]

/** Whether a cause touches what is held under a key; `id`: of the object, if it has one. */
export function touches(cause: Cause, key: ResourceKey, id?: string): boolean {
  const { own = [], any = [] } = ruleOf(key)
  const [, shape, held] = key
  if (any.includes(cause)) return true
  return own.includes(cause) && (shape !== 'detail' || id === undefined || held === id)
}

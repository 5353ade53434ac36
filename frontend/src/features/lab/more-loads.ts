import type { LabCatalogue, Load, WorkloadModel } from '@/api/types'

/** A measurement has at most so many loads, one after the other. */
export const LOADS_MAX = 8

export const OWN = 'own'
export const OWN_PATTERNS = ['random', 'sequential'] as const
export type OwnPattern = (typeof OWN_PATTERNS)[number]
export const OWN_BYTES = [512, 4096, 8192, 16384, 65536, 131072, 262144, 1048576] as const
export const OWN_DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const

export const STEP_AXES = ['mixes', 'write_percents', 'workers', 'depths'] as const
export type StepAxis = (typeof STEP_AXES)[number]
/** Which step of each axis, by its place. */
export type Steps = Record<StepAxis, number>

export interface OwnLoad {
  pattern: OwnPattern
  bytes: number
  writePercent: number
  depth: number
}

/*
 * As it stands in the address: the name of a workload and the places of its steps, or what the load
 * is. "w01-database/0.3.0.4", "own/random/8192/33/16"
 */
const NAMED = /^([a-z0-9-]{1,32})\/(\d{1,2})\.(\d{1,2})\.(\d{1,2})\.(\d{1,2})$/
const OWN_LOAD = /^own\/(random|sequential)\/(\d{3,7})\/(\d{1,3})\/(\d{1,4})$/

export const namedText = (name: string, at: Steps) =>
  `${name}/${STEP_AXES.map((axis) => at[axis]).join('.')}`

export const ownText = ({ pattern, bytes, writePercent, depth }: OwnLoad) =>
  `${OWN}/${pattern}/${bytes}/${writePercent}/${depth}`

/** Written as a load is; whether there is such a workload the catalogue says. */
export const isLoadText = (text: string) =>
  OWN_LOAD.test(text) ? ownLoad(text) !== undefined : NAMED.test(text)

export function readMore(value: unknown): string[] | undefined {
  const given = (Array.isArray(value) ? value : [value]).filter(
    (each): each is string => typeof each === 'string' && isLoadText(each),
  )
  const known = [...new Set(given)].slice(0, LOADS_MAX)
  return known.length > 0 ? known : undefined
}

export function ownOf(text: string): OwnLoad | undefined {
  const load = ownLoad(text)
  const [block] = load?.blocks ?? []
  return (
    load &&
    block && {
      pattern: load.pattern as OwnPattern,
      bytes: block.bytes,
      writePercent: load.write_percent ?? 0,
      depth: load.depth ?? 1,
    }
  )
}

function ownLoad(text: string): Load | undefined {
  const [, pattern, ...numbers] = OWN_LOAD.exec(text) ?? []
  const [bytes = 0, writePercent = 0, depth = 0] = numbers.map(Number)
  if (pattern === undefined || bytes < 512 || bytes > 1 << 20 || bytes % 512 !== 0) return undefined
  if (writePercent > 100 || depth < 1 || depth > 1024) return undefined
  return {
    pattern: pattern as OwnPattern,
    blocks: [{ bytes, percent: 100 }],
    write_percent: writePercent,
    workers: 1,
    depth,
    zone_bytes: 0,
    start_bytes: 0,
    file_bytes: 0,
  }
}

export function loadOf(workload: WorkloadModel, at: Steps): Load | undefined {
  const blocks = workload.mixes[at.mixes]
  const write_percent = workload.write_percents[at.write_percents]
  const workers = workload.workers[at.workers]
  const depth = workload.depths[at.depths]
  if (!blocks || write_percent === undefined || !workers || !depth) return undefined
  const { zone_bytes, start_bytes, file_bytes } = workload
  return {
    pattern: workload.pattern as Load['pattern'],
    blocks,
    write_percent,
    workers,
    depth,
    zone_bytes,
    start_bytes,
    file_bytes,
  }
}

export interface MoreLoad {
  text: string
  load: Load
  /** Of the reviews; undefined: one's own. */
  workload: WorkloadModel | undefined
}

/** Which workload of the reviews it is, and where in its steps; undefined: one's own. */
export function namedLoad(text: string) {
  const [, name, ...places] = NAMED.exec(text) ?? []
  const [mixes = 0, write_percents = 0, workers = 0, depths = 0] = places.map(Number)
  return name === undefined ? undefined : { name, at: { mixes, write_percents, workers, depths } }
}

/** Undefined if it names what the catalogue does not have. */
export function moreLoad(text: string, catalogue: LabCatalogue | undefined): MoreLoad | undefined {
  const own = ownLoad(text)
  if (own) return { text, load: own, workload: undefined }
  const named = namedLoad(text)
  const workload = catalogue?.workloads.find((each) => each.name === named?.name)
  const load = workload && named && loadOf(workload, named.at)
  return load && { text, load, workload }
}

/** What is known of them. */
export const moreLoads = (texts: readonly string[], catalogue: LabCatalogue | undefined) =>
  texts.map((text) => moreLoad(text, catalogue)).filter((load) => load !== undefined)

import type { LabCatalogue, Scenario } from '@/api/types'
import { cacheOf, ioPolicyOf, policiesOf, quirksOf } from './controller-choices'
import {
  EFFORTS,
  type Effort,
  FILLS,
  type LabChoices,
  type LabSearch,
  readLabSearch,
} from './search'

const MIB = 1 << 20

/** The first of every other drive: of mirrors not both halves. Whether that is survived the
 * simulation says. */
export function failedMembers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index * 2)
}

export const effortOf = (efforts: Record<Effort, number>, operations: number | undefined) =>
  (Object.keys(efforts) as Effort[]).find((each) => efforts[each] === operations)

/** What to simulate; undefined if a model or load of the address does not exist. */
export function toScenario(choices: LabChoices, catalogue: LabCatalogue): Scenario | undefined {
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  const drive = catalogue.drives.find(({ name }) => name === choices.drive)
  const load = catalogue.workloads.find(({ name }) => name === choices.load)
  const [firstLevel] = choices.levels
  const [firstCount] = choices.counts
  if (!controller || !drive || !load || !firstLevel || !firstCount) return undefined
  const operations = EFFORTS[choices.effort]
  return {
    seed: 1,
    controller: {
      profile: controller.name,
      count: Number(choices.controllers),
      cache_bytes: cacheOf(choices, controller) * MIB,
      expander_bytes_per_s: choices.expander,
      quirks: quirksOf(choices, controller),
    },
    drives: {
      profile: drive.name,
      count: Number(firstCount),
      write_cache: choices.driveCache === 'on',
      failed: [],
    },
    array: {
      level: firstLevel,
      strip_bytes: choices.strip,
      write_policy: 'write_through',
      read_policy: choices.reading,
      io_policy: ioPolicyOf(choices, controller),
    },
    sweep: {
      levels: choices.levels,
      drive_counts: choices.counts.map(Number),
      write_policies: policiesOf(choices, controller),
      failures: choices.failures.map((count) => failedMembers(Number(count))),
    },
    workloads: [{ profile: load.name }],
    limits: {
      operations,
      warmup_operations: operations,
      fill_operations: FILLS[choices.effort],
      seconds: 3600,
    },
    rebuild: true,
  }
}

/** The choices that lead to a scenario; what the form has no place for is left out. */
export function searchOf(scenario: Scenario): LabSearch {
  const { controller, drives, array, sweep, workloads, limits } = scenario
  return readLabSearch({
    controller: controller.profile,
    drive: drives.profile,
    counts: sweep?.drive_counts ?? [drives.count],
    levels: sweep?.levels ?? [array.level],
    policies: sweep?.write_policies ?? [array.write_policy],
    failures: (sweep?.failures ?? [[]]).map((failed) => failed.length),
    reading: array.read_policy,
    io: array.io_policy,
    driveCache: drives.write_cache === false ? 'off' : 'on',
    strip: array.strip_bytes,
    cache: controller.cache_bytes == null ? undefined : controller.cache_bytes / MIB,
    expander: controller.expander_bytes_per_s,
    controllers: controller.count,
    quirks: controller.quirks,
    load: workloads[0]?.profile,
    effort: effortOf(EFFORTS, limits?.operations),
  })
}

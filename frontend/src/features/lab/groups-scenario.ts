import type { AnyScenario, GroupsScenario, LabCatalogue, ScenarioGroup } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { cacheOf } from './controller-choices'
import { groupText, type SideGroup, type TroubleKind } from './group-text'
import { moreLoad, namedText, OWN, ownText, STEP_AXES, type Steps } from './more-loads'
import { effortOf } from './scenario'
import { GROUP_EFFORTS, type LabChoices, type LabSearch, readLabSearch } from './search'

const MIB = 1 << 20
type Workload = ScenarioGroup['workload']

/** A group without a name is called by its place. */
export const nameOf = (group: SideGroup, index: number) =>
  group.name.trim() || i18n.t('lab.groups.unnamed', { number: index + 1 })

/** The first drive has it, from its beginning. */
function troubleOf({ trouble, amount }: SideGroup): Pick<ScenarioGroup, 'faults' | 'rebuild'> {
  const member = 0
  switch (trouble) {
    case 'none':
      return { faults: [] }
    case 'slow':
      return { faults: [{ kind: 'slow', member, latency_ms: amount }] }
    case 'fails':
      return { faults: [{ kind: 'fails', member, after_ms: amount }] }
    case 'latent':
      return {
        faults: [{ kind: 'latent_errors', member, offset_bytes: 0, length_bytes: amount * MIB }],
      }
    case 'rebuild':
      return { faults: [], rebuild: { member, rate_percent: amount } }
  }
}

function workloadOf(text: string, catalogue: LabCatalogue): Workload | undefined {
  const found = moreLoad(text, catalogue)
  if (!found) return undefined
  const { workload, load } = found
  const step = {
    mixes: [load.blocks],
    write_percents: [load.write_percent ?? 0],
    workers: [load.workers ?? 1],
    depths: [load.depth ?? 1],
  }
  return workload
    ? { profile: workload.name, ...step }
    : { name: OWN, pattern: load.pattern, ...step }
}

/** What to simulate; undefined if a model or load of the address does not exist. */
export function toGroupsScenario(
  choices: LabChoices,
  groups: readonly SideGroup[],
  catalogue: LabCatalogue,
): GroupsScenario | undefined {
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  if (!controller) return undefined
  const cacheMib = cacheOf(choices, controller)
  const asked = groups.flatMap((group, index): ScenarioGroup[] => {
    const workload = workloadOf(group.load, catalogue)
    if (!workload || !catalogue.drives.some(({ name }) => name === group.drive)) return []
    return [
      {
        name: nameOf(group, index),
        drives: { profile: group.drive, count: group.count, write_cache: true, failed: [] },
        array: {
          level: group.level,
          strip_bytes: group.strip,
          // Without a cache every write goes through, and nothing that was read is kept.
          write_policy: cacheMib > 0 ? group.writing : 'write_through',
          read_policy: group.reading,
          io_policy: cacheMib > 0 ? group.io : 'direct',
        },
        workload,
        ...troubleOf(group),
      },
    ]
  })
  if (asked.length < groups.length) return undefined
  const operations = GROUP_EFFORTS[choices.effort]
  return {
    seed: 1,
    controller: {
      profile: controller.name,
      cache_bytes: cacheMib * MIB,
      expander_bytes_per_s: choices.expander,
    },
    groups: asked,
    limits: {
      operations,
      warmup_operations: operations,
      // No more of them; but whether that fills a cache is said then.
      fill_operations: operations,
      seconds: 3600,
    },
    alone: true,
  }
}

/* Back into the address */

function troubleIn({ faults, rebuild }: ScenarioGroup): [TroubleKind, number] {
  const [fault] = faults
  if (rebuild) return ['rebuild', rebuild.rate_percent]
  switch (fault?.kind) {
    case 'slow':
      return ['slow', fault.latency_ms]
    case 'fails':
      return ['fails', fault.after_ms]
    case 'latent_errors':
      return ['latent', Math.max(1, Math.round(fault.length_bytes / MIB))]
    case undefined:
      return ['none', 0]
  }
}

function loadIn(workload: Workload, catalogue: LabCatalogue): string {
  const { profile, pattern, mixes, write_percents, depths } = workload
  const model = catalogue.workloads.find(({ name }) => name === profile)
  if (!model) {
    return ownText({
      pattern: pattern === 'sequential' ? pattern : 'random',
      bytes: mixes?.[0]?.[0]?.bytes ?? 4096,
      writePercent: write_percents?.[0] ?? 0,
      depth: depths?.[0] ?? 1,
    })
  }
  const places = STEP_AXES.map((axis) => {
    const step = JSON.stringify(workload[axis]?.[0])
    return [
      axis,
      Math.max(
        0,
        model[axis].findIndex((each) => JSON.stringify(each) === step),
      ),
    ]
  })
  return namedText(model.name, Object.fromEntries(places) as Steps)
}

function groupIn(group: ScenarioGroup, catalogue: LabCatalogue): SideGroup {
  const { name, drives, array, workload } = group
  const [trouble, amount] = troubleIn(group)
  return {
    name,
    drive: drives.profile,
    count: drives.count,
    level: array.level,
    strip: array.strip_bytes,
    writing: array.write_policy === 'write_through' ? 'write_through' : 'write_back',
    reading: array.read_policy,
    io: array.io_policy,
    load: loadIn(workload, catalogue),
    trouble,
    amount,
  }
}

/** The choices that lead to a scenario; what the form has no place for is left out. */
export function groupsSearchOf(scenario: GroupsScenario, catalogue: LabCatalogue): LabSearch {
  const { controller, groups, limits } = scenario
  return readLabSearch({
    view: 'groups',
    controller: controller.profile,
    cache: controller.cache_bytes == null ? undefined : controller.cache_bytes / MIB,
    expander: controller.expander_bytes_per_s,
    effort: effortOf(GROUP_EFFORTS, limits.operations),
    groups: groups.map((group) => groupText(groupIn(group, catalogue))),
  })
}

/** A refusal names its place in the scenario; on the page a group is called by its name. */
export function refusalText(problem: string, scenario: AnyScenario): string {
  const [, index, rest = '', sentence] =
    /^groups(?:\[(\d+)\])?\.?([\w.[\]]*): (.+)$/su.exec(problem) ?? []
  if (!sentence) return problem
  const name = 'groups' in scenario && index ? scenario.groups[Number(index)]?.name : undefined
  return [[name, rest].filter(Boolean).join(', '), sentence].filter(Boolean).join(': ')
}

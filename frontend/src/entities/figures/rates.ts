import type { CountSample } from '@/api/figures'

export const RATE_KINDS = ['read', 'write', 'flush'] as const
export type RateKind = (typeof RATE_KINDS)[number]

/** Two answers closer to each other say nothing: a single request would look like many. */
const APART_MS = 2000

export interface Rate {
  /** When the interval that it is the mean of has ended, in seconds. */
  at: number
  perSecond: number
}

/** The host tells the time by a clock that is set now and then: a little earlier or later is the same. */
function isAnew(before: CountSample, after: CountSample): boolean {
  return Date.parse(after.since) - Date.parse(before.since) > APART_MS
}

/** How many requests of a kind there were in a second, for each interval between two samples. */
export function ratesOf(samples: CountSample[], kind: RateKind): Rate[] {
  const rates: Rate[] = []
  let before: CountSample | undefined
  for (const sample of samples) {
    // Somebody has started the counters anew: nothing is known of what was in between.
    if (before === undefined || isAnew(before, sample) || sample[kind] < before[kind]) {
      before = sample
      continue
    }
    const passed = sample.at - before.at
    if (passed < APART_MS) continue
    rates.push({
      at: sample.at / 1000,
      perSecond: ((sample[kind] - before[kind]) * 1000) / passed,
    })
    before = sample
  }
  return rates
}

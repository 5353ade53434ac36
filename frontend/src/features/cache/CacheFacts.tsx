import { useTranslation } from 'react-i18next'
import type { Cache, Controller } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatBytes, formatPercent, formatRate } from '@/lib/format'
import { reasonText } from '@/lib/told'
import { Facts } from '@/ui/Facts'
import { Meter } from '@/ui/Meter'
import { Bytes } from '@/ui/Quantity'
import classes from './CachePage.module.css'

/** Near the limit writers are slowed. */
const TIGHT = 0.9

export function CacheContent({ cache }: { cache: Cache }) {
  const { t } = useTranslation()
  const isTight = cache.dirty_bytes > cache.dirty_limit_bytes * TIGHT
  const measured = cache.destage_measured_bytes_per_s
  return (
    <Facts
      facts={[
        {
          label: t('cache.fill'),
          value: (
            <Meter
              label={t('cache.fill')}
              text={t('cache.fillValue', {
                used: formatBytes(cache.used_bytes),
                size: formatBytes(cache.size_bytes),
              })}
              value={cache.used_bytes}
              max={cache.size_bytes}
            />
          ),
        },
        {
          label: t('cache.dirty'),
          value: (
            <>
              <Meter
                label={t('cache.dirty')}
                text={t('cache.dirtyValue', {
                  dirty: formatBytes(cache.dirty_bytes),
                  limit: formatBytes(cache.dirty_limit_bytes),
                })}
                value={cache.dirty_bytes}
                max={cache.dirty_limit_bytes}
                tone={isTight ? 'warn' : 'info'}
              />
              <p className={classes.help}>{reasonText(cache.dirty_limit_reason)}</p>
            </>
          ),
        },
        {
          label: t('cache.hit'),
          value:
            cache.read_hit_percent === null
              ? t('cache.hitNone')
              : formatPercent(cache.read_hit_percent),
        },
        {
          label: t('cache.destage'),
          value:
            measured === null
              ? formatRate(cache.destage_bytes_per_s)
              : t('cache.measured', {
                  now: formatRate(cache.destage_bytes_per_s),
                  measured: formatRate(measured),
                }),
        },
      ]}
    />
  )
}

interface CacheAboutProps {
  cache: Cache
  rule: Controller['no_battery_rule']
}

export function CacheAbout({ cache, rule }: CacheAboutProps) {
  const { t } = useTranslation()
  const survives = [
    cache.survives_agent && t('cache.survivesAgent'),
    cache.survives_power_loss && t('cache.survivesPower'),
  ].filter(Boolean)
  return (
    <Facts
      facts={[
        {
          label: t('cache.state'),
          value: (
            <>
              {word('cacheState', cache.state)}
              {cache.state_reason && (
                <p className={classes.help}>{reasonText(cache.state_reason)}</p>
              )}
            </>
          ),
        },
        { label: t('cache.medium'), value: word('cacheMedium', cache.medium) },
        { label: t('cache.size'), value: <Bytes bytes={cache.size_bytes} /> },
        {
          label: t('cache.survives'),
          value: survives.length > 0 ? survives.join(', ') : t('cache.survivesNothing'),
        },
        {
          label: t('cache.stable'),
          value: cache.stable ? t('cache.stableYes') : t('cache.stableNo'),
        },
        ...(rule ? [{ label: t('cache.rule'), value: t(`cache.rules.${rule}`) }] : []),
      ]}
    />
  )
}

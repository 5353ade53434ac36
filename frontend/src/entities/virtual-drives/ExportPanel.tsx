import { SegmentedControl } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Export, VirtualDrive } from '@/api/types'
import { CopyLine } from '@/ui/CopyLine'
import { Panel } from '@/ui/Panel'
import { deviceCommands, exportCommands } from './export-commands'
import classes from './VirtualDrivePage.module.css'

/** What is exported: a virtual drive, or a stripe over several. */
type Exported = Pick<VirtualDrive, 'name' | 'path' | 'block_bytes' | 'exports'>

interface ExportPanelProps {
  of: Exported
  /** Said when it is not exported. */
  none: ReactNode
}

export function ExportPanel({ of, none }: ExportPanelProps) {
  const { t } = useTranslation()
  return (
    <Panel title={t('vd.use')}>
      {of.exports.length === 0 && <p>{none}</p>}
      {of.exports.map((each) =>
        each.kind === 'ublk' ? (
          <DeviceView key={each.uri} of={of} path={each.uri} />
        ) : (
          <ExportView key={each.uri} of={of} export_={each} />
        ),
      )}
    </Panel>
  )
}

function ExportView({ of, export_ }: { of: Exported; export_: Export }) {
  const { t } = useTranslation()
  const [way, setWay] = useState<'kernel' | 'fuse'>('kernel')
  const commands = exportCommands(of, export_)
  const kind = export_.kind === 'nbd_tcp' ? 'nbd_tcp' : 'nbd_unix'
  const lines = [
    { label: t('vd.command.address'), text: commands.uri },
    { label: t('vd.command.info'), text: commands.info },
    { label: t('vd.command.copyIn'), text: commands.copyIn },
    { label: t('vd.command.copyOut'), text: commands.copyOut },
  ]
  const steps = [
    way === 'kernel'
      ? { label: t('vd.command.attachKernel'), text: commands.attachKernel }
      : { label: t('vd.command.attachFuse'), text: commands.attachFuse },
    { label: t('vd.command.mkfs'), text: commands.mkfs[way] },
    { label: t('vd.command.mount'), text: commands.mount[way] },
    way === 'kernel'
      ? { label: t('vd.command.detachKernel'), text: commands.detachKernel }
      : { label: t('vd.command.detachFuse'), text: commands.detachFuse },
  ]
  return (
    <div className={classes.export}>
      <h3 className={classes.exportHead}>
        {t(`vd.exportKind.${kind}`)}
        <span>{t('vd.connections', { count: export_.connections })}</span>
      </h3>
      <CommandLines lines={lines} />
      <SegmentedControl
        mt="md"
        mb="xs"
        size="sm"
        aria-label={t('vd.tab')}
        value={way}
        onChange={(value) => setWay(value === 'fuse' ? 'fuse' : 'kernel')}
        data={[
          { value: 'kernel', label: t('vd.kernel') },
          { value: 'fuse', label: t('vd.fuse') },
        ]}
      />
      <CommandLines lines={steps} />
    </div>
  )
}

/** A block device that is there already: nothing to attach. */
function DeviceView({ of, path }: { of: Exported; path: string }) {
  const { t } = useTranslation()
  const commands = deviceCommands(of, path)
  return (
    <div className={classes.export}>
      <h3 className={classes.exportHead}>{t('vd.exportKind.ublk')}</h3>
      <CommandLines
        lines={[
          { label: t('vd.command.mkfs'), text: commands.mkfs },
          { label: t('vd.command.mount'), text: commands.mount },
        ]}
      />
    </div>
  )
}

function CommandLines({ lines }: { lines: { label: string; text: string }[] }) {
  return (
    <ul className={classes.commands}>
      {lines.map((line) => (
        <li key={line.label}>
          <span className={classes.commandLabel}>{line.label}</span>
          <CopyLine label={line.label} text={line.text} />
        </li>
      ))}
    </ul>
  )
}

import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { word } from '@/entities/states/words'
import { type HostStripe, type Place, placesOf } from '@/entities/stripes/stripes'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'

function columns(): Column<Place>[] {
  return [
    {
      id: 'position',
      header: i18n.t('stripe.columns.position'),
      isRowHeader: true,
      cell: ({ position }) => String(position + 1),
    },
    {
      id: 'name',
      header: i18n.t('stripe.columns.name'),
      cell: ({ member }) =>
        member === null ? (
          i18n.t('stripe.absent')
        ) : (
          <Link to="/virtual-drives/$virtualDriveId" params={{ virtualDriveId: member.id }}>
            {member.name || member.path}
          </Link>
        ),
    },
    {
      id: 'path',
      header: i18n.t('stripe.columns.path'),
      cell: ({ member }) => (member ? <code>{member.path}</code> : '–'),
    },
    {
      id: 'level',
      header: i18n.t('stripe.columns.level'),
      cell: ({ member }) => (member ? word('raidLevel', member.level) : '–'),
    },
    {
      id: 'size',
      header: i18n.t('stripe.columns.size'),
      align: 'end',
      cell: ({ member }) => (member ? <Bytes bytes={member.size_bytes} /> : '–'),
    },
    {
      id: 'state',
      header: i18n.t('stripe.columns.state'),
      grow: true,
      cell: ({ member }) => (member ? <VirtualDriveStatus state={member.state} /> : '–'),
    },
  ]
}

export function PlacesTable({ stripe }: { stripe: HostStripe }) {
  const { t } = useTranslation()
  return (
    <DataTable
      label={t('stripe.members')}
      columns={columns()}
      rows={placesOf(stripe)}
      rowId={({ position, member }) => member?.id ?? String(position)}
    />
  )
}

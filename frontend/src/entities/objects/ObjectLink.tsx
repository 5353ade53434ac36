import { Link } from '@tanstack/react-router'

interface ObjectLinkProps {
  kind: string
  id: string
  text: string
}

/** An object by its name, with the way to its page if it has one. */
export function ObjectLink({ kind, id, text }: ObjectLinkProps) {
  switch (kind) {
    case 'host':
      return (
        <Link to="/hosts/$hostId" params={{ hostId: id }}>
          {text}
        </Link>
      )
    case 'controller':
      return (
        <Link to="/controllers/$controllerId/cache" params={{ controllerId: id }}>
          {text}
        </Link>
      )
    case 'drive':
      return (
        <Link to="/drives/$driveId" params={{ driveId: id }}>
          {text}
        </Link>
      )
    case 'drive_group':
      return (
        <Link to="/drive-groups/$groupId" params={{ groupId: id }}>
          {text}
        </Link>
      )
    case 'virtual_drive':
      return (
        <Link to="/virtual-drives/$virtualDriveId" params={{ virtualDriveId: id }}>
          {text}
        </Link>
      )
    case 'battery':
      return (
        <Link to="/batteries/$batteryId" params={{ batteryId: id }}>
          {text}
        </Link>
      )
    default:
      return <>{text}</>
  }
}

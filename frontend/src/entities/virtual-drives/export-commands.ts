import type { Export, VirtualDrive } from '@/api/types'
import { shellQuote } from '@/lib/shell'

/** The commands to use an export with stock tools; each is ready to be pasted. */
export interface ExportCommands {
  uri: string
  info: string
  copyIn: string
  copyOut: string
  attachKernel: string
  detachKernel: string
  attachFuse: string
  detachFuse: string
  mkfs: { kernel: string; fuse: string }
  mount: { kernel: string; fuse: string }
}

const NBD_DEVICE = '/dev/nbd0'

/** "nbd+unix:///name?socket=/run/x" or "nbd://host:port/name" as nbd-client wants it. */
export function nbdClientTarget(uri: string): string[] {
  const url = new URL(uri)
  const name = decodeURIComponent(url.pathname.replace(/^\/+/, ''))
  const named = name === '' ? [] : ['-N', shellQuote(name)]
  if (url.protocol.startsWith('nbd+unix') || url.protocol.startsWith('nbds+unix')) {
    return ['-unix', shellQuote(url.searchParams.get('socket') ?? ''), ...named]
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return [shellQuote(host), url.port || '10809', ...named]
}

export function exportCommands(
  virtualDrive: Pick<VirtualDrive, 'name' | 'path' | 'block_bytes'>,
  { uri }: Pick<Export, 'uri'>,
): ExportCommands {
  const name = virtualDrive.name || virtualDrive.path.replaceAll('/', '')
  const quoted = shellQuote(uri)
  const target = nbdClientTarget(uri).join(' ')
  const mountPoint = shellQuote(`/mnt/${name}`)
  const fuseFile = shellQuote(`/run/${name}.nbd`)
  const pidFile = shellQuote(`/run/${name}.pid`)
  const loop = `/run/${name}.loop`
  const loopDevice = `"$(cat ${shellQuote(loop)})"`
  return {
    uri,
    info: `nbdinfo ${quoted}`,
    copyIn: `nbdcopy image.raw ${quoted}`,
    copyOut: `nbdcopy ${quoted} image.raw`,
    attachKernel: `modprobe nbd && nbd-client -b ${virtualDrive.block_bytes} ${target} ${NBD_DEVICE}`,
    detachKernel: `umount ${mountPoint}; nbd-client -d ${NBD_DEVICE}`,
    attachFuse: [
      // A pid file of the last time would say too early that it is ready.
      `rm -f ${pidFile} && touch ${fuseFile} && nbdfuse --pidfile ${pidFile} ${fuseFile} ${quoted} &`,
      `until test -s ${pidFile}; do sleep 0.1; done; losetup --find --show --sector-size ${virtualDrive.block_bytes} ${fuseFile} > ${shellQuote(loop)}`,
    ].join('\n'),
    detachFuse: `umount ${mountPoint}; losetup -d ${loopDevice}; fusermount3 -u ${fuseFile}; rm -f ${fuseFile} ${pidFile} ${shellQuote(loop)}`,
    mkfs: { kernel: `mkfs.ext4 ${NBD_DEVICE}`, fuse: `mkfs.ext4 ${loopDevice}` },
    mount: {
      kernel: `mkdir -p ${mountPoint} && mount ${NBD_DEVICE} ${mountPoint}`,
      fuse: `mkdir -p ${mountPoint} && mount ${loopDevice} ${mountPoint}`,
    },
  }
}

/** The same for a block device that is there already. */
export function deviceCommands(
  virtualDrive: Pick<VirtualDrive, 'name' | 'path'>,
  path: string,
): { mkfs: string; mount: string } {
  const mountPoint = shellQuote(
    `/mnt/${virtualDrive.name || virtualDrive.path.replaceAll('/', '')}`,
  )
  return {
    mkfs: `mkfs.ext4 ${shellQuote(path)}`,
    mount: `mkdir -p ${mountPoint} && mount ${shellQuote(path)} ${mountPoint}`,
  }
}

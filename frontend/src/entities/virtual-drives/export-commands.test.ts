import { describe, expect, it } from 'vitest'
import { deviceCommands, exportCommands, nbdClientTarget } from './export-commands'

const drive = { name: 'archive', path: '/c0/v0', block_bytes: 4096 }

describe('commands to use an export', () => {
  const unix = { uri: 'nbd+unix:///archive?socket=/run/arraywright/nbd.sock' }

  it('quotes the address, which carries a question mark', () => {
    expect(exportCommands(drive, unix).info).toBe(
      "nbdinfo 'nbd+unix:///archive?socket=/run/arraywright/nbd.sock'",
    )
  })

  it('passes the block size of the virtual drive', () => {
    const commands = exportCommands(drive, unix)
    expect(commands.attachKernel).toContain(
      'nbd-client -b 4096 -unix /run/arraywright/nbd.sock -N archive /dev/nbd0',
    )
    expect(commands.attachFuse).toContain('--sector-size 4096')
  })

  it('takes host, port and name of a network address apart', () => {
    expect(nbdClientTarget('nbd://127.0.0.1:10809/archive')).toEqual([
      '127.0.0.1',
      '10809',
      '-N',
      'archive',
    ])
    expect(nbdClientTarget('nbd://[::1]/a')).toEqual(['::1', '10809', '-N', 'a'])
  })

  it('mounts by name, or by path when there is none', () => {
    expect(exportCommands(drive, unix).mount.kernel).toContain('/mnt/archive')
    expect(exportCommands({ ...drive, name: '' }, unix).mount.kernel).toContain('/mnt/c0v0')
  })

  it('uses a block device as it is', () => {
    expect(deviceCommands(drive, '/dev/ublkb3')).toEqual({
      mkfs: 'mkfs.ext4 /dev/ublkb3',
      mount: 'mkdir -p /mnt/archive && mount /dev/ublkb3 /mnt/archive',
    })
  })
})

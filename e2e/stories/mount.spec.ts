import { existsSync } from 'node:fs';
import { expect, test } from '../support/fixtures.ts';
import { paste } from '../support/storage.ts';

// The commands on the page are pasted as they stand, through FUSE and a loop device, which need
// root and /dev/fuse.
test('the commands shown on the page attach, format and mount the virtual drive', async ({
  console,
  page,
}) => {
  test.skip(process.getuid?.() !== 0 || !existsSync('/dev/fuse'), 'needs root and /dev/fuse');
  const name = 'mounted';
  await console.createArray({ host: 'beta', level: 'RAID 1', slots: [0, 1], name });
  await console.openTab('Use it');
  await page.getByText('Without it', { exact: true }).click();
  const line = async (label: RegExp) => page.getByRole('group', { name: label }).innerText();
  const attach = await line(/^Attach without kernel support/);
  const format = await line(/^Make a file system/);
  const mount = await line(/^Mount it/);
  const detach = await line(/^When done/);
  let isMounted = false;
  try {
    await paste(attach);
    await paste(`${format.replace('mkfs.ext4', 'mkfs.ext4 -q')}\n${mount}`);
    isMounted = true;
    await paste(`seq 1 200000 > /mnt/${name}/numbers && sync`);
    expect(await paste(`sha256sum < /mnt/${name}/numbers`)).toBe(
      await paste('seq 1 200000 | sha256sum'),
    );
  } finally {
    // What went wrong before counts more than what cannot be undone then.
    const undone = paste(`set +e; ${detach}; rmdir /mnt/${name}`);
    await (isMounted ? undone : undone.catch(() => undefined));
  }
  await page.reload();
  await console.deleteArray(name);
});

import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { run, scratchFolder } from '../support/storage.ts';

// Two drives are taken out of one host and put into another one.
test('an array moves with its drives: it is looked at, imported and holds its data', async ({
  console,
  page,
  stack,
}) => {
  const address = () => console.address();
  const folder = await scratchFolder();
  const written = join(folder, 'written');
  const read = join(folder, 'read');
  await writeFile(written, 'moved with its drives, byte by byte\n'.padEnd(64).repeat(4096));
  await console.createArray({ host: 'beta', level: 'RAID 1', slots: [0, 1], name: 'moved' });
  await run('nbdcopy', '--flush', written, await address());
  await expect(page.getByText('Yes: parity or mirror is known to match.')).toBeVisible({ timeout: 120_000 });

  await stack.do('stop_agent', 'beta');
  await stack.do('stop_agent', 'alpha');
  const drive = (host: string, slot: number) =>
    join(dirname(stack.host(host).controlSocket), 'drives', `slot${slot}.img`);
  await copyFile(drive('beta', 0), drive('alpha', 6));
  await copyFile(drive('beta', 1), drive('alpha', 7));
  await console.openHost('alpha');
  await expect(page.getByText('This host is offline')).toBeVisible({ timeout: 30_000 });
  await stack.do('start_agent', 'alpha');
  await expect(page.getByText('This host is offline')).toBeHidden({ timeout: 30_000 });

  await console.openTab('Controllers');
  await page.getByRole('link', { name: 'Look for them' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Foreign/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /^moved RAID1 .* Optimal .* moved/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /e252\/s[67] .* Member, in sync/ })).toHaveCount(2);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await accessibilityViolations(page)).toEqual([]);

  await console.act('Import moved');
  const dialog = page.getByRole('dialog', { name: 'Import moved' });
  await expect(dialog).toContainText(/becomes a drive group of this controller/);
  await dialog.getByRole('button', { name: 'Import moved' }).click();
  await expect(page.getByText('No foreign configurations')).toBeVisible();

  await console.openHost('alpha');
  await page.getByRole('link', { name: 'moved' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'moved' })).toBeVisible();
  await run('nbdcopy', await address(), read);
  const [mine, theirs] = await Promise.all([readFile(written), readFile(read)]);
  expect(theirs.subarray(0, mine.length).equals(mine)).toBe(true);
  await console.deleteArray('moved');

  // The first host still has the drives they were copied from.
  await console.openHost('beta');
  await expect(page.getByText('This host is offline')).toBeVisible();
  await stack.do('start_agent', 'beta');
  await expect(page.getByText('This host is offline')).toBeHidden({ timeout: 30_000 });
  await page.getByRole('link', { name: 'moved' }).first().click();
  await console.deleteArray('moved');
  await rm(folder, { recursive: true, force: true });
});

// Drives of a Linux host that ran md itself. What runs there on is refused, and says what to do.
test('an array of Linux md is looked at, taken over where it lies, and holds its data', async ({
  console,
  page,
  stack,
}) => {
  const folder = await scratchFolder();
  const written = join(folder, 'written');
  const read = join(folder, 'read');
  await writeFile(written, 'written through md, read through us\n'.padEnd(64).repeat(262_144));
  await stack.plugMdMirror('beta', {
    slots: [4, 5],
    name: 'lake:data',
    content: written,
    clean: true,
  });
  await stack.plugMdMirror('beta', {
    slots: [6, 7],
    name: 'lake:busy',
    content: written,
    clean: false,
  });
  await stack.do('stop_agent', 'beta');
  await console.openHost('beta');
  await expect(page.getByText('This host is offline')).toBeVisible({ timeout: 30_000 });
  await stack.do('start_agent', 'beta');
  await expect(page.getByText('This host is offline')).toBeHidden({ timeout: 30_000 });

  await console.openTab('Controllers');
  await page.getByRole('link', { name: 'Look for them' }).click();
  await expect(page.getByRole('row', { name: /^lake:data RAID1 .* Optimal .* data/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /e252\/s[45] .* Member, in sync/ })).toHaveCount(2);
  await expect(page.getByRole('row', { name: /^lake:busy RAID1/ })).toContainText(
    'Optimal, redundancy out of step',
  );
  const busy = page.getByRole('button', { name: 'Import lake:busy' });
  await expect(busy).toHaveAttribute('aria-disabled', 'true');
  await expect(busy).toHaveAccessibleDescription(/not finished a resynchronization.*mdstat/);
  expect(await accessibilityViolations(page)).toEqual([]);

  await console.act('Import lake:data');
  const dialog = page.getByRole('dialog', { name: 'Import lake:data' });
  await expect(dialog).toContainText(/The md superblocks are taken off/);
  await dialog.getByRole('button', { name: 'Import lake:data' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: /^lake:data/ })).toBeHidden();

  await console.openHost('beta');
  await page.getByRole('link', { name: 'data', exact: true }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'data' })).toBeVisible();
  await run('nbdcopy', await console.address(), read);
  const [mine, theirs] = await Promise.all([readFile(written), readFile(read)]);
  expect(theirs.equals(mine)).toBe(true);
  await console.deleteArray('data');

  const drives = () =>
    Promise.all(
      [6, 7].map((slot) =>
        readFile(join(dirname(stack.host('beta').controlSocket), `md-${slot}.img`)),
      ),
    );
  const before = await drives();
  await test.step('what is not taken over is cleared, once its name is typed', async () => {
    await console.openHost('beta');
    await console.openTab('Controllers');
    await page.getByRole('link', { name: 'Look for them' }).click();
    await console.act('Clear lake:busy');
    const clear = page.getByRole('dialog', { name: 'Clear lake:busy' });
    const button = clear.getByRole('button', { name: 'Clear lake:busy' });
    await clear.getByLabel('Name of the set').fill('lake:data');
    await button.click();
    await expect(clear.getByText(/Nothing was changed/)).toBeVisible();
    expect(await accessibilityViolations(page)).toEqual([]);
    await clear.getByLabel('Name of the set').fill('lake:busy');
    await button.click();
    await expect(clear).toBeHidden();
    await expect(page.getByRole('row', { name: /^lake:busy/ })).toBeHidden();
    await console.openHost('beta');
    await expect(console.bay(6)).toHaveAccessibleName(/unconfigured good/i);
  });
  await test.step('and comes back from the list of what was deleted, byte for byte', async () => {
    await console.openTab('Controllers');
    await page.getByRole('link', { name: 'Restore it' }).click();
    await console.act('Restore lake:busy');
    const restore = page.getByRole('dialog', { name: 'Restore lake:busy' });
    await restore.getByRole('button', { name: 'Restore lake:busy' }).click();
    await expect(restore).toBeHidden();
    await console.openHost('beta');
    await console.openTab('Controllers');
    await page.getByRole('link', { name: 'Look for them' }).click();
    await expect(page.getByRole('row', { name: /^lake:busy RAID1/ })).toBeVisible();
    const now = await drives();
    expect(now.map((bytes, index) => before[index]?.equals(bytes))).toEqual([true, true]);
  });
  await rm(folder, { recursive: true, force: true });
});

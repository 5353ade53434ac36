import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { run, scratchFolder } from '../support/storage.ts';

test('a virtual drive is deleted by mistake and brought back with its data', async ({
  console,
  page,
}) => {
  const address = () => console.address();
  const folder = await scratchFolder();
  const written = join(folder, 'written');
  const read = join(folder, 'read');
  await writeFile(written, 'deleted by mistake, byte by byte\n'.padEnd(64).repeat(4096));
  await console.createArray({ host: 'beta', level: 'RAID 5', slots: [0, 1, 2], name: 'regretted' });
  await run('nbdcopy', '--flush', written, await address());
  await console.deleteArray('regretted');
  await expect(page.getByRole('heading', { level: 1, name: 'beta' })).toBeVisible();

  const list = page.getByRole('table', { name: 'What was deleted' });
  const row = list.getByRole('row', { name: /^regretted Virtual drive and its drive group/ });
  await test.step('it is in the list of what was deleted, and comes back from there', async () => {
    await console.openTab('Controllers');
    await page.getByRole('link', { name: 'Restore it' }).click();
    await expect(row).toHaveAccessibleName(/ Yes Restore regretted$/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await console.act('Restore regretted');
    const dialog = page.getByRole('dialog', { name: 'Restore regretted' });
    await expect(dialog).toContainText(/come back as they were/);
    await dialog.getByRole('button', { name: 'Restore regretted' }).click();
    await expect(dialog).toBeHidden();
    await expect(row).toBeHidden();
  });

  await console.openHost('beta');
  await page.getByRole('link', { name: 'regretted' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'regretted' })).toBeVisible();
  await expect(page.getByText('Optimal').first()).toBeVisible();
  await run('nbdcopy', await address(), read);
  const [mine, theirs] = await Promise.all([readFile(written), readFile(read)]);
  expect(theirs.subarray(0, mine.length).equals(mine)).toBe(true);

  await test.step('once a drive of it is in use again, the list says why not', async () => {
    await console.deleteArray('regretted');
    await console.createArray({ host: 'beta', level: 'RAID 0', slots: [1], name: 'next' });
    const next = page.url();
    await console.openHost('beta');
    await console.openTab('Controllers');
    await page.getByRole('link', { name: 'Restore it' }).click();
    await expect(row).toHaveAccessibleName(/Drive \/c0\/e252\/s1 is in use again/);
    await expect(row.getByRole('button')).toHaveAttribute('aria-disabled', 'true');
    await page.goto(next);
    await console.deleteArray('next');
  });
  await rm(folder, { recursive: true, force: true });
});

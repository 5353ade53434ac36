import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { run, scratchFolder } from '../support/storage.ts';

test('a virtual drive takes the free space behind it and keeps its data', async ({
  console,
  page,
}) => {
  const address = () => console.address();
  const sizeOf = async () => {
    const told = JSON.parse(await run('nbdinfo', '--json', await address())) as {
      exports: { 'export-size': number }[];
    };
    return told.exports[0]?.['export-size'] ?? 0;
  };
  const folder = await scratchFolder();
  const written = join(folder, 'written');
  const read = join(folder, 'read');
  await console.chooseDrives('beta', 'RAID 1', [2, 3]);
  await page.getByLabel('Name', { exact: true }).fill('growing');
  await page.getByRole('radio', { name: 'A part of it' }).check();
  await page.getByLabel('Size in GB').fill('0.02');
  await console.act('Create growing');
  await expect(page.getByRole('heading', { level: 1, name: 'growing' })).toBeVisible();
  const small = await sizeOf();
  expect(small).toBeLessThanOrEqual(20_000_000);
  await writeFile(written, Buffer.alloc(small, 'written before it grew\n'));
  await run('nbdcopy', '--flush', written, await address());

  await console.act('Expand …');
  const dialog = page.getByRole('dialog', { name: 'Expand growing' });
  const button = dialog.getByRole('button', { name: 'Expand growing' });
  await expect(dialog).toContainText('are free directly behind it');
  await expect(button).toBeDisabled();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('checkbox', { name: /cannot be made smaller again/ }).check();
  await button.click();
  await expect(dialog).toBeHidden();
  await expect.poll(sizeOf).toBeGreaterThan(small * 2);
  await page.getByRole('button', { name: /not possible now/ }).click();
  await expect(page.getByRole('button', { name: 'Expand …' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await run('nbdcopy', await address(), read);
  const [mine, theirs] = await Promise.all([readFile(written), readFile(read)]);
  expect(theirs.subarray(0, small).equals(mine)).toBe(true);
  // The new part is initialized first: the end of that is a change that a deletion would meet.
  await page.getByRole('button', { name: /not possible now/ }).click();
  await expect(page.getByText('"growing" is already consistent').first()).toBeVisible();
  await console.deleteArray('growing');
  await rm(folder, { recursive: true, force: true });
});

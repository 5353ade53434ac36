import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { run, scratchFolder } from '../support/storage.ts';

test.use({ hosts: ['alpha'], controllers: 2, demo: true });

// Two controllers, one device: first by the demo's button, then by hand.
test('a stripe over two controllers is built by one button, used, deleted and made by hand', async ({
  console,
  page,
}) => {
  await console.openHost('alpha');
  const scenario = page.getByRole('region', { name: 'Demo: one stripe over two controllers' });
  await scenario.getByRole('button', { name: 'Build all of it' }).click();
  await expect(scenario.getByText('Built', { exact: true })).toHaveCount(3);
  await scenario.getByRole('link', { name: 'Open x25e', exact: true }).click();

  await test.step('its page tells its members and how to use it', async () => {
    await expect(page.getByRole('heading', { level: 1, name: 'x25e' })).toBeVisible();
    await expect(page.getByRole('row', { name: /^1 x25e-0 \/c0\/v0 RAID 0/ })).toBeVisible();
    await expect(page.getByRole('row', { name: /^2 x25e-1 \/c1\/v0 RAID 0/ })).toBeVisible();
    await expect(page.getByText('Stripe x25e created over 2 virtual drives')).toBeVisible();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  await test.step('a member leads to it instead of being exported', async () => {
    await page.getByRole('link', { name: 'x25e-1' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'x25e-1' })).toBeVisible();
    await console.openTab('Use it');
    await expect(page.getByText('It is not exported on its own: use the stripe.')).toBeVisible();
    await console.openTab('Overview');
    await page.getByRole('link', { name: 'x25e', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'x25e', exact: true })).toBeVisible();
  });

  await test.step('deleted, its members stay', async () => {
    await console.act('Delete …');
    const dialog = page.getByRole('dialog', { name: 'Delete stripe x25e' });
    await dialog.getByLabel('Name of the stripe').fill('x25e');
    await dialog.getByRole('button', { name: 'Delete stripe x25e' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'alpha' })).toBeVisible();
    await expect(scenario.getByText('Built', { exact: true })).toHaveCount(2);
  });

  await test.step('by hand, the other way round', async () => {
    await console.act('Create stripe');
    await page.getByRole('checkbox', { name: /^x25e-1/ }).check();
    await page.getByRole('checkbox', { name: /^x25e-0/ }).check();
    await page.getByLabel('Name', { exact: true }).fill('x25e');
    await page.getByLabel('Strip size').selectOption('131072');
    await console.act('Create x25e');
    await expect(page.getByRole('heading', { level: 1, name: 'x25e' })).toBeVisible();
    await expect(page.getByRole('row', { name: /^1 x25e-1 \/c1\/v0/ })).toBeVisible();
    await expect(page.getByText('128 KiB', { exact: true })).toBeVisible();
  });

  await test.step('what is written to it comes back', async () => {
    const folder = await scratchFolder();
    const [written, read] = [join(folder, 'written'), join(folder, 'read')];
    await writeFile(written, 'over both controllers\n'.padEnd(64).repeat(16_384));
    const uri = await page.getByRole('group', { name: 'Address' }).innerText();
    await run('nbdcopy', '--flush', written, uri);
    await run('nbdcopy', uri, read);
    const [mine, theirs] = await Promise.all([readFile(written), readFile(read)]);
    expect(theirs.subarray(0, mine.length).equals(mine)).toBe(true);
    await rm(folder, { recursive: true });
  });
});

import { expect, test } from '../support/fixtures.ts';
import { FileSystemImage, run } from '../support/storage.ts';

test.use({ transferMib: 12 });

// From a bare host to a repaired array: the whole of what the product is for.
test('an array is built, used, loses a drive, is rebuilt and deleted', async ({
  console,
  page,
  stack,
}) => {
  await test.step('both hosts are there with their bays', async () => {
    await expect(page.getByRole('link', { name: 'alpha', exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: 'beta', exact: true })).toBeVisible();
    await console.openHost('alpha');
    for (let slot = 0; slot < 8; slot += 1) {
      await expect(console.bay(slot)).toHaveAccessibleName(/unconfigured good/i);
    }
  });

  await test.step('the wizard says what will come of it', async () => {
    await console.chooseDrives('alpha', 'RAID 5', [0, 1, 2, 3]);
    await page.getByLabel('Strip size').selectOption('65536');
    await page.getByLabel('Name', { exact: true }).fill('data');
    const preview = page.getByRole('region', { name: 'What you get' });
    await expect(preview).toContainText(/any one drive may fail/i);
    await expect(preview).toContainText('usable');
    await expect(preview).toContainText(/add vd/);
    await expect(preview).toContainText(/No cache memory is fitted/);
    await console.act('Create data');
    await expect(page.getByRole('heading', { level: 1, name: 'data' })).toBeVisible();
    await expect(page.getByText('Optimal').first()).toBeVisible();
  });
  const arrayPage = page.url();

  await console.makeSpare('alpha', 4);
  await page.goto(arrayPage);

  const uri = await console.address();
  expect(uri).toContain(stack.host('alpha').nbdSocket);
  const info = JSON.parse(await run('nbdinfo', '--json', uri)) as {
    exports: { 'export-size': number }[];
  };
  const size = info.exports[0]?.['export-size'] ?? 0;
  expect(size).toBeGreaterThan(0);
  const image = await FileSystemImage.make(Math.min(size, 32 * 1024 * 1024));
  await run('nbdcopy', '--flush', image.path, uri);

  await test.step('a member is pulled; everything follows without a reload', async () => {
    await console.openHost('alpha');
    await console.openBay(1);
    await console.act('Pull the drive out');
    await expect(console.bay(4)).toHaveAccessibleName(/rebuild/i);
    await page.goto(arrayPage);
    await expect(page.getByText('Degraded').first()).toBeVisible();
    await expect(page.getByRole('heading', { name: /^Rebuild/ })).toBeVisible();
    await expect(page.getByRole('progressbar', { name: /Rebuild of/ })).toBeVisible();
  });

  await test.step('an alert is open, and resolves itself when the spare has taken over', async () => {
    await page.getByRole('link', { name: /^Alerts/ }).click();
    const degraded = page.getByRole('heading', { name: 'Virtual drive degraded' });
    await expect(degraded).toBeVisible();
    await image.expectOn(uri); // while a member is missing
    await expect(degraded).toBeHidden({ timeout: 60_000 });
    await page.getByRole('button', { name: /^Resolved/ }).click();
    await expect(degraded).toBeVisible();
    await page.goto(arrayPage);
    await expect(page.getByText('Optimal').first()).toBeVisible();
  });
  await image.expectOn(uri);

  await test.step('deleting needs the name, and the right one', async () => {
    await page.goto(arrayPage);
    await console.act('Delete …');
    const dialog = page.getByRole('dialog', { name: 'Delete data' });
    await dialog.getByLabel('Name of the virtual drive').fill('dada');
    await dialog.getByRole('button', { name: 'Delete data' }).click();
    await expect(dialog.getByText(/Nothing was changed/)).toBeVisible();
    await dialog.getByLabel('Name of the virtual drive').fill('data');
    await dialog.getByRole('button', { name: 'Delete data' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'alpha' })).toBeVisible();
    for (const slot of [0, 2, 3, 4]) {
      await expect(console.bay(slot)).toHaveAccessibleName(/unconfigured good/i);
    }
  });
  await image.remove();
});

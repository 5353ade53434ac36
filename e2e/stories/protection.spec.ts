import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { run, scratchFolder } from '../support/storage.ts';

// A cache in shared memory, protected by an emulated battery.
test.use({ hosts: ['alpha'], cacheMib: 16, battery: 'lsi-ibbu01' });

const PAGES = { battery: 'Battery page', cache: 'Cache page' } as const;

test('a battery fails: write-back stops at once, with its reason, and comes back', async ({
  console,
  page,
}) => {
  await console.createArray({ host: 'alpha', level: 'RAID 5', slots: [0, 1, 2], name: 'kept' });
  await console.openTab('Policies');
  const writePolicy = page.getByRole('row', { name: /^Write policy/ });
  await expect(writePolicy).toHaveAccessibleName(/Write-back Write-back/);

  // Somebody else does it; this page is never loaded again.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await test.step('the battery is there, charged and in order', async () => {
    await other.getByRole('link', { name: PAGES.cache }).first().click();
    await expect(other.getByRole('heading', { level: 1, name: 'Cache of /c0' })).toBeVisible();
    await expect(other.getByText('None. Nothing waits for missing drives.')).toBeVisible();
    expect(await accessibilityViolations(other)).toEqual([]);
    await other.getByRole('link', { name: PAGES.battery }).click();
    await expect(other.getByRole('heading', { level: 1, name: 'Battery /c0/bbu' })).toBeVisible();
    await expect(other.getByText('Allowed: this battery protects the cache.')).toBeVisible();
    await expect(other.getByRole('meter', { name: 'Charge' })).toBeVisible();
    expect(await accessibilityViolations(other)).toEqual([]);
  });

  await test.step('it fails; policy, event and alerts follow without a reload', async () => {
    await other.getByRole('button', { name: 'Let it fail' }).click();
    await expect(other.getByText('Not allowed because of this battery.')).toBeVisible();
    await expect(writePolicy).toHaveAccessibleName(/Write-back Write-through/);
    await expect(writePolicy).toContainText('The battery has failed');
    await console.openTab('Events');
    await expect(page.getByRole('row', { name: /Write policy of .* instead of/ })).toBeVisible();
    await page.getByRole('link', { name: /^Alerts/ }).click();
    await expect(page.getByRole('heading', { name: 'Battery failed' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Write policy lowered' })).toBeVisible();
  });

  await test.step('it recovers; everything returns by itself', async () => {
    await other.getByRole('button', { name: 'Clear all faults' }).click();
    await expect(page.getByRole('heading', { name: 'Battery failed' })).toBeHidden({
      timeout: 60_000,
    });
    await expect(page.getByRole('heading', { name: 'Write policy lowered' })).toBeHidden({
      timeout: 60_000,
    });
    await page.goBack();
    await console.openTab('Policies');
    await expect(writePolicy).toHaveAccessibleName(/Write-back Write-back/);
  });
  await other.close();
  await console.deleteArray('kept');
});

test('a write policy is chosen with open eyes', async ({ console, page }) => {
  await console.createArray({ host: 'alpha', level: 'RAID 1', slots: [3, 4], name: 'risky' });
  await console.openTab('Policies');
  const writePolicy = page.getByRole('row', { name: /^Write policy/ });
  await expect(writePolicy).toHaveAccessibleName(/Write-back Write-back/);

  await console.act('Change …');
  const editor = page.getByRole('dialog', { name: 'Change risky' });
  await editor.getByLabel('Write policy').selectOption('always_write_back');
  await editor.getByRole('button', { name: 'Save' }).click();
  const risk = page.getByRole('dialog', { name: 'Always write-back for risky' });
  await expect(risk).toContainText(/A power failure then loses them/);
  const verb = risk.getByRole('button', { name: 'Use always write-back' });
  await expect(verb).toBeDisabled();
  await risk.getByRole('checkbox').check();
  await verb.click();
  await expect(risk).toBeHidden();
  await expect(writePolicy).toHaveAccessibleName(/Always write-back/);

  await console.act('Change …');
  await editor.getByLabel('Write policy').selectOption('write_through');
  await editor.getByRole('button', { name: 'Save' }).click();
  await expect(editor).toBeHidden();
  await expect(writePolicy).toHaveAccessibleName(/Write-through Write-through As requested/);
  await console.deleteArray('risky');
});

test('what waits in the cache for missing drives is kept until somebody lets go of it', async ({
  console,
  page,
  stack,
}) => {
  const alpha = stack.host('alpha');
  const fault = (slot: number, what: string) =>
    run(alpha.arrayctl, '--socket', alpha.controlSocket, `/c0/e252/s${slot}`, 'set', `fault=${what}`);
  await console.createArray({ host: 'alpha', level: 'RAID 0', slots: [5, 6], name: 'pinned' });
  const arrayPage = page.url();
  const uri = await console.address();
  // Written and acknowledged, and the drives are gone before the cache has been emptied.
  const folder = await scratchFolder();
  await writeFile(join(folder, 'data'), 'x'.repeat(65_536));
  await run('nbdcopy', join(folder, 'data'), uri);
  await Promise.all([fault(5, 'pull'), fault(6, 'pull')]);

  await test.step('it is shown, with an alert', async () => {
    await page.getByRole('link', { name: PAGES.cache }).first().click();
    await expect(page.getByRole('row', { name: /^pinned 65.5 kB/ })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Alerts \d+ open/ })).toBeVisible();
  });

  await test.step('discarding needs the name, and the right one', async () => {
    await page.getByRole('button', { name: 'Discard the preserved cache of pinned' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard the preserved cache of pinned' });
    await expect(dialog).toContainText('of acknowledged writes of pinned are lost for good');
    await dialog.getByLabel('Name of the virtual drive').fill('pin');
    await dialog.getByRole('button', { name: /^Discard/ }).click();
    await expect(dialog.getByText(/Nothing was changed/)).toBeVisible();
    await dialog.getByLabel('Name of the virtual drive').fill('pinned');
    await dialog.getByRole('button', { name: /^Discard/ }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('None. Nothing waits for missing drives.')).toBeVisible();
  });

  await page.goto(arrayPage);
  await console.deleteArray('pinned');
  await rm(folder, { recursive: true });
});

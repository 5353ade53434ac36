import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';

// Drives that the story of md leaves alone.
test('a preset sets the policies, when what it gives up is accepted', async ({ console, page }) => {
  const row = (name: string) =>
    page.getByRole('table', { name: 'Policies' }).getByRole('row', { name: new RegExp(`^${name}`) });
  await console.chooseDrives('beta', 'RAID 1', [2, 3]);
  await page.getByLabel('Name', { exact: true }).fill('tuned');
  await page.getByLabel('Preset').selectOption({ label: 'Maximum performance' });
  const create = page.getByRole('button', { name: 'Create tuned' });
  const accept = page.getByRole('checkbox', { name: /what “Maximum performance” gives up/ });
  await expect(page.getByText(/power failure loses what no flush has covered/)).toBeVisible();
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  expect(await accessibilityViolations(page)).toEqual([]);
  await accept.check();
  await console.act('Create tuned');
  await expect(page.getByRole('heading', { level: 1, name: 'tuned' })).toBeVisible();
  await console.openTab('Policies');
  await expect(page.getByText('Preset: Maximum performance')).toBeVisible();
  await expect(row('Drive cache')).toContainText('On');

  await console.act('Change …');
  const dialog = page.getByRole('dialog', { name: 'Change tuned' });
  await dialog.getByLabel('Preset').selectOption({ label: 'Safest' });
  await dialog.getByText('Compare the presets').click();
  const presets = dialog.getByRole('table', { name: 'What each preset does' });
  await expect(presets.getByRole('row', { name: /^Safest/ })).toContainText('Write-through');
  const outcome = dialog.getByRole('table', { name: 'What the host would make of it' });
  await expect(outcome.getByRole('row', { name: /^Write policy/ })).toContainText('Write-through');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Preset: Safest')).toBeVisible();
  await expect(row('Write policy')).toContainText('Write-through');
  await expect(row('Drive cache')).toContainText('Off');
  await expect(row('While degraded')).toContainText('Write-through');
  await console.deleteArray('tuned');
});

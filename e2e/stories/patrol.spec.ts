import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ hosts: ['beta'], transferMib: 10 });

test('a patrol read is started, paused and completed, and says what it has read', async ({
  console,
  page,
}) => {
  const panel = page.getByRole('region', { name: 'Patrol read' });
  const button = (verb: string) =>
    panel.getByRole('button', { name: `${verb} the patrol read of /c0` });
  await console.openHost('beta');
  await console.openTab('Controllers');
  await expect(panel).toContainText('no consistency check');
  // Nothing is a member, so there is nothing to read.
  await expect(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await console.createArray({ host: 'beta', level: 'RAID 1', slots: [0, 1], name: 'walked' });
  await console.openHost('beta');
  await console.openTab('Controllers');
  await button('Start').click();
  await expect(page.getByRole('progressbar', { name: 'Patrol read of /c0' })).toBeVisible();
  await button('Pause').click();
  await expect(panel.getByText('Paused', { exact: true })).toBeVisible();
  await expect(button('Pause')).toHaveAttribute('aria-disabled', 'true');
  expect(await accessibilityViolations(page)).toEqual([]);
  await button('Resume').click();
  await expect(panel).toContainText('2 of 2 are read', { timeout: 120_000 });
  await expect(panel.getByText('Not running', { exact: true })).toBeVisible();

  await console.act('Change settings');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Begins', { exact: true }).selectOption('By command only');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toContainText('when it is started here or on the host');
  await expect(panel).toContainText('not planned');

  await console.openBay(1);
  await page.getByRole('link', { name: 'Open the drive’s page' }).click();
  await console.openTab('Errors and health');
  await expect(page.getByText(/^all of it was read/)).toBeVisible();
  await console.openHost('beta');
  await page.getByRole('link', { name: 'walked', exact: true }).click();
  await console.deleteArray('walked');
});

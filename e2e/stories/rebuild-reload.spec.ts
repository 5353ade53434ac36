import { expect, test } from '../support/fixtures.ts';

test.use({ transferMib: 12 });

test('a reload in the middle of a rebuild shows it going on; so does a restart of the agent', async ({
  console,
  page,
  stack,
}) => {
  await console.createArray({ host: 'beta', level: 'RAID 1', slots: [0, 1], name: 'slowly' });
  const arrayPage = page.url();
  await console.openHost('beta');
  await console.openBay(1);
  await console.act('Replace with a blank …');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Replace drive' }).click();
  await expect(dialog).toBeHidden();
  await page.goto(arrayPage);
  const bar = page.getByRole('progressbar', { name: /Rebuild of/ });
  await expect(bar).toBeVisible();
  await page.getByRole('button', { name: /^Pause/ }).first().click();
  await expect(page.getByText('Paused').first()).toBeVisible();
  const before = Number(await bar.getAttribute('aria-valuenow'));
  await page.reload();
  await expect(bar).toBeVisible();
  expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThanOrEqual(before);

  await stack.do('stop_agent', 'beta');
  await stack.do('start_agent', 'beta');
  await expect(page.getByText('Optimal').first()).toBeVisible({ timeout: 60_000 });
  await console.deleteArray('slowly');
});

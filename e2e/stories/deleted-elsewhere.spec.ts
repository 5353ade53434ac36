import { accessibilityViolations } from '../support/axe.ts';
import { Console, expect, test } from '../support/fixtures.ts';

test('a virtual drive is deleted in another tab, and comes back from its own page', async ({
  console,
  page,
  context,
  stack,
}) => {
  await console.createArray({ host: 'alpha', level: 'RAID 5', slots: [0, 1, 2], name: 'shared' });
  const address = page.url();
  const other = new Console(await context.newPage(), stack);
  await other.page.goto(address);
  await other.deleteArray('shared');

  const gone = page.getByText(/^This virtual drive was deleted on .*\d{2}:\d{2}/);
  await test.step('the page that was open says when, and shows nothing of it', async () => {
    await expect(gone).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'shared' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Delete …' })).toHaveCount(0);
    await expect(page.getByRole('tab')).toHaveCount(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  await test.step('its address says the same to who comes later', async () => {
    await other.page.goto(address);
    await expect(
      other.page.getByText(/^This virtual drive was deleted on .*\d{2}:\d{2}/),
    ).toBeVisible();
  });

  await test.step('restored, it is back in both tabs', async () => {
    await console.act('Restore shared …');
    const dialog = page.getByRole('dialog', { name: 'Restore shared' });
    await dialog.getByRole('button', { name: 'Restore shared' }).click();
    await expect(gone).toBeHidden();
    await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible();
    await expect(other.page.getByRole('button', { name: 'Delete …' })).toBeVisible();
  });

  await console.deleteArray('shared');
});

import { expect, test } from '../support/fixtures.ts';

test('a drive is found by a part of its serial number, among the drives of all hosts', async ({
  console,
  page,
}) => {
  await console.createArray({ host: 'alpha', level: 'RAID 1', slots: [2, 3], name: 'listed' });
  const arrayPage = page.url();

  await page.getByRole('link', { name: 'Drives', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Drives' })).toBeVisible();
  const table = page.getByRole('table', { name: 'Drives' });
  await expect(table.getByRole('row')).toHaveCount(1 + 16);
  await page.getByRole('button', { name: 'Free', exact: true }).click();
  await expect(table.getByRole('row')).toHaveCount(1 + 14);
  await page.getByRole('button', { name: 'All', exact: true }).click();

  // The server sorts: the smallest serial number of both hosts comes first, then the largest.
  const serials = async () => table.locator('tbody td[data-label="Serial number"]').allInnerTexts();
  await page.getByRole('button', { name: 'Serial number' }).click();
  await expect(page).toHaveURL(/sort=serial/);
  await expect.poll(async () => (await serials()).join()).toBe((await serials()).sort().join());
  const [first = ''] = await serials();
  await page.getByRole('button', { name: 'Serial number' }).click();
  await expect(page).toHaveURL(/sort=-serial/);
  await expect.poll(async () => (await serials()).at(-1)).toBe(first);

  const part = first.slice(2);
  await page.getByRole('searchbox', { name: 'Search drives' }).fill(part);
  await expect(table.getByRole('row')).toHaveCount(2);
  await expect(table).toContainText(first);
  await page.reload();
  await expect(table.getByRole('row')).toHaveCount(2);

  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'What to find' });
  await field.fill(part.toLowerCase());
  await expect(page.getByRole('option', { selected: true })).toContainText(first);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /^Drive/ })).toBeVisible();
  await expect(page.getByText(first, { exact: true }).first()).toBeVisible();

  await page.getByRole('link', { name: 'Virtual drives', exact: true }).click();
  await expect(page.getByRole('rowheader', { name: 'listed' })).toBeVisible();
  await page.getByRole('button', { name: 'Degraded', exact: true }).click();
  await expect(page.getByText('Nothing matches these filters')).toBeVisible();
  await page.goto(arrayPage);
  await console.deleteArray('listed');
});

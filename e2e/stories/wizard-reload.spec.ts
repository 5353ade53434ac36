import { expect, test } from '../support/fixtures.ts';

test('what was chosen in the wizard survives a reload and the way back', async ({
  console,
  page,
}) => {
  await console.chooseDrives('alpha', 'RAID 5', [2, 0, 1]);
  await page.getByLabel('Name', { exact: true }).fill('kept');
  await page.getByLabel('Write policy').selectOption('write_through');
  const create = page.getByRole('button', { name: 'Create kept' });
  const expectAll = async () => {
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('kept');
    await expect(page.getByLabel('Write policy')).toHaveValue('write_through');
    await expect(page.getByRole('radio', { name: /^RAID 5(?![\dE])/ })).toBeChecked();
    for (const [index, slot] of [2, 0, 1].entries()) {
      await expect(console.bay(slot)).toHaveAccessibleName(
        new RegExp(`chosen as number ${index + 1}$`),
      );
    }
    await expect(create).not.toHaveAttribute('aria-disabled', 'true');
  };
  await expectAll();
  await page.reload();
  await expectAll();
  await page.getByRole('link', { name: 'Events' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Events' })).toBeVisible();
  await page.goBack();
  await expectAll();
});

import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ hosts: ['alpha'] });

test('groups of one controller are simulated side by side, and sent to somebody', async ({
  console,
}) => {
  const { page } = console;
  await page.getByRole('link', { name: 'Lab' }).click();
  await page.getByText('Groups side by side').click();
  const database = page.getByRole('group', { name: 'Database' });
  const backup = page.getByRole('group', { name: 'Backup' });
  await expect(database).toBeVisible();

  await test.step('a database loses a drive while the backup streams', async () => {
    await page
      .getByRole('combobox', { name: 'Expander' })
      .selectOption({ label: '4 lanes of 3 Gb/s (1.2 GB/s)' });
    await database.getByRole('combobox', { name: 'Level' }).selectOption({ label: 'RAID 5' });
    await database.getByRole('combobox', { name: /^Trouble/ }).selectOption({ label: 'It fails' });
    await database.getByRole('textbox', { name: 'After, ms of measuring' }).fill('20');
    await backup.getByRole('textbox', { name: 'Name' }).fill('Nightly backup');
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  });

  const table = page.getByRole('table', { name: 'What each group does beside the others' });
  await test.step('what each did, and what it keeps of what it has alone', async () => {
    await expect(table).toBeVisible({ timeout: 60_000 });
    await expect(table.getByRole('row', { name: /^Database .*\d\/s.*Degraded/ })).toBeVisible();
    await expect(
      table.getByRole('row', { name: /^Nightly backup .*MB\/s.*Optimal/ }),
    ).toBeVisible();
    const bars = page.getByRole('listitem', { name: 'Nightly backup' });
    const text = await bars.getByText(/^Keeps \d+ % of what it has alone\.$/).textContent();
    const kept = Number(/\d+/.exec(text ?? '')?.[0]);
    expect(kept).toBeGreaterThan(30);
    expect(kept).toBeLessThan(95);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  await test.step('whoever opens the address sees the same', async () => {
    const other = await page.context().newPage();
    await other.goto(page.url());
    const same = other.getByRole('table', { name: 'What each group does beside the others' });
    await expect(same).toBeVisible();
    expect(await same.textContent()).toBe(await table.textContent());
    await expect(
      other.getByRole('group', { name: 'Database' }).getByRole('combobox', { name: 'Level' }),
    ).toHaveValue('raid5');
    await other.close();
  });

  await test.step('it is saved beside comparisons of arrays, and opened again', async () => {
    await page.getByRole('textbox', { name: 'Name of this comparison' }).fill('at night');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Compare arrays').click();
    await page.getByRole('link', { name: 'at night' }).click();
    await expect(page.getByRole('group', { name: 'Nightly backup' })).toBeVisible();
    await page.getByRole('button', { name: 'Delete at night' }).click();
    await expect(page.getByRole('link', { name: 'at night' })).toBeHidden();
  });

  await test.step('what cannot be is refused with a sentence', async () => {
    await database.getByRole('textbox', { name: 'How many drives' }).fill('2');
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await expect(page.getByText(/^Database: RAID5 of 2 drives/)).toBeVisible();
  });
});

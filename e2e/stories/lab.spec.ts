import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ hosts: ['alpha'] });

test('arrays are compared before one is built, and the comparison is sent to somebody', async ({
  console,
}) => {
  const { page } = console;
  await page.getByRole('link', { name: 'Lab' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Lab' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Drives', exact: true }).selectOption('intel-x25-e');
  await page.getByRole('button', { name: 'RAID 6', exact: true }).click();
  await page.getByRole('button', { name: 'Write-through', exact: true }).click();
  await page.getByRole('button', { name: '4', exact: true }).click();
  await page.getByRole('button', { name: '8', exact: true }).click();
  await page.getByRole('combobox', { name: 'Load' }).selectOption('w06-file-server');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  const curves = page.getByRole('img', { name: /a line for each of 6 arrays/ });
  await expect(curves).toBeVisible({ timeout: 60_000 });

  await test.step('what write-back gains, and which failures each array survives', async () => {
    await expect(
      page.getByRole('region', { name: 'Write-back ÷ write-through: RAID 5' }),
    ).toBeVisible();
    const arrays = page.getByRole('table', { name: 'The arrays that are compared' });
    await expect(arrays.getByRole('row', { name: /^RAID 10.* 4 \/ 6/ }).first()).toBeVisible();
    await expect(arrays.getByRole('row', { name: /^RAID 5.* 0 \/ 6/ }).first()).toBeVisible();
  });

  await test.step('whoever opens the address sees the same', async () => {
    const other = await page.context().newPage();
    await other.goto(page.url());
    await expect(other.getByRole('img', { name: /a line for each of 6 arrays/ })).toBeVisible();
    await expect(other.getByText('Nothing is saved yet.')).toBeVisible();
    expect(await accessibilityViolations(other)).toEqual([]);
    await other.close();
  });

  await test.step('what is saved stays on the server, to be opened again', async () => {
    await page.getByRole('textbox', { name: 'Name of this comparison' }).fill('mirror or parity');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const link = page.getByRole('link', { name: 'mirror or parity' });
    await expect(link).toBeVisible();
    await page.goto(`${console.stack.info.url}/lab`);
    await link.click();
    await expect(page.getByRole('combobox', { name: 'Load' })).toHaveValue('w06-file-server');
    await expect(page.getByRole('button', { name: 'RAID 6', exact: true })).toHaveAttribute(
      'aria-pressed',
      'false',
    );
    await page.getByRole('button', { name: 'Delete mirror or parity' }).click();
    await expect(link).toBeHidden();
  });
});

test('the wizard says what the choice would do, next to its alternatives', async ({
  console,
  page,
}) => {
  await console.chooseDrives('alpha', 'RAID 10', [0, 1, 2, 3]);
  const prediction = page.getByRole('region', { name: 'What it would do' });
  const table = prediction.getByRole('table', { name: 'The choice next to its alternatives' });
  await expect(table.getByRole('row', { name: /^RAID 10 your choice/ })).toBeVisible({
    timeout: 60_000,
  });
  await expect(table.getByRole('row', { name: /^RAID 5 / })).toBeVisible();
  await expect(prediction.getByText('4 of 6 pairs of failures are survived.')).toBeVisible();
  await prediction.getByText('Each pair of failures').click();
  await expect(prediction.getByRole('img', { name: 'data lost' })).toHaveCount(4);
  await expect(prediction.getByText(/^Simulated by arraysim .* not measured/)).toBeVisible();
});

test('a controller is chosen with what it has, and loads are measured beside their prediction', async ({
  console,
  page,
}) => {
  await console.createArray({ host: 'alpha', level: 'RAID 1', slots: [5, 6], name: 'tried' });
  await page.getByRole('link', { name: 'Lab' }).click();
  const controller = page.getByRole('combobox', { name: 'Controller', exact: true });

  await test.step('a host bus adapter has no cache, and nothing is written back', async () => {
    await controller.selectOption('lsi-92xx-hba');
    await expect(page.getByRole('button', { name: 'Write-back', exact: true })).toBeHidden();
    await expect(page.getByText(/nothing can be written back/)).toBeVisible();
  });

  await test.step('oddities of a model are off until somebody wants them', async () => {
    await controller.selectOption('lsi-megaraid-sas-9260-8i');
    const oddity = page.getByRole('checkbox', { name: 'Medium block dip' });
    await expect(oddity).not.toBeChecked();
    await oddity.check();
    await expect(page).toHaveURL(/quirks=.*medium-block-dip/);
  });

  await test.step('a load of the reviews and one of our own are measured', async () => {
    const others = page.getByRole('group', { name: 'Other loads' });
    await others.getByRole('combobox', { name: 'Pattern' }).selectOption('w16-toms-web-server');
    await expect(others.getByText(/The reviews do not say all of this load/)).toBeVisible();
    await others.getByRole('button', { name: 'Add to the measurement' }).click();
    await others.getByRole('combobox', { name: 'Pattern' }).selectOption('own');
    await others.getByRole('combobox', { name: 'Block size' }).selectOption('16384');
    await others.getByRole('button', { name: 'Add to the measurement' }).click();
    await page.getByRole('button', { name: 'Sequential reads, 1 MiB × 8' }).click();
    await page.getByRole('button', { name: 'Random reads, 4 KiB × 16' }).click();
    await page.getByRole('combobox', { name: 'Time of each' }).selectOption('5');
    await page.getByRole('button', { name: 'Measure tried' }).click();
    const result = page.getByRole('region', { name: 'Measurement of tried' });
    await expect(result.getByText(/^Measured until .*, 5 s each\./)).toBeVisible({
      timeout: 60_000,
    });
    const loads = result.getByRole('listitem');
    await expect(loads).toHaveCount(2);
    await expect(loads.nth(1)).toHaveAccessibleName('Random, 16 KiB × 16, 0 % writes');
    for (const index of [0, 1]) {
      await expect(loads.nth(index).getByText(/^Measured ÷ predicted: \d/)).toBeVisible();
    }
  });
  expect(await accessibilityViolations(page)).toEqual([]);
});

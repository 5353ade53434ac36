import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '../support/fixtures.ts';

const execute = promisify(execFile);

test('what the host refuses is said with its reason, and nothing changes', async ({
  console,
  page,
}) => {
  await console.chooseDrives('alpha', 'RAID 5', [0, 1]);
  const preview = page.getByRole('region', { name: 'What you get' });
  await expect(preview).toContainText(/needs at least 3 drives/);
  await page.getByLabel('Name', { exact: true }).fill('no good name!');
  await expect(preview).toContainText(/A name has 1 to 15 characters/);
});

test('a drive that is taken between preview and create is noticed', async ({
  console,
  page,
  stack,
}) => {
  const alpha = stack.host('alpha');
  await console.chooseDrives('alpha', 'RAID 1', [2, 3]);
  await page.getByLabel('Name', { exact: true }).fill('late');
  await expect(page.getByRole('region', { name: 'What you get' })).toContainText('usable');
  // The other operator works on the host itself; the uplink is silent meanwhile, so that this
  // browser cannot know.
  await stack.do('stop_uplink', 'alpha');
  await execute(alpha.arrayctl, [
    '--socket', alpha.controlSocket, '/c0/e252/s3', 'set', 'fault=pull',
  ]);
  const create = page.getByRole('button', { name: 'Create late' });
  await stack.do('start_uplink', 'alpha');
  await expect(async () => {
    const blocked = await create.getAttribute('aria-disabled');
    if (blocked !== 'true') {
      await create.click({ timeout: 1000 });
    }
    await expect(
      page.getByText(/no longer there|has changed|Preview again|not possible/).first(),
    ).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 30_000 });
  await execute(alpha.arrayctl, [
    '--socket', alpha.controlSocket, '/c0/e252/s3', 'set', 'fault=return',
  ]);
});

import type { Browser, Page } from '@playwright/test';
import { Console, expect, test } from '../support/fixtures.ts';
import {
  type MadeFrom,
  readRecord,
  structure,
  stylesDigest,
  take,
  taking,
  writeRecord,
} from '../support/pictures.ts';
import type { Stack } from '../support/stack.ts';

// As in the demo, but slow enough that work goes on while the pages are looked at.
test.use({
  hosts: ['alpha'],
  driveMib: 1024,
  transferMib: 40,
  cacheMib: 64,
  battery: 'lsi-ibbu01',
});

async function logIn(browser: Browser, stack: Stack, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width: 1360, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  const console = new Console(await context.newPage(), stack);
  await console.logIn(stack.info.user, stack.info.password);
  return console;
}

test('the pictures of the README show the pages as they are', async ({ browser, stack }) => {
  const seen: MadeFrom = { styles: await stylesDigest(), pages: {} };
  const look = async (page: Page, name: string) => {
    seen.pages[name] = await structure(page);
    if (taking) {
      await take(page, name);
    }
  };

  const light = await logIn(browser, stack, 'light');
  const { page } = light;
  await light.chooseDrives('alpha', 'RAID 5', [0, 1, 2, 3]);
  await page.getByLabel('Name', { exact: true }).fill('data');
  const result = page.getByRole('region', { name: 'What you get' });
  await expect(result.getByText('usable').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create data' })).not.toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await page.getByRole('heading', { name: /^2\. / }).scrollIntoViewIfNeeded();
  await look(page, 'wizard-light');

  await light.act('Create data');
  await expect(page.getByRole('heading', { level: 1, name: 'data' })).toBeVisible();
  const arrayPage = page.url();
  await light.makeSpare('alpha', 4);
  await light.openHost('alpha');
  // Without the message about what was just done, and with the pointer nowhere.
  await page.reload();
  await page.mouse.move(0, 0);
  await expect(light.bay(4)).toHaveAccessibleName(/hot spare/i);
  await expect(page.getByRole('region', { name: 'Open alerts' })).toHaveCount(0);
  await look(page, 'host-light');

  await light.openBay(1);
  await light.act('Pull the drive out');
  const dark = await logIn(browser, stack, 'dark');
  await dark.page.goto(arrayPage);
  const bar = dark.page.getByRole('progressbar', { name: /Rebuild of/ });
  await expect
    .poll(async () => Number(await bar.getAttribute('aria-valuenow')), { timeout: 60_000 })
    .toBeGreaterThan(8);
  await look(dark.page, 'rebuild-dark');

  if (taking) {
    await writeRecord(seen);
  } else {
    expect(seen, 'take them anew with `make screenshots`, and look at them').toEqual(
      await readRecord(),
    );
  }
});

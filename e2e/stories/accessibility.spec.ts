import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { widerThanPhone } from '../support/phone.ts';

const PLAIN_PAGES = [
  '/', '/operations', '/events', '/alerts', '/hosts/add', '/users', '/tokens', '/audit', '/account',
  '/virtual-drives', '/drive-groups', '/drives', '/batteries',
  '/lab',
];

const DRIVE_TABS = ['health', 'performance', 'events'];
const GROUP_TABS = ['members', 'spares', 'operations', 'events'];
const HOST_TABS = ['controllers', 'operations', 'events', 'about'];
const TABS = ['performance', 'members', 'policies', 'operations', 'events', 'use'];

for (const scheme of ['light', 'dark'] as const) {
  test.describe(`in the ${scheme} theme`, () => {
    test.use({ colorScheme: scheme });

    test('no page has an accessibility violation', async ({ console, page, stack }) => {
      const name = `axe-${scheme}`;
      await console.createArray({ host: 'alpha', level: 'RAID 1', slots: [5, 6], name });
      const arrayPage = new URL(page.url()).pathname;
      await page.getByRole('link', { name: '/c0/d0' }).first().click();
      await expect(page.getByRole('heading', { level: 1, name: /Drive group/ })).toBeVisible();
      const groupPage = new URL(page.url()).pathname;
      await console.openHost('alpha');
      const hostPage = new URL(page.url()).pathname;
      await console.openTab('Controllers');
      const foreign = page.getByRole('link', { name: 'Look for them' });
      const foreignPage = (await foreign.getAttribute('href')) ?? '';
      await console.openBay(5);
      await page.getByRole('link', { name: 'Open the drive’s page' }).click();
      await expect(page.getByRole('heading', { level: 1, name: /Drive/ })).toBeVisible();
      const drivePage = new URL(page.url()).pathname;

      const found: string[] = [];
      const pages = [
        ...PLAIN_PAGES, hostPage, `${hostPage}?bay=5`, `${hostPage}/create`, drivePage, groupPage,
        ...DRIVE_TABS.map((tab) => `${drivePage}?tab=${tab}`),
        ...GROUP_TABS.map((tab) => `${groupPage}?tab=${tab}`),
        ...HOST_TABS.map((tab) => `${hostPage}?tab=${tab}`),
        foreignPage,
        arrayPage,
        ...TABS.map((tab) => `${arrayPage}?tab=${tab}`),
      ];
      for (const path of pages) {
        await page.goto(`${stack.info.url}${path}`);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByText('Loading …')).toHaveCount(0);
        found.push(...(await accessibilityViolations(page)).map((line) => `${path}: ${line}`));
        if (scheme === 'light') {
          found.push(...(await widerThanPhone(page)).map((line) => `${path} on a phone: ${line}`));
        }
      }
      expect(found).toEqual([]);
      await page.goto(`${stack.info.url}${arrayPage}`);
      await console.deleteArray(name);
    });

    test('the login page has none either', async ({ page, stack }) => {
      await page.goto(`${stack.info.url}/login`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  });
}

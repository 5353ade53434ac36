// Takes the README's pictures from a running demo: `make run`, then in another terminal
// `make screenshots`. Leaves the demo with one array more than before.
import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const [url, passwordFile] = process.argv.slice(2);
const folder = fileURLToPath(new URL('../.github/screenshots/', import.meta.url));
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

async function open(colorScheme, viewport = { width: 1360, height: 900 }) {
  const page = await (await browser.newContext({ colorScheme, viewport })).newPage();
  await page.goto(`${url}/login`);
  await page.getByLabel('User name').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill((await readFile(passwordFile, 'utf8')).trim());
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'alpha', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'alpha' }).waitFor();
  return page;
}

const bay = (page, slot) =>
  page.getByRole('grid').getByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) });
const shot = (page, name) => page.screenshot({ path: `${folder}${name}.png` });

const page = await open('light');
const hostPage = page.url();
await page.getByRole('button', { name: 'Create virtual drive' }).click();
await page.goto(`${page.url()}?mode=advanced`);
await page.getByRole('radio', { name: /^RAID 5(?!\d)/ }).check();
for (const slot of [0, 1, 2, 3]) {
  await bay(page, slot).click();
}
await page.getByLabel('Name', { exact: true }).fill('data');
await page.getByRole('region', { name: 'What you get' }).getByText('usable').first().waitFor();
await page.getByRole('region', { name: 'What you get' }).scrollIntoViewIfNeeded();
await shot(page, 'wizard-light');
await page.getByRole('button', { name: 'Create data' }).click();
await page.getByRole('heading', { level: 1, name: 'data' }).waitFor();
const arrayPage = page.url();
await page.goto(hostPage);
await bay(page, 4).click();
await page.getByRole('button', { name: 'Make hot spare …' }).click();
await page.getByRole('dialog').getByRole('button', { name: 'Make hot spare' }).click();
await page.getByRole('dialog').waitFor({ state: 'hidden' });
await page.goto(hostPage);
await bay(page, 1).waitFor();
await shot(page, 'host-light');
await bay(page, 1).click();
await page.getByRole('button', { name: 'Pull the drive out' }).click();
const dark = await open('dark');
await dark.goto(arrayPage);
await dark.getByRole('progressbar', { name: /Rebuild of/ }).waitFor();
await dark.waitForFunction(() =>
  [...document.querySelectorAll('[role=progressbar]')].some((bar) => Number(bar.ariaValueNow) > 8),
);
await shot(dark, 'rebuild-dark');
const phone = await open('light', { width: 390, height: 844 });
await shot(phone, 'host-phone');
await browser.close();

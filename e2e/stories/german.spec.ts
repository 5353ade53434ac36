import type { Page } from '@playwright/test';
import { englishOn } from '../support/english.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ hosts: ['alpha'], cacheMib: 16, battery: 'lsi-ibbu01' });

// Hosts, drives and people of this stack; the codes of refusals; the loads of reviews.
const NAMES = /Code [a-z_]+|W\d\d [^(]*|LSI [^,]*|alpha|beta|Arraywright|Emulated enclosure|Emulated|EMU\w*|daten|First administrator|admin|Administrator|Debian|Linux/gi;

/** Waits until the page is drawn, and reads it. */
async function expectGerman(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  await expect(page.getByText('Wird geladen …')).toHaveCount(0);
  expect.soft(await englishOn(page, NAMES), page.url()).toEqual([]);
}

test('the console is German without a word of English', async ({ console, page, stack }) => {
  test.slow();
  const { url } = stack.info;
  await page.getByRole('button', { name: /Account menu/ }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expectGerman(page, 'Flotte');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');

  await page.getByRole('link', { name: 'alpha', exact: true }).first().click();
  await expectGerman(page, 'alpha');
  await page.getByRole('button', { name: 'Virtuelles Laufwerk anlegen' }).click();
  await expectGerman(page, 'Virtuelles Laufwerk anlegen');
  await page.goto(`${page.url()}?mode=advanced`);
  await page.getByRole('radio', { name: /^RAID 5(?!\d)/ }).check();
  const bay = (slot: number) =>
    page.getByRole('grid').getByRole('button', { name: new RegExp(`^Steckplatz ${slot}\\b`) });
  await bay(0).click();
  await bay(1).click();
  const preview = page.getByRole('region', { name: 'Was Sie erhalten' });
  await expect(preview).toContainText('braucht mindestens 3 Laufwerke');
  await expectGerman(page, 'Virtuelles Laufwerk anlegen');
  await bay(2).click();
  await page.getByLabel('Name', { exact: true }).fill('daten');
  await expect(preview).toContainText('nutzbar');
  await expectGerman(page, 'Virtuelles Laufwerk anlegen');
  await page.getByRole('button', { name: 'daten anlegen' }).click();
  await expectGerman(page, 'daten');
  const arrayPage = page.url();
  for (const tab of ['Leistung', 'Mitglieder', 'Richtlinien', 'Vorgänge', 'Ereignisse', 'Benutzen']) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await expect(page.getByRole('tabpanel', { name: tab, exact: true })).toBeVisible();
    await expectGerman(page, 'daten');
  }

  // A drive fails: finding, alert and events say so.
  await page.goto(`${url}/drives`);
  await page.getByRole('link', { name: /252:1|s1$/ }).first().click();
  await expectGerman(page, /^Laufwerk /);
  await page.getByRole('button', { name: 'Laufwerk herausziehen' }).click();
  await page.goto(arrayPage);
  await expect(page.getByText('Degradiert').first()).toBeVisible();
  await expectGerman(page, 'daten');

  // A dialog, and what the host says against it.
  await page.getByRole('button', { name: 'Löschen …' }).click();
  const dialog = page.getByRole('dialog', { name: 'daten löschen' });
  await expect(dialog).toBeVisible();
  expect(await englishOn(page, NAMES)).toEqual([]);
  await dialog.getByRole('button', { name: 'Abbrechen' }).click();

  for (const [path, heading] of [
    ['alerts', 'Alarme'],
    ['events', 'Ereignisse'],
    ['operations', 'Vorgänge'],
    ['virtual-drives', 'Virtuelle Laufwerke'],
    ['drive-groups', 'Laufwerksgruppen'],
    ['drives', 'Laufwerke'],
    ['batteries', 'Batterien'],
    ['audit', 'Auditprotokoll'],
    ['users', 'Benutzer'],
    ['tokens', 'API-Token'],
    ['account', 'Ihr Konto'],
    ['hosts/add', 'Host hinzufügen'],
    ['nowhere', 'Hier ist nichts'],
  ] as const) {
    await page.goto(`${url}/${path}`);
    await expectGerman(page, heading);
  }

  // What a controller has, and what is made on several.
  await page.goto(`${url}/`);
  await page.getByRole('link', { name: 'alpha', exact: true }).first().click();
  const hostPage = page.url();
  for (const tab of ['Controller', 'Vorgänge', 'Ereignisse', 'Eigenschaften']) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await expect(page.getByRole('tabpanel', { name: tab, exact: true })).toBeVisible();
    await expectGerman(page, 'alpha');
  }
  await page.getByRole('tab', { name: 'Controller', exact: true }).click();
  const controller = page.getByRole('tabpanel', { name: 'Controller', exact: true });
  for (const [link, heading] of [
    ['Seite des Caches', /^Cache von/],
    ['Seite der Batterie', /^Batterie /],
    ['Danach suchen', /^Fremdkonfigurationen/],
    ['Wiederherstellen', /^Gelöscht auf/],
  ] as const) {
    await controller.getByRole('link', { name: link }).first().click();
    await expectGerman(page, heading);
    await page.goBack();
  }
  await controller.getByRole('button', { name: 'Einstellungen ändern' }).click();
  await expect(page.getByRole('dialog', { name: /^Einstellungen von/ })).toBeVisible();
  expect.soft(await englishOn(page, NAMES)).toEqual([]);
  await page.goto(`${hostPage}/create-stripe`);
  await expectGerman(page, 'Stripe anlegen');
  await page.goto(`${url}/lab`);
  await expectGerman(page, 'Labor');

  // A form that the server refuses.
  await page.goto(`${url}/users`);
  await page.getByRole('button', { name: 'Benutzer hinzufügen' }).click();
  const form = page.getByRole('dialog', { name: 'Benutzer hinzufügen' });
  await form.getByLabel('Benutzername').fill('otto');
  await form.getByRole('textbox', { name: 'Passwort' }).fill('blaue-elefanten-tanzen');
  await form.getByLabel('Benutzername').fill(stack.info.user);
  await form.getByRole('button', { name: 'Benutzer hinzufügen' }).click();
  await expect(form.getByText('schon vergeben')).toBeVisible();
  expect(await englishOn(page, NAMES)).toEqual([]);
  await form.getByRole('button', { name: 'Abbrechen' }).click();

  // It is remembered, and leads back.
  await page.reload();
  await page.getByRole('button', { name: /Kontomenü/ }).click();
  await page.getByRole('button', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.goto(arrayPage);
  await console.deleteArray('daten');
});

test('what cannot be fetched of the language leaves the console in English', async ({ browser, stack }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  await page.goto(`${stack.info.url}/login`);
  await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
  await page.route(/assets\/de-.*\.js/, (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await context.close();
});

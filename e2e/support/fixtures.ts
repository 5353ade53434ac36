import { test as base, type Page } from '@playwright/test';
import { attachEvidence } from './evidence.ts';
import { Stack, type StackOptions } from './stack.ts';

/**
 * One stack for each story file: backend and the hosts alpha and beta. A story leaves no array
 * behind that another one of its file would trip over.
 */
export const test = base.extend<
  { console: Console },
  { stack: Stack; hosts: string[] } & StackOptions
>({
  hosts: [['alpha', 'beta'], { scope: 'worker', option: true }],
  // How fast the emulated drives are. Slow ones leave time to watch.
  transferMib: [200, { scope: 'worker', option: true }],
  // In all, not usable.
  driveMib: [160, { scope: 'worker', option: true }],
  // No cache and no battery, unless the story is about them.
  cacheMib: [0, { scope: 'worker', option: true }],
  battery: ['', { scope: 'worker', option: true }],
  // Each with eight drives of its own.
  controllers: [1, { scope: 'worker', option: true }],
  demo: [false, { scope: 'worker', option: true }],
  stack: [
    async ({ hosts, transferMib, driveMib, cacheMib, battery, controllers, demo }, use) => {
      const stack = await Stack.start(hosts, {
        transferMib,
        driveMib,
        cacheMib,
        battery,
        controllers,
        demo,
      });
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  console: async ({ page, stack }, use, info) => {
    const console = new Console(page, stack);
    await console.logIn(stack.info.user, stack.info.password);
    await use(console);
    if (info.status !== info.expectedStatus) await attachEvidence(page, stack, info);
  },
});

export { expect } from '@playwright/test';

/** What a person does in the console, in a person's words. */
export class Console {
  constructor(
    readonly page: Page,
    readonly stack: Stack,
  ) {}

  async logIn(user: string, password: string): Promise<void> {
    const { page } = this;
    await page.goto(`${this.stack.info.url}/login`);
    await page.getByLabel('User name').fill(user);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await base.expect(page.getByRole('heading', { level: 1, name: 'Fleet' })).toBeVisible();
  }

  async logOut(): Promise<void> {
    await this.page.getByRole('button', { name: /Account menu/ }).click();
    await this.page.getByRole('button', { name: 'Log out' }).click();
    await base.expect(this.page.getByRole('heading', { name: 'Log in' })).toBeVisible();
  }

  async openHost(name: string): Promise<void> {
    const { page } = this;
    await page.getByRole('link', { name: 'Fleet' }).first().click();
    await page.getByRole('link', { name, exact: true }).first().click();
    await base.expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }

  /** The bay of a slot in the picture of the chassis. */
  bay(slot: number) {
    return this.page.getByRole('grid').getByRole('button', {
      name: new RegExp(`^Slot ${slot}\\b`),
    });
  }

  async openBay(slot: number): Promise<void> {
    const region = this.page.getByRole('region', { name: `Slot ${slot}`, exact: true });
    if (!(await region.isVisible())) {
      await this.bay(slot).click();
    }
    await base.expect(region).toBeVisible();
  }

  /** Opens a part of the page of an object. */
  async openTab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name, exact: true }).click();
    await base.expect(this.page.getByRole('tabpanel', { name, exact: true })).toBeVisible();
  }

  /** Looks up the address of the virtual drive whose page is open. */
  async address(): Promise<string> {
    await this.openTab('Use it');
    const address = await this.page.getByRole('group', { name: 'Address' }).innerText();
    await this.openTab('Overview');
    return address;
  }

  /** Presses the button of an action that may be carried out. */
  async act(label: string): Promise<void> {
    const button = this.page.getByRole('button', { name: label, exact: true });
    await base.expect(button).not.toHaveAttribute('aria-disabled', 'true');
    await button.click();
  }

  /** Opens the advanced wizard with nothing chosen yet, and chooses. */
  async chooseDrives(host: string, level: string, slots: number[]): Promise<void> {
    const { page } = this;
    await this.openHost(host);
    await page.getByRole('button', { name: 'Create virtual drive' }).click();
    await base
      .expect(page.getByRole('heading', { level: 1, name: 'Create virtual drive' }))
      .toBeVisible();
    await page.goto(`${page.url()}?mode=advanced`);
    await page.getByRole('radio', { name: new RegExp(`^${level}(?![\\dE])`) }).check();
    for (const slot of slots) {
      await this.bay(slot).click();
    }
  }

  /** Creates an array by the advanced wizard and ends on its page. */
  async createArray(options: {
    host: string;
    level: string;
    slots: number[];
    name: string;
  }): Promise<void> {
    const { page } = this;
    await this.chooseDrives(options.host, options.level, options.slots);
    await page.getByLabel('Name', { exact: true }).fill(options.name);
    await this.act(`Create ${options.name}`);
    await base.expect(page.getByRole('heading', { level: 1, name: options.name })).toBeVisible();
  }

  async deleteArray(name: string): Promise<void> {
    const { page } = this;
    await this.openTab('Overview');
    await this.act('Delete …');
    const dialog = page.getByRole('dialog', { name: `Delete ${name}` });
    await dialog.getByLabel('Name of the virtual drive').fill(name);
    const button = dialog.getByRole('button', { name: `Delete ${name}` });
    await button.click();
    // Its initialization may end in between: then the console asks to repeat it.
    const changed = dialog.getByText('Someone or something changed this');
    await base.expect
      .poll(async () => {
        if (await changed.isVisible()) await button.click({ timeout: 2000 }).catch(() => undefined);
        return dialog.isVisible();
      })
      .toBe(false);
  }

  async makeSpare(host: string, slot: number): Promise<void> {
    await this.openHost(host);
    await this.openBay(slot);
    await this.act('Make hot spare …');
    const dialog = this.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make hot spare' }).click();
    await base.expect(dialog).toBeHidden();
    await base.expect(this.bay(slot)).toHaveAccessibleName(/hot spare/i);
  }
}

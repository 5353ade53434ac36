import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import type { HostInfo } from '../support/stack.ts';

test.use({ hosts: ['alpha'] });

/** A machine whose agent is installed and has no link: the agent is that of a host of the stack. */
class Machine {
  private readonly folder = mkdtempSync(join(tmpdir(), 'aw-machine-'));
  private readonly program: string;
  private link: ChildProcess | undefined;

  constructor(agent: HostInfo, hostname: string) {
    this.program = join(agent.arrayctl, '../../uplink/arraywright-uplink');
    writeFileSync(
      this.config,
      `control_socket = "${agent.controlSocket}";\nstate_dir = "${this.folder}/state";\n` +
        `hostname = "${hostname}";\n`,
    );
  }

  private get config() {
    return join(this.folder, 'uplink.conf');
  }

  /** What the page says to run, with this machine's program and configuration. */
  run(line: string): string {
    const words = line.split(' ');
    const given = words.slice(words.indexOf('enrol'));
    return execFileSync(this.program, ['--config', this.config, ...given, '--no-start'], {
      encoding: 'utf8',
    });
  }

  startLink() {
    this.link = spawn(this.program, ['--config', this.config], { stdio: 'ignore' });
  }

  async remove() {
    const { link } = this;
    if (link !== undefined && link.exitCode === null) {
      const ended = new Promise((resolve) => link.once('exit', resolve));
      link.kill();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test('a host is added, and watched until it reports', async ({ console, page }) => {
  await console.stack.do('stop_uplink', 'alpha');
  const machine = new Machine(console.stack.host('alpha'), 'gamma');
  try {
    await page.getByRole('link', { name: 'Add host' }).first().click();
    await page.getByLabel('Number of hosts').selectOption('some');
    await page.getByLabel('How many').fill('2');
    await page.getByLabel('Labels').fill('rack-4 site=berlin');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByText(/works on the server itself only/)).toBeVisible();
    await expect(page.getByText('Waiting for a host to enroll.', { exact: false })).toBeVisible();
    expect(await accessibilityViolations(page)).toEqual([]);

    const line = await page.getByRole('group', { name: 'Enroll a host' }).innerText();
    expect(machine.run(line)).toContain('gamma is enrolled');
    await expect(page.getByText('gamma has enrolled.', { exact: false })).toBeVisible();
    machine.startLink();
    await expect(page.getByText('gamma has reported.')).toBeVisible();
    await expect(page.getByText('1 of 2', { exact: true })).toBeVisible();

    await page.getByRole('link', { name: 'Open gamma' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'gamma' })).toBeVisible();
    await console.openTab('About');
    await expect(page.getByText('rack-4 site=berlin')).toBeVisible();
  } finally {
    await machine.remove();
  }
});

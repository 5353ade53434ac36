import { writeFile } from 'node:fs/promises';
import type { Page, TestInfo } from '@playwright/test';
import type { Stack } from './stack.ts';
import { run } from './storage.ts';

const KINDS = ['virtual-drives', 'operations', 'drives', 'commands', 'alerts'];

/** An answer, or why there is none: the rest is told all the same. */
async function told(answer: Promise<string>): Promise<string> {
  return answer.catch((error: unknown) => `no answer: ${String(error)}`);
}

async function fromServer(page: Page, url: string): Promise<string> {
  return (await page.request.get(url, { timeout: 10_000 })).text();
}

/**
 * When a story fails: what the page shows, what the backend holds and what each agent says. Where
 * they differ first is where the fault is.
 */
export async function attachEvidence(page: Page, stack: Stack, info: TestInfo): Promise<void> {
  const attach = async (name: string, body: string, contentType = 'application/json') => {
    const path = info.outputPath(name);
    await writeFile(path, body);
    info.attachments.push({ name, path, contentType });
  };
  const seen = page.locator('body').ariaSnapshot({ timeout: 10_000 });
  await attach('page.txt', `${page.url()}\n${await told(seen)}`, 'text/plain');
  for (const kind of KINDS) {
    const url = `${stack.info.url}/api/v1/${kind}?limit=500`;
    await attach(`backend-${kind}.json`, await told(fromServer(page, url)));
  }
  for (const { name, arrayctl, controlSocket } of stack.info.hosts) {
    const documents = run(arrayctl, '--socket', controlSocket, '/call', 'show', '--json');
    await attach(`agent-${name}.json`, await told(documents));
  }
}

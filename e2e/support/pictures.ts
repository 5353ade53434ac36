import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.github/screenshots');
const record = join(folder, 'made-from.json');

/** What is drawn in the pictures, but for texts: styles of these folders of the console. */
const styled = [
  'ui',
  'ui/theme',
  ...['chassis', 'operations', 'virtual-drives'].map((entity) => `entities/${entity}`),
  ...['hosts', 'palette', 'wizard'].map((feature) => `features/${feature}`),
  ...['hosts', 'shell'].map((page) => `pages/${page}`),
];

/** What a page showed when its picture was taken, and the styles of that day. */
export type MadeFrom = { styles: string; pages: Record<string, string[]> };

/** `make screenshots` takes the pictures anew; otherwise they are only compared. */
export const taking = process.env.AW_TAKE_PICTURES === '1';

export async function readRecord(): Promise<MadeFrom> {
  return JSON.parse(await readFile(record, 'utf8')) as MadeFrom;
}

export async function writeRecord(made: MadeFrom): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(record, `${JSON.stringify(made, null, 2)}\n`);
}

export async function take(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

export async function stylesDigest(): Promise<string> {
  const digest = createHash('sha256');
  for (const part of styled) {
    const source = join(root, 'frontend/src', part);
    for (const name of (await readdir(source)).sort()) {
      if (name.endsWith('.css')) {
        const text = await readFile(join(source, name), 'utf8');
        digest.update(
          `${part}/${basename(name)}\n${text.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ')}`,
        );
      }
    }
  }
  return digest.digest('hex');
}

/** Parts that have a name and are there in each run: headings, buttons, fields, terms … */
const kinds =
  /^- (heading|button|link|radio|checkbox|switch|textbox|combobox|region|term|columnheader|tab)\b/;
/** Background work may have ended, or not have begun, when the page is looked at. */
const passing = /initiali[sz]ation|"(Pause|Resume|Stop)"|"Copy/i;

/** What the page consists of, one line each and each only once; figures and states left out. */
export async function structure(page: Page): Promise<string[]> {
  const lines = (await page.locator('body').ariaSnapshot())
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => kinds.test(line) && !passing.test(line))
    .map((line) =>
      line
        .replace(/^- /, '')
        .replace(/\s*\[[^\]]*\]/g, '')
        .replace(/:( .*)?$/, (rest) => (line.startsWith('- term') ? rest : ''))
        .replace(/ \d+ open"/, '"')
        .replace(/\bEM[0-9A-F]{4,}\b/g, '0') // serial numbers of emulated drives
        .replace(/[\d.,]+/g, '0'),
    );
  return [...new Set(lines)];
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The texts of a locale are its quoted strings; its keys are not quoted. */
function localeTexts(language: string): string[] {
  const folder = file(`frontend/src/locales/${language}`);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.gen.ts'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8').replace(/^(?:im|ex)port .*$/gm, ''))
    .flatMap((source) => source.match(/'(?:[^'\\\n]|\\.)*'/g) ?? []);
}

const protocol = (name: string) =>
  JSON.parse(readFileSync(file(`agent/protocol/${name}.json`), 'utf8')) as {
    reasons: Record<string, string>;
    events: Record<string, string> | { text: string }[];
    findings: Record<string, string> | { title: string }[];
    values: Record<string, string>;
    server: Record<string, string>;
  };

/** Words are of letters alone: what has digits is a serial number, a size or the like. */
const wordsIn = (text: string) =>
  (text.toLowerCase().match(/[a-zäöüß0-9]{2,}/g) ?? []).filter((word) => !/[0-9]/.test(word));

const plain = (text: string) => text.replace(/\{+\w+\}+|<\/?\w+>|"[^"]*"|„[^“]*“/g, ' ');
const words = (texts: string[]) =>
  new Set(texts.flatMap((text) => wordsIn(plain(text))));

/** Words that only English texts have. */
function onlyEnglish(): Set<string> {
  const told = protocol('words');
  const happened = protocol('events');
  const german = protocol('de');
  const english = words([
    ...localeTexts('en'),
    ...Object.values(told.reasons),
    ...(happened.events as { text: string }[]).map(({ text }) => text),
    ...(told.findings as { title: string }[]).map(({ title }) => title),
    ...Object.keys(german.values),
  ]);
  const known = words([
    ...localeTexts('de'),
    ...[german.reasons, german.events, german.findings, german.server, german.values].flatMap(
      (texts) => Object.values(texts) as string[],
    ),
  ]);
  return new Set([...english].filter((word) => !known.has(word)));
}

const ENGLISH = onlyEnglish();

/**
 * What a page says, word for word: its texts and the names that are only spoken. Not what is typed
 * or is a name (code, commands), nor what says itself that it is of another language.
 */
async function said(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const skipped = 'code, pre, script, style, noscript, option[data-name], [lang]:not(html):not([lang="de"])';
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
    for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      if (!element || element.closest(skipped)) continue;
      if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) found.push(node.textContent);
      if (node instanceof Element) {
        for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-roledescription']) {
          const value = node.getAttribute(name);
          if (value) found.push(value);
        }
      }
    }
    return [...found, document.title];
  });
}

/** Texts of a page with English in them; `names` are what people and machines are called. */
export async function englishOn(page: Page, names: RegExp): Promise<string[]> {
  const texts = await said(page);
  const english = (text: string) =>
    wordsIn(text.replace(names, ' ').replace(/„[^“]*“/g, ' ')).filter((word) => ENGLISH.has(word));
  return [...new Set(texts.filter((text) => english(text).length > 0))].map(
    (text) => `${text.trim()} [${english(text).join(', ')}]`,
  );
}

import type { Page } from '@playwright/test';

const PHONE = { width: 390, height: 844 };

/** What makes a page wider than a phone, so that all of it is pushed sideways; empty: nothing. */
export async function widerThanPhone(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  await page.setViewportSize(PHONE);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  const found = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const last = [...document.querySelectorAll('body *')]
      .map((element) => ({ element, end: element.getBoundingClientRect().right }))
      .filter(({ end }) => end > clientWidth && end <= scrollWidth + 1)
      .slice(-2);
    const named = last.map(({ element }) => `${element.tagName} "${element.textContent?.trim().slice(0, 40)}"`);
    return [`${scrollWidth} of ${clientWidth} px: ${named.join(', ')}`];
  });
  if (before !== null) await page.setViewportSize(before);
  return found;
}

import { expect, test } from '../support/fixtures.ts';

test('an offline host keeps its last state, greyed, and comes back by itself', async ({
  console,
  page,
  stack,
}) => {
  await console.openHost('beta');
  await stack.do('stop_uplink', 'beta');
  await expect(page.getByText('This host is offline')).toBeVisible({ timeout: 30_000 });
  await expect(console.bay(0)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create virtual drive' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await page.getByRole('link', { name: 'Fleet' }).first().click();
  await expect(page.getByRole('row', { name: /beta/ })).toContainText('Host offline');
  await expect(page.getByRole('row', { name: /alpha/ })).not.toContainText('Host offline');

  await stack.do('start_uplink', 'beta');
  await expect(page.getByRole('row', { name: /beta/ })).not.toContainText('Host offline', {
    timeout: 30_000,
  });
});

test('a restart of the backend loses nothing and needs no new login', async ({
  console,
  page,
  stack,
}) => {
  await console.openHost('alpha');
  await stack.backend('stop_backend');
  await stack.backend('start_backend');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'alpha' })).toBeVisible();
  await expect(console.bay(0)).toHaveAccessibleName(/unconfigured good/i);
  await expect(page.getByText('This host is offline')).toBeHidden({ timeout: 30_000 });
});

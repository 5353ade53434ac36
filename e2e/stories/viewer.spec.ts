import { expect, test } from '../support/fixtures.ts';

test('a viewer sees everything and may change nothing', async ({ console, page }) => {
  await console.createArray({ host: 'beta', level: 'RAID 1', slots: [2, 3], name: 'seen' });
  const arrayPage = page.url();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a user' });
  await dialog.getByLabel('User name').fill('vera');
  await dialog.getByLabel('Full name').fill('Vera Viewer');
  await dialog.getByLabel('Role').selectOption('viewer');
  await dialog.getByRole('textbox', { name: 'Password' }).fill('only-looking-around');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await expect(page.getByRole('cell', { name: /vera/ })).toBeVisible();
  await console.logOut();

  await console.logIn('vera', 'only-looking-around');
  await page.goto(arrayPage);
  await expect(page.getByRole('heading', { level: 1, name: 'seen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete …' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expect(page.getByText(/needs the role/).filter({ visible: true }).first()).toBeVisible();
  await console.openHost('beta');
  await expect(page.getByRole('button', { name: 'Create virtual drive' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await console.openBay(2);
  await expect(page.getByRole('button', { name: 'Pull the drive out' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  const refused = await page.evaluate(async () => {
    const session = (await (await fetch('/api/v1/auth/session')).json()) as { csrf_token: string };
    const answer = await fetch('/api/v1/users', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token },
      body: JSON.stringify({ username: 'eve', password: 'does-not-matter', role: 'viewer' }),
    });
    return answer.status;
  });
  expect(refused).toBe(403);
  await console.logOut();

  await console.logIn(console.stack.info.user, console.stack.info.password);
  await page.goto(arrayPage);
  await console.deleteArray('seen');
});

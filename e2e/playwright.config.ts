import { defineConfig } from '@playwright/test';

// The stories run against the built console, a real backend and real agents, which
// support/stack.ts starts for each worker. Chromium is the distribution's.
export default defineConfig({
  testDir: 'stories',
  outputDir: 'test-results',
  // Limits are for what hangs, not for machines that are busy with something else.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: false,
  workers: 1,
  forbidOnly: true,
  retries: 0,
  reporter: [['list'], ['junit', { outputFile: process.env.PLAYWRIGHT_JUNIT_OUTPUT_NAME }]],
  use: {
    // Pictures of every action would take a third of the time; --trace retain-on-failure takes them.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});

import { defineConfig } from '@playwright/test'

/** Background traffic off: without a network each of these waits for an answer that never comes. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  '--disable-gpu',
]

export default defineConfig({
  testDir: 'journeys',
  outputDir: '../test-results',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  workers: 1,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.JOURNEYS_REPORT
    ? [['list'], ['json', { outputFile: process.env.JOURNEYS_REPORT }]]
    : 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
      // Chromium's own sandbox can't start under root.
      args: process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET,
    },
  },
})

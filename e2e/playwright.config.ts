import { join } from 'node:path'
import { defineConfig } from '@playwright/test'

// Independent of the machine's fonts, language and time zone. Browsers and products inherit these variables.
Object.assign(process.env, {
  FONTCONFIG_FILE: join(import.meta.dirname, 'support/fonts.conf'),
  LANG: 'en_GB.UTF-8',
  TZ: 'Europe/Paris',
})

/** Disables background traffic: without a network, each such request would wait until its timeout. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  '--disable-gpu',
]

/** The headless shell, if set. Journeys with the extension start Chromium themselves. */
const executablePath = process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH
const report = process.env.JOURNEYS_REPORT

export default defineConfig({
  testDir: 'journeys',
  // Compiled packages need no second transformation.
  build: { external: ['**/dist/**'] },
  outputDir: '../test-results',
  // Far above the duration of a journey or step on a busy machine: exceeding it means a hang.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // Concurrent products that share a Redis or a database would process each other's jobs.
  workers: process.env.REDIS_URL || process.env.MONGODB_URI ? 1 : 2,
  // The journeys of a file run one after another, so that each hook of a file runs once.
  fullyParallel: false,
  retries: 0,
  failOnFlakyTests: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [
    ['list'],
    ['./support/slowest.ts'],
    ...(report ? [['json', { outputFile: report }] as const] : []),
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    screenshot: 'only-on-failure',
    // Tracing every test doubles the run's CPU time; for one: `npm run journeys -- NAME --trace on`.
    trace: 'off',
    launchOptions: {
      ...(executablePath && { executablePath }),
      // Chromium's own sandbox can't start under root.
      args: process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET,
    },
  },
})

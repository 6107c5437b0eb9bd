import { defineConfig } from '@playwright/test'
import journeys from './playwright.config.js'

/** Screenshots of every state of every screen: `npm run pictures`. */
export default defineConfig({
  ...journeys,
  testDir: 'pictures',
  timeout: 1_800_000,
  reporter: [['list']],
  use: { ...journeys.use, actionTimeout: 15_000 },
})

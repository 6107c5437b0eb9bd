import { writeFile } from 'node:fs/promises'
import type { TestInfo } from '@playwright/test'

/** Attaches the app's log to the results of a failed test. */
export const keepLog = async (info: TestInfo, app: { log(): string } | undefined): Promise<void> => {
  if (!app || info.status === info.expectedStatus) return
  const path = info.outputPath('app.log')
  await writeFile(path, app.log())
  await info.attach('app.log', { path, contentType: 'text/plain' })
}

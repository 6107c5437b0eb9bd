import { writeFile } from 'node:fs/promises'
import type { TestInfo } from '@playwright/test'

/** Attaches the product's log to the results of a failed test. */
export const keepLog = async (info: TestInfo, product: { log(): string } | undefined): Promise<void> => {
  if (!product || info.status === info.expectedStatus) return
  const path = info.outputPath('product.log')
  await writeFile(path, product.log())
  await info.attach('product.log', { path, contentType: 'text/plain' })
}

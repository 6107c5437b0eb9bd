import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'

/** Locates the drawer of an IOD's evidence. */
export const drawerOf = (page: Page) => page.getByRole('dialog', { name: 'Evidence', exact: true })
/** Locates a piece of evidence in the drawer, counted from 1. */
export const pieceOf = (page: Page, n = 1) =>
  page.getByRole('article', { name: `Evidence ${n}`, exact: true })
/** Opens the evidence of the only IOD of a list with one piece. */
export const openEvidence = async (page: Page) => {
  await page.getByRole('row').getByRole('button', { name: 'Evidence: 1' }).click()
  await expect(pieceOf(page)).toBeVisible()
}
/** Verifies the seal of the first piece. Expects `checks` successful checks. */
export const verifyPiece = async (page: Page, checks: number) => {
  await pieceOf(page).getByRole('button', { name: 'Verify' }).click()
  const report = pieceOf(page).getByRole('region', { name: 'Verification' })
  await expect(report.getByText('The seal holds', { exact: true })).toBeVisible()
  await report.getByText('What was checked').click()
  await expect(report.getByRole('img', { name: 'Holds:' })).toHaveCount(checks)
  return report
}

/** Downloads the capture of the first piece. */
export const downloadWacz = async (page: Page): Promise<{ file: Buffer; name: string }> => {
  const downloading = page.waitForEvent('download')
  await pieceOf(page).getByRole('button', { name: 'Download WACZ' }).click()
  const download = await downloading
  return { file: await readFile(await download.path()), name: download.suggestedFilename() }
}

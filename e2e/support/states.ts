import { expect, type Page } from '@playwright/test'

const CAMPAIGN = 'Lake mirrors'
/** On a phone it is in the menu. */
const IN_MENU = 'Organization'

/** A state of a screen: what to click in order, by name, and what is then shown. */
export interface State {
  path: string
  clicks: readonly string[]
  shown: string
}

/** Dialogs, popovers and expanded parts of pages that `fillEveryPage` has filled. */
export const OVERLAYS: readonly State[] = (
  [
    ['/dashboard/data', ['Create IOD from'], '.bp6-dialog'],
    ['/dashboard/data', ['More actions'], '.bp6-popover'],
    ['/dashboard/data', ['More actions', 'Delete'], '.bp6-dialog'],
    ['/dashboard/iods', ['Create IOD'], '.bp6-dialog'],
    ['/dashboard/iods', ['Activity'], '.bp6-popover'],
    ['/dashboard/iods', ['Details'], '.bp6-popover'],
    ['/dashboard/iods', ['Categories'], '.bp6-popover'],
    ['/dashboard/narratives', ['Convert to IOD'], '.bp6-dialog'],
    ['/dashboard/campaigns', ['Create Campaign'], '.bp6-dialog'],
    ['/dashboard/campaigns', [CAMPAIGN], '.bp6-dialog'],
    ['/dashboard/campaigns', [CAMPAIGN, 'View details'], '.bp6-dialog:has-text("IOD Details")'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Add IOD'], '.bp6-dialog:has-text("Add IODs to Campaign")'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Import'], '.bp6-dialog:has-text("Import IODs")'],
    ['/dashboard/graph', ['Filters'], 'form[aria-label="Filters"]'],
    ['/dashboard/community', ['View full profile'], 'ul[aria-label="Contributions"]'],
    ['/dashboard/profile', ['Edit username'], 'main form'],
    ['/dashboard/profile', ['Edit API key'], '.bp6-dialog'],
    ['/dashboard/overview', [IN_MENU], '.bp6-toast'],
  ] as const
).map(([path, clicks, shown]) => ({ path, clicks, shown }))

/** The pages of a signed-in person, below `/dashboard/`. */
export const SECTIONS = [
  'overview',
  'data',
  'data?source=telegram',
  'data?source=blog',
  'iods',
  'narratives',
  'campaigns',
  'graph',
  'community',
  'profile',
  'admin',
] as const

/** Brings a signed-in page into a state, and waits until it is shown. */
export const reach = async (page: Page, url: string, { path, clicks, shown }: State): Promise<void> => {
  await page.goto(url + path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const menu = page.getByRole('button', { name: 'Open menu' })
  for (const name of clicks) {
    if (name === IN_MENU && (await menu.isVisible())) await menu.click()
    const control = page
      .getByRole('button', { name })
      .or(page.getByRole('menuitem', { name }))
      .or(page.getByRole('article', { name }))
    await control.first().click()
    // A campaign's buttons do something once its dialog has its name: it is loaded then.
    if (name === CAMPAIGN) await expect(page.getByRole('dialog', { name })).toBeVisible()
  }
  await expect(page.locator(shown)).toBeVisible()
}

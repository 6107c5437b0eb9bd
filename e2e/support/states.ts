import { expect, type Page } from '@playwright/test'

const CAMPAIGN = 'Lake mirrors'
const REPORT = 'Report on mirrors'
const CLAIM = 'https://example.org/claim'
/** Controls that are in the menu on a phone. */
const IN_MENU: readonly string[] = ['Organization', 'Search everything']

/** A state of a screen: the names of the clicked controls in order, the typed text, and the selector of the result. */
export interface State {
  path: string
  clicks: readonly string[]
  shown: string
  types?: string | undefined
}

/** Dialogs, popovers and expanded parts of the pages that `fillEveryPage` has filled. */
export const OVERLAYS: readonly State[] = (
  [
    ['/dashboard/data', ['Create IOD from'], '.bp6-dialog'],
    ['/dashboard/data', ['Sealed'], '[role="dialog"]:has-text("Fingerprint")'],
    ['/dashboard/data', ['More actions'], '.bp6-popover'],
    ['/dashboard/data', ['More actions', 'Delete'], '.bp6-dialog'],
    ['/dashboard/iods', ['Create IOD'], '.bp6-dialog'],
    ['/dashboard/iods', ['Activity'], '.bp6-popover'],
    ['/dashboard/iods', ['Details'], '.bp6-popover'],
    ['/dashboard/iods', ['Evidence: 1'], '[role="article"]:has-text("Fingerprint")'],
    ['/dashboard/iods', ['Evidence: 1', 'Verify'], 'text=The seal holds'],
    ['/dashboard/iods', ['Evidence: 1', 'Show in capture'], 'section[aria-label="Captured text"] mark'],
    ['/dashboard/iods', ['Evidence: 1', 'Share'], '.bp6-dialog:has-text("Share this capture")'],
    ['/dashboard/iods', ['Categories'], '.bp6-popover'],
    ['/dashboard/iods', [CLAIM], '[role="dialog"]:has-text("Campaigns"):not(:has(.bp6-skeleton))'],
    ['/dashboard/iods', ['Select'], 'fieldset:has-text("1 selected")'],
    ['/dashboard/iods', ['Select', 'Export'], '.bp6-menu'],
    ['/dashboard/iods', ['Select', 'Add to campaign'], '.bp6-dialog'],
    ['/dashboard/iods', [], '.bp6-dialog:has-text("Upvote")', '?'],
    ['/dashboard/iods/000000000000000000000000', [], '[role="dialog"]:has-text("does not exist")'],
    ['/dashboard/narratives', ['Convert to IOD'], '.bp6-dialog'],
    ['/dashboard/campaigns', ['Create Campaign'], '.bp6-dialog'],
    ['/dashboard/campaigns', [CAMPAIGN], '.bp6-dialog'],
    ['/dashboard/campaigns', [CAMPAIGN, 'View details'], '.bp6-dialog:has-text("IOD Details")'],
    [
      '/dashboard/campaigns',
      [CAMPAIGN, 'View details', 'Evidence (1)'],
      '[role="article"]:has-text("Fingerprint")',
    ],
    ['/dashboard/campaigns', [CAMPAIGN, 'Add IOD'], '.bp6-dialog:has-text("Add IODs to Campaign")'],
    [
      '/dashboard/campaigns',
      [CAMPAIGN, 'Techniques', 'Choose techniques'],
      '.bp6-dialog:has-text("Techniques of the campaign"):has([type="checkbox"])',
    ],
    ['/dashboard/campaigns', [CAMPAIGN, 'Techniques', 'Propose techniques'], '.bp6-dialog:has(textarea)'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Matrix', 'Choose'], '[role="grid"][aria-multiselectable]'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Matrix', 'Export matrix'], '.bp6-menu:has-text("CSV")'],
    [
      '/dashboard/campaigns/matrix',
      ['T0066 Degrade Adversary'],
      '[role="dialog"]:has-text("T0066 Degrade Adversary"):has-text("None")',
    ],
    ['/dashboard/campaigns/matrix', ['Unfold all'], '[data-tid="T0151.004"]'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Import'], '.bp6-dialog:has-text("Import IODs")'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Reports'], 'section[aria-label="Reports"]'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Reports', REPORT], 'text=Hand in for review'],
    ['/dashboard/campaigns', [CAMPAIGN, 'Reports', REPORT, 'Preview'], '[aria-label="Left out"]'],
    [
      '/dashboard/campaigns',
      [CAMPAIGN, 'Reports', REPORT, 'Choose exhibits of finding 1'],
      '.bp6-dialog:has-text("Choose exhibits"):has([type="checkbox"])',
    ],
    [
      '/dashboard/campaigns',
      [CAMPAIGN, 'Reports', REPORT, 'Hand in for review'],
      '.bp6-dialog:has-text("Archives copy what is public")',
    ],
    ['/dashboard/campaigns', [CAMPAIGN, 'Reports', REPORT, 'Delete report'], '.bp6-dialog'],
    ['/dashboard/graph', ['Filters'], 'form[aria-label="Filters"]'],
    ['/dashboard/community', ['View full profile'], 'ul[aria-label="Contributions"]'],
    ['/dashboard/profile', ['Edit username'], 'main form'],
    ['/dashboard/profile', ['Edit API key'], '.bp6-dialog'],
    ['/dashboard/profile?tab=access', ['Create token'], '.bp6-dialog'],
    ['/dashboard/profile?tab=access', ['Create key'], '.bp6-dialog:has-text("Create a feed key")'],
    ['/dashboard/profile', ['Change email address'], '.bp6-dialog'],
    ['/dashboard/profile', ['Delete account'], '.bp6-dialog'],
    ['/dashboard/profile?tab=notifications', ['Advanced', 'Add webhook'], '.bp6-dialog'],
    ['/dashboard/overview', ['Organization'], '.bp6-toast'],
    ['/dashboard/overview', ['Notifications'], '[role="dialog"]:has-text("No notifications yet")'],
    ['/dashboard/overview', ['Search everything'], '[role="listbox"]'],
    [
      '/dashboard/overview',
      ['Search everything'],
      '[role="group"]:has-text("Campaigns") [role="option"]',
      'Lake',
    ],
    ['/dashboard/overview', ['Search everything'], 'text=Nothing found', 'nowhere to be seen'],
  ] as const
).map(([path, clicks, shown, types]) => ({ path, clicks, shown, types }))

/** The pages of a signed-in user, below `/dashboard/`. */
export const SECTIONS = [
  'overview',
  'data',
  'data?source=telegram',
  'data?source=blog',
  'iods',
  'narratives',
  'narratives/canonical',
  'campaigns',
  'campaigns/matrix',
  'campaigns/reports',
  'graph',
  'analytics',
  'analytics?tab=collection',
  'analytics?tab=campaigns',
  'analytics?tab=narratives',
  'community',
  'origins',
  'profile',
  'profile?tab=security',
  'profile?tab=notifications',
  'profile?tab=access',
  'profile?tab=data',
  'admin',
] as const

/** Brings a signed-in page into a state, and waits until it is shown. */
export const reach = async (
  page: Page,
  url: string,
  { path, clicks, shown, types }: State,
): Promise<void> => {
  await page.goto(url + path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const menu = page.getByRole('button', { name: 'Open menu' })
  for (const name of clicks) {
    if (IN_MENU.includes(name) && (await menu.isVisible())) await menu.click()
    const control = page
      .getByRole('button', { name })
      .or(page.getByRole('menuitem', { name }))
      .or(page.getByRole('tab', { name }))
      .or(page.getByRole('article', { name }))
      .or(page.getByRole('checkbox', { name, exact: true }))
      .or(page.getByRole('searchbox', { name }))
      .or(page.getByRole('cell').getByRole('link', { name }))
      .or(page.getByRole('gridcell', { name, exact: true }))
    await control.first().click()
    // A campaign's buttons work once its dialog has the campaign's name.
    if (name === CAMPAIGN) await expect(page.getByRole('dialog', { name })).toBeVisible()
  }
  const isShown = expect(page.locator(shown).first())
  if (types && clicks.length === 0)
    // A page handles keys some time after its first frame.
    return expect(async () => {
      await page.keyboard.type(types)
      await isShown.toBeVisible({ timeout: 5_000 })
    }).toPass()
  if (types) {
    await expect(page.locator('input:focus')).toBeVisible()
    await page.keyboard.type(types)
  }
  await isShown.toBeVisible()
}

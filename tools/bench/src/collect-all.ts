/**
 * "Collect all visible posts" of a channel with and without sealing, alternating in one Chromium with the built extension:
 * time until the popup has its response, and until all captures are stored. The page is reloaded before each press, so
 * that both sides read its pictures. There is no server, so that nothing is sent.
 *
 *   npm run build:extension && npm run bench -- collect-all
 *   ROUNDS=5 POSTS=150,300,600 npm run bench -- collect-all
 */
import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { launchWithExtension } from './lib/browser.js'
import { count, interleave, medians, ratio, table } from './lib/measure.js'

const BUILT = resolve(import.meta.dirname, '../../../extension/dist/chromium')
const rounds = Number(process.env.ROUNDS ?? 5)
const sizes = (process.env.POSTS ?? '150,300,600').split(',').map(Number)
const URL_OF_PAGE = 'https://t.me/s/open_eyes'
const STORES = ['records', 'captures', 'blobs', 'acknowledged']

const PICTURE_EVERY = 3

/** Returns the HTML of a Telegram post, optionally with pictures that the page may not read. */
const postOf = (id: number, withPictures: boolean): string => `<div class="tgme_widget_message_wrap">
<div class="tgme_widget_message js-widget_message" data-post="open_eyes/${id}"><div class="tgme_widget_message_bubble">
<div class="tgme_widget_message_author"><a class="tgme_widget_message_owner_name" href="https://t.me/open_eyes"><span>Open Eyes</span></a></div>
${withPictures && id % PICTURE_EVERY === 0 ? `<a class="tgme_widget_message_photo_wrap" href="https://t.me/open_eyes/${id}" style="width:80px;background-image:url('https://cdn.example.org/${id}.jpg')"><div style="padding-top:66%"></div></a>` : ''}
<div class="tgme_widget_message_text js-message_text">Post no. ${id} on <b>mirrors</b> that heat the lake<br>${'and what they say of it '.repeat(12)}<a href="https://blog.example.org/${id}">read on</a></div>
<div class="tgme_widget_message_footer"><a class="tgme_widget_message_date" href="https://t.me/open_eyes/${id}"><time datetime="2026-11-20T08:04:00+00:00">08:04</time></a></div>
</div></div></div>`

const pageOf = (
  posts: number,
  withPictures: boolean,
): string => `<!doctype html><meta charset="utf-8"><title>Open Eyes</title>
<div class="tgme_channel_info_header"><div class="tgme_channel_info_header_title"><span>Open Eyes</span></div></div>
<section class="tgme_channel_history">${Array.from({ length: posts }, (_, n) => postOf(n + 1, withPictures)).join('\n')}</section>`

/** Collects as the popup does, and waits until `posts` captures are stored. */
const collect = (popup: Page, tabId: number, sealing: boolean, posts: number) =>
  popup.evaluate(
    async ([tab, seals, wanted, stores]) => {
      type Request = (
        message: object,
      ) => Promise<{ ok: boolean; value: { queued: number; captures: { leftOut: string } } }>
      const ask = (globalThis as never as { chrome: { runtime: { sendMessage: Request } } }).chrome.runtime
        .sendMessage
      const settled = <T>(request: IDBRequest<T>) =>
        new Promise<T>((done, fail) => {
          request.onsuccess = () => done(request.result)
          request.onerror = () => fail(request.error)
        })
      const database = await settled(indexedDB.open('iodine'))
      for (const store of stores)
        await settled(database.transaction(store, 'readwrite').objectStore(store).clear())
      await ask({ name: 'setSealing', on: seals })
      const begun = performance.now()
      const { ok, value } = await ask({ name: 'collect', tabId: tab, what: 'all' })
      const answered = performance.now() - begun
      if (!ok || value.queued !== wanted) throw new Error(`collected ${JSON.stringify(value)}`)
      const kept = () => settled(database.transaction('captures').objectStore('captures').count())
      while (seals && (await kept()) < wanted) {
        const { leftOut } = (await ask({ name: 'status' })).value.captures
        if (leftOut.includes('no capture')) throw new Error(leftOut)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      const all = performance.now() - begun
      database.close()
      return { answered, all }
    },
    [tabId, sealing, posts, STORES] as const,
  )

if (!existsSync(BUILT)) throw new Error('The extension is not built: npm run build:extension')
const folder = temporaryFolder()
const unpacked = join(folder.path, 'extension')
await cp(BUILT, unpacked, { recursive: true })
const manifest = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'))
// A script can't press the browser's own "Allow".
await writeFile(
  join(unpacked, 'manifest.json'),
  JSON.stringify({ ...manifest, host_permissions: ['https://t.me/*'] }),
)
const context = await launchWithExtension(join(folder.path, 'profile'), unpacked)
try {
  const rows: string[][] = []
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const popup = await context.newPage()
  await popup.goto(new URL('popup.html', worker.url()).href)
  // The extension has now created its stores.
  await popup.getByLabel('Extension code').waitFor()
  await popup.evaluate(async () => {
    const opening = indexedDB.open('iodine')
    await new Promise(resolve => {
      opening.onsuccess = resolve
    })
    const account = { server: 'http://127.0.0.1:1', userId: 'a'.repeat(24), name: '@ana', token: 'token' }
    opening.result.transaction('settings', 'readwrite').objectStore('settings').put(account, 'account')
    opening.result.close()
  })
  for (const [posts, withPictures] of sizes.flatMap(size => [
    [size, true] as const,
    [size, false] as const,
  ])) {
    const page = await context.newPage()
    await context.route('https://t.me/**', route =>
      route.fulfill({ contentType: 'text/html; charset=utf-8', body: pageOf(posts, withPictures) }),
    )
    await context.route('https://cdn.example.org/**', route =>
      route.fulfill({
        headers: { 'access-control-allow-origin': 'https://example.org' },
        body: 'no picture',
      }),
    )
    await page.goto(URL_OF_PAGE)
    const tabId = await popup.evaluate(async url => {
      type Tabs = { query: (of: object) => Promise<{ id: number }[]> }
      const { tabs } = (globalThis as never as { chrome: { tabs: Tabs } }).chrome
      return (await tabs.query({ url }))[0]?.id ?? 0
    }, URL_OF_PAGE)
    const press = (sealing: boolean) => async () => {
      await page.reload()
      return collect(popup, tabId, sealing, posts)
    }
    const { without, sealed } = await interleave(rounds, { without: press(false), sealed: press(true) }, 1)
    const [plain, kept] = [medians(without), medians(sealed)]
    rows.push([
      count(posts),
      String(withPictures ? Math.floor(posts / PICTURE_EVERY) : 0),
      count(plain.answered),
      count(kept.answered),
      count(kept.all),
      ratio(kept.answered, plain.answered),
      ratio(kept.all, plain.all),
    ])
    await page.close()
  }
  table(
    [
      'posts',
      'pictures',
      'ms without sealing',
      'ms with, to the answer',
      'ms until all is kept',
      'ratio',
      'ratio, all kept',
    ],
    rows,
  )
} finally {
  await context.close()
  folder.remove()
}

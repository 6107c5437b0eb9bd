import { expect, test } from '@playwright/test'
import { gallery, launchCollector, startSites } from '../support/collector.js'

type Kept = { record: Record<string, unknown> }

/** Returns a record without its collection time. */
const timeless = ({ collector_metadata: _, ...content }: Record<string, unknown>) => content

test('the built extension reads the expected record from each page of the gallery', {
  tag: '@long',
}, async () => {
  // Far above the duration for all pages.
  test.setTimeout(600_000)
  const pages = gallery()
  const hosts = new Set(
    pages.flatMap(([, , { url, frame }]) => [url, frame ?? url].map(each => new URL(each).hostname)),
  )
  const sites = await startSites()
  // No server listens at this address: the collected records stay queued in the browser.
  const collector = await launchCollector({ sites, hosts: [...hosts], server: 'http://127.0.0.1:9' })
  // The browser exposes the URL of a tab only for permitted sites.
  const [[, , { url: first, html: shown }]] = pages as [(typeof pages)[number]]
  sites.serve(first, shown)
  const { page, popup } = await collector.open(first)
  await popup.evaluate(
    () =>
      new Promise<void>(resolve => {
        const opening = indexedDB.open('iodine')
        opening.onsuccess = () => {
          const writing = opening.result.transaction('settings', 'readwrite')
          const account = {
            server: 'http://127.0.0.1:9',
            userId: 'a'.repeat(24),
            name: '@ana',
            token: 'none',
          }
          writing.objectStore('settings').put(account, 'account')
          writing.objectStore('settings').put(false, 'sealing')
          writing.oncomplete = () => resolve()
        }
      }),
  )
  const tabId = Number(new URL(popup.url()).searchParams.get('tab'))

  /** Returns the records that an order collects, or the failure's sentence. */
  const collect = async (what: 'own' | 'all'): Promise<unknown> => {
    const { problem, kept } = await popup.evaluate(
      async message => {
        const answer = await chrome.runtime.sendMessage(message)
        const kept = await new Promise<Kept[]>(resolve => {
          const opening = indexedDB.open('iodine')
          opening.onsuccess = () => {
            const taking = opening.result.transaction('records', 'readwrite').objectStore('records')
            const reading = taking.getAll()
            reading.onsuccess = () => {
              taking.clear()
              resolve(reading.result)
              opening.result.close()
            }
          }
        })
        return { problem: answer.ok ? '' : String(answer.error), kept }
      },
      { name: 'collect', tabId, what },
    )
    return problem || kept.map(({ record }) => timeless(record))
  }

  for (const [source, name, { url, html, own, all, frame, frameHtml, refused }] of pages)
    await test.step(`${source}/${name}`, async () => {
      sites.serve(url, html)
      if (frame) sites.serve(frame, frameHtml)
      await page.goto(url)
      if (own) expect.soft(await collect('own'), name).toEqual([timeless(own)])
      if (all.length === 0) expect.soft(await collect('own'), name).toContain(refused ?? 'No post was found')
      if (all.length > (own ? 1 : 0)) expect.soft(await collect('all'), name).toEqual(all.map(timeless))
    })
  await collector.close()
  await sites.stop()
})

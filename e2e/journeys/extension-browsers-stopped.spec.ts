import { naturalKey, type RecordOf } from '@iodine/contracts'
import { runs } from '@iodine/test-kit/runs'
import { evaluateIn, expectText, pressIn, textOf } from '../support/browser-page.js'
import { PIXEL } from '../support/captures.js'
import { signIn, startLine, startSites } from '../support/collector.js'
import { article, BROWSERS, capturesOf, drive, recordsOf } from '../support/collector-driver.js'
import { FIREFOX } from '../support/firefox.js'
import { expect, test } from '../support/fixtures.js'

const parts = (beginning: RegExp) => [[beginning, 'request'] as const, [beginning, 'answer'] as const]
/** The swallowed requests and answers of each phase, in turn; undefined: the page's picture is held. */
const PHASES: Record<string, (ReturnType<typeof parts>[number] | undefined)[]> = {
  'collecting a page': [undefined],
  'sending a record': parts(/^POST \S+\/blog\/data /),
  'uploading a capture': [...parts(/^POST \S+\/captures /), ...parts(/^PUT \S+\/captures\/\w+\/blobs\/\w+ /)],
  'sealing a capture': parts(/^POST \S+\/captures\/\w+\/seal /),
}

/** Changes the shown article and its URL, as sites do that load no page. */
const showPost = (url: string) => {
  history.pushState(null, '', url)
  const [words, picture] = [document.getElementById('words'), document.getElementById('picture')]
  if (words) words.textContent = `The words of ${url}`
  picture?.setAttribute('src', `${url}.png`)
}

for (const browser of BROWSERS)
  test.describe(browser, () => {
    test.skip(browser === 'Firefox' && !FIREFOX, 'no Firefox on this machine')

    for (const [phase, moments] of Object.entries(PHASES))
      test(`loses and doubles nothing if its background is stopped while it is ${phase}`, {
        tag: '@long',
      }, async ({ app, person }) => {
        test.setTimeout(180_000 + runs(50) * 30_000)
        const ben = await person('stopped')
        const sites = await startSites()
        sites.serve('https://blog.example.org/', article('<p id="words">Words</p><img id="picture" alt="">'))
        const line = await startLine(app.url)
        const collector = await drive(browser, { sites, server: line.url })
        const { page, popup } = await collector.open('https://blog.example.org/')
        await signIn(popup, ben)
        const urls = Array.from({ length: runs(50) }, (_, run) => `https://blog.example.org/post-${run}`)
        for (const [run, url] of urls.entries()) {
          const picture = `${url}.png`
          sites.serve(picture, PIXEL, 'image/png')
          await evaluateIn(page, showPost, url)
          const moment = moments[run % moments.length]
          if (moment) {
            const [beginning, part] = moment
            const caught = line.swallow(beginning, part)
            await pressIn(popup, 'Collect this article')
            await caught
            // Says that the capture is stored; the number of waiting ones includes those being made.
            await expectText(popup, 'A capture of this page waits to be sealed')
            await collector.stopBackground()
          } else {
            const { asked, release } = sites.hold(picture)
            await pressIn(popup, 'Collect this article')
            await asked
            await collector.stopBackground()
            await expectText(popup, 'The browser stopped the collector while it was working')
            release()
            await pressIn(popup, 'Collect this article')
          }
          await expect
            .poll(async () => {
              await evaluateIn(popup, () => chrome.alarms.create('send', { when: Date.now() }))
              return textOf(popup)
            })
            .toMatch(/Sealed as no\. [\d,]+/)
          await expectText(popup, '0 waiting')
        }
        const records = await recordsOf(ben, 'blog')
        const sealed = await capturesOf(ben)
        expect(records.map(record => naturalKey.blog(record as RecordOf['blog'])).sort()).toEqual(
          [...urls].sort(),
        )
        expect(sealed.map(({ url, state }) => [url, state]).sort()).toEqual(
          urls.map(url => [url, 'sealed']).sort(),
        )
        await collector.close()
        line.stop()
        await sites.stop()
      })
  })

import { fileURLToPath } from 'node:url'
import { LIMITS } from '@iodine/contracts'
import { runs, seededRandom } from '@iodine/test-kit'
import { expect, type Page, test } from '@playwright/test'
import { rolldown } from 'rolldown'
import { hostileFragments, randomPage } from '../support/hostile-pages.js'

type Evidence = Pick<typeof import('@iodine/evidence/dom'), 'captureDom' | 'projectText'>
declare const evidence: Evidence

const RUNS = runs(320)
const PAPER = 'http://paper.example'
const READER = 'http://reader.example'

let script: string
test.beforeAll(async () => {
  // One script for the page, as in the extension.
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: '@iodine/evidence/dom',
    platform: 'browser',
    resolve: { conditionNames: ['source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'evidence' })
  script = `${output[0].code}\nwindow.evidence = evidence`
})

/** Serves `html` at an origin. */
const serve = (page: Page, origin: string, html: () => string) =>
  page.route(`${origin}/**`, route =>
    route.request().resourceType() === 'document' && !route.request().frame().parentFrame()
      ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: html() })
      : route.fulfill({ status: 404, body: '' }),
  )

/**
 * Returns the sorted words (t and a number) that Chromium's layout shows, without those of form controls and embedded
 * documents. Changes the page: it measures a temporary wrapper around each text.
 */
const wordsDrawn = () => {
  const leftOut = 'button, select, textarea, output, meter, progress, datalist, object, portal'
  const isLeftOut = (node: Node): boolean => {
    const { host } = node.getRootNode() as Partial<ShadowRoot>
    return Boolean(node.parentElement?.closest(leftOut)) || (host !== undefined && isLeftOut(host))
  }
  const roots: ParentNode[] = [document.querySelector('article') as Element]
  const texts: Text[] = []
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Text) texts.push(node)
      else if ((node as Element).shadowRoot) roots.push((node as Element).shadowRoot as ShadowRoot)
    }
  }
  /** \`checkVisibility\` counts the opacity of \`display: contents\`, which has no effect. */
  const isTransparent = (element: Element): boolean => {
    const { opacity, display } = getComputedStyle(element)
    const parent = element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host
    return (opacity === '0' && display !== 'contents') || (parent !== undefined && isTransparent(parent))
  }
  const isDrawn = (text: Text): boolean => {
    const isOfSvg = text.parentElement instanceof SVGElement
    const wrapper = isOfSvg
      ? document.createElementNS('http://www.w3.org/2000/svg', 'tspan')
      : document.createElement('span')
    text.replaceWith(wrapper)
    wrapper.append(text)
    const { width, height } = wrapper.getBoundingClientRect()
    const isVisible = wrapper.checkVisibility({ visibilityProperty: true }) && !isTransparent(wrapper)
    wrapper.replaceWith(text)
    return width > 0 && height > 0 && isVisible && !isLeftOut(text)
  }
  return texts
    .filter(isDrawn)
    .flatMap(text => text.data.match(/\bt\d+\b/g) ?? [])
    .sort()
}

/** Triggers all events and links of captured HTML, as if it was extracted from its file and opened. */
const tryAll = () => {
  const isHarmless = (event: Event) => {
    const link = (event.target as Element).closest?.('a, area')
    // Links to web pages are not followed, all others are.
    if (/^https?:/.test((link as HTMLAnchorElement | null)?.href ?? '')) event.preventDefault()
  }
  document.addEventListener('click', isHarmless, true)
  for (const element of document.querySelectorAll<HTMLElement>('*')) {
    for (const type of [
      'load',
      'error',
      'mouseover',
      'focus',
      'pointerdown',
      'animationend',
      'toggle',
      'begin',
    ])
      element.dispatchEvent(new Event(type, { bubbles: true }))
    element.click?.()
  }
}

test(`captures of ${RUNS} hostile pages run no script, and contain exactly the text that Chromium shows`, {
  tag: '@long',
}, async ({ browser }) => {
  test.setTimeout(60_000 + RUNS * 1_000)
  const context = await browser.newContext()
  const executed: string[] = []
  await context.exposeBinding('executed', ({ page }) => {
    executed.push(new URL(page.url()).origin)
  })
  const paper = await context.newPage()
  const reader = await context.newPage()
  for (const page of [paper, reader]) page.on('dialog', dialog => dialog.dismiss())
  const asked: string[] = []
  reader.on('request', request => {
    if (!/^(document|image|media)$/.test(request.resourceType()) || request.frame().parentFrame())
      asked.push(`${request.resourceType()} ${request.url()}`)
  })
  let html = ''
  let captured = ''
  await serve(paper, PAPER, () => html)
  await serve(reader, READER, () => captured)
  await paper.addInitScript(script)

  const random = seededRandom(24)
  const fragments = hostileFragments()
  expect(fragments.length).toBeLessThan(RUNS)
  let drawn = 0
  const wrong: string[] = []
  for (let n = 0; n < RUNS; n++) {
    const article = fragments[n] ?? randomPage(random)
    html = `<!doctype html><title>paper</title><body><article>${article}</article>`
    await paper.goto(`${PAPER}/${n}`)
    const { dom, text } = await paper.evaluate(() => {
      const root = document.querySelector('article') as Element
      return { dom: evidence.captureDom(root), text: evidence.projectText(root) }
    })
    const words = await paper.evaluate(wordsDrawn)
    drawn += words.length
    const projected = (text.match(/\bt\d+\b/g) ?? []).sort()
    if (projected.join() !== words.join())
      wrong.push(`page ${n}: ${article}\n  projected ${projected}\n  seen ${words}`)

    captured = `<!doctype html><title>capture</title><body>${dom}`
    await reader.goto(`${READER}/${n}`)
    await reader.evaluate(tryAll)
    expect(
      executed.filter(origin => origin !== PAPER),
      `page ${n}: ${article}\n${dom}`,
    ).toEqual([])
    expect(asked, `page ${n}: ${article}\n${dom}`).toEqual([])
  }
  expect(wrong.join('\n')).toBe('')
  // Control: scripts of the pages themselves run, and words are visible.
  expect(executed.length).toBeGreaterThan(20)
  expect(drawn).toBeGreaterThan(RUNS)
  await context.close()
})

/** Opens a page with an empty article, which a test fills. */
const openEmpty = async (page: Page) => {
  await serve(page, PAPER, () => '<!doctype html><title>paper</title><body><article></article>')
  await page.addInitScript(script)
  await page.goto(PAPER)
}

test('a page with 10,000 nested elements is captured completely', { tag: '@long' }, async ({ page }) => {
  await openEmpty(page)
  // Chromium can't render such a page: the test uses it only for the capture.
  const { dom, text } = await page.evaluate(() => {
    const root = document.querySelector('article') as Element
    let inner = root
    for (let depth = 0; depth < 10_000; depth++) inner = inner.appendChild(document.createElement('span'))
    inner.textContent = 'the innermost words'
    return { dom: evidence.captureDom(root), text: evidence.projectText(root) }
  })
  expect(text).toBe('the innermost words')
  const [opened, closed] = ['<span>', '</span>'].map(tag => tag.repeat(10_000))
  expect(dom === `<article>${opened}the innermost words${closed}</article>`).toBe(true)
})

test('a page with 10 MiB of text is captured within the limits', { tag: '@long' }, async ({ page }) => {
  await openEmpty(page)
  const { dom, text } = await page.evaluate(() => {
    const root = document.querySelector('article') as Element
    for (let n = 0; n < 10_240; n++)
      root.appendChild(document.createElement('p')).textContent =
        `${n} ${'mirrors heat the lake '.repeat(60)}`.slice(0, 1024)
    return { dom: evidence.captureDom(root), text: evidence.projectText(root) }
  })
  expect(text).toHaveLength(LIMITS.captureTextMax)
  expect(text).toMatch(/^0 mirrors heat the lake/)
  expect(Buffer.byteLength(dom)).toBeLessThanOrEqual(LIMITS.blobBytes)
})

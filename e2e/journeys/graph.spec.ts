import { readFile } from 'node:fs/promises'
import { type Graph, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { type AiProvider, seededRandom } from '@iodine/test-kit'
import type { Locator } from '@playwright/test'
import { expect, type Page, type Person, test } from '../support/fixtures.js'

const STORIES = [
  {
    text: 'It was a warm night. Giant mirrors heat the lake. Secret engineers hide giant mirrors.',
    src: 'https://stories.example.org/lake',
    triplets: [
      { subject: 'Giant mirrors', verb: 'heat', object: 'the lake' },
      { subject: 'Secret engineers', verb: 'hide', object: 'giant mirrors' },
    ],
  },
  {
    text: 'The mayor denies everything! Again, giant mirrors heat the lake.',
    src: 'notes/town',
    triplets: [
      { subject: 'The mayor', verb: 'denies', object: 'everything' },
      { subject: 'Giant mirrors', verb: 'heat', object: 'the lake' },
    ],
  },
]

/** Extracts the narratives of the stories as a user. */
const extractStories = async ({ api }: Person, ai: AiProvider): Promise<void> => {
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-graph-key' } })
  for (const { text, src, triplets } of STORIES) {
    ai.next({ triplets })
    await api.call(narrativesApi.createNarrative, { body: { text, src } })
  }
}

type Point = { x: number; y: number }
type Canvas = HTMLCanvasElement & { nodePosition(id: string): Point | null }

const canvasOf = (page: Page) => page.getByRole('application', { name: 'Narrative triplets graph' })
const settled = (page: Page) => expect(canvasOf(page)).toHaveAttribute('data-layout', 'settled')

/** Returns a node's position on the canvas. */
const positionOf = async (canvas: Locator, id: string): Promise<Point> => {
  const place = await canvas.evaluate((element, id) => (element as Canvas).nodePosition(id), id)
  if (!place) throw new Error(`the canvas shows no node ${id}`)
  return place
}
/** Returns a node's position on the page. */
const pointOf = async (page: Page, id: string): Promise<Point> => {
  const box = await canvasOf(page).boundingBox()
  const place = await positionOf(canvasOf(page), id)
  return { x: (box?.x ?? 0) + place.x, y: (box?.y ?? 0) + place.y }
}
/** Returns the rendered colour at the centre of a node. */
const colorOf = (canvas: Locator, id: string) =>
  canvas.evaluate((element, id) => {
    const shown = element as Canvas
    const place = shown.nodePosition(id) as Point
    const copy = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    const scale = shown.width / shown.clientWidth
    copy.drawImage(shown, place.x * scale, place.y * scale, 1, 1, 0, 0, 1, 1)
    return [...copy.getImageData(0, 0, 1, 1).data.subarray(0, 3)]
  }, id)
const themeColor = (page: Page, name: string) =>
  page.evaluate(name => {
    const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--iodine-${name}`).trim()
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.subarray(0, 3)]
  }, name)
const clickBackground = (page: Page) => canvasOf(page).click({ position: { x: 6, y: 6 } })

test('the graph works by pointer and search, exports files, and has a table', async ({
  page,
  person,
  openAs,
  ai,
}) => {
  const ana = await person('ana')
  await extractStories(ana, ai)
  const canvas = canvasOf(page)
  const node = page.getByRole('region', { name: 'Node details' })

  await test.step('loads and shows a toast', async () => {
    const asked = page.waitForRequest(/graph\/triplets/)
    // The toast lasts three seconds, which a slow page may need to load.
    const toastShown = Promise.all([
      page.getByText('Graph loaded').waitFor(),
      page.getByText('8 nodes, 6 links', { exact: true }).waitFor(),
    ])
    await openAs(ana, '/dashboard/graph')
    await toastShown
    expect([...new URL((await asked).url()).searchParams.keys()]).toEqual(['limit'])
    await expect(page.getByRole('list', { name: 'Counts' })).toHaveText(
      '5 entities3 verbs2 sources8 total nodes',
    )
    await settled(page)
    await expect(page.getByText('Graph loaded')).toBeHidden()
  })

  await test.step('a click on a node selects it, a click on the background clears the selection', async () => {
    await expect.poll(() => colorOf(canvas, 'verb:heat')).toEqual(await themeColor(page, 'graph-verb'))
    const { x, y } = await pointOf(page, 'verb:heat')
    await page.mouse.click(x, y)
    await expect(canvas).toHaveAttribute('data-selected', 'verb:heat')
    await expect(node.getByRole('heading', { name: 'heat' })).toBeVisible()
    await expect(node).toContainText('Type')
    await expect(node).toContainText('notes/town')
    await expect(node.getByRole('list', { name: 'Neighbours' }).getByRole('button')).toHaveText([
      'Giant mirrors2',
      'the lake2',
    ])
    await expect.poll(() => colorOf(canvas, 'verb:heat')).toEqual(await themeColor(page, 'graph-selected'))
    await clickBackground(page)
    await expect(node).toBeHidden()
    await expect(canvas).not.toHaveAttribute('data-selected')
  })

  await test.step('the wheel zooms to the pointer', async () => {
    const before = await pointOf(page, 'entity:everything')
    const zoom = (await canvas.getAttribute('data-zoom')) ?? ''
    await page.mouse.move(before.x, before.y)
    await page.mouse.wheel(0, -300)
    await expect
      .poll(async () => Number(await canvas.getAttribute('data-zoom')))
      .toBeGreaterThan(Number(zoom) * 1.2)
    const after = await pointOf(page, 'entity:everything')
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1)
    await page.getByRole('button', { name: 'Fit to screen' }).click()
    await expect(canvas).toHaveAttribute('data-zoom', zoom)
  })

  await test.step('a dragged node stays where it is dropped', async () => {
    const from = await pointOf(page, 'entity:the mayor')
    const to = { x: from.x + 60, y: from.y + 40 }
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 20, from.y + 10)
    await page.mouse.move(to.x, to.y)
    await page.mouse.up()
    await expect(canvas).toHaveAttribute('data-pinned', '["entity:the mayor"]')
    await settled(page)
    const dropped = await pointOf(page, 'entity:the mayor')
    expect(Math.hypot(dropped.x - to.x, dropped.y - to.y)).toBeLessThan(1)
  })

  await test.step('a link lists its texts', async () => {
    await clickBackground(page)
    const [from, to] = [await pointOf(page, 'entity:giant mirrors'), await pointOf(page, 'verb:heat')]
    await page.mouse.click((from.x + to.x) / 2, (from.y + to.y) / 2)
    const link = page.getByRole('region', { name: 'Link details' })
    await expect(link.getByRole('heading', { name: 'Giant mirrors → heat' })).toBeVisible()
    await expect(link.getByRole('heading', { name: 'Texts (2)' })).toBeVisible()
    await expect(link.getByRole('list', { name: 'Texts' }).locator('q')).toHaveText([
      'Again, giant mirrors heat the lake.',
      'Giant mirrors heat the lake.',
    ])
    await expect(link.getByRole('link', { name: 'https://stories.example.org/lake' })).toBeVisible()
    await link.getByRole('button', { name: 'Clear selection' }).click()
    await expect(link).toBeHidden()
  })

  await test.step('search centres a node, focus shows only its neighbourhood', async () => {
    await page.getByRole('searchbox', { name: 'Find a node...' }).fill('LAKE')
    await page.keyboard.press('Enter')
    await expect(canvas).toHaveAttribute('data-selected', 'entity:the lake')
    // The details do not cover the neighbourhood.
    const left = (await node.boundingBox())?.x ?? 0
    for (const id of ['entity:the lake', 'verb:heat'])
      await expect.poll(async () => (await pointOf(page, id)).x).toBeLessThan(left)
    for (const [depth, drawn] of [
      ['1', 2],
      ['2', 3],
      ['3', 4],
      ['All', 8],
    ] as const) {
      await node.getByRole('radiogroup').getByText(depth, { exact: true }).click()
      await expect(canvas).toHaveAttribute('data-visible', String(drawn))
    }
  })

  await test.step('the canvas has the preset size, centred, and shrinks in a narrower column', async () => {
    for (const [width, height] of [
      [1440, 900],
      [1920, 1080],
      [1000, 700],
    ] as const) {
      await page.setViewportSize({ width, height })
      for (const [size, preset] of [
        ['Expand', { width: 1000, height: 600 }],
        ['Collapse', { width: 1400, height: 800 }],
      ] as const) {
        await expect(page.getByRole('button', { name: size })).toBeVisible()
        await expect(canvas).toHaveCSS('height', `${preset.height}px`)
        // The filters above have the width of the column.
        const column = await page.getByRole('button', { name: 'Filters' }).locator('..').boundingBox()
        const wanted = Math.min(preset.width, column?.width ?? 0)
        await expect
          .poll(async () => {
            const box = await canvas.boundingBox()
            return [box?.width, box?.x]
          })
          .toEqual([wanted, (column?.x ?? 0) + ((column?.width ?? 0) - wanted) / 2])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
        await page.getByRole('button', { name: size }).click()
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step('it is saved as PNG, SVG and GEXF', async () => {
    const save = async (format: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save as ${format}` }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(
        new RegExp(`^narrative-graph_\\d{4}-\\d\\d-\\d\\d\\.${format.toLowerCase()}$`),
      )
      return readFile(await download.path())
    }
    expect((await save('PNG')).subarray(1, 4).toString()).toBe('PNG')
    expect((await save('SVG')).toString()).toMatch(/<svg [\s\S]*>Secret engineers<\/text>/)
    const gexf = (await save('GEXF')).toString()
    // A page without a policy: that of the app forbids parsing of text.
    const empty = await page.context().newPage()
    const counts = await empty.evaluate(text => {
      const file = new DOMParser().parseFromString(text, 'text/xml')
      return ['parsererror', 'nodes > node', 'edges > edge'].map(each => file.querySelectorAll(each).length)
    }, gexf)
    await empty.close()
    expect(counts).toEqual([0, 8, 6])
  })

  await test.step('the table shows the same data by keyboard', async () => {
    await page.getByRole('radio', { name: 'Graph' }).focus()
    await page.keyboard.press('ArrowRight')
    const rows = page.getByRole('table').getByRole('row')
    await expect(rows).toHaveCount(9)
    await expect(rows.nth(1)).toContainText('Giant mirrorsentity3')
    await rows.nth(1).getByRole('button').focus()
    await page.keyboard.press('Enter')
    await expect(node.getByRole('heading', { name: 'Giant mirrors' })).toBeVisible()
  })
})

test('two clicks lead from an entity to its sentence, and to an IOD; the URL keeps the state', {
  tag: '@long',
}, async ({ page, person, openAs, ai }) => {
  const ana = await person('ana')
  await extractStories(ana, ai)
  const canvas = canvasOf(page)
  const node = page.getByRole('region', { name: 'Node details' })
  const sentence = 'Secret engineers hide giant mirrors.'
  await openAs(ana, '/dashboard/graph')
  await settled(page)

  await test.step('a node lists its triplets', async () => {
    const { x, y } = await pointOf(page, 'entity:giant mirrors')
    await page.mouse.click(x, y)
    const triplets = node.getByRole('list', { name: 'Triplets' })
    await expect(node.getByRole('heading', { name: 'Triplets in 2 narratives' })).toBeVisible()
    await expect(triplets.getByRole('listitem')).toHaveText([
      /^Giant mirrors heat the lake.*Again, giant mirrors heat the lake\..*notes\/town$/,
      /^Giant mirrors heat the lake.*Giant mirrors heat the lake\..*stories\.example\.org\/lake$/,
      /^Secret engineers hide giant mirrors.*Secret engineers hide giant mirrors\./,
    ])
  })

  await test.step('a sentence leads to its narrative, Back restores the selection', async () => {
    await node.getByRole('link', { name: sentence }).click()
    await expect(page).toHaveURL(/\/dashboard\/narratives\/[0-9a-f]{24}\?start=\d+&end=\d+$/)
    const mark = page.getByRole('article').locator('mark')
    await expect(mark).toHaveText(sentence)
    await expect(mark).toBeInViewport()
    await page.reload()
    await expect(mark).toHaveText(sentence)
    await page.goBack()
    await expect(canvas).toHaveAttribute('data-selected', 'entity:giant mirrors')
    await expect(node.getByRole('heading', { name: 'Giant mirrors' })).toBeVisible()
  })

  await test.step('the entity becomes an IOD', async () => {
    await node.getByRole('button', { name: 'Create IOD: Giant mirrors' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create New IOD' })
    await expect(dialog.getByLabel('Value')).toHaveValue('Giant mirrors')
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    await expect(page.getByText('IOD created', { exact: true })).toBeVisible()
    await expect(dialog).toBeHidden()
    const [iod] = await ana.api.call(iodsApi.listIods, { query: { q: 'giant mirrors' } })
    expect(iod).toMatchObject({ value: 'Giant mirrors', category: 'KEYWORDS', source_type: 'MANUAL' })
  })

  await test.step('a reload and Back keep filter, selection and table', async () => {
    const kept = async () => {
      await expect(page.getByRole('radio', { name: 'Table' })).toBeChecked()
      await expect(page.getByRole('table').getByRole('button', { pressed: true })).toHaveText('heat')
      await expect(page.getByRole('list', { name: 'Counts' })).toContainText('6 total nodes')
      await expect(node.getByRole('heading', { name: 'heat' })).toBeVisible()
    }
    await page.goto('/dashboard/graph?source=notes/town')
    await settled(page)
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('table').getByRole('button', { name: 'heat' }).click()
    await kept()
    await page.reload()
    await kept()
    await page.getByRole('link', { name: 'IODs' }).click()
    await expect(page).toHaveURL(/\/dashboard\/iods$/)
    await page.goBack()
    await kept()
  })

  await test.step('a failed layout shows an error, and Retry draws the graph', async () => {
    const worker = '**/static/worker/layout.*.js'
    const body = "postMessage({ type: 'ready' }); onmessage = () => { throw new Error('broken') }"
    await page.route(worker, route => route.fulfill({ contentType: 'text/javascript', body }))
    await page.goto('/dashboard/graph')
    const error = page.getByRole('alert').filter({ hasText: 'The graph could not be drawn' })
    await expect(error).toBeVisible()
    await expect(canvas).toHaveCount(0)
    await expect(page.getByText('Loading graph...')).toHaveCount(0)
    await page.unroute(worker)
    await error.getByRole('button', { name: 'Retry' }).click()
    await settled(page)
    await expect(error).toHaveCount(0)
  })

  await test.step('on a phone the details are a sheet over the lower half, which closes', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/dashboard/graph?node=entity:giant%20mirrors')
    await settled(page)
    await expect(node.getByRole('list', { name: 'Triplets' })).toBeAttached()
    const [sheet, drawing] = [await node.boundingBox(), await canvas.boundingBox()]
    if (!sheet || !drawing) throw new Error('the details or the canvas are not visible')
    expect(sheet.height).toBeLessThanOrEqual(drawing.height / 2)
    expect(Math.abs(sheet.y + sheet.height - drawing.y - drawing.height)).toBeLessThan(1)
    expect(sheet.width).toBe(drawing.width)
    // The view animates to the node.
    await expect.poll(async () => (await pointOf(page, 'entity:giant mirrors')).y).toBeLessThan(sheet.y)
    const close = node.getByRole('button', { name: 'Clear selection' })
    const size = await close.boundingBox()
    expect(Math.min(size?.width ?? 0, size?.height ?? 0)).toBeGreaterThanOrEqual(40)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.screenshot({ path: test.info().outputPath('sheet.png') })
    await close.click()
    await expect(node).toBeHidden()
    await expect(page).toHaveURL(/\/dashboard\/graph$/)
  })
})

/** Returns a graph of 1,500 nodes and 3,000 links: large enough for drawing from cached pictures. */
const largeGraph = (): Graph => {
  const random = seededRandom(5)
  const nodes = Array.from({ length: 1_500 }, (_, n): Graph['nodes'][number] => {
    const type = n % 3 ? 'entity' : 'verb'
    return { id: `${type}:${n}`, label: `Node ${n}`, type, count: 1, sources: [] }
  })
  const links = new Map<string, Graph['links'][number]>()
  while (links.size < 3_000) {
    const [verb, other] = [3 * Math.floor(random() * 500), 3 * Math.floor(random() * 500)]
    const [source, target] = [`verb:${verb}`, `entity:${other + (random() < 0.5 ? 1 : 2)}`]
    links.set(source + target, { source, target, type: 'verb_to_object', count: 1, sources: [] })
  }
  return { nodes, links: [...links.values()], sources: [] }
}

/** Returns a digest of all pixels of the canvas. */
const pixelsOf = (canvas: Locator): Promise<string> =>
  canvas.evaluate(async element => {
    const { width, height } = element as HTMLCanvasElement
    const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    if (!copy) throw new Error('no canvas')
    copy.drawImage(element as HTMLCanvasElement, 0, 0)
    const digest = await crypto.subtle.digest('SHA-256', copy.getImageData(0, 0, width, height).data)
    return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
  })

/**
 * Presses a key on the canvas `times` times, in groups of `atOnce`, and measures each frame until the canvas changes,
 * and eight more.
 * @returns per frame: the ink (sum of the opacity of all pixels), its horizontal centre in pixels, and the ink of the
 * emptiest of 20 vertical strips
 */
const framesOf = (canvas: Locator, key: string, times: number, atOnce: number) =>
  canvas.evaluate(
    async (element, { key, times, atOnce }) => {
      const shown = element as HTMLCanvasElement
      const { width, height } = shown
      const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', {
        willReadFrequently: true,
      })
      if (!copy) throw new Error('no canvas')
      const frames: { ink: number; middle: number; emptiest: number }[] = []
      const look = async () => {
        await new Promise(requestAnimationFrame)
        copy.clearRect(0, 0, width, height)
        copy.drawImage(shown, 0, 0)
        const { data } = copy.getImageData(0, 0, width, height)
        const columns = new Float64Array(width)
        for (let pixel = 0; pixel < width * height; pixel++) columns[pixel % width]! += data[pixel * 4 + 3]!
        const ink = columns.reduce((sum, each) => sum + each, 0)
        const moment = columns.reduce((sum, each, x) => sum + each * x, 0)
        const strips = Array.from({ length: 20 }, (_, n) =>
          columns.slice((n * width) / 20, ((n + 1) * width) / 20).reduce((sum, each) => sum + each, 0),
        )
        frames.push({ ink, middle: moment / ink, emptiest: Math.min(...strips) })
        return `${ink} ${moment}`
      }
      let seen = await look()
      for (let pressed = 0; pressed < times; pressed += atOnce) {
        for (let press = 0; press < atOnce; press++)
          shown.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
        const before = seen
        // A worker draws a frame or more later.
        for (let frame = 0; frame < 30 && seen === before; frame++) seen = await look()
        for (let frame = 0; frame < 8; frame++) seen = await look()
      }
      return frames
    },
    { key, times, atOnce },
  )
type Frames = Awaited<ReturnType<typeof framesOf>>

test('a large graph drawn from pictures looks the same as redrawn', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  test.slow()
  const ana = await person('ana')
  const canvas = canvasOf(page)
  const body = JSON.stringify(largeGraph())
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.route('**/graph/triplets*', route => route.fulfill({ contentType: 'application/json', body }))
  // Without OffscreenCanvas there are no cached pictures: each frame is redrawn.
  await page.addInitScript(() => {
    if (!localStorage.getItem('plain')) return
    Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen')
    Reflect.deleteProperty(window, 'OffscreenCanvas')
  })
  const steps = [
    ['0', 1, 1],
    ['-', 2, 1],
    ['ArrowLeft', 3, 1],
    ['0', 1, 1],
    ['+', 10, 1],
    // Each time further than a picture's margin.
    ['ArrowLeft', 20, 20],
    ['ArrowRight', 40, 20],
  ] as const
  const redrawn: { frames: Frames; pixels: string }[] = []

  await test.step('redraws each frame', async () => {
    await openAs(ana, '/privacy-policy')
    await page.evaluate(() => localStorage.setItem('plain', 'yes'))
    await page.goto('/dashboard/graph')
    await settled(page)
    await expect(canvas).toHaveAttribute('data-drawing', 'page')
    for (const [key, times, atOnce] of steps) {
      const frames = await framesOf(canvas, key, times, atOnce)
      redrawn.push({ frames, pixels: await pixelsOf(canvas) })
    }
  })

  await test.step('draws from pictures: the same at rest, without gaps during movement', async () => {
    await page.evaluate(() => localStorage.removeItem('plain'))
    await page.reload()
    await settled(page)
    await expect(canvas).toHaveAttribute('data-drawing', 'worker')
    for (const [step, [key, times, atOnce]] of steps.entries()) {
      const frames = await framesOf(canvas, key, times, atOnce)
      const expected = redrawn[step]!
      const [first] = expected.frames as [Frames[number]]
      if (step === 2) {
        // The whole graph is in view: each frame has all of its ink, at one of the positions of the movement.
        for (const { ink, middle } of frames) {
          expect(Math.abs(ink / first.ink - 1)).toBeLessThan(0.01)
          const moved = (middle - (first.middle - 60)) / 60
          expect(Math.abs(moved - Math.round(moved)) * 60).toBeLessThan(2)
        }
      } else if (step > 4) {
        // The graph fills the view. Links that enter the view may be paler than at rest.
        const least = Math.min(...expected.frames.map(({ emptiest }) => emptiest))
        expect(least).toBeGreaterThan(0)
        for (const { emptiest } of frames) expect(emptiest).toBeGreaterThan(least / 2)
      }
      await expect.poll(() => pixelsOf(canvas)).toBe(expected.pixels)
    }
  })
})

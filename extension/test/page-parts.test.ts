import { LIMITS } from '@iodine/contracts'
import { beforeEach, expect, test, vi } from 'vitest'
import { collect, loadedPictures, mainPart, partAround, readPart } from '../src/content/page-parts'
import { findSelected } from '../src/content/quote'
import { Failure, sentenceOf } from '../src/shared/failures'
import { pagesOf, parsePage } from './fixtures'

const show = (url: string, html: string) => {
  ;(window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(url)
  document.documentElement.innerHTML = html.replace(/^<!doctype[^>]*>/i, '')
}
const fixture = (source: 'tiktok' | 'telegram' | 'blog', name: string) => {
  const page = pagesOf(source).find(each => each.name === name)
  if (!page) throw new Error(`no fixture ${name}`)
  return page
}
const select = (selector: string, from = 0, to?: number): Range => {
  const node = document.querySelector(selector)?.firstChild as Text
  const range = document.createRange()
  range.setStart(node, from)
  range.setEnd(node, to ?? node.data.length)
  return range
}

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
})

test('returns each post of a channel with exactly its own part of the page', async () => {
  const { url, html, all } = fixture('telegram', 'several')
  show(url, html)
  const collected = await collect('all', true)
  expect(collected.map(({ captured }) => (captured.record as { telegram: unknown }).telegram)).toEqual(
    all.map(record => (record as { telegram: unknown }).telegram),
  )
  for (const { captured, page } of collected) {
    if (!page || 'problem' in page) throw new Error('expected a capture of every post')
    const { post } = (captured.record as { telegram: { post: { id: string; description?: string } } })
      .telegram
    expect(page.url).toBe(url)
    expect(page.dom).toContain(`/${post.id}"`)
    for (const line of post.description?.split('\n') ?? []) expect(page.text).toContain(line.trim())
    for (const other of collected)
      if (other.captured !== captured) {
        const { id } = (other.captured.record as { telegram: { post: { id: string } } }).telegram.post
        expect(page.dom).not.toContain(`data-post="open_eyes/${id}"`)
      }
  }
})

test('reads and captures a post in a frame once the frame has loaded', async () => {
  const { url, html, frames, own } = fixture('telegram', 'link')
  show(url, html)
  const frame = document.querySelector('iframe') as HTMLIFrameElement
  const [framed = ''] = Object.values(frames)
  let shown = new DOMParser().parseFromString('', 'text/html')
  Object.defineProperty(shown, 'readyState', { value: 'loading' })
  Object.defineProperty(frame, 'contentDocument', { get: () => shown })
  const collecting = collect('own', true)
  shown = parsePage(framed)
  frame.dispatchEvent(new Event('load'))
  const [collected] = await collecting
  expect(collected?.captured.record).toMatchObject({ telegram: (own as { telegram: unknown }).telegram })
  expect(collected?.page).toMatchObject({ url, text: expect.stringContaining('The bridge is closed') })
})

test('reads only records without `sealing`', async () => {
  for (const [source, name] of [
    ['telegram', 'several'],
    ['blog', 'article'],
    ['tiktok', 'video'],
  ] as const) {
    const { url, html } = fixture(source, name)
    show(url, html)
    for (const item of await collect('own', false)) expect(Object.keys(item)).toEqual(['captured'])
  }
})

test('neither runs nor captures hostile markup of a post', async () => {
  const { url, html } = fixture('telegram', 'hostile')
  show(url, html)
  for (const { page } of await collect('all', true)) {
    if (!page || 'problem' in page) throw new Error('expected a capture of the post')
    const handed = new DOMParser().parseFromString(page.dom, 'text/html')
    expect(handed.querySelectorAll('script, iframe, style, form, input')).toHaveLength(0)
    for (const { attributes } of handed.querySelectorAll('*'))
      for (const { name, value } of attributes)
        expect(`${name}=${value}`).not.toMatch(/^on|^style=|=(?:javascript|data):/i)
  }
})

test('returns a short video of a list with the part around its link; reports one that is not shown', async () => {
  const { url, html, all } = fixture('tiktok', 'grid')
  const [first] = all as { main: { video_id: string } }[]
  const id = first?.main.video_id
  const item = (video: string, text: string) =>
    `<div class="item"><a href="/@x/video/${video}"><i>${text}</i></a><p>${text} below</p></div>`
  show(url, html)
  document.body.insertAdjacentHTML('beforeend', `<div>${item(`${id}`, 'Shown')}${item('77', 'Other')}</div>`)
  const [found, ...others] = await collect('all', true)
  expect(found?.page).toMatchObject({ text: 'Shown\nShown below' })
  expect(others.length).toBeGreaterThan(0)
  for (const { page } of others) expect(page).toEqual({ problem: sentenceOf('notShown') })
})

test.each([
  ['its main part', '<nav>N</nav><main><article>A</article></main>', 'MAIN'],
  ['its only article', '<nav>N</nav><article>A<article>a comment</article></article>', 'ARTICLE'],
  ['its body', '<article>A</article><article>B</article>', 'BODY'],
  ['its body if there are several main parts', '<main>A</main><div role="main">B</div>', 'BODY'],
])('finds the main part of a page: %s', (_, html, expected) => {
  show('https://blog.example.org/', `<body>${html}</body>`)
  expect(mainPart(document).tagName).toBe(expected)
})

test('reads a form whose fields shadow its properties', () => {
  const names = ['parentElement', 'matches', 'querySelectorAll', 'hasAttribute', 'textContent']
  const article = '<article><h1>A</h1>Text</article>'
  show(
    'https://blog.example.org/',
    `<body><form>${names.map(name => `<input name="${name}">`).join('')}${article}</form></body>`,
  )
  // happy-dom does not shadow the properties, and can't read the visibility of such a form.
  const checked = vi.spyOn(Element.prototype, 'checkVisibility').mockReturnValue(true)
  const form = document.querySelector('form') as HTMLFormElement
  for (const input of document.querySelectorAll('input'))
    Object.defineProperty(form, input.name, { value: input })
  expect(mainPart(document).tagName).toBe('ARTICLE')
  form.setAttribute('role', 'main')
  expect(mainPart(document).tagName).toBe('FORM')
  checked.mockRestore()
})

test('captures the whole body for words outside of the main part', () => {
  show('https://blog.example.org/', '<body><p id="out">Outside</p><main><p id="in">Inside</p></main></body>')
  expect(partAround(document.querySelector('#in') as Element).tagName).toBe('MAIN')
  expect(partAround(document.querySelector('#out') as Element).tagName).toBe('BODY')
})

test('rejects a page that is too long instead of truncating it', { tags: 'long' }, () => {
  const of = (html: string) => {
    show('https://blog.example.org/', `<body><main>${html}</main></body>`)
    return () => readPart(mainPart(document))
  }
  expect(of('x'.repeat(LIMITS.captureTextMax))).toThrow(Failure)
  expect(of('<b></b>'.repeat(40_001))).toThrow(Failure)
  expect(of(`<b title="${'x'.repeat(LIMITS.blobBytes / 4)}"></b>`)).toThrow(Failure)
  expect(of('short')().text).toBe('short')
})

test('returns the pictures that the page has loaded', () => {
  show(
    'https://blog.example.org/post/',
    `<body><main><img id="a" src="a.png"><img id="b" src="b.png"><img id="c" src="data:image/png;base64,AA==">
     <a style="background-image: url('https://cdn.example.org/d.jpg')"></a><img id="e" src="a.png"></main></body>`,
  )
  for (const image of document.querySelectorAll('img'))
    for (const [name, value] of Object.entries({ complete: image.id !== 'b', naturalWidth: 5 }))
      Object.defineProperty(image, name, { value })
  expect(loadedPictures(mainPart(document))).toEqual([
    'https://cdn.example.org/d.jpg',
    'https://blog.example.org/post/a.png',
  ])
})

test('finds the selected occurrence of words in the text of the page', () => {
  show(
    'https://blog.example.org/',
    '<body><main><p>The lake is dry.</p><p id="b">So they say: the lake is dry, again.</p></main></body>',
  )
  const { place, read } = findSelected('lake is dry', select('#b', 17, 28))
  expect(read.text).toBe('The lake is dry.\nSo they say: the lake is dry, again.')
  expect(place).toEqual({ start: 34, end: 45, exact: 'lake is dry' })
})

test('finds a selection over several lines, with the white space of the text', () => {
  show('https://blog.example.org/', '<body><main><p id="a">One line</p><p>(and) another</p></main></body>')
  const range = select('#a')
  range.setEnd(document.querySelector('p + p')?.firstChild as Text, 5)
  expect(findSelected('One line\n\n(and)', range).place).toEqual({
    start: 0,
    end: 14,
    exact: 'One line\n(and)',
  })
})

test('rejects selected words that are not in the text', () => {
  show(
    'https://blog.example.org/',
    '<body><main><p id="a">One</p><textarea>Typed by the reader</textarea></main></body>',
  )
  expect(() => findSelected('Typed by', select('#a'))).toThrow(Failure)
})

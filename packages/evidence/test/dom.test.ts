import { LIMITS } from '@iodine/contracts'
import { Window } from 'happy-dom'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { captureDom, projectText } from '../src/dom.js'

let window: Window
beforeAll(() => {
  window = new Window({ url: 'https://paper.example/a/b', settings: { disableJavaScriptEvaluation: true } })
})
afterAll(() => window.happyDOM.close())

/** Parses HTML into an element of the page. */
const parse = (html: string): Element => {
  const root = window.document.createElement('article')
  root.innerHTML = html
  window.document.body.replaceChildren(root)
  return root as unknown as Element
}
const text = (html: string) => projectText(parse(html))
const dom = (html: string) => captureDom(parse(html)).replace(/^<article>|<\/article>$/g, '')

describe('projectText', () => {
  it('writes blocks as lines, and collapses white space as browsers do', () => {
    expect(
      text(`<h1>Giant
        mirrors</h1><p>heat <b>the</b>   lake<br>and <i>the </i> <i> fish</i> die.</p>
        <ul><li>one</li><li>two</li></ul>last`),
    ).toBe('Giant mirrors\nheat the lake\nand the fish die.\none\ntwo\nlast')
    expect(text('<pre>a  b\n c</pre><p>d</p>')).toBe('a  b\n c\nd')
    expect(text('<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>')).toBe(
      'a\tb\nc\td',
    )
    expect(text('')).toBe('')
  })

  it('excludes invisible content', () => {
    const hidden = [
      '<script>x</script>',
      '<style>x</style>',
      '<template>x</template>',
      '<noscript>x</noscript>',
      '<p hidden>x</p>',
      '<p style="display:none">x<b>x</b></p>',
      '<p style="visibility:hidden">x</p>',
      '<p style="opacity:0">x</p>',
      '<!-- x -->',
      '<input value="x"><textarea>x</textarea><select><option>x</option></select><button>x</button>',
      '<iframe srcdoc="x"></iframe><object>x</object>',
      '<video>x</video><canvas>x</canvas>',
      '<img alt="x">',
      '<svg><title>x</title><desc>x</desc><defs><text>x</text></defs></svg>',
      '<math><semantics><annotation>x</annotation></semantics></math>',
    ]
    for (const html of hidden) expect([html, text(`a${html}b`).replace(/\s/g, '')]).toEqual([html, 'ab'])
    expect(text('<details><summary>more</summary>x</details>')).toBe('more')
    expect(text('<details open><summary>more</summary>x</details>')).toBe('more\nx')
    expect(text('<p style="visibility:hidden">x<b style="visibility:visible">seen</b></p>')).toBe('seen')
    expect(text('<svg><text>seen</text></svg>')).toBe('seen')
  })

  it('includes open shadow roots with the nodes assigned to their slots', () => {
    const root = parse('<x-a><b>given</b></x-a>')
    const shadow = (root.firstElementChild as Element).attachShadow({ mode: 'open' })
    shadow.innerHTML = '<p>before</p><slot></slot><p>after</p><slot name="none">usual</slot>'
    expect(projectText(root)).toBe('before\ngiven\nafter\nusual')
    expect(captureDom(root)).toContain('<p>before</p>')
  })

  it('returns a well-formed text of limited length', { tags: 'long' }, () => {
    const root = parse('<p></p>')
    const paragraph = root.firstElementChild as Element
    paragraph.textContent = 'a\ud83d b\0c \u202edcba\u202c 🛰'
    expect(projectText(root)).toBe('a\ufffd bc \u202edcba\u202c 🛰')
    paragraph.textContent = `${'x'.repeat(LIMITS.captureTextMax - 1)}🛰🛰`
    expect(projectText(root)).toBe('x'.repeat(LIMITS.captureTextMax - 1))
    paragraph.textContent = 'lake '.repeat(2_000_000)
    expect(projectText(root).length).toBeLessThanOrEqual(LIMITS.captureTextMax)
  })
})

describe('captureDom', () => {
  it('preserves text and attributes, with absolute URLs', () => {
    expect(
      dom(
        '<p class="lead" lang="en">a &lt;b&gt; &amp; <a href="../c?d=1&amp;e" title="t&quot;">link</a><img src="/i.png" alt="i"></p>',
      ),
    ).toBe(
      '<p class="lead" lang="en">a &lt;b&gt; &amp; <a href="https://paper.example/c?d=1&amp;e" title="t&quot;">link</a><img src="https://paper.example/i.png" alt="i"></p>',
    )
  })

  it('excludes content that runs, loads or requests input', () => {
    const schemes = [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '\u0001javascript:alert(1)',
      'vbscript:x',
      'data:text/html,<script>alert(1)</script>',
      'blob:https://paper.example/x',
    ]
    const attributes =
      'href src action formaction poster cite data background longdesc xlink:href srcset ping style srcdoc manifest'.split(
        ' ',
      )
    const tags =
      'a img video audio source track form object embed iframe link base meta body area image use animate set math maction'.split(
        ' ',
      )
    const pages = schemes.flatMap(scheme =>
      tags.map(tag => {
        const given = attributes.map(name => `${name}="${scheme.replaceAll('"', '')}"`).join(' ')
        return `<svg><${tag} ${given} onload="alert(1)" onerror=alert(1)></svg><${tag} ${given} ONCLICK="alert(1)">seen</${tag}>`
      }),
    )
    pages.push(
      '<script>alert(1)</script><SCRIPT src=//e.example></SCRIPT><svg><script>alert(1)</script></svg>',
      '<style>@import "//e.example"</style><link rel=stylesheet href=//e.example><meta http-equiv=refresh content="0;url=javascript:alert(1)">',
      '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      '<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>',
      '<p id="a&quot; onload=&quot;alert(1)">x</p>',
      '<!--<img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]>',
      '<template><img src=x onerror=alert(1)></template><div shadowrootmode=open is=x-a></div>',
    )
    expect(pages.length).toBeGreaterThan(140)
    for (const page of pages) {
      const captured = captureDom(parse(page))
      // Parse it as a browser does.
      const parsed = new window.DOMParser().parseFromString(captured, 'text/html')
      for (const element of parsed.querySelectorAll('*')) {
        expect(element.localName).not.toMatch(
          /^(script|style|iframe|object|embed|link|meta|base|input|template|noscript|xmp|plaintext)$/,
        )
        for (const { name, value } of element.attributes) {
          expect([page, name]).not.toEqual([page, expect.stringMatching(/^on|^style$|^srcdoc$|action$/)])
          expect([page, name, (value ?? '').replace(/[\s\0-\x20]/g, '').toLowerCase()]).not.toEqual([
            page,
            name,
            expect.stringMatching(/^(javascript|vbscript|data|blob):/),
          ])
        }
      }
    }
  })

  it('truncates at the size of a blob, and returns well-formed HTML', () => {
    const root = parse('<p></p><p>later</p>')
    ;(root.firstElementChild as Element).textContent = 'x'.repeat(LIMITS.blobBytes / 4 + 10)
    const captured = captureDom(root)
    expect(captured.length).toBeLessThan(LIMITS.blobBytes / 3)
    expect(captured.endsWith('</p></article>')).toBe(true)
    expect(captured).not.toContain('later')
  })
})

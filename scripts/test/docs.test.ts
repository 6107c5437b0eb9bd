import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const tracked = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', pattern], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Returns the anchors of a page's headings, as GitHub forms them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

it('pages link to files and headings that exist', () => {
  const dead: string[] = []
  for (const page of tracked('*.md'))
    for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(ROOT, file))) dead.push(`${page}: ${target}`)
      else if (anchor !== undefined && !anchorsOf(file).includes(anchor)) dead.push(`${page}: ${target}`)
    }
  expect(dead).toEqual([])
})

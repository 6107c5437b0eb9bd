// @vitest-environment node
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createRsbuild, loadConfig } from '@rsbuild/core'
import { expect, onTestFinished, test } from 'vitest'

const MAX_BYTES = 12_000

test('the code of the matrix is a chunk of its own, and small', async () => {
  const out = mkdtempSync(join(tmpdir(), 'matrix-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  const cwd = join(import.meta.dirname, '..')
  const { content: config } = await loadConfig({ cwd })
  const rsbuild = await createRsbuild({
    cwd,
    config: { ...config, output: { ...config.output, distPath: { root: out } } },
  })
  await (await rsbuild.build()).close()
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.js'))
  const contents = new Map(files.map(file => [file, readFileSync(join(out, file), 'utf8')]))
  const having = (sign: string) => [...contents].flatMap(([file, text]) => (text.includes(sign) ? file : []))
  const matrix = having('aria-multiselectable')
  expect(matrix).toEqual([expect.stringMatching(/\/matrix\.[^/]+\.js$/)])
  // The list, the glosses and the writers of files are elsewhere.
  for (const sign of ['Facilitate State Propaganda', 'Matrice DISARM', 'imitates an existing person'])
    expect(having(sign).length, sign).toBeGreaterThan(0)
  const code = contents.get(matrix[0] ?? '') ?? ''
  expect(code).not.toMatch(/Facilitate State Propaganda|Matrice DISARM|imitates an existing person/)
  const { length } = gzipSync(code)
  expect(length).toBeLessThanOrEqual(MAX_BYTES)
})

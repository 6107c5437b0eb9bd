import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { recognise } from '../src/index.js'

const samples = join(import.meta.dirname, 'samples')
const expectations = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))

describe('recognise', () => {
  it.each(expectations)('$file is $format', ({ file, format }) => {
    const head = readFileSync(join(samples, file))
    expect(recognise(head, file).format).toBe(format)
    if (!file.endsWith('.wacz')) expect(recognise(gzipSync(head), `${file}.gz`).format).toBe(format)
    // Names are never trusted.
    expect(recognise(head, 'x').format).toBe(format)
  })
  it('finds the data in an archive', () => {
    const data = readFileSync(join(samples, 'zeeschuimer-tiktok.ndjson'))
    const zip = zipSync({ 'a.log': strToU8('x'), 'a_metadata.json': strToU8('{}'), 'a.ndjson': data })
    expect(recognise(zip, 'a.zip')).toEqual({ kind: 'format', format: 'zeeschuimer' })
  })
})

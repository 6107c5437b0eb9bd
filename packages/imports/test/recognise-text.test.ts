import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { firstAddress } from '../src/formats/addresses-list.js'
import { proposedColumns } from '../src/formats/proposed-columns.js'
import { recogniseText } from '../src/formats/recognise-text.js'
import { encodingOf, proposedEncodings } from '../src/text/decode.js'

const samples = join(import.meta.dirname, 'samples')
const files = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))
  .filter(({ file }) => /\.(?:csv|tsv|txt|xml|html|warc)$/.test(file))
const textOf = (file: string) =>
  readFileSync(join(samples, file), 'utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')

describe('recogniseText', () => {
  it.each(files)('recognises $file', ({ file, format }) => {
    const text = textOf(file)
    expect(recogniseText(text, true)?.format).toBe(format)
    // Also by its first half.
    expect(recogniseText(text.slice(0, text.length / 2), false)?.format).toBe(format)
  })

  it('shows the columns and the first rows of an unknown table', () => {
    expect(recogniseText('sep=;\nAdresse;Texte\nhttps://a.example/1;"a;b"\n', true)).toEqual({
      format: 'csv',
      separator: ';',
      columns: ['Adresse', 'Texte'],
      rows: [['https://a.example/1', 'a;b']],
    })
  })

  it.each([
    ['a page', '<!doctype html><html><title>x</title></html>'],
    ['blank text', ' \n\t'],
  ])('knows no format for %s', (_, text) => {
    expect(recogniseText(text, true)).toBeUndefined()
  })

  it.each([
    ['<?xml version="1.0"?><!-- a --><rss version="2.0"/>', 'rss'],
    ['<rdf:RDF xmlns="http://purl.org/rss/1.0/"/>', 'rss'],
    ['<!DOCTYPE rss [<!ENTITY a "b">]><rss/>', 'rss'],
    ['<atom:feed/>', 'atom'],
    ['https://a.example/1\nwords\n', 'urls'],
    ['- [a post](https://a.example/1)\n', 'urls'],
    ['id,url\n1,https://a.example/1\n', 'csv'],
  ])('recognises %j as %s', (text, format) => {
    expect(recogniseText(text, true)?.format).toBe(format)
  })

  it('takes no time on hostile beginnings', () => {
    for (const text of [
      '<!--'.repeat(20_000),
      '<?'.repeat(40_000),
      '"'.repeat(100_000),
      '[('.repeat(40_000),
      ','.repeat(100_000),
    ]) {
      const from = performance.now()
      recogniseText(text, false)
      expect(performance.now() - from).toBeLessThan(5_000)
    }
  })
})

it('finds encodings by the first bytes', () => {
  const utf8 = new TextEncoder().encode('Écluse ouverte')
  expect(encodingOf(utf8)).toBe('utf-8')
  expect(encodingOf(utf8.subarray(0, 1))).toBe('utf-8')
  expect(encodingOf(Buffer.from('\ufeffa\tb', 'utf16le'))).toBe('utf-16le')
  expect(encodingOf(Buffer.from('id,text\n', 'utf16le'))).toBe('utf-16le')
  const latin = Buffer.from('\u00c9cluse', 'latin1')
  expect(encodingOf(latin)).toBeUndefined()
  expect(proposedEncodings(latin)[0]).toBe('windows-1252')
})

it.each([
  ['see [the post](https://a.example/1), and https://b.example/2', 'https://a.example/1'],
  ['<https://a.example/1>.', 'https://a.example/1'],
  ['(https://a.example/wiki/A_(b))', 'https://a.example/wiki/A_(b)'],
  ['hxxps://a[.]example/1', 'hxxps://a[.]example/1'],
  ['t.me/lanternay_example/12;', 't.me/lanternay_example/12'],
  ['"https://a.example/1"', 'https://a.example/1'],
  ['no address', undefined],
])('finds the first address in %j', (line, address) => {
  expect(firstAddress(line)).toBe(address)
})

it('proposes columns by their names, each once', () => {
  expect(proposedColumns(['', 'Post URL', 'Texte', 'Date', 'author', 'Likes', 'Like count'])).toEqual({
    url: 'Post URL',
    text: 'Texte',
    published_at: 'Date',
    'author.handle': 'author',
    'metrics.likes': 'Likes',
  })
  // pyktok.
  expect(proposedColumns(['video_id', 'video_timestamp', 'video_description', 'author_username'])).toEqual({
    id: 'video_id',
    text: 'video_description',
    published_at: 'video_timestamp',
    'author.handle': 'author_username',
  })
})

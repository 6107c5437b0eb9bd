import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { firstAddress } from '../src/formats/addresses-list.js'
import { proposedColumns } from '../src/formats/proposed-columns.js'
import { recognise } from '../src/index.js'
import { encodingOf, proposedEncodings } from '../src/text/decode.js'

const formatOf = (text: string) => recognise(new TextEncoder().encode(text), 'x').format

describe('recognise', () => {
  it('proposes columns of an unknown table, and shows its first rows', () => {
    const table = new TextEncoder().encode('sep=;\nAdresse;Texte\nhttps://a.example/1;"a;b"\n')
    expect(recognise(table, 'x')).toMatchObject({
      kind: 'ask',
      format: 'csv',
      questions: [
        {
          name: 'mapping',
          required: true,
          columns: ['Adresse', 'Texte'],
          rows: [['https://a.example/1', 'a;b']],
          mapping: { url: 'Adresse', text: 'Texte' },
        },
        {},
        {},
        {},
      ],
    })
  })

  it.each([
    ['<?xml version="1.0"?><!-- a --><rss version="2.0"/>', 'rss'],
    ['<rdf:RDF xmlns="http://purl.org/rss/1.0/"/>', 'rss'],
    ['<!DOCTYPE rss [<!ENTITY a "b">]><rss/>', 'rss'],
    ['<atom:feed/>', 'atom'],
    ['https://a.example/1,2?a=1,2\nwords\n', 'urls'],
    ['- [a post](https://a.example/1)\n', 'urls'],
    ['id,url\n1,https://a.example/1\n', 'csv'],
    ['<!doctype html><html><title>x</title></html>', 'unknown-format'],
    [' \n\t', 'empty'],
  ])('reads %j as %s', (text, format) => {
    expect(formatOf(text)).toBe(format)
  })

  it('asks for an encoding, with proposals, if the bytes are not UTF-8', () => {
    const latin = Buffer.from('Adresse;Texte\nhttps://a.example/1;\u00c9cluse\n', 'latin1')
    expect(recognise(latin, 'x')).toMatchObject({
      kind: 'ask',
      format: 'csv',
      questions: [
        { name: 'encoding', required: true, proposed: expect.arrayContaining(['windows-1252']) },
        {},
        {},
        {},
        {},
      ],
    })
  })

  it('never takes data above the root of an archive', () => {
    expect(recognise(zipSync({ '../result.json': strToU8('{}') }), 'x').kind).toBe('refused')
  })

  it('says how to import a workbook', () => {
    expect(recognise(zipSync({ '[Content_Types].xml': strToU8('<x/>') }), 'x')).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('CSV UTF-8'),
    })
  })

  it.each(['<!---->', '<!--', '<?', '"', '[(', ',', '<!DOCTYPE ', '"a",', "['", '\n'])(
    'takes no time on a beginning of %j',
    piece => {
      const from = performance.now()
      formatOf(`${piece.repeat(50_000 / piece.length)}x`)
      formatOf(`<rss>${piece.repeat(50_000 / piece.length)}x`)
      expect(performance.now() - from).toBeLessThan(5_000)
    },
  )
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

it('proposes columns of other tools by their names', () => {
  // pyktok.
  expect(proposedColumns(['video_id', 'video_timestamp', 'video_description', 'author_username'])).toEqual({
    id: 'video_id',
    text: 'video_description',
    published_at: 'video_timestamp',
    'author.handle': 'author_username',
  })
  // A scraper of Apify.
  expect(
    proposedColumns(['authorMeta.name', 'text', 'diggCount', 'playCount', 'createTimeISO', 'webVideoUrl']),
  ).toEqual({
    url: 'webVideoUrl',
    text: 'text',
    published_at: 'createTimeISO',
    'author.handle': 'authorMeta.name',
    'metrics.likes': 'diggCount',
    'metrics.views': 'playCount',
  })
})

import { gzipSync, strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { gunzip, gunzipHead } from '../src/containers/gzip.js'
import { zipEntries, zipNames } from '../src/containers/zip.js'
import { RefusedError } from '../src/refused.js'
import { joinBytes } from '../src/text/decode.js'

async function* chunked(bytes: Uint8Array, size = 65_536) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const text = async (chunks: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new TextDecoder().decode(joinBytes(parts))
}
const unzipped = async (
  bytes: Uint8Array,
  size?: number,
  isChosen: (name: string) => boolean = () => true,
) => {
  const found: Record<string, string> = {}
  for await (const { name, content } of zipEntries(chunked(bytes, size), isChosen))
    found[name] = await text(content)
  return found
}

/** Returns the texts that are read before a refusal, and the refusal. */
const readSoFar = async (parts: AsyncIterable<string | Uint8Array>) => {
  const read: string[] = []
  try {
    for await (const part of parts)
      read.push(typeof part === 'string' ? part : new TextDecoder().decode(part))
  } catch (error) {
    read.push(`${error}`)
  }
  return read.join('')
}

it('damaged files give the same, however they are cut into chunks', async () => {
  async function* entries(bytes: Uint8Array, size: number) {
    for await (const { name, content } of zipEntries(chunked(bytes, size), () => true)) {
      yield `${name}:`
      yield* content
    }
  }
  const words = strToU8('one two three four five six seven eight nine ten '.repeat(3))
  const archive = zipSync({ a: words, b: [words, { level: 0 }], c: words })
  const members = joinBytes([gzipSync(words), gzipSync(words)])
  for (const [read, bytes] of [
    [entries, archive],
    [(each: Uint8Array, size: number) => gunzip(chunked(each, size)), members],
  ] as const)
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = bytes.slice()
      damaged[at] = ~(damaged[at] ?? 0)
      const whole = await readSoFar(read(damaged, bytes.length))
      for (const size of [1, 100]) expect([at, await readSoFar(read(damaged, size))]).toEqual([at, whole])
    }
})

describe('gunzip', () => {
  const members = joinBytes(['one\n', 'two\n', 'three\n'].map(each => gzipSync(strToU8(each))))

  it('unpacks all members, however they are cut into chunks', async () => {
    for (const size of [1, 2, 3, 17, 1_000])
      expect(await text(gunzip(chunked(members, size)))).toBe('one\ntwo\nthree\n')
  })

  it('unpacks the head of a cut file', () => {
    expect(new TextDecoder().decode(gunzipHead(members.subarray(0, 40)))).toContain('one')
  })

  it('refuses what unpacks to far more than its size', async () => {
    const bomb = gzipSync(new Uint8Array(17 * 2 ** 20), { level: 9 })
    await expect(text(gunzip(chunked(bomb)))).rejects.toThrow('more than 200 times its size')
  })

  it('refuses damaged and cut data', async () => {
    const packed = gzipSync(strToU8('words '.repeat(1_000)))
    const damaged = packed.slice()
    damaged.fill(255, 12, 24)
    await expect(text(gunzip(chunked(damaged)))).rejects.toThrow(RefusedError)
    await expect(text(gunzip(chunked(packed.subarray(0, 40))))).rejects.toThrow(RefusedError)
  })
})

describe('zipEntries', () => {
  const bytes = zipSync({
    'a.csv': strToU8('a,b\n1,2\n'),
    'stored.csv': [strToU8('x,y\n'), { level: 0 }],
    'folder/b.json': strToU8('{}'),
    'empty.csv': strToU8(''),
  })

  it('reads entries, however they are cut into chunks', async () => {
    for (const size of [1, 7, 1_000])
      expect(await unzipped(bytes, size)).toEqual({
        'a.csv': 'a,b\n1,2\n',
        'stored.csv': 'x,y\n',
        'folder/b.json': '{}',
        'empty.csv': '',
      })
  })

  it('passes over entries that are not chosen', async () => {
    expect(await unzipped(bytes, 100, name => name === 'stored.csv')).toEqual({ 'stored.csv': 'x,y\n' })
  })

  it('passes over contents that its reader does not read', async () => {
    const names: string[] = []
    for await (const { name } of zipEntries(chunked(bytes, 10), () => true)) names.push(name)
    expect(names).toEqual(['a.csv', 'stored.csv', 'folder/b.json', 'empty.csv'])
  })

  it('never gives entries above the root, of the system, or archives', async () => {
    const hostile = zipSync({
      '../up.csv': strToU8('a'),
      'x/../../up.csv': strToU8('a'),
      '/root.csv': strToU8('a'),
      'C:/drive.csv': strToU8('a'),
      '..\\up.csv': strToU8('a'),
      '__MACOSX/._a.csv': strToU8('a'),
      'inner.zip': bytes,
      'good.csv': strToU8('a'),
    })
    expect(Object.keys(await unzipped(hostile))).toEqual(['good.csv'])
  })

  it('refuses what unpacks to far more than its size', async () => {
    const bomb = zipSync({ 'a.csv': [new Uint8Array(17 * 2 ** 20), { level: 9 }] })
    await expect(unzipped(bomb)).rejects.toThrow('more than 200 times its size')
  })

  it('refuses too many entries', async () => {
    const header = new Uint8Array(31)
    header.set([0x50, 0x4b, 3, 4])
    header[26] = 1
    header[30] = 97
    async function* many() {
      const thousand = joinBytes(Array.from({ length: 1_000 }, () => header))
      for (let n = 0; n < 60; n += 1) yield thousand
    }
    const read = async () => {
      for await (const { name } of zipEntries(many(), () => false)) expect(name).toBe('')
    }
    await expect(read()).rejects.toThrow('more than 50,000 entries')
  })

  it('refuses a cut file', async () => {
    await expect(unzipped(bytes.subarray(0, 40))).rejects.toThrow(RefusedError)
  })

  it('finds names in the first bytes', () => {
    expect(zipNames(bytes)).toEqual(['a.csv', 'stored.csv', 'folder/b.json', 'empty.csv'])
    expect(zipNames(bytes.subarray(0, 60))).toContain('a.csv')
  })
})

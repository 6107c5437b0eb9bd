import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { merge } from '../indexes/merge.js'

const chunkBytes = 64 * 1024
/** Bytes of an item's length: an unsigned 16-bit number before its bytes. */
const head = 2

/** External merge sort of byte strings: writes runs that were sorted in memory to a temporary file, and merges them. */
export class Sorter {
  private readonly most: number
  private items: string[] = []
  private readonly runs: { from: number; to: number }[] = []
  private file: number | undefined

  /** @param most maximum items in memory */
  constructor(most: number) {
    this.most = most
  }

  /** @param item one character per byte, up to 65,535 */
  add(item: string): void {
    this.items.push(item)
    if (this.items.length >= this.most) this.writeRun()
  }

  /** Returns all items in the order of their bytes. */
  sorted(): Iterable<string> {
    if (this.runs.length === 0) return this.items.sort()
    this.writeRun()
    return merge(
      this.runs.map(run => this.readRun(run)),
      (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    )
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
  }

  private open(): number {
    if (this.file !== undefined) return this.file
    const folder = mkdtempSync(join(tmpdir(), 'iodine-sort-'))
    this.file = openSync(join(folder, 'runs'), 'w+')
    // The open file stays readable; a killed process leaves no file.
    rmSync(folder, { recursive: true })
    return this.file
  }

  private writeRun(): void {
    const file = this.open()
    const from = this.runs.at(-1)?.to ?? 0
    let to = from
    let chunk: Buffer[] = []
    let size = 0
    const flush = () => {
      for (let bytes = Buffer.concat(chunk); bytes.length > 0; ) {
        const written = writeSync(file, bytes, 0, bytes.length, to)
        bytes = bytes.subarray(written)
        to += written
      }
      chunk = []
      size = 0
    }
    for (const item of this.items.sort()) {
      const bytes = Buffer.allocUnsafe(head + item.length)
      bytes.writeUInt16BE(item.length)
      bytes.write(item, head, 'latin1')
      chunk.push(bytes)
      size += bytes.length
      if (size >= chunkBytes) flush()
    }
    flush()
    this.runs.push({ from, to })
    this.items = []
  }

  private *readRun({ from, to }: { from: number; to: number }): Generator<string> {
    const file = this.open()
    let rest: Buffer = Buffer.alloc(0)
    for (let at = from; at < to; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - at))
      const read = readSync(file, chunk, 0, chunk.length, at)
      if (read === 0) throw new Error('The temporary file of a sort was cut short.')
      at += read
      rest = Buffer.concat([rest, chunk.subarray(0, read)])
      let next = 0
      while (next + head <= rest.length) {
        const end = next + head + rest.readUInt16BE(next)
        if (end > rest.length) break
        yield rest.toString('latin1', next + head, end)
        next = end
      }
      rest = rest.subarray(next)
    }
  }
}

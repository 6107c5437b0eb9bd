import { randomInt } from 'node:crypto'
import { OVERLAY_ROW_BYTES } from '@iodine/known-iods'
import { runs, seededRandom } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { type Change, OverlayTable } from '../src/overlay/queries/overlay-table.js'

/** Returns a row of an id, filled with `content`. */
const rowOf = (id: number, content: number): Uint8Array => {
  const row = new Uint8Array(OVERLAY_ROW_BYTES).fill(content, 12)
  new DataView(row.buffer).setUint32(8, id)
  return row
}
const joined = (rows: Uint8Array[]) => new Uint8Array(Buffer.concat(rows))

it('contains the newest row of each id, sorted, for any order of changes', () => {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
  console.log(`SEED=${seed}`)
  const random = seededRandom(seed)
  const upTo = (count: number) => Math.floor(random() * count)
  for (let run = 0; run < runs(200); run++) {
    const table = new OverlayTable()
    const known = new Map<number, Change & { row: Uint8Array }>()
    const ids = 1 + upTo(40)
    let revision = 0
    for (let batch = upTo(12); batch > 0; batch--) {
      const before = table.state
      const changes: Change[] = Array.from({ length: upTo(30) }, () => {
        const id = upTo(ids)
        // The newer row of an id has the higher revision.
        const change = { row: rowOf(id, upTo(256)), revision: upTo(1_000_000) }
        const stored = known.get(id)
        if (stored && stored.revision === change.revision) change.revision++
        if (!stored || stored.revision < change.revision) known.set(id, change)
        revision = Math.max(revision, change.revision)
        return change
      })
      const blank = upTo(2_000_000)
      changes.push({ row: undefined, revision: blank })
      revision = Math.max(revision, blank)
      const was = joined([table.rows])
      table.put(changes)
      const sorted = [...known].sort(([a], [b]) => a - b).map(([, change]) => change)
      expect(table.rows).toEqual(joined(sorted.map(({ row }) => row)))
      expect(table.revision).toBe(revision)
      if (Buffer.compare(was, table.rows) !== 0) expect(table.state).not.toBe(before)
      const since = upTo(1_000_000)
      const later = sorted.filter(change => change.revision > since).map(({ row }) => row)
      expect(table.after(since, later.length)).toEqual(joined(later))
      if (later.length > 0) expect(table.after(since, later.length - 1)).toBeUndefined()
      const same = new OverlayTable()
      same.put([{ row: undefined, revision }, ...sorted])
      expect(same.state).toBe(table.state)
    }
  }
})

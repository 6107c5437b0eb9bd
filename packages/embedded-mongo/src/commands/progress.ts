import { asInteger } from '../bson/numbers.js'
import { Doc, type Value } from '../bson/values.js'

/** The progress of a write with several statements. For a retryable write it is stored with each slice. */
export class Progress {
  /** The number of completed statements. */
  done = 0
  readonly counts = new Map<string, number>()
  readonly rows: Doc[] = []
  readonly errors: Doc[] = []

  add(name: string, by: number) {
    this.counts.set(name, this.count(name) + by)
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0
  }

  toDoc(): Doc {
    return Doc.of({
      done: this.done,
      counts: new Doc([...this.counts]),
      rows: this.rows,
      errors: this.errors,
    })
  }

  static of(doc: Doc): Progress {
    const made = new Progress()
    made.done = asInteger(doc.get('done')) ?? 0
    for (const [name, value] of doc.get('counts') as Doc) made.counts.set(name, asInteger(value) ?? 0)
    made.rows.push(...(doc.get('rows') as Value[] as Doc[]))
    made.errors.push(...(doc.get('errors') as Value[] as Doc[]))
    return made
  }
}

import { type ApiClient, isUnauthorized } from '@iodine/mfe-kit'
import { headerKey } from '../model/column-mapping'
import type { Draft } from '../model/import-draft'
import { entryOf, type ImportEntry } from '../model/import-entry'
import { findQuestion, type GivenAnswers, type Questions } from '../model/import-questions'
import { pauseText, readFault } from '../model/import-texts'
import { compareDraft } from './compare-draft'
import { deleteDraft, listDrafts, storeMapping } from './database'
import { forgetAbandoned, readFile, recogniseFile } from './read-file'
import type { Recognising } from './reader'
import { ImportGoneError, sendDraft } from './send-draft'

export interface SessionOptions {
  api: ApiClient
  /** Id of the user. */
  owner: string
  /** Called when an import has begun, and when it ended. */
  onChanged: () => void
  onDone: (draft: Draft) => void
}

/**
 * Holds the chosen files of an open page. They are read in the browser; their records stay in the browser's database
 * until they are sent. Closing the session pauses everything.
 */
export class ImportSession {
  readonly #options: SessionOptions
  readonly #files = new Map<string, File>()
  readonly #runs = new Map<string, AbortController>()
  readonly #listeners = new Set<() => void>()
  #entries: readonly ImportEntry[] = []
  #isClosed = false
  /** Resolves once batches of interrupted readings are deleted. */
  #cleaned: Promise<void> = Promise.resolve()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  readonly entries = () => this.#entries

  /** Shows the drafts that former visits of the page left. */
  async open(): Promise<void> {
    this.#isClosed = false
    this.#cleaned = forgetAbandoned().catch(() => {})
    await this.#cleaned
    for (const draft of await listDrafts(this.#options.owner)) {
      if (this.#isClosed) return
      this.#put(entryOf(draft))
      // The page was left before the server answered.
      if (draft.known === undefined && !draft.import_id)
        void this.#run(
          draft.id,
          signal => this.#compare(draft, signal),
          () => this.#put(entryOf(draft)),
        )
    }
  }

  close(): void {
    this.#isClosed = true
    for (const run of this.#runs.values()) run.abort()
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      const id = crypto.getRandomValues(new Uint32Array(4)).join('-')
      this.#files.set(id, file)
      this.#read(id, file)
    }
  }

  /** Reads a file with the answers to its questions. */
  answer(id: string, { questions, asked }: Questions, given: GivenAnswers): void {
    const file = this.#files.get(id)
    if (!file) return
    const columns = findQuestion(questions, 'mapping')?.columns
    const { owner } = this.#options
    if (columns && given.mapping)
      // Without storage, the columns are asked again for the next table.
      void storeMapping({ owner, columns: headerKey(columns), mapping: given.mapping }).catch(() => {})
    this.#read(id, file, { given, asked: [...asked, ...questions.map(({ name }) => name)] })
  }

  /** Begins or continues an import. */
  send(draft: Draft): void {
    const { api, onChanged, onDone } = this.#options
    let current = draft
    const pause = (fault?: string) =>
      this.#put({ ...entryOf(current), ...(fault && { fault }) } as ImportEntry)
    const show = () => this.#put({ ...entryOf(current), state: 'sending', draft: current })
    const work = async (signal: AbortSignal) => {
      show()
      signal.addEventListener('abort', () => pause())
      const onProgress = (next: Draft) => {
        const begins = current.import_id !== next.import_id
        current = next
        if (!signal.aborted) show()
        if (begins) onChanged()
      }
      await sendDraft(draft, { api, signal, onProgress })
      this.#drop(draft.id)
      onDone(current)
      onChanged()
    }
    void this.#run(draft.id, work, error => {
      if (!(error instanceof ImportGoneError)) return pause(pauseText(error))
      this.remove(draft.id)
      onChanged()
    })
  }

  pause(id: string): void {
    this.#runs.get(id)?.abort()
  }

  /** Removes an entry with its draft. Records that were sent stay. */
  remove(id: string): void {
    this.pause(id)
    this.#files.delete(id)
    this.#drop(id)
    // What remains is deleted when the page is opened again.
    void deleteDraft(id).catch(() => {})
  }

  /** Removes the entries of an import that is being undone. */
  forget(importId: string): void {
    for (const entry of this.#entries)
      if ('draft' in entry && entry.draft.import_id === importId) this.remove(entry.id)
  }

  #read(id: string, file: File, answered?: Pick<Recognising, 'given' | 'asked'>): void {
    const { owner } = this.#options
    const named = { id, file_name: file.name, size: file.size }
    const work = async (signal: AbortSignal) => {
      const onProgress = (fraction: number) => {
        if (!signal.aborted) this.#put({ ...named, state: 'reading', fraction })
      }
      onProgress(0)
      await this.#cleaned
      const recognised = await recogniseFile({ file, owner, ...answered }, signal)
      signal.throwIfAborted()
      const { asked } = answered ?? {}
      const read =
        'questions' in recognised
          ? recognised
          : await readFile({ id, owner, file, asked, ...recognised }, onProgress, signal)
      if ('owner' in read) await this.#compare(read, signal)
      else if ('questions' in read) {
        void deleteDraft(id).catch(() => {})
        signal.throwIfAborted()
        this.#put({ ...named, state: 'asking', ...read })
      }
    }
    void this.#run(id, work, error => {
      void deleteDraft(id).catch(() => {})
      this.#put({ ...named, state: 'failed', message: readFault(error) })
    })
  }

  /** Asks which records are known. If that fails, the plan does not tell new from known records. */
  async #compare(draft: Draft, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.#put({ ...entryOf(draft), state: 'comparing', draft })
    const compared = await compareDraft(draft, this.#options.api, signal).catch(error => {
      if (signal.aborted || isUnauthorized(error)) throw error
      return draft
    })
    this.#put(entryOf(compared))
  }

  /** Runs work of an entry, which `pause`, `remove` and `close` abort. */
  async #run(id: string, work: (signal: AbortSignal) => Promise<void>, onFault: (error: unknown) => unknown) {
    const run = new AbortController()
    this.pause(id)
    this.#runs.set(id, run)
    try {
      await work(run.signal)
    } catch (error) {
      // After a 401 the host leaves the page.
      if (!run.signal.aborted && !isUnauthorized(error)) await onFault(error)
    } finally {
      if (this.#runs.get(id) === run) this.#runs.delete(id)
    }
  }

  #put(entry: ImportEntry): void {
    const isNew = this.#entries.every(({ id }) => id !== entry.id)
    this.#show(
      isNew ? [...this.#entries, entry] : this.#entries.map(other => (other.id === entry.id ? entry : other)),
    )
  }

  #drop(id: string): void {
    this.#show(this.#entries.filter(entry => entry.id !== id))
  }

  #show(entries: readonly ImportEntry[]): void {
    this.#entries = entries
    for (const listener of this.#listeners) listener()
  }
}

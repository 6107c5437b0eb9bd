import type { WatchKind } from '@iodine/contracts'

/** The part of a watch, or of a request for one, that names its subject. */
interface Subject {
  kind: WatchKind
  subject_id?: string | null
  text?: string | null
  search?: object | null
}

/** Returns whether two watches have the same subject. Filters are equal in any order. */
export const hasSubject = (watch: Subject, wanted: Subject): boolean => keyOf(watch) === keyOf(wanted)

const keyOf = ({ kind, subject_id, text, search }: Subject): string =>
  JSON.stringify([kind, subject_id ?? text?.trim() ?? filtersOf(search ?? {})])

const filtersOf = (search: object): string[] =>
  Object.entries(search)
    .flatMap(([name, values]) => [values ?? []].flat().map(value => `${name}=${String(value).trim()}`))
    .sort()

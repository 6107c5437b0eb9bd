import {
  type Evidence,
  excerptOf,
  type HeldBack,
  type Iod,
  type IodStatement,
  isHttpUrl,
  type LeftOutReason,
  type LetInReason,
  LIMITS,
  type ReportContent,
  type ReportDraft,
} from '@iodine/contracts'

/** A campaign and its draft, as they were read once. Ids are those of the deployment and are not published. */
export interface ReportSources
  extends Pick<ReportContent, 'url' | 'slug' | 'n' | 'made_at' | 'first_at' | 'site' | 'authors' | 'disarm'> {
  draft: ReportDraft
  publisher: string
  iods: readonly Iod[]
  /** As the publisher sees it. */
  evidence: readonly Evidence[]
  statements: ReadonlyMap<string, IodStatement>
  decisions: ReadonlyMap<string, { let_in: boolean; reason: LetInReason | null }>
  /** Users who agree that their IODs are quoted. */
  consenting: ReadonlySet<string>
  /** Ids of IODs and evidence that their authors took out. */
  takenOut: ReadonlySet<string>
  /** Software of shared captures, by their id. */
  collectors: ReadonlyMap<string, string>
  /** With the ids of the evidence that its quotes are of; null for other quotes. */
  techniques: readonly { id: string; quotes: readonly (string | null)[] }[]
}

/** Characters of a value or quote that its author is shown. */
const OWNED_TEXT_CHARS = 200

interface LeftOut {
  reason: LeftOutReason
  kind: 'iod' | 'quote'
  count: number
}

/** Content of a report, and what it rests on. */
export interface SelectedReport {
  content: ReportContent
  left_out: LeftOut[]
  held_back: HeldBack[]
  /** Ids of the published IODs and evidence, and of the users who made them. */
  sources: {
    iods: string[]
    evidence: string[]
    captures: string[]
    users: string[]
    /** `text`: the beginning of an IOD's value or of a quote. */
    owned: { id: string; user: string; text: string }[]
  }
  /** Numbers of findings, from 1, that name evidence which is not published. */
  unfounded: number[]
}

const PERSONAL = new Set(['USERNAME', 'FULL_NAME', 'IP_ADDRESS'])
const MAIL = /[^\s@]{1,64}@[^\s@]{1,255}\.[^\s@]{2,}/
const PHONE = /(?:\+|\b00|\b0)\d(?:[\s().-]{0,2}\d){7,14}\b/
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/
/** Returns whether a text contains an email address, phone number or IBAN. */
const looksPersonal = (text: string): boolean => MAIL.test(text) || PHONE.test(text) || IBAN.test(text)

/** Shortest held-back value that is looked for within other texts. */
const NAME_MIN = 3

// Map.groupBy is not in all supported versions of Node.
const groupBy = <T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Returns whether a report may quote a piece of evidence: it is sealed, and its reader may open the capture. */
export const isCitable = ({ open, seal, url, captured_at }: Evidence): boolean =>
  open && seal !== null && url !== null && isHttpUrl(url) && captured_at !== null

/** Counts what is left out by reason and kind. */
const createCounts = () => {
  const counts = new Map<string, LeftOut>()
  return {
    add(reason: LeftOutReason, kind: LeftOut['kind']) {
      const key = `${reason} ${kind}`
      const found = counts.get(key) ?? { reason, kind, count: 0 }
      counts.set(key, { ...found, count: found.count + 1 })
    },
    all: () => [...counts.values()],
  }
}

/** Returns the IODs that may be published, and the personal data among the others. */
const selectIods = (sources: ReportSources, count: ReturnType<typeof createCounts>) => {
  const { iods, statements, decisions, takenOut } = sources
  const clear = iods.filter(({ id }) => {
    const statement = statements.get(id)
    const isClear = statement !== undefined && (statement.tlp === null || statement.tlp === 'clear')
    if (!isClear) count.add('level', 'iod')
    else if (takenOut.has(id)) count.add('taken_out', 'iod')
    return isClear && !takenOut.has(id)
  })
  const isIn = ({ id }: Iod) => decisions.get(id)?.let_in === true
  const isPersonal = ({ category, value }: Iod) => PERSONAL.has(category) || looksPersonal(value)
  const names = iods
    .filter(iod => isPersonal(iod) && !(isIn(iod) && clear.includes(iod)))
    .map(({ value }) => value.trim().replace(/^@/, '').toLowerCase())
    .filter(({ length }) => length >= NAME_MIN)
  /** Returns whether a text contains personal data that is not let in. */
  const isHeld = (text: string) => {
    const folded = text.toLowerCase()
    return looksPersonal(text) || names.some(name => folded.includes(name))
  }
  const held_back: HeldBack[] = []
  const shown = clear.filter(iod => {
    if (!isPersonal(iod) && !isHeld(iod.value)) return true
    const { let_in = false, reason = null } = decisions.get(iod.id) ?? {}
    held_back.push({ iod_id: iod.id, value: iod.value, category: iod.category, let_in, reason })
    if (!let_in) count.add('personal', 'iod')
    return let_in
  })
  for (const _ of shown.slice(LIMITS.reportIndicatorsMax)) count.add('limit', 'iod')
  return { shown: shown.slice(0, LIMITS.reportIndicatorsMax), held_back, isHeld }
}

/** Returns the quotes that findings and techniques rest on and that may be published, by the id of their evidence. */
const selectEvidence = (
  { draft, evidence, techniques, takenOut }: ReportSources,
  shown: ReadonlySet<string>,
  isHeld: (text: string) => boolean,
  count: ReturnType<typeof createCounts>,
): Evidence[] => {
  const byId = new Map(evidence.map(each => [each.id, each]))
  const named = [
    ...draft.findings.flatMap(({ evidence_ids }) => evidence_ids),
    ...techniques.flatMap(({ quotes }) => quotes).filter(id => id !== null),
  ]
  const found = [...new Set(named)].flatMap(id => byId.get(id) ?? [])
  const chosen = found.filter(each => {
    const { id, iod_id, url, exact } = each
    if (takenOut.has(id) || takenOut.has(iod_id)) count.add('taken_out', 'quote')
    else if (!isCitable(each)) count.add('unshared', 'quote')
    else if (!shown.has(iod_id) || isHeld(exact) || isHeld(url ?? '')) count.add('personal', 'quote')
    else return true
    return false
  })
  for (const _ of chosen.slice(LIMITS.reportExhibitsMax)) count.add('limit', 'quote')
  return chosen.slice(0, LIMITS.reportExhibitsMax)
}

/** Returns name and version of the software of a shared capture. It is free text of a client: others are left out. */
const collectorOf = (
  { collectors }: ReportSources,
  captureId: string | null,
  isHeld: (text: string) => boolean,
): string | null => {
  const name = collectors.get(captureId ?? '') ?? ''
  return /^[\w.-]{1,40}\/[\w.-]{1,40}$/.test(name) && !isHeld(name) ? name : null
}

interface Selection {
  /** Returns the numbers of published quotes. */
  numbersOf: (ids: readonly (string | null)[]) => number[]
  /** Returns whether a text contains personal data that is not let in. */
  isHeld: (text: string) => boolean
}

/** Returns the published fields of IODs, with the numbers of their quotes. */
const indicatorsOf = (
  { publisher, consenting, statements }: ReportSources,
  shown: readonly Iod[],
  chosen: readonly Evidence[],
  { numbersOf, isHeld }: Selection,
): ReportContent['indicators'] => {
  const ofIod = groupBy(chosen, ({ iod_id }) => iod_id)
  const agreed = (iod: Iod) =>
    iod.created_by_id !== null && (iod.created_by_id === publisher || consenting.has(iod.created_by_id))
  return shown.map((iod): ReportContent['indicators'][number] => {
    const quotes = ofIod.get(iod.id) ?? []
    const times = quotes.map(({ captured_at }) => new Date(captured_at ?? iod.created_at).toISOString())
    // An unshared capture shows its day only.
    const isShared = quotes.every(({ shared }) => shared)
    const last = isShared ? [iod.created_at, ...times].sort().at(-1) : iod.created_at
    return {
      uid: statements.get(iod.id)?.uid ?? '',
      value: iod.value.toWellFormed(),
      category: iod.category,
      description: agreed(iod) && !isHeld(iod.description) ? iod.description.toWellFormed() : '',
      first_seen: iod.created_at,
      last_seen: last ?? iod.created_at,
      exhibits: numbersOf(quotes.map(({ id }) => id)),
      votes: {
        for: iod.votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length,
        against: iod.votes.filter(({ vote_type }) => vote_type === 'NEGATIVE').length,
      },
    }
  })
}

/** Returns the ids of published IODs and evidence, and the users who made them. */
const publishedSources = (shown: readonly Iod[], chosen: readonly Evidence[]): SelectedReport['sources'] => {
  const users = [...shown.map(each => each.created_by_id), ...chosen.map(each => each.created_by_id)]
  return {
    iods: shown.map(({ id }) => id),
    evidence: chosen.map(({ id }) => id),
    captures: [...new Set(chosen.flatMap(({ capture_id }) => capture_id ?? []))],
    users: [...new Set(users.filter(id => id !== null))],
    owned: [
      ...shown.map(({ id, created_by_id, value }) => ({ id, user: created_by_id, text: value })),
      ...chosen.map(({ id, created_by_id, exact }) => ({ id, user: created_by_id, text: exact })),
    ].flatMap(({ id, user, text }) =>
      user === null ? [] : { id, user, text: excerptOf(text, OWNED_TEXT_CHARS) },
    ),
  }
}

/**
 * Returns the content of a report: only fields that are listed here, of what may be published. Content that is not
 * TLP:CLEAR, quotes of captures that the publisher may not open, and personal data without a decision are left out.
 */
export const selectReport = (sources: ReportSources): SelectedReport => {
  const { draft, techniques } = sources
  const count = createCounts()
  const { shown, held_back, isHeld } = selectIods(sources, count)
  const chosen = selectEvidence(sources, new Set(shown.map(({ id }) => id)), isHeld, count)
  const numbers = new Map(chosen.map(({ id }, at) => [id, at + 1]))
  const numbersOf = (ids: readonly (string | null)[]) => [
    ...new Set(ids.flatMap(id => (id === null ? [] : (numbers.get(id) ?? [])))),
  ]
  const indicators = indicatorsOf(sources, shown, chosen, { numbersOf, isHeld })
  const held = groupBy(
    held_back.filter(({ let_in }) => !let_in),
    ({ category }) => category,
  )
  const { url, slug, n, made_at, first_at, site, authors, disarm } = sources
  const { language, title, aliases, licence, doi, listed, change, summary, unknown, method, references } =
    draft
  const content: ReportContent = {
    ...{ v: 1, url, slug, n, made_at, first_at, site, authors, disarm },
    ...{ language, title, aliases, licence, doi, listed, change, summary, unknown, method, references },
    attribution: draft.attribution,
    findings: draft.findings.map(({ text, confidence, evidence_ids }) => ({
      text,
      confidence,
      exhibits: numbersOf(evidence_ids),
    })),
    exhibits: chosen.map(({ exact, url, captured_at, seal, shared, capture_id }, at) => ({
      n: at + 1,
      quote: exact.toWellFormed(),
      url: url ?? '',
      captured_at: shared ? (captured_at ?? '') : (captured_at ?? '').slice(0, 10),
      collector: shared ? collectorOf(sources, capture_id, isHeld) : null,
      manifest_hash: seal?.manifest_hash ?? '',
      seq: shared ? (seal?.seq ?? null) : null,
    })),
    indicators,
    held_back: [...held].map(([category, of]) => ({ category, count: of.length })),
    techniques: techniques.map(({ id, quotes }) => ({
      id,
      exhibits: numbersOf(quotes),
      quotes: quotes.length,
    })),
  }
  const unfounded = draft.findings.flatMap(({ evidence_ids }, at) =>
    evidence_ids.every(id => numbers.has(id)) ? [] : [at + 1],
  )
  return {
    content,
    left_out: count.all(),
    held_back,
    unfounded,
    sources: publishedSources(shown, chosen),
  }
}

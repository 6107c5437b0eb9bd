import { capturesInternal, type Evidence, type Seal } from '@iodine/contracts'
import type { Peers, UserDirectory } from '@iodine/service-kit'
import type { EvidenceDoc } from '../models/evidence.js'

/** Timeout of a request for seals: the answer to a stored quote must not fail when the collector service is slow. */
const SEALS_MS = 10_000

type Unsealed = Omit<Evidence, 'seal' | 'open' | 'shared'>

/** Presents evidence without the state of its captures, in the given order, with current usernames. */
export const presentQuotes = async (users: UserDirectory, docs: EvidenceDoc[]): Promise<Unsealed[]> => {
  const authors = new Set(docs.flatMap(({ created_by }) => created_by?.toHexString() ?? []))
  const names = authors.size > 0 ? await users.usernames(authors) : new Map<string, string>()
  return docs.map(doc => {
    const author = doc.created_by?.toHexString() ?? null
    return {
      id: doc._id.toHexString(),
      iod_id: doc.iod_id.toHexString(),
      kind: doc.kind,
      capture_id: doc.capture_id?.toHexString() ?? null,
      role: doc.role,
      pointer: doc.pointer,
      start: doc.start,
      end: doc.end,
      exact: doc.exact,
      prefix: doc.prefix,
      suffix: doc.suffix,
      relation: doc.relation,
      url: doc.url,
      captured_at: doc.captured_at,
      created_by_id: author,
      created_by_username: author === null ? null : (names.get(author) ?? null),
      created_at: doc.created_at.toISOString(),
    }
  })
}

interface Sealing {
  seal: Seal
  open: boolean
  shared: boolean
}

/**
 * Presents evidence to a user. Evidence of an erased capture has no `capture_id`. Throws 503 while the collector
 * service is down, as a missing seal would look like an erased capture.
 */
export const presentEvidence = async (
  { users, peers }: { users: UserDirectory; peers: Peers },
  user_id: string,
  docs: EvidenceDoc[],
): Promise<Evidence[]> => {
  const ids = [...new Set(docs.flatMap(({ capture_id }) => capture_id?.toHexString() ?? []))]
  const [quotes, sealed] = await Promise.all([
    presentQuotes(users, docs),
    ids.length > 0
      ? peers.call('collector', capturesInternal.getSeals, { body: { ids, user_id }, ms: SEALS_MS })
      : [],
  ])
  const sealings = new Map<string | null, Sealing>(sealed.map(({ id, ...sealing }) => [id, sealing]))
  return quotes.map(quote => {
    const { seal, open, shared } = sealings.get(quote.capture_id) ?? {}
    return {
      ...quote,
      capture_id: seal ? quote.capture_id : null,
      seal: seal ?? null,
      open: open ?? false,
      shared: shared ?? false,
    }
  })
}

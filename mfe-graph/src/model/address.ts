import type { Network } from './network'

/** What is selected and how it is shown, as the URL has it beside the filters. */
export interface Address {
  view: 'graph' | 'table'
  /** Id of the selected node, or of the selected link's first node. */
  node: string | null
  /** Id of the selected link's second node. */
  to: string | null
  /** Maximum number of nodes; null for the default. */
  limit: number | null
}

/** The selected node or link, as indices; -1 for none. At most one of the two is set. */
export interface Selection {
  node: number
  link: number
}

export const NOTHING: Selection = { node: -1, link: -1 }

const FIELDS = ['view', 'node', 'to', 'limit'] as const

/** Reads an address; unknown values count as absent. `limits` are the possible numbers of nodes. */
export function readAddress(search: URLSearchParams, limits: readonly number[]): Address {
  const limit = Number(search.get('limit'))
  return {
    view: search.get('view') === 'table' ? 'table' : 'graph',
    node: search.get('node'),
    to: search.get('to'),
    limit: limits.includes(limit) ? limit : null,
  }
}

/** A URL's query with a changed address; everything else in it stays. */
export function changeAddress(search: URLSearchParams, change: Partial<Address>): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const field of FIELDS) {
    const value = change[field]
    if (value === undefined) continue
    if (value === null || value === 'graph') next.delete(field)
    else next.set(field, String(value))
  }
  return next
}

/** The selection of an address in a network; none if the network does not have it. */
export function selectionOf(
  { links, indexOf }: Network,
  { node, to }: Pick<Address, 'node' | 'to'>,
): Selection {
  if (node === null) return NOTHING
  if (to === null) return { node: indexOf.get(node) ?? -1, link: -1 }
  return { node: -1, link: links.findIndex(({ source, target }) => source === node && target === to) }
}

/** The address of a selection. */
export function addressOf(
  { nodes, links }: Network,
  { node, link }: Selection,
): Pick<Address, 'node' | 'to'> {
  if (link >= 0) return { node: links[link]!.source, to: links[link]!.target }
  return { node: nodes[node]?.id ?? null, to: null }
}

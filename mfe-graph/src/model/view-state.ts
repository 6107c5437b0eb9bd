import type { Network } from './network'

/** The selection and the view, which the URL contains beside the filters. */
export interface ViewState {
  view: 'graph' | 'table'
  /** Id of the selected node, or of the selected link's first node. */
  node: string | null
  /** Id of the selected link's second node. */
  to: string | null
}

/** The selected node or link, as indices; -1 for none. At most one of the two is set. */
export interface Selection {
  node: number
  link: number
}

export const NO_SELECTION: Selection = { node: -1, link: -1 }

const FIELDS = ['view', 'node', 'to'] as const

/** Reads the view state from a URL. An unknown view counts as absent. */
export const readViewState = (search: URLSearchParams): ViewState => ({
  view: search.get('view') === 'table' ? 'table' : 'graph',
  node: search.get('node'),
  to: search.get('to'),
})

/** Returns a URL's query with a changed view state; other parameters are kept. */
export function withViewState(search: URLSearchParams, change: Partial<ViewState>): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const field of FIELDS) {
    const value = change[field]
    if (value === undefined) continue
    if (value === null || value === 'graph') next.delete(field)
    else next.set(field, value)
  }
  return next
}

/** Returns the selection of a view state in a network; none if the network does not contain it. */
export function selectionOf(
  { links, indexOf }: Network,
  { node, to }: Pick<ViewState, 'node' | 'to'>,
): Selection {
  if (node === null) return NO_SELECTION
  if (to === null) return { node: indexOf.get(node) ?? -1, link: -1 }
  return { node: -1, link: links.findIndex(({ source, target }) => source === node && target === to) }
}

/** Returns the view state of a selection. */
export function viewStateOf(
  { nodes, links }: Network,
  { node, link }: Selection,
): Pick<ViewState, 'node' | 'to'> {
  if (link >= 0) return { node: links[link]!.source, to: links[link]!.target }
  return { node: nodes[node]?.id ?? null, to: null }
}

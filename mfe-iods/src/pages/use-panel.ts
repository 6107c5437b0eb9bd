import { cameFromList, FROM_LIST } from '@iodine/mfe-kit'
import { useLocation, useNavigate, useParams } from '@iodine/ui/router'

/** URL parameter that opens the dialog `Add to Campaign`: `?add=campaign`. */
const ADD = 'add'
/** URL parameter with a comment of the open IOD. */
const COMMENT = 'comment'
/** URL parameter of the type of the open IOD's votes that are shown. */
export const VOTES = 'votes'

export interface PanelTarget {
  to: { pathname: string; search: string }
  state: unknown
  replace: boolean
}

/**
 * Opens and closes the side panel of an IOD, which the URL contains: `/ID` beside the list's search parameters. Panels
 * that are opened one after another share one history entry, so that Back closes the panel.
 */
export function usePanel() {
  const { id: iodId } = useParams()
  const { search, state } = useLocation()
  const navigate = useNavigate()
  const params = new URLSearchParams(search)
  const isAdding = iodId !== undefined && params.get(ADD) === 'campaign'
  for (const name of [ADD, COMMENT, VOTES]) params.delete(name)
  const kept = params.toString()

  /** Returns the target of a link to an IOD's panel, also for `navigate`. */
  const targetOf = (id: string): PanelTarget => ({
    to: { pathname: `/${id}`, search: kept },
    state: iodId === undefined ? FROM_LIST : state,
    replace: iodId !== undefined,
  })
  const open = (id: string) => {
    const { to, ...options } = targetOf(id)
    navigate(to, options)
  }
  const close = () => {
    if (cameFromList(state)) navigate(-1)
    else navigate({ pathname: '/', search: kept }, { replace: true })
  }
  const setAdding = (isAdding: boolean) => {
    const next = new URLSearchParams(kept)
    if (isAdding) next.set(ADD, 'campaign')
    navigate({ pathname: `/${iodId}`, search: next.toString() }, { replace: true, state })
  }
  return {
    /** Id of the IOD whose panel is open. */
    openId: iodId,
    targetOf,
    open,
    close,
    /** Whether the dialog `Add to Campaign` is open. */
    isAdding,
    setAdding,
  }
}

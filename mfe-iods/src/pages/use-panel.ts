import { cameFromList, FROM_LIST } from '@iodine/mfe-kit'
import { useLocation, useNavigate, useParams } from '@iodine/ui/router'
import { useCallback } from 'react'

/** URL parameter that opens the dialog `Add to Campaign`: `?add=campaign`. */
const ADD = 'add'

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
  params.delete(ADD)
  const kept = params.toString()

  /** Returns the target of a link to an IOD's panel, also for `navigate`. */
  const targetOf = useCallback(
    (id: string): PanelTarget => ({
      to: { pathname: `/${id}`, search: kept },
      state: iodId === undefined ? FROM_LIST : state,
      replace: iodId !== undefined,
    }),
    [kept, iodId, state],
  )
  const open = useCallback(
    (id: string) => {
      const { to, ...options } = targetOf(id)
      navigate(to, options)
    },
    [targetOf, navigate],
  )
  const close = useCallback(() => {
    if (cameFromList(state)) navigate(-1)
    else navigate({ pathname: '/', search: kept }, { replace: true })
  }, [state, kept, navigate])
  const setAdding = useCallback(
    (isAdding: boolean) => {
      const next = new URLSearchParams(kept)
      if (isAdding) next.set(ADD, 'campaign')
      navigate({ pathname: `/${iodId}`, search: next.toString() }, { replace: true, state })
    },
    [kept, iodId, state, navigate],
  )
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

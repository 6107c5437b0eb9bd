import { cameFromList, FROM_LIST } from '@iodine/mfe-kit'
import { useLocation, useNavigate, useParams } from '@iodine/ui/router'
import { useCallback } from 'react'

/** Parameter of the address that opens the dialog `Add to Campaign`: `?add=campaign`. */
const ADD = 'add'

export interface PanelAddress {
  to: { pathname: string; search: string }
  state: unknown
  replace: boolean
}

/**
 * The side panel of an IOD in the address: `/ID` beside the list's own search parameters. All panels that are
 * opened one after the other share one history entry, so that Back closes the panel.
 */
export function usePanel() {
  const { id: iodId } = useParams()
  const { search, state } = useLocation()
  const navigate = useNavigate()
  const params = new URLSearchParams(search)
  const isAdding = iodId !== undefined && params.get(ADD) === 'campaign'
  params.delete(ADD)
  const kept = params.toString()

  /** The address of an IOD's panel, for a link or `navigate`. */
  const addressOf = useCallback(
    (id: string): PanelAddress => ({
      to: { pathname: `/${id}`, search: kept },
      state: iodId === undefined ? FROM_LIST : state,
      replace: iodId !== undefined,
    }),
    [kept, iodId, state],
  )
  const open = useCallback(
    (id: string) => {
      const { to, ...options } = addressOf(id)
      navigate(to, options)
    },
    [addressOf, navigate],
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
    addressOf,
    open,
    close,
    /** Whether the dialog that adds the IOD to a campaign is open. */
    isAdding,
    setAdding,
  }
}

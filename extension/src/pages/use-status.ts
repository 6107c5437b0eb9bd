import { useCallback, useEffect, useState } from 'react'
import { failureOf } from '../shared/failures'
import { type Status, sendRequest, type TabStatus } from '../shared/messages'

const REFRESH_MS = 700

/** Polls the background's state for popup and options. */
export function useStatus() {
  const [status, setStatus] = useState<Status>()
  const [problem, setProblem] = useState('')

  const [unreachable, setUnreachable] = useState('')

  const refresh = useCallback(
    () =>
      sendRequest('status', {}).then(
        now => {
          setStatus(now)
          setUnreachable('')
        },
        error => setUnreachable(failureOf(error).message),
      ),
    [],
  )
  useEffect(() => {
    refresh()
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])

  /** Runs an action and shows its error. Resolves to true if it succeeded. */
  const attempt = useCallback(
    async (work: () => Promise<unknown>): Promise<boolean> => {
      setProblem('')
      try {
        await work()
        return true
      } catch (error) {
        setProblem(failureOf(error).message)
        return false
      } finally {
        await refresh()
      }
    },
    [refresh],
  )
  return { status, problem: problem || unreachable, attempt }
}

/** Shared props of a page's parts: the background's state, and the function that runs an action. */
export interface StatusProps {
  status: Status
  attempt: ReturnType<typeof useStatus>['attempt']
}

export interface CurrentTab {
  tabId: number
  status: TabStatus
}

/** Polls the tab that the popup was opened for. `?tab=` contains its id if the popup is opened as a tab. */
export function useTab() {
  const [tab, setTab] = useState<CurrentTab>()
  const refresh = useCallback(async () => {
    const named = Number(new URLSearchParams(location.search).get('tab'))
    const [current] = named
      ? [await chrome.tabs.get(named)]
      : await chrome.tabs.query({ active: true, currentWindow: true })
    if (current?.id === undefined) return
    setTab({
      tabId: current.id,
      status: await sendRequest('tab', { tabId: current.id, url: current.url ?? '' }),
    })
  }, [])
  useEffect(() => {
    // A closed tab has no status. A failure of the background is shown by `useStatus`.
    const poll = () => refresh().catch(() => {})
    poll()
    const timer = setInterval(poll, REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])
  return { tab, refreshTab: refresh }
}

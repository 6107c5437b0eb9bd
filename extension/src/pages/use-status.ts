import { useCallback, useEffect, useState } from 'react'
import { ask, type Status, type TabStatus } from '../shared/messages'

const REFRESH_MS = 700

/** The background's state for popup and options, polled while they are open. */
export function useStatus() {
  const [status, setStatus] = useState<Status>()
  const [problem, setProblem] = useState('')

  const refresh = useCallback(
    () => ask('status', {}).then(setStatus, error => setProblem(messageOf(error))),
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
        setProblem(messageOf(error))
        return false
      } finally {
        await refresh()
      }
    },
    [refresh],
  )
  return { status, problem, attempt }
}

/** Shared props of a page's parts: the background's state, and the function that runs an action. */
export interface StatusProps {
  status: Status
  attempt: ReturnType<typeof useStatus>['attempt']
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export interface CurrentTab {
  tabId: number
  status: TabStatus
}

/** The tab that the popup was opened for, polled like the status. `?tab=` gives its id if the popup is opened as a tab. */
export function useTab() {
  const [tab, setTab] = useState<CurrentTab>()
  const refresh = useCallback(async () => {
    const named = Number(new URLSearchParams(location.search).get('tab'))
    const [current] = named
      ? [await chrome.tabs.get(named)]
      : await chrome.tabs.query({ active: true, currentWindow: true })
    if (current?.id === undefined) return
    setTab({ tabId: current.id, status: await ask('tab', { tabId: current.id, url: current.url ?? '' }) })
  }, [])
  useEffect(() => {
    refresh()
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])
  return { tab, refreshTab: refresh }
}

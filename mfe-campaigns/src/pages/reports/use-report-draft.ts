import type { ReportDetail, ReportDraft } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useDraft } from '@iodine/ui'
import { useEffect, useState } from 'react'
import { changesOf, type Problems, problemsOf, tidyDraft } from '../../model/reports'
import { useSaveReport } from '../../queries/reports'

const NO_PROBLEMS: Problems = {}

/**
 * Holds the edited draft of a report. Text that is not saved survives a navigation within the tab; the browser asks
 * before the tab is closed.
 */
export function useReportDraft({ id, draft: saved }: ReportDetail) {
  const { user } = useHost().session
  const [draft, setDraft] = useDraft<ReportDraft>(`${user.id}:report:${id}`, saved)
  const [isChecked, setChecked] = useState(false)
  const text = JSON.stringify(draft)
  const savedText = JSON.stringify(saved)
  const isDirty = text !== savedText
  const { run, isPending } = useSaveReport(id, stored =>
    // Text that was typed meanwhile stays.
    setDraft(current => (JSON.stringify(current) === text ? stored : current)),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored text is deleted once it equals the saved draft
  useEffect(() => {
    if (!isDirty) setDraft(saved)
  }, [text, savedText])
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
  return {
    draft,
    isDirty,
    isSaving: isPending,
    problems: isChecked ? problemsOf(draft) : NO_PROBLEMS,
    change: (change: Partial<ReportDraft>) => setDraft(current => ({ ...current, ...change })),
    discard: () => setDraft(saved),
    /** Resolves to whether the draft is stored. */
    save: async (): Promise<boolean> => {
      const hasProblems = Object.keys(problemsOf(draft)).length > 0
      setChecked(hasProblems)
      if (hasProblems) return false
      const changes = changesOf(saved, tidyDraft(draft))
      if (Object.keys(changes).length > 0) return run(changes)
      setDraft(saved)
      return true
    },
  }
}

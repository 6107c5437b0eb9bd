import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { type Question, toBody } from '../model/question'
import { joinPages } from '../model/sightings'

/** The IOD that a question is about. */
export function useAskedIod(question: Question | null) {
  const { api } = useHost()
  const id = question?.by === 'iod' ? question.words : ''
  return useQuery({
    queryKey: ['iod', id],
    enabled: id !== '',
    queryFn: ({ signal }) => api.call('GET /iods/:id', { params: { id }, signal }),
  })
}

/**
 * Where something was seen, a page at a time.
 * @param value of the IOD, where the question is one; undefined until it is known
 */
export function useSightings(question: Question | null, value: string | undefined) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: ['sightings', question, value],
    enabled: question !== null && (question.by !== 'iod' || value !== undefined),
    // Each page compares all candidates again: what is shown stays until the user asks again.
    staleTime: Number.POSITIVE_INFINITY,
    readPage: async (page, signal) => {
      if (!question) throw new Error('Nothing is asked')
      const answer = await api.call('POST /sightings/search', {
        body: { ...toBody(question, value), ...page },
        signal,
      })
      return { ...answer, nextCursor: answer.next }
    },
  })
  const { pages } = query
  return { ...query, data: useMemo(() => joinPages(pages ?? []), [pages]) }
}

import type { BodyOf, LetInReason, ReportDraft, ReportPreview, reportsApi } from '@iodine/contracts'
import { paths, useAction, useHost, useSections } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { failureFields, successToast } from './toasts'

/** Query key prefix of reports. */
const REPORTS = ['reports']
const listKey = (campaignId: string) => [...REPORTS, 'of-campaign', campaignId]
const detailKey = (id: string) => [...REPORTS, 'detail', id]
const previewKey = (id: string) => [...REPORTS, 'preview', id]
/** Interval of polling a report whose files are being made, in milliseconds. */
const POLL_MS = 1_000

/** Reads the reports of a campaign: the published ones, and the user's drafts. */
export function useReports(campaignId: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: listKey(campaignId),
    queryFn: ({ signal }) => api.call('GET /campaigns/:id/reports', { params: { id: campaignId }, signal }),
  })
}

/** Creates a draft and opens it. `onFailure` receives the error. */
export function useCreateReport(campaignId: string, onFailure: (error: Error) => void) {
  const { api } = useHost()
  const { open } = useSections()
  return useAction({
    mutationFn: () => api.call('POST /campaigns/:id/reports', { params: { id: campaignId } }),
    onSuccess: ({ id }) => open(paths.report(id)),
    onError: onFailure,
    failed: () => null,
    invalidates: [listKey(campaignId)],
  })
}

/** Reads a report, repeatedly while its files are being made. */
export function useReport(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: detailKey(id),
    queryFn: ({ signal }) => api.call('GET /reports/:id', { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'making' ? POLL_MS : false),
  })
}

/** Reads the page that a draft would become. It is not cached, because the campaign may change. */
export function useReportPreview(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: previewKey(id),
    queryFn: ({ signal }) => api.call('GET /reports/:id/preview', { params: { id }, signal }),
    gcTime: 0,
  })
}

/** Reads the page in review, with the hash that an approval names. */
export function useReviewPage(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...REPORTS, 'review', id],
    queryFn: ({ signal }) => api.call('GET /reports/:id/review', { params: { id }, signal }),
    gcTime: 0,
  })
}

/** Reads the evidence that findings may rest on. */
export function useCitable(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...REPORTS, 'citable', id],
    queryFn: ({ signal }) => api.call('GET /reports/:id/citable', { params: { id }, signal }),
  })
}

/** Saves changes of a draft. `onSaved` receives the stored draft. */
export function useSaveReport(id: string, onSaved: (draft: ReportDraft) => void) {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    mutationFn: (body: Partial<ReportDraft>) => api.call('PATCH /reports/:id', { params: { id }, body }),
    onSuccess: async saved => {
      await writeOver(client, [detailKey(id)], () => client.setQueryData(detailKey(id), saved))
      onSaved(saved.draft)
      await client.invalidateQueries({ queryKey: previewKey(id) })
    },
    done: successToast('Draft saved'),
    failed: failureFields('Failed to save the draft'),
  })
}

/** Decides whether a value that looks like personal data is in the report; null holds it back. */
export function useDecide(id: string) {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    scope: { id: `decisions of ${id}` },
    mutationFn: ({ iod_id, reason }: { iod_id: string; reason: LetInReason | null }) =>
      api.call('PUT /reports/:id/decisions/:iod_id', {
        params: { id, iod_id },
        body: { let_in: reason !== null, reason },
      }),
    // The select shows the decision while the preview is made again.
    onMutate: ({ iod_id, reason }) => {
      client.setQueryData<ReportPreview>(
        previewKey(id),
        preview =>
          preview && {
            ...preview,
            held_back: preview.held_back.map(each =>
              each.iod_id === iod_id ? { ...each, let_in: reason !== null, reason } : each,
            ),
          },
      )
    },
    failed: failureFields('Failed to store the decision'),
    invalidates: [previewKey(id)],
  })
}

/** An action on a report, after which all reports are read again. */
function useChange<V = void>(mutationFn: (input: V) => Promise<unknown>, done: string, failed: string) {
  return useAction({
    mutationFn,
    done: successToast(done),
    failed: failureFields(failed),
    invalidates: [REPORTS],
  })
}

/** Deletes a report that was never published, and opens its campaign. */
export function useDeleteReport(id: string, campaignId: string | null) {
  const { api } = useHost()
  const { open } = useSections()
  return useAction({
    mutationFn: () => api.call('DELETE /reports/:id', { params: { id } }),
    onSuccess: () => open(campaignId ? paths.campaign(campaignId) : paths.campaigns()),
    done: successToast('Draft deleted'),
    failed: failureFields('Failed to delete the draft'),
  })
}

/** The actions of an author. */
export function useAuthorActions(id: string) {
  const { api } = useHost()
  const params = { id }
  return {
    handIn: useChange(
      () => api.call('POST /reports/:id/review', { params }),
      'Handed in for review',
      'Failed to hand the report in',
    ),
    withdraw: useChange(
      (reason: string) => api.call('POST /reports/:id/withdraw', { params, body: { reason } }),
      'Report withdrawn',
      'Failed to withdraw the report',
    ),
  }
}

/** The actions of an administrator. */
export function useReviewerActions(id: string) {
  const { api } = useHost()
  const params = { id }
  return {
    approve: useChange(
      (body: BodyOf<typeof reportsApi.approveReport>) =>
        api.call('POST /reports/:id/approve', { params, body }),
      'Report published',
      'Failed to approve the report',
    ),
    refuse: useChange(
      (why: string) => api.call('POST /reports/:id/refuse', { params, body: { why } }),
      'Report returned to its author',
      'Failed to refuse the report',
    ),
    erase: useChange(
      (body: BodyOf<typeof reportsApi.eraseReport>) => api.call('POST /reports/:id/erase', { params, body }),
      'Version erased',
      'Failed to erase the version',
    ),
    reply: useChange(
      (body: BodyOf<typeof reportsApi.replyToReport>) =>
        api.call('POST /reports/:id/replies', { params, body }),
      'Reply added',
      'Failed to add the reply',
    ),
    stand: useChange(
      () => api.call('POST /reports/:id/stand', { params }),
      'Report shown again',
      'Failed to show the report again',
    ),
  }
}

/** Reads the reports in review that quote the user, and takes the user's content out of one. */
export function useQuoted() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: [...REPORTS, 'quoted'],
    queryFn: ({ signal }) => api.call('GET /reports/quoted', { signal }),
  })
  const takeOut = useChange(
    (id: string) => api.call('POST /reports/:id/take-out', { params: { id } }),
    'Your content is out of the report',
    'Failed to take your content out',
  )
  return { query, takeOut: takeOut.run }
}

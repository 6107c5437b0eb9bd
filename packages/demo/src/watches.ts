import { type Client, type Iod, iodCommentsApi, watchesApi } from '@iodine/contracts'

/** Comment that the first account is notified of. The key makes a repeated fill return the existing one. */
const NEWS = {
  key: '00000000-0000-4000-8000-000000000006',
  content: 'The clip is back under another name. Worth a second look.',
}

/** The first account watches an IOD and a search; another account comments on the IOD. Idempotent. */
export const watchDemo = async (people: readonly Client['call'][], iods: readonly Iod[]): Promise<void> => {
  const [first, other] = people as [Client['call'], Client['call']]
  const iod = iods.find(({ category }) => category === 'HASHTAGS')
  await first(watchesApi.createWatch, { body: { kind: 'search', search: { category: ['URL', 'DOMAIN'] } } })
  if (!iod) return
  await first(watchesApi.createWatch, { body: { kind: 'iod', subject_id: iod.id } })
  await other(iodCommentsApi.createComment, { params: { id: iod.id }, body: NEWS })
}

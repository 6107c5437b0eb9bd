import { hasStatus, paths, type Watch } from '@iodine/contracts'
import { type UseQueryResult, useQuery } from '@iodine/mfe-kit/query'
import { type Action, useAction } from '../action'
import type { Input } from '../routes'
import { useSections } from '../sections'
import { useHost } from '../use-host'

/** Query key of the user's watches. */
export const WATCHES_KEY = ['watches']

/** The request for a watch. */
export type NewWatch = NonNullable<Input<'POST /watches'>['body']>

const TEXTS = {
  en: {
    added: 'Watching',
    about: 'The bell shows what is new.',
    settings: 'Settings',
    notAdded: 'Unable to watch',
    deleted: 'Watch deleted',
    undo: 'Undo',
    notDeleted: 'Unable to delete the watch',
  },
  fr: {
    added: 'Suivi',
    about: 'La cloche affiche les nouveautés.',
    settings: 'Paramètres',
    notAdded: 'Impossible de suivre',
    deleted: 'Suivi supprimé',
    undo: 'Annuler',
    notDeleted: 'Impossible de supprimer le suivi',
  },
}

/** Reads the user's watches, newest first. */
export function useWatches(): UseQueryResult<Watch[]> {
  const { api } = useHost()
  return useQuery({ queryKey: WATCHES_KEY, queryFn: ({ signal }) => api.call('GET /watches', { signal }) })
}

export interface WatchActions {
  add: Action<NewWatch>
  /** Deletes a watch, with a toast that offers to create it again. */
  remove: Action<Watch>
}

/** Returns the actions that create and delete a watch. Both are pending until the watches are refetched. */
export function useWatchActions(lang?: 'fr'): WatchActions {
  const { api } = useHost()
  const { open } = useSections()
  const texts = TEXTS[lang ?? 'en']
  const inLanguage = lang && { lang }
  const common = { failed: { description: texts.notAdded, ...inLanguage }, invalidates: [WATCHES_KEY] }
  const add = useAction({
    ...common,
    mutationFn: (body: NewWatch) => api.call('POST /watches', { body }),
    done: {
      title: texts.added,
      description: texts.about,
      action: { text: texts.settings, onClick: () => open(paths.profile({ tab: 'notifications' })) },
      ...inLanguage,
    },
  })
  const restore = useAction({
    ...common,
    mutationFn: async ({ kind, subject_id, search, text, name, channels, paused }: Watch) => {
      const subject = { ...(subject_id && { subject_id }), ...(search && { search }), ...(text && { text }) }
      const body = { kind, ...subject, name, channels } as NewWatch
      const { id } = await api.call('POST /watches', { body })
      if (paused) await api.call('PATCH /watches/:id', { params: { id }, body: { paused } })
    },
  })
  const remove = useAction({
    mutationFn: async ({ id }: Watch): Promise<unknown> =>
      api.call('DELETE /watches/:id', { params: { id } }).catch(error => {
        // Another tab has deleted it.
        if (!hasStatus(error, 404)) throw error
      }),
    done: (_, watch) => ({
      title: texts.deleted,
      description: watch.name,
      key: watch.id,
      action: { text: texts.undo, onClick: () => void restore.run(watch) },
      ...inLanguage,
    }),
    failed: { description: texts.notDeleted, ...inLanguage },
    invalidates: [WATCHES_KEY],
  })
  return { add, remove }
}

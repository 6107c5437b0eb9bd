import { sightingsApi, sightingsInternal } from '@iodine/contracts'
import {
  createSingleFlight,
  createTurns,
  done,
  personalSource,
  type StoreService,
  servePersonalData,
  serveRepair,
} from '@iodine/service-kit'
import { askForRecords } from '../commands/ask-for-records.js'
import { putSightings } from '../commands/put-sightings.js'
import type { SightingModels } from '../models/index.js'
import { createSign } from '../policies/signed.js'
import { search } from '../queries/search.js'
import { createSecrets } from '../store.js'

export const addSightingRoutes = (service: StoreService, models: SightingModels): void => {
  const { sightings } = models
  const secrets = createSecrets(models)
  const searching = { models, secrets, peers: service.peers, users: service.users }

  // A search compares up to some thousand sightings.
  const searches = createTurns()
  service.route(sightingsApi.searchSightings, async ({ body, user }) =>
    searches(user.id, () => search(searching, user.id, body)),
  )

  service.internal(sightingsInternal.putSightings, async ({ body }) =>
    done(putSightings(models, createSign((await secrets()).seed), body)),
  )

  servePersonalData(service, {
    sources: [
      personalSource(
        'sighting',
        sightings,
        owner => ({ owner }),
        ({ exact: _e, bands: _b, keys: _k, sketch: _s, media: _m, versions, ...sighting }) => ({
          ...sighting,
          seen_versions: versions.map(({ seen_at }) => seen_at),
        }),
      ),
    ],
    forget: owner => sightings.deleteMany({ owner }),
  })

  const asking = createSingleFlight<'ask', number>()
  serveRepair(service, () => asking('ask', () => askForRecords(models, secrets, service.peers)))
}

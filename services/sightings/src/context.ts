import type { StoreService } from '@iodine/service-kit'
import type { SightingModels } from './models.js'
import type { Secrets } from './sightings/policies/signatures.js'

/** The service with its models and secrets, for commands and queries. */
export interface Context extends Pick<StoreService, 'peers' | 'users' | 'log'> {
  models: SightingModels
  secrets(): Promise<Secrets>
}

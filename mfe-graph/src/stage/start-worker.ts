import { startWorker as start } from '@iodine/mfe-kit'

/** The workers of the build. Each has a source file in this folder. */
export type WorkerName = 'layout' | 'draw' | 'co-shares'

/** Starts a worker of this build; resolves to null if it cannot be started. */
export const startWorker = (name: WorkerName): Promise<Worker | null> =>
  start(() => `${__webpack_public_path__}static/worker/${name}.${WORKER_VERSION}.js`)

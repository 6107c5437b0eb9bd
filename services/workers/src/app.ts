import { createService, type Part, type ServiceDeps } from '@iodine/service-kit'
import type { WorkersConfig } from './config.js'
import { startProcessor } from './processor.js'
import { anchorsProcessor } from './processors/anchors.js'
import { canonProcessor } from './processors/canon.js'
import { extractionProcessor } from './processors/extraction.js'
import { mailProcessor } from './processors/mail.js'
import { subscriptionsProcessor } from './processors/subscriptions.js'
import { techniquesProcessor } from './processors/techniques.js'
import { webhooksProcessor } from './processors/webhooks.js'

/** Creates the background workers: one processor per queue, plus the health routes of every process. */
export const createApp = async (config: WorkersConfig, deps: ServiceDeps = {}): Promise<Part> => {
  const service = await createService('workers', config, deps)
  const context = { config, service }
  service.metrics.watchQueues(() => service.queues.states())
  try {
    await Promise.all([
      startProcessor(canonProcessor, context),
      startProcessor(extractionProcessor, context),
      startProcessor(anchorsProcessor, context),
      startProcessor(mailProcessor, context),
      startProcessor(subscriptionsProcessor, context),
      startProcessor(techniquesProcessor, context),
      startProcessor(webhooksProcessor, context),
    ])
  } catch (error) {
    await service.close()
    throw error
  }
  return service
}

import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import { API_BASE } from '@iodine/contracts'

import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../openapi.js'

/** The API reference for people, and the OpenAPI document that it shows. */
export const addReference = async (app: FastifyInstance): Promise<void> => {
  const document = openApiDocument()
  app.get(`${API_BASE}/openapi.json`, async () => document)
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  await app.register(fastifySwaggerUi, {
    routePrefix: `${API_BASE}/docs`,
    theme: { title: document.info.title },
    // Without the bar that loads other documents, and without asking a validator elsewhere.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null, tryItOutEnabled: true },
  })
}

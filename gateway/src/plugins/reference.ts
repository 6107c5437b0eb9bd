import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import { API_BASE } from '@iodine/contracts'

import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../openapi.js'
import { securityHeaders } from './security.js'

/** Serves the API reference and its OpenAPI document. */
export const addReference = async (app: FastifyInstance): Promise<void> => {
  const document = openApiDocument()
  app.get(`${API_BASE}/openapi.json`, async () => document)
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  const headers = securityHeaders({ trustedTypes: false })
  await app.register(fastifySwaggerUi, {
    // Swagger UI renders descriptions by innerHTML.
    uiHooks: {
      onRequest: (_request, reply, next) => {
        reply.headers(headers)
        next()
      },
    },
    routePrefix: `${API_BASE}/docs`,
    theme: { title: document.info.title },
    // Hides the bar that loads other documents, and disables the external validator.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null, tryItOutEnabled: true },
  })
}

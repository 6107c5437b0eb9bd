import {
  API_BASE,
  FEEDS,
  type FeedEndpoint,
  OPERATIONS,
  PRODUCT_NAME,
  type PublicEndpoint,
  TAXII_TYPE,
} from '@iodine/contracts'
import { z } from 'zod'

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io,
    target: 'openapi-3.0',
  })
  return rest
}

const parametersOf = (place: 'path' | 'query', schema: z.ZodType | undefined) => {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

const problem = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const bytes = { schema: { type: 'string', format: 'binary' } }

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier answer',
  schema: { type: 'string' },
}
const etag = {
  ETag: { description: 'Tells whether an answer is the same as before', schema: { type: 'string' } },
}

const success = ({ produces, response, conditional }: PublicEndpoint) => ({
  description: 'Success',
  ...(conditional && { headers: etag }),
  content: produces
    ? { [produces]: bytes }
    : { 'application/json': { schema: schemaOf(response, 'output') } },
})

const operationOf = (section: string, name: string, spec: PublicEndpoint) => ({
  tags: [section],
  operationId: name,
  summary: spec.summary,
  security: spec.access === 'anyone' ? [] : [{ session: [] }],
  parameters: [
    ...parametersOf('path', spec.params),
    ...parametersOf('query', spec.query),
    ...(spec.conditional ? [ifNoneMatch] : []),
  ],
  ...(spec.raw && {
    requestBody: {
      required: true,
      content: { 'application/octet-stream': bytes },
    },
  }),
  ...(spec.body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaOf(spec.body, 'input') } },
    },
  }),
  responses: {
    [spec.status ?? 200]: success(spec),
    ...(spec.knownStatus && {
      [spec.knownStatus]: { ...success(spec), description: 'It is there already' },
    }),
    ...(spec.conditional && { 304: { description: 'The same as before', headers: etag } }),
    ...(spec.access !== 'anyone' && { 401: problem('No live session') }),
    ...((spec.body || spec.raw || spec.query) && { 422: problem('Validation: one message a fault') }),
    default: problem('Any other failure'),
  },
})

const feedOperationOf = (name: string, spec: FeedEndpoint) => {
  const media = spec.produces ?? (spec.form === 'taxii' ? TAXII_TYPE : 'application/json')
  return {
    tags: ['feeds'],
    operationId: name,
    summary: spec.summary,
    security: [{ feedKey: [] }, { feedPassword: [] }],
    parameters: [
      ...parametersOf('path', spec.params),
      ...parametersOf('query', spec.query),
      ...(spec.conditional ? [ifNoneMatch] : []),
    ],
    responses: {
      200: { description: 'Success', content: { [media]: {} } },
      ...(spec.conditional && { 304: { description: 'The same as before', headers: etag } }),
      401: { description: 'No live feed key' },
      ...(spec.form === 'taxii' && {
        default: {
          description: 'A failure: an error message of TAXII',
          content: { [TAXII_TYPE]: { schema: { $ref: '#/components/schemas/TaxiiError' } } },
        },
      }),
    },
  }
}

/** The API as an OpenAPI 3.0 document, derived from the contracts. */
export const openApiDocument = () => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { section, name, spec } of OPERATIONS) {
    const path = spec.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operationOf(section, name, spec) }
  }
  // Feeds are not below the API's base.
  for (const { name, spec } of FEEDS) {
    const path = `${spec.path.replace(/:(\w+)/g, '{$1}')}${spec.form === 'taxii' ? '/' : ''}`
    paths[path] = { servers: [{ url: '/' }], get: feedOperationOf(name, spec) }
  }
  return {
    openapi: '3.0.3',
    info: { title: `${PRODUCT_NAME} API`, version: '1' },
    servers: [{ url: API_BASE }],
    tags: [...new Set([...OPERATIONS.map(({ section }) => section), 'feeds'])].map(name => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        feedKey: { type: 'http', scheme: 'bearer', description: 'A feed key' },
        feedPassword: {
          type: 'http',
          scheme: 'basic',
          description: 'A feed key as the password, with any name',
        },
      },
      schemas: {
        TaxiiError: {
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string' },
            http_status: { type: 'string' },
            error_id: { type: 'string' },
          },
        },
        Error: {
          type: 'object',
          required: ['detail'],
          properties: {
            detail: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          },
        },
      },
    },
  }
}

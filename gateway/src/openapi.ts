import {
  API_BASE,
  API_SCOPES,
  API_TOKEN_PREFIX,
  type ApiScope,
  FEEDS,
  type FeedEndpoint,
  LIMITS,
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

/** What each scope of an API token is for. */
const SCOPES: Record<ApiScope, string> = {
  read: 'what the user sees: lists, details, graphs, exports, captures',
  collect:
    'what the browser extension does: stores records and captures, looks up and creates IODs, adds evidence',
  contribute:
    'what the user adds and changes: IODs, votes, evidence, campaigns and their sharing, imports, narratives and their merges, runs. Narratives spend the user’s AI key',
}

const DESCRIPTION = `Send \`Authorization: Bearer TOKEN\` with each request. A script uses an API token, made under My Profile, with some of these scopes:

${API_SCOPES.map(scope => `- \`${scope}\`: ${SCOPES[scope]}`).join('\n')}

Each operation says which of them it takes; one is enough, and none includes another. Operations that name none take a session alone: nothing is deleted for good with a token, and accounts, keys, tokens and administration are out of its reach. Without a live token the answer is 401, without a scope that the operation takes 403.`

/** Who may call an operation, in words. */
const accessOf = ({ access, scopes }: PublicEndpoint): string => {
  if (access === 'anyone') return 'Open to anybody.'
  if (!scopes) return 'A session alone: no API token may call it.'
  return `API tokens: ${scopes.map(scope => `\`${scope}\``).join(' or ')}.`
}

const operationOf = (section: string, name: string, spec: PublicEndpoint) => ({
  tags: [section],
  operationId: name,
  summary: spec.summary,
  description: accessOf(spec),
  security: spec.access === 'anyone' ? [] : [{ session: [] }, ...(spec.scopes ? [{ apiToken: [] }] : [])],
  // OpenAPI 3.0 has scopes for OAuth 2 alone.
  ...(spec.scopes && { 'x-api-token-scopes': spec.scopes }),
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
    ...(spec.access !== 'anyone' && {
      401: problem(spec.scopes ? 'No live session or API token' : 'No live session'),
    }),
    ...((spec.body || spec.raw) && {
      413: problem(`A body of more than ${spec.bodyLimit ?? LIMITS.bodyBytes} bytes, or a full quota`),
    }),
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
    info: { title: `${PRODUCT_NAME} API`, version: '1', description: DESCRIPTION },
    servers: [{ url: API_BASE }],
    tags: [...new Set([...OPERATIONS.map(({ section }) => section), 'feeds'])].map(name => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The token of a session',
        },
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: `${API_TOKEN_PREFIX}…`,
          description: 'An API token with one of the scopes that the operation names',
        },
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

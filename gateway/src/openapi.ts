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
  description: 'The ETag of an earlier response',
  schema: { type: 'string' },
}
const etag = {
  ETag: { description: 'Changes with the content of the response', schema: { type: 'string' } },
}

const success = ({ produces, response, conditional }: PublicEndpoint) => ({
  description: 'Success',
  ...(conditional && { headers: etag }),
  content: produces
    ? { [produces]: bytes }
    : { 'application/json': { schema: schemaOf(response, 'output') } },
})

/** Descriptions of the scopes of API tokens. */
const SCOPES: Record<ApiScope, string> = {
  read: 'data that the user sees: lists, details, graphs, exports, captures',
  collect:
    'actions of the browser extension: store records and captures, look up and create IODs, add evidence',
  contribute:
    'additions and changes of the user: IODs, votes, comments, evidence, campaigns and their sharing, imports, narratives and their merges, runs. Narratives use the user’s AI key',
}

const DESCRIPTION = `Send \`Authorization: Bearer TOKEN\` with each request. A script uses an API token, created under My Profile, with some of these scopes:

${API_SCOPES.map(scope => `- \`${scope}\`: ${SCOPES[scope]}`).join('\n')}

Each operation lists the scopes that it accepts. A token needs one of them; no scope includes another. Operations without a scope require a session: permanent deletion, accounts, keys, tokens and administration. A request without a valid token receives 401, one without an accepted scope 403.`

/** Returns the sentence that states who may call an operation. */
const accessOf = ({ access, scopes }: PublicEndpoint): string => {
  if (access === 'anyone') return 'Public: no authentication.'
  if (!scopes) return 'Requires a session; API tokens are rejected.'
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
      [spec.knownStatus]: { ...success(spec), description: 'Already exists' },
    }),
    ...(spec.conditional && { 304: { description: 'Not modified', headers: etag } }),
    ...(spec.access !== 'anyone' && {
      401: problem(spec.scopes ? 'No valid session or API token' : 'No valid session'),
    }),
    ...((spec.body || spec.raw) && {
      413: problem(`A body of more than ${spec.bodyLimit ?? LIMITS.bodyBytes} bytes, or a full quota`),
    }),
    ...((spec.body || spec.raw || spec.query) && {
      422: problem('Validation errors: one message per fault'),
    }),
    default: problem('Any other error'),
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
      ...(spec.conditional && { 304: { description: 'Not modified', headers: etag } }),
      401: { description: 'No valid feed key' },
      ...(spec.form === 'taxii' && {
        default: {
          description: 'A TAXII error message',
          content: { [TAXII_TYPE]: { schema: { $ref: '#/components/schemas/TaxiiError' } } },
        },
      }),
    },
  }
}

/** Returns the API as an OpenAPI 3.0 document, generated from the contracts. */
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
          description: 'An API token with one of the scopes that the operation accepts',
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

import { type EndpointSpec, errorBody, OPERATIONS, type PublicEndpoint, pathPattern } from '@iodine/contracts'
import { faults } from '@iodine/service-kit'

/** All public endpoints; those with fewer parameters first, by router precedence. */
const ENDPOINTS = OPERATIONS.map(({ spec }) => ({ spec, path: pathPattern(spec) })).sort(
  (a, b) => a.spec.path.split(':').length - b.spec.path.split(':').length,
)

/** Finds the public endpoint for a path below the API's base; undefined if there is none. */
export const endpointAt = (method: string, target: string): PublicEndpoint | undefined => {
  const path = target.split('?')[0] ?? ''
  return ENDPOINTS.find(each => each.spec.method === method && each.path.test(path))?.spec
}

/** Returns an endpoint's path with well-formed ids of missing documents. */
export const samplePath = (path: string, source = 'tiktok'): string =>
  path.replace(':source', source).replace(/:\w+/g, 'a'.repeat(24))

const differs = ({ method, path }: { method: string; path: string }, status: number, how: string): never => {
  throw new Error(`${method} ${path} answers ${status} unlike its contract: ${how}`)
}

/** Throws unless an error's body is `{detail}`. */
export const checkError = (
  request: { method: string; path: string },
  status: number,
  body: unknown,
): void => {
  const { error } = errorBody.safeParse(body)
  if (error) differs(request, status, faults(error, 'body').join('; '))
}

/**
 * Throws, with the endpoint and the fault's path, unless the answer conforms to the contract: the response
 * schema, or an error's `{detail}`.
 */
export const checkAnswer = (endpoint: EndpointSpec, status: number, body: unknown): void => {
  const { status: success = 200, knownStatus = success, conditional, response } = endpoint
  if (status >= 400) checkError(endpoint, status, body)
  else if (conditional && status === 304) {
    if (body !== '') differs(endpoint, status, 'it has a body')
  } else if (status !== success && status !== knownStatus) differs(endpoint, status, `success is ${success}`)
  else {
    const { error } = response.safeParse(body)
    if (error) differs(endpoint, status, faults(error, 'body').join('; '))
  }
}

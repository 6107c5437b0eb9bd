import * as contracts from '@iodine/contracts'
import { type EndpointSpec, errorBody, type PublicEndpoint } from '@iodine/contracts'
import { faults } from '@iodine/service-kit'

/** All public endpoints; those with fewer parameters first, by router precedence. */
const ENDPOINTS = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, table]) => Object.values(table as unknown as Record<string, PublicEndpoint>))
  .map(endpoint => ({ endpoint, parameters: endpoint.path.split(':').length }))
  .sort((a, b) => a.parameters - b.parameters)
  .map(({ endpoint }) => ({
    endpoint,
    path: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}/?$`),
  }))

/** Finds the public endpoint for a path below the API's base; undefined if there is none. */
export const endpointAt = (method: string, target: string): PublicEndpoint | undefined => {
  const path = target.split('?')[0] ?? ''
  return ENDPOINTS.find(each => each.endpoint.method === method && each.path.test(path))?.endpoint
}

const differs = ({ method, path }: { method: string; path: string }, status: number, how: string): never => {
  throw new Error(`${method} ${path} answers ${status} unlike its contract: ${how}`)
}

/** Throws unless an error's body is `{detail}`. */
export const checkError = (asked: { method: string; path: string }, status: number, body: unknown): void => {
  const { error } = errorBody.safeParse(body)
  if (error) differs(asked, status, faults(error, 'body').join('; '))
}

/**
 * Throws, with the endpoint and the fault's path, unless the answer conforms to the contract: the response
 * schema, or an error's `{detail}`.
 */
export const checkAnswer = (endpoint: EndpointSpec, status: number, body: unknown): void => {
  const { status: success = 200, response } = endpoint
  if (status >= 400) checkError(endpoint, status, body)
  else if (status !== success) differs(endpoint, status, `success is ${success}`)
  else {
    const { error } = response.safeParse(body)
    if (error) differs(endpoint, status, faults(error, 'body').join('; '))
  }
}

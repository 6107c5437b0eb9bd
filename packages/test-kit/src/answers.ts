import * as contracts from '@iodine/contracts'
import { type EndpointSpec, errorBody, type PublicEndpoint } from '@iodine/contracts'
import { faults } from '@iodine/service-kit'

/** Every endpoint of the public API; those with fewer parameters first, as a router takes them. */
const ENDPOINTS = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, table]) => Object.values(table as unknown as Record<string, PublicEndpoint>))
  .map(endpoint => ({ endpoint, parameters: endpoint.path.split(':').length }))
  .sort((a, b) => a.parameters - b.parameters)
  .map(({ endpoint }) => ({
    endpoint,
    path: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}/?$`),
  }))

/** The public endpoint that serves a path below the API's base; undefined where none does. */
export const endpointAt = (method: string, target: string): PublicEndpoint | undefined => {
  const path = target.split('?')[0] ?? ''
  return ENDPOINTS.find(each => each.endpoint.method === method && each.path.test(path))?.endpoint
}

/** Throws, with the endpoint and where the fault is, unless the answer is one of the contract: of success, or an error's `{detail}`. */
export const checkAnswer = (
  { method, path, status: success = 200, response }: EndpointSpec,
  status: number,
  body: unknown,
): void => {
  const differs = (how: string): never => {
    throw new Error(`${method} ${path} answers ${status} unlike its contract: ${how}`)
  }
  if (status < 400 && status !== success) differs(`success is ${success}`)
  const result = (status < 400 ? response : errorBody).safeParse(body)
  if (!result.success) differs(faults(result.error, 'body').join('; '))
}

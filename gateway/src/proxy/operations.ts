import { API_BASE, FEEDS, OPERATIONS, PUBLIC_PAGES, pathPattern } from '@iodine/contracts'
import type { FastifyRequest } from 'fastify'
import type { Route } from '../routes.js'

/** Sorts names before parameters, like the services' router: `/campaigns/my` is no `/campaigns/:id`. */
const byLiterals = (a: { template: string }, b: { template: string }): number => {
  const [one, other] = [a, b].map(({ template }) => template.replaceAll(':', '\uffff')) as [string, string]
  return one < other ? -1 : Number(one > other)
}

/** Returns a function that finds a request's operation in the contracts of a route. */
export const operationsOf = ({ prefix }: Route) => {
  const operations = OPERATIONS.filter(
    ({ spec: { path } }) => `${path}/`.startsWith(`/${prefix}/`) || path.startsWith('/:'),
  ).map(({ spec }) => ({
    method: spec.method,
    template: `${API_BASE}${spec.path}`,
    path: pathPattern(spec, API_BASE),
    open: spec.access === 'anyone',
    spec,
    waits: spec.waits ?? false,
  }))
  operations.sort(byLiterals)
  return (request: FastifyRequest) => {
    const url = request.raw.url ?? ''
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return operations.find(operation => operation.method === method && operation.path.test(path))
  }
}

/** Returns the path of a request, without its query. */
const pathOf = ({ raw: { url = '' } }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

/** Returns a function that finds a request's endpoint of a feed. */
export const feedsOf = (prefix: string) => {
  const endpoints = FEEDS.filter(each => each.prefix === prefix).map(({ spec }) => ({
    template: spec.path,
    path: pathPattern(spec),
    reads: spec.form === 'atom' ? ('notifications' as const) : ('campaigns' as const),
  }))
  return (request: FastifyRequest) => endpoints.find(({ path }) => path.test(pathOf(request)))
}

/** Returns a function that finds the path template of a request of public pages. */
export const pagesOf = (prefix: string) => {
  const pages = PUBLIC_PAGES.filter(each => each.prefix === prefix).map(({ spec }) => ({
    template: spec.path,
    path: pathPattern(spec),
  }))
  pages.sort(byLiterals)
  return (request: FastifyRequest) => pages.find(({ path }) => path.test(pathOf(request)))?.template
}

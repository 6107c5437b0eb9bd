import { API_BASE, FEEDS, PUBLIC_PAGES } from '@iodine/contracts'
import { sendTaxiiError } from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { type AdmissionOptions, admit, admitPage, admitReader } from '../proxy/admission.js'
import { createForwarder, type ForwardOptions, type Load, type Target } from '../proxy/forward.js'
import { feedsOf, operationsOf, pagesOf } from '../proxy/operations.js'
import type { Route } from '../routes.js'
import { PAGE_ROUTE } from './pages.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface ProxyOptions extends AdmissionOptions, ForwardOptions {
  routes: readonly Route[]
}

/**
 * Routes requests below /api/v1, feeds and public pages to the services, and streams the responses back. Returns a
 * function that reads the current load.
 */
export const addProxy = (app: FastifyInstance, { routes, ...options }: ProxyOptions): (() => Load) => {
  const { forward, load } = createForwarder(app, options)
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.decorateRequest('admitted')
    scope.decorateRequest('serviceToken')
    scope.decorateRequest('isFeed', false)
    scope.decorateRequest('isPage', false)
    const add = (path: string, target: Target, more: RouteShorthandOptions) => {
      const route = {
        method: METHODS,
        config: { countsItself: true },
        handler: (request: FastifyRequest, reply: FastifyReply) => forward(target, request, reply),
        ...more,
      }
      scope.route({ ...route, url: path })
      scope.route({ ...route, url: `${path}/*` })
    }
    for (const route of routes)
      add(`${API_BASE}/${route.prefix}`, route, { onRequest: admit(operationsOf(route), options) })
    for (const [prefix, { service, spec }] of new Map(FEEDS.map(each => [each.prefix, each])))
      add(
        `/${prefix}`,
        { service },
        {
          ...(spec.form === 'taxii' && { errorHandler: sendTaxiiError }),
          onRequest: admitReader(feedsOf(prefix), options),
        },
      )
    for (const [prefix, { service }] of new Map(PUBLIC_PAGES.map(each => [each.prefix, each])))
      add(`/${prefix}`, { service }, { ...PAGE_ROUTE, onRequest: admitPage(pagesOf(prefix), options) })
  })
  return load
}

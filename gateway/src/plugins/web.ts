import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import { type BrowserConfig, PAGES, PRODUCT_NAME, type RemotesTable } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayConfig } from '../config.js'
import { findRemotes } from '../remotes.js'
import { extensionUrls } from './extension.js'
import { ROBOTS } from './pages.js'

// File names with a content hash: remoteEntry.08d8bdd7.js, static/js/index.175ea47acd.js.
const HASHED = /\.[0-9a-f]{8,}\.\w+$/
const CACHE = { lasting: 'public, max-age=31536000, immutable', other: 'no-cache' }

const shellOf = (config: GatewayConfig) => join(config.WEB_ROOT, 'shell', 'dist')

const OWN_ROUTE = new RegExp(String.raw`^/((${PAGES.join('|')})(/|\?|$)|\?|$)`)
const NO_PAGE = /^\/(api|static|remotes|internal|metrics|taxii2|feeds)(\/|\?|$)/

/** Returns whether `Accept` admits one of the media ranges; the first one that it names decides (RFC 9110, 12.5.1). */
const takes = (accept: string, ranges: readonly string[]): boolean => {
  const given = accept.split(',').map(each => each.split(';').map(part => part.trim().toLowerCase()))
  const named = ranges.map(range => given.find(([name]) => name === range)).find(Boolean)
  return named !== undefined && !named.some(parameter => /^q=0(\.0*)?$/.test(parameter))
}

/**
 * Creates the handler that serves the shell's page; the shell's router handles the path. Routes of the shell answer
 * clients that accept HTML or anything, such as link previews and mail scanners. Other paths answer only clients that
 * name HTML, as browsers do.
 */
export const shellPage =
  (config: GatewayConfig) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const { url = '' } = request.raw
    if (NO_PAGE.test(url)) return undefined
    const vary = reply.getHeader('vary')
    reply.header('vary', vary ? `${vary}, Accept` : 'Accept')
    const accept = request.headers.accept?.trim() || '*/*'
    if (!takes(accept, OWN_ROUTE.test(url) ? ['text/html', 'text/*', '*/*'] : ['text/html'])) return undefined
    if (!existsSync(join(shellOf(config), 'index.html'))) return undefined
    return reply.sendFile('index.html', shellOf(config))
  }

/** Serves the shell, the remotes, and the browser's run-time configuration. */
export const addWeb = async (app: FastifyInstance, config: GatewayConfig): Promise<void> => {
  const { WEB_ROOT, REMOTES_ROOT } = config
  const remotes = findRemotes(config)
  await app.register(fastifyStatic, {
    root: WEB_ROOT,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      // Published versions are immutable.
      const isLasting =
        (REMOTES_ROOT && path.startsWith(REMOTES_ROOT + sep)) || HASHED.test(path.replace(/\.(br|gz)$/, ''))
      reply.header('cache-control', CACHE[isLasting ? 'lasting' : 'other'])
    },
  })

  app.get('/remotes.json', async (_request, reply): Promise<RemotesTable> => {
    reply.header('cache-control', CACHE.other)
    return remotes.table()
  })
  app.get('/config.json', async (_request, reply): Promise<BrowserConfig> => {
    reply.header('cache-control', CACHE.other)
    return {
      product_name: PRODUCT_NAME,
      contact_email: config.CONTACT_EMAIL,
      social_links: config.SOCIAL_LINKS,
      ...(await extensionUrls(config)),
      offline_ai: config.OFFLINE_AI,
      reports: config.REPORTS !== 'off',
      sections: await remotes.sections(),
    }
  })
  app.get<{ Params: { remote: string; '*': string } }>('/remotes/:remote/*', async (request, reply) => {
    const found = remotes.locate(request.params.remote, request.params['*'])
    if (!found) throw notFound()
    return reply.sendFile(found.file, found.root)
  })
  app.get<{ Params: { '*': string } }>('/static/*', async (request, reply) =>
    reply.sendFile(`static/${request.params['*']}`, shellOf(config)),
  )
  app.get('/robots.txt', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600').send(ROBOTS),
  )
  app.get('/icon.svg', async (_request, reply) => reply.sendFile('icon.svg', shellOf(config)))
}

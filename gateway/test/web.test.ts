import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  API_SCOPES,
  DETAILS,
  EXPOSED_HEADERS,
  FEEDS,
  OPERATIONS,
  PAGES,
  PRODUCT_NAME,
} from '@iodine/contracts'
import { listenForMetrics, readConfig } from '@iodine/service-kit'
import { temporaryFolder } from '@iodine/test-kit'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayConfigSchema } from '../src/index.js'
import { raw, startTestServer, type TestServer } from './test-server.js'

const folder = temporaryFolder()
const put = (path: string, text: string | Uint8Array) => {
  mkdirSync(join(folder.path, path, '..'), { recursive: true })
  writeFileSync(join(folder.path, path), text)
}
let server: TestServer
beforeAll(async () => {
  put('shell/dist/index.html', '<title>the shell</title>')
  put('shell/dist/icon.svg', '<svg/>')
  put('shell/dist/static/js/index.175ea47acd.js', 'plain()')
  put('shell/dist/static/js/index.175ea47acd.js.br', 'brotli')
  put('shell/dist/static/js/index.175ea47acd.js.gz', 'gzip')
  put('shell/dist/.env', 'secret')
  put('shell/src/secret.ts', 'secret')
  put('mfe-iods/dist/mf-manifest.json', '{"id":"mfe_iods"}')
  put('mfe-iods/dist/remoteEntry.08d8bdd7.js', 'entry()')
  put('mfe-half/dist/index.html', 'no manifest yet')
  put('services/auth/dist/secret.js', 'secret')
  put('.data/secrets-key', 'secret')
  server = await startTestServer({
    WEB_ROOT: folder.path,
    CONTACT_EMAIL: 'team@example.org',
    SOCIAL_LINKS: 'Code=https://code.example.org/x?a=b, Chat=https://chat.example.org',
    EXTENSION_URL: 'https://extension.example.org',
    EXTENSION_FIREFOX_URL: 'https://addons.example.org',
    CORS_ORIGINS: 'https://app.example.org,chrome-extension://abcdef',
  })
})
afterAll(async () => {
  await server?.close()
  folder.remove()
})

const get = (path: string, accept = '*/*', init: RequestInit = {}) =>
  fetch(server.url + path, { ...init, headers: { accept, 'accept-encoding': 'identity', ...init.headers } })
const PAGE = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'

describe('the shell', () => {
  it.each([
    '/',
    '/login',
    '/magic-login?token=x',
    '/auth/verify?token=x',
    '/dashboard/iods',
    '/dashboard/community/profile/1',
    '/apiary',
  ])('answers a browser that opens %s', async path => {
    const response = await get(path, PAGE)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await response.text()).toContain('the shell')
  })
  it('answers GET and HEAD at its routes for clients that accept HTML or anything, with Vary: Accept', async () => {
    for (const path of [
      '/',
      '/?utm_source=mail',
      '/login',
      '/magic-login?token=x',
      '/auth/verify?token=x',
      '/account-link?token=x',
      '/dashboard',
      '/dashboard/iods/',
      '/dashboard/community/profile/1',
    ])
      for (const accept of ['*/*', '', 'text/*;q=0.5', 'TEXT/HTML', 'image/avif, */*;q=0.1', PAGE])
        for (const method of ['GET', 'HEAD']) {
          const response = await get(path, accept, { method })
          const text = await response.text()
          expect([path, accept, response.status, response.headers.get('vary')]).toEqual([
            path,
            accept,
            200,
            expect.stringContaining('Accept'),
          ])
          if (method === 'GET') expect(text).toContain('the shell')
        }
    const answer = await raw(server.url, 'GET /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*the shell/)
  })
  it('serves the routes of its router', () => {
    const sources = ['App.tsx', 'pages.ts'].map(name =>
      readFileSync(new URL(`../../shell/src/app/${name}`, import.meta.url), 'utf8'),
    )
    const path = /(?:<Route\s+path="|^ {2}')\/([\w-]+)/gm
    const routes = [...sources.join('\n').matchAll(path)].map(([, first]) => first)
    expect([...new Set(routes)].sort()).toEqual([...PAGES].sort())
  })
  it.each([
    ['GET', '/favicon.ico', '*/*'],
    ['GET', '/loginx', '*/*'],
    ['GET', '/api/v1/none', '*/*'],
    ['GET', '/login', 'application/json, text/html;q=0'],
    ['GET', '/login', 'text/html;q=0.0, */*'],
    ['GET', '/login', 'application/json'],
    ['POST', '/login', PAGE],
    ['GET', '/static/js/missing.js', PAGE],
    ['GET', '/remotes/mfe-iods/missing.js', PAGE],
    ['GET', '/remotes/mfe-none/x.js', PAGE],
    ['GET', '/api/v1/none', PAGE],
    ['GET', '/api', PAGE],
    ['GET', '/internal/jwks', PAGE],
    ['GET', '/metrics', PAGE],
  ])('does not answer %s %s with Accept: %s', async (method, path, accept) => {
    const response = await get(path, accept, { method })
    expect([response.status, await response.json()]).toEqual([404, { detail: DETAILS.notFound }])
  })
})

describe('files', () => {
  it('with a hash in their name are immutable, others are revalidated', async () => {
    for (const [path, cache] of [
      ['/static/js/index.175ea47acd.js', /immutable/],
      ['/remotes/mfe-iods/remoteEntry.08d8bdd7.js', /immutable/],
      ['/remotes/mfe-iods/mf-manifest.json', /^no-cache$/],
      ['/icon.svg', /^no-cache$/],
      ['/remotes.json', /^no-cache$/],
      ['/config.json', /^no-cache$/],
    ] as const) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('cache-control')).toMatch(cache)
    }
  })
  it('are compressed for clients that support it', async () => {
    const encoding = async (accepted: string) =>
      (
        await get('/static/js/index.175ea47acd.js', '*/*', {
          method: 'HEAD',
          headers: { 'accept-encoding': accepted },
        })
      ).headers.get('content-encoding')
    expect(await encoding('gzip, deflate, br')).toBe('br')
    expect(await encoding('gzip')).toBe('gzip')
    expect(await encoding('identity')).toBeNull()
  })
  it.each([
    '/static/../index.html',
    '/static/..%2f..%2fsrc/secret.ts',
    '/static/%2e%2e/%2e%2e/src/secret.ts',
    '/remotes/mfe-iods/..%2f..%2f.data/secrets-key',
    '/remotes/mfe-iods/%2e%2e%2f%2e%2e%2fshell/src/secret.ts',
    '/remotes/services/auth/dist/secret.js',
    '/remotes/..%2fservices%2fauth/secret.js',
    '/remotes/mfe-iods/',
    '/remotes/mfe-iods',
    '/static/',
    '/static/js',
    '/.env',
    '/shell/src/secret.ts',
    '/.data/secrets-key',
  ])('outside the builds are not served: %s', async path => {
    const response = await get(path)
    const text = await response.text()
    expect(text).not.toContain('secret')
    expect([response.status, Object.keys(JSON.parse(text))]).toEqual([404, ['detail']])
  })
})

describe('the run-time configuration', () => {
  it('lists the built remotes, also those built later', async () => {
    expect(await (await get('/remotes.json')).json()).toEqual({
      mfe_iods: '/remotes/mfe-iods/mf-manifest.json',
    })
    put('mfe-half/dist/mf-manifest.json', '{}')
    expect(await (await get('/remotes.json')).json()).toMatchObject({
      mfe_half: '/remotes/mfe-half/mf-manifest.json',
    })
  })
  it('contains the settings', async () => {
    expect(await (await get('/config.json')).json()).toEqual({
      product_name: PRODUCT_NAME,
      contact_email: 'team@example.org',
      social_links: [
        { label: 'Code', url: 'https://code.example.org/x?a=b' },
        { label: 'Chat', url: 'https://chat.example.org' },
      ],
      extension_url: 'https://extension.example.org',
      extension_firefox_url: 'https://addons.example.org',
      offline_ai: false,
      reports: false,
      sections: [],
    })
  })
})

describe('separately deployed sections', () => {
  const deployed = temporaryFolder()
  const putThere = (path: string, text: string) => {
    mkdirSync(join(deployed.path, path, '..'), { recursive: true })
    writeFileSync(join(deployed.path, path), text)
  }
  let own: TestServer
  beforeAll(async () => {
    for (const version of ['1.4.0', '1.5.0-rc.1'])
      putThere(`mfe-iods/${version}/mf-manifest.json`, `{"id":"mfe_iods","version":"${version}"}`)
    putThere('mfe-iods/.unfinished-1/secret.js', 'secret')
    putThere('mfe-notes/0.1.0/mf-manifest.json', '{"id":"mfe_notes"}')
    putThere('mfe-notes/0.1.0/section.json', '{"label":"Notes"}')
    putThere('mfe-notes/current.json', '{"version":"0.1.0"}')
    own = await startTestServer({ WEB_ROOT: folder.path, REMOTES_ROOT: deployed.path })
  })
  afterAll(async () => {
    await own?.close()
    deployed.remove()
  })
  const json = async (path: string) => (await fetch(own.url + path)).json()
  const IODS_PATH = '/remotes/mfe-iods/1.4.0/mf-manifest.json'

  it('replace the built ones while a pointer names their version', async () => {
    expect((await json('/remotes.json')).mfe_iods).toBe('/remotes/mfe-iods/mf-manifest.json')
    for (const version of ['1.4.0', '1.5.0-rc.1', '1.4.0']) {
      putThere('mfe-iods/current.json', JSON.stringify({ version }))
      const path = (await json('/remotes.json')).mfe_iods
      expect(path).toBe(`/remotes/mfe-iods/${version}/mf-manifest.json`)
      expect(await json(path)).toEqual({ id: 'mfe_iods', version })
    }
    putThere('mfe-iods/current.json', '')
    expect((await json('/remotes.json')).mfe_iods).toBe('/remotes/mfe-iods/mf-manifest.json')
    // Open pages keep the version that they loaded.
    expect(await json(IODS_PATH)).toMatchObject({ version: '1.4.0' })
  })
  it.each([
    '{"version":"9.9.9"}',
    '{"version":"../mfe-notes/0.1.0"}',
    '{"version":".unfinished-1"}',
    '{"version":1}',
    '[]',
    '{',
  ])('are ignored if the pointer contains %s', async text => {
    putThere('mfe-iods/current.json', text)
    expect((await json('/remotes.json')).mfe_iods).toBe('/remotes/mfe-iods/mf-manifest.json')
  })
  it('are immutable under their version', async () => {
    const response = await fetch(own.url + IODS_PATH)
    expect(response.headers.get('cache-control')).toMatch(/immutable/)
    const built = await fetch(`${own.url}/remotes/mfe-iods/mf-manifest.json`)
    expect(built.headers.get('cache-control')).toBe('no-cache')
  })
  it('may be unknown to the build: the configuration names them', async () => {
    expect(await json('/remotes.json')).toMatchObject({
      mfe_notes: '/remotes/mfe-notes/0.1.0/mf-manifest.json',
    })
    expect((await json('/config.json')).sections).toEqual([
      { id: 'notes', label: 'Notes', remote: 'mfe_notes' },
    ])
  })
  it.each([
    '/remotes/mfe-iods/current.json',
    '/remotes/mfe-iods/.unfinished-1/secret.js',
    '/remotes/mfe-iods/1.4.0/../.unfinished-1/secret.js',
    '/remotes/mfe-iods/1.4.0/..%2f.unfinished-1%2fsecret.js',
    '/remotes/mfe-iods/9.9.9/mf-manifest.json',
    '/remotes/mfe-iods/1.4.0/',
    '/remotes/mfe-none/1.4.0/mf-manifest.json',
  ])('serve nothing else: %s', async path => {
    const response = await fetch(own.url + path)
    expect([response.status, Object.keys(await response.json())]).toEqual([404, ['detail']])
    expect(response.headers.get('cache-control') ?? '').not.toMatch(/immutable/)
  })
  it('require an existing folder', () => {
    const settings = { ...own.settings, REMOTES_ROOT: join(deployed.path, 'none') }
    expect(() => readConfig(gatewayConfigSchema, settings)).toThrow(
      'REMOTES_ROOT: must be a folder that exists',
    )
  })
})

describe('the collector extension', () => {
  const ZIP = 'iodine-collector-1.2.3-chromium.zip'
  const files = {
    'background.js': strToU8('work()'),
    'deployment.json': strToU8('{"server":"http://localhost:8080"}'),
  }

  it('is packed for this deployment, and the configuration contains its URL', async () => {
    put(`extension/dist/${ZIP}`, zipSync(files))
    put('extension/dist/secret.zip', zipSync(files))
    const own = await startTestServer({ WEB_ROOT: folder.path, PUBLIC_URL: 'https://iodine.example.org/' })
    const config = await (await fetch(`${own.url}/config.json`)).json()
    expect(config.extension_url).toBe(`/extension/${ZIP}`)
    const response = await fetch(own.url + config.extension_url)
    const zip = new Uint8Array(await response.arrayBuffer())
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(response.headers.get('content-disposition')).toContain(ZIP)
    const unpacked = Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, strFromU8(bytes)])
    expect(Object.fromEntries(unpacked)).toEqual({
      'background.js': 'work()',
      'deployment.json': '{"server":"https://iodine.example.org"}\n',
    })
    for (const name of ['secret.zip', ZIP.replace('1.2.3', '9.9.9'), '..%2Fpackage.json'])
      expect((await fetch(`${own.url}/extension/${name}`)).status).toBe(404)
    await own.close()
  })

  it('for Firefox is packed likewise, in a type that Firefox installs; a signed one is served unchanged', async () => {
    const XPI = 'iodine-collector-1.2.3-firefox.xpi'
    put(`extension/dist/${XPI}`, zipSync(files))
    const own = await startTestServer({ WEB_ROOT: folder.path, PUBLIC_URL: 'https://iodine.example.org/' })
    const config = await (await fetch(`${own.url}/config.json`)).json()
    expect(config.extension_firefox_url).toBe(`/extension/${XPI}`)
    const download = async () => {
      const response = await fetch(own.url + config.extension_firefox_url)
      expect(response.headers.get('content-type')).toBe('application/x-xpinstall')
      expect(response.headers.get('content-disposition')).toBeNull()
      return new Uint8Array(await response.arrayBuffer())
    }
    const unsigned = unzipSync(await download())['deployment.json'] ?? new Uint8Array()
    expect(strFromU8(unsigned)).toBe('{"server":"https://iodine.example.org"}\n')
    const signed = zipSync({ ...files, 'META-INF/mozilla.rsa': strToU8('signature') })
    put(`extension/dist/${XPI}`, signed)
    expect(await download()).toEqual(signed)
    await own.close()
  })
})

describe('the API reference', () => {
  it('describes each operation of the contracts', async () => {
    const document = await (await get('/api/v1/openapi.json')).json()
    expect(document.openapi).toMatch(/^3\./)
    for (const { spec } of OPERATIONS) {
      const operation = document.paths[spec.path.replace(/:(\w+)/g, '{$1}')][spec.method.toLowerCase()]
      expect(operation.summary).toBe(spec.summary)
      expect(operation.responses[spec.status ?? 200]).toBeDefined()
      const ways = spec.access === 'anyone' ? [] : spec.scopes ? ['session', 'apiToken'] : ['session']
      expect(operation.security).toEqual(ways.map(way => ({ [way]: [] })))
      expect(operation['x-api-token-scopes']).toEqual(spec.scopes)
      for (const scope of API_SCOPES)
        expect(operation.description.includes(`\`${scope}\``)).toBe(spec.scopes?.includes(scope) ?? false)
    }
    for (const { spec } of FEEDS) {
      const path = spec.path.replace(/:(\w+)/g, '{$1}') + (spec.form === 'taxii' ? '/' : '')
      expect(document.paths[path]).toMatchObject({
        servers: [{ url: '/' }],
        get: { summary: spec.summary, security: [{ feedKey: [] }, { feedPassword: [] }] },
      })
    }
    const { put, get: read } = document.paths['/captures/{id}/blobs/{sha256}']
    const binary = { schema: { type: 'string', format: 'binary' } }
    expect(put.requestBody.content).toEqual({ 'application/octet-stream': binary })
    expect(read.responses[200].content).toEqual({ 'application/octet-stream': binary })
    expect(Object.keys(document.paths['/captures'].post.responses)).toEqual(
      expect.arrayContaining(['200', '201', '401', '422']),
    )
    for (const path of ['/iods/overlay', '/campaigns/overlay']) {
      const { responses, parameters } = document.paths[path].get
      expect(responses[200].content).toEqual({ 'application/octet-stream': binary })
      for (const status of [200, 304]) expect(Object.keys(responses[status].headers)).toEqual(['ETag'])
      expect(responses[304].content).toBeUndefined()
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header' }))
    }
    expect(document.paths['/iods/overlay'].get.parameters[0]).toMatchObject({ name: 'since', in: 'query' })
    const body =
      document.paths['/auth/request-magic-link'].post.requestBody.content['application/json'].schema
    expect(body).toMatchObject({ required: ['email'], additionalProperties: false })
  })
  it('is served with all its files by the gateway', async () => {
    for (const path of ['/api/v1/docs', '/api/v1/docs/']) {
      const response = await get(path, PAGE)
      const page = await response.text()
      expect([response.status, page.includes(`<title>${PRODUCT_NAME} API</title>`)]).toEqual([200, true])
      expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
      const files = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(match => match[1] ?? '')
      expect(files.length).toBeGreaterThan(2)
      for (const file of files) {
        const { status } = await fetch(new URL(file, response.url))
        expect([file, status]).toEqual([file, 200])
      }
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("script-src 'self';")
      // Over plain http it would redirect the page's own files to an https port without a listener.
      expect(policy).not.toContain('upgrade-insecure-requests')
    }
  })
})

describe('security headers', () => {
  let page: Response
  beforeAll(async () => {
    page = await get('/', PAGE)
  })
  it('restrict pages to their own origin', async () => {
    const { headers } = page
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy.match(/script-src[^;]*/)?.[0]).toBe("script-src 'self'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('set-cookie')).toBeNull()
    expect(policy).not.toContain('unsafe-eval')
    expect(policy.match(/unsafe-inline/g)).toHaveLength(1)
    expect(policy.match(/style-src-attr[^;]*/)?.[0]).toBe("style-src-attr 'unsafe-inline'")
    expect(headers.get('x-powered-by')).toBeNull()
  })
  it('require trusted types except in the API reference', async () => {
    const policyOf = ({ headers }: Response) => headers.get('content-security-policy') ?? ''
    expect(policyOf(page)).toContain("trusted-types default;require-trusted-types-for 'script'")
    const reference = policyOf(await get('/api/v1/docs', PAGE))
    expect(reference).not.toContain('trusted-types')
    expect(reference).toContain("script-src 'self'")
  })
  it('are the same for every response', async () => {
    const names = ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy']
    const expected = names.map(name => `${name}: ${page.headers.get(name)}`)
    expect(expected.join()).not.toContain('null')
    const host = 'Host: x\r\nConnection: close\r\n'
    const answers = {
      'HTTP/1.1 200 ': [
        `GET /static/js/index.175ea47acd.js HTTP/1.1\r\n${host}\r\n`,
        `GET /config.json HTTP/1.1\r\n${host}\r\n`,
        `GET /api/v1/openapi.json HTTP/1.1\r\n${host}\r\n`,
      ],
      'HTTP/1.1 204 ': [`OPTIONS /api/v1/iods HTTP/1.1\r\n${host}\r\n`],
      'HTTP/1.1 400 ': [
        `GET /api/v1/iods/%zz HTTP/1.1\r\n${host}\r\n`,
        `GET / HTTP/1.1\r\nConnection: close\r\n\r\n`,
        `FROB / HTTP/1.1\r\n${host}\r\n`,
        'what is this?\r\n\r\n',
      ],
      'HTTP/1.1 401 ': [`GET /api/v1/iods HTTP/1.1\r\n${host}Expect: the impossible\r\n\r\n`],
      'HTTP/1.1 404 ': [
        `GET /api/v1/none HTTP/1.1\r\n${host}\r\n`,
        `PROPFIND /api/v1/iods HTTP/1.1\r\n${host}\r\n`,
      ],
      'HTTP/1.1 414 ': [`GET /api/v1/iods/${'x'.repeat(13_000)} HTTP/1.1\r\n${host}\r\n`],
      'HTTP/1.1 431 ': [`GET /api/v1/iods HTTP/1.1\r\n${host}X: ${'x'.repeat(30_000)}\r\n\r\n`],
    }
    for (const [status, requests] of Object.entries(answers))
      for (const request of requests) {
        const answer = await raw(server.url, request)
        expect([request.slice(0, 60), answer.slice(0, status.length)]).toEqual([request.slice(0, 60), status])
        const head = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n')
        for (const line of expected)
          expect(head.filter(each => each.toLowerCase() === line.toLowerCase())).toHaveLength(1)
        if (Number(status.slice(9)) >= 400)
          expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({ detail: expect.any(String) })
      }
  })
  it('allow the API only to the listed origins and to extensions', async () => {
    const preflight = async (origin: string) => {
      const { status, headers } = await get('/api/v1/iods', '*/*', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      })
      expect(headers.get('access-control-allow-methods') ?? 'PUT').toMatch(/\bPUT\b/)
      expect(headers.get('access-control-allow-headers') ?? 'If-None-Match').toContain('If-None-Match')
      return [status < 300, headers.get('access-control-allow-origin')]
    }
    expect(await preflight('https://app.example.org')).toEqual([true, 'https://app.example.org'])
    expect(await preflight('chrome-extension://abcdef')).toEqual([true, 'chrome-extension://abcdef'])
    for (const extension of [
      `chrome-extension://${'abcdefghijklmnop'.repeat(2)}`,
      'moz-extension://0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f',
    ])
      expect(await preflight(extension)).toEqual([true, extension])
    for (const stranger of [
      'https://evil.example',
      'chrome-extension://short',
      'https://chrome-extension.example',
    ])
      expect((await preflight(stranger))[1]).toBeNull()
    const { headers } = await get('/api/v1/iods', '*/*', { headers: { origin: 'https://app.example.org' } })
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example.org')
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual([...EXPOSED_HEADERS])
    for (const name of ['X-Withheld', 'Content-Disposition', 'WWW-Authenticate', 'Retry-After'])
      expect(EXPOSED_HEADERS).toContain(name)
  })
})

it('runs without built web apps', async () => {
  const bare = await startTestServer({ SOCIAL_LINKS: 'none' })
  expect((await fetch(`${bare.url}/healthz`)).status).toBe(200)
  const page = await fetch(`${bare.url}/login`, { headers: { accept: PAGE } })
  expect([page.status, await page.json()]).toEqual([404, { detail: DETAILS.notFound }])
  expect(await (await fetch(`${bare.url}/remotes.json`)).json()).toEqual({})
  expect(await (await fetch(`${bare.url}/config.json`)).json()).toMatchObject({ social_links: [] })
  await bare.close()
})

describe('reports of policy violations', () => {
  const send = (body: string, type = 'application/csp-report') =>
    fetch(`${server.url}/csp-reports`, { method: 'POST', headers: { 'content-type': type }, body })
  const counts = async () => {
    const metrics = await listenForMetrics('127.0.0.1', 0)
    const { port } = metrics.address() as AddressInfo
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    metrics.close()
    const lines = text.matchAll(/^csp_violations_total\{service="gateway",directive="([\w-]+)"\} (\d+)/gm)
    return Object.fromEntries([...lines].map(([, directive, count]) => [directive, Number(count)]))
  }

  it('are counted by directive, unknown directives as other', async () => {
    const before = await counts()
    const reports = [
      { 'effective-directive': 'script-src-elem', 'blocked-uri': 'https://evil.example' },
      { 'violated-directive': "img-src 'self' data:" },
      { 'effective-directive': 'made-up"} 1\n' },
      {},
    ]
    for (const report of reports)
      expect((await send(JSON.stringify({ 'csp-report': report }))).status).toBe(204)
    const after = await counts()
    const grown = Object.keys(after).filter(name => after[name] !== before[name])
    expect(grown.sort()).toEqual(['img-src', 'other', 'script-src-elem'])
    expect((after.other ?? 0) - (before.other ?? 0)).toBe(2)
  })

  it.each([
    ['{', 'application/csp-report', 400],
    ['null', 'application/csp-report', 422],
    ['[]', 'application/csp-report', 422],
    ['{"csp-report":{"effective-directive":7}}', 'application/csp-report', 422],
    ['{"csp-report":{}}', 'application/json', 415],
    [JSON.stringify({ 'csp-report': { 'blocked-uri': 'x'.repeat(20_000) } }), 'application/csp-report', 413],
  ])('are rejected if malformed: %.20s %s', async (body, type, status) => {
    const answer = await send(body, type)
    expect([answer.status, Object.keys(await answer.json())]).toEqual([status, ['detail']])
  })
})

describe('security.txt', () => {
  it('contains the contact and expires in half a year', async () => {
    const response = await get('/.well-known/security.txt')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('Contact: mailto:team@example.org\r\n')
    const expires = Date.parse(/^Expires: (.+)\r$/m.exec(text)?.[1] ?? '')
    expect(expires).toBeGreaterThan(Date.now() + 178 * 24 * 3_600_000)
    expect(expires).toBeLessThan(Date.now() + 365 * 24 * 3_600_000)
  })
})

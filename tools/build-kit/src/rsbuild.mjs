import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pluginModuleFederation } from '@module-federation/rsbuild-plugin'
import { rspack } from '@rsbuild/core'
import { pluginReact } from '@rsbuild/plugin-react'

/** @typedef {import('@rsbuild/core').RsbuildConfig} RsbuildConfig */

const CHUNK_TIMEOUT_MS = 120_000
/** The running stack that dev servers take the API and everything else from. */
const GATEWAY = process.env.GATEWAY_URL ?? 'http://localhost:8080'

const readPackage = cwd => JSON.parse(readFileSync(`${cwd}/package.json`, 'utf8'))

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Version of a library of the workspace as an app is built with it. */
const versionOf = (cwd, name) => {
  const installed = join(cwd, 'node_modules/@iodine', name)
  return readPackage(existsSync(installed) ? installed : join(PACKAGES, name)).version
}

/**
 * What host and remotes share at run time. The trailing-slash keys cover subpaths (react/jsx-runtime,
 * react-dom/client). Of Blueprint, the router and TanStack Query only our curated re-exports are shared:
 * a whole shared library can't be tree-shaken. Each remote requires the versions that it was built with, and fails to
 * load where the page has another major one: the shell then shows its error card.
 */
const sharedModules = (cwd, eager) => {
  const shared = (version, options) => ({
    singleton: true,
    strictVersion: true,
    version,
    requiredVersion: `^${version}`,
    ...options,
  })
  const react = { singleton: true, strictVersion: true, requiredVersion: '^19.3.1', eager }
  const ui = versionOf(cwd, 'ui')
  return {
    react,
    'react/': react,
    'react-dom': react,
    'react-dom/': react,
    '@iodine/ui/router': shared(ui, { eager }),
    '@iodine/ui': shared(ui, { eager }),
    '@iodine/ui/overlays': shared(ui),
    '@iodine/mfe-kit/query': shared(versionOf(cwd, 'mfe-kit')),
  }
}

// Blueprint's dark mode and its icon font: the app has a light mode alone and draws its icons as SVG.
const NEVER_USED = /\.bp6-dark|^\.bp6-icon-[\w-]+::?before$/

/** Leaves out of Blueprint's CSS what the app never shows, a third of it. */
const leaveOutUnused = {
  postcssPlugin: 'leave-out-unused',
  Rule(rule) {
    const selectors = rule.selectors.filter(selector => !NEVER_USED.test(selector))
    if (selectors.length === 0) rule.remove()
    else if (selectors.length < rule.selectors.length) rule.selectors = selectors
  },
}

/** The federation plugin asks for its runtime as CommonJS, which can't be tree-shaken: the same files are there as modules. */
const COMMON_JS_RUNTIME = /^@module-federation\/runtime$|@module-federation\/.*\.cjs$/
const asModule = asked => {
  asked.request = asked.request.replace(/\.cjs$/, '.js').replace(/runtime$/, 'runtime/bundler')
}

/** What every build of zod 4 names itself by, minified or not. */
const ZOD = '$ZodType'

/**
 * Fails the build where zod is in a script. It is 60 kB that no page needs, and it tries `Function("")`, which the content
 * security policy forbids and reports.
 */
const refuseZod = {
  name: 'refuse-zod',
  setup(api) {
    api.processAssets({ stage: 'report' }, ({ assets, compilation }) => {
      const found = Object.keys(assets).filter(
        name => name.endsWith('.js') && assets[name].source().includes(ZOD),
      )
      if (found.length === 0) return
      compilation.errors.push(
        new Error(
          `zod is in ${found.join(', ')}. A value that stands beside a schema takes it along: move the value to a module ` +
            'of @iodine/contracts without zod, such as vocabulary.ts.',
        ),
      )
    })
  },
}

/** @returns {RsbuildConfig} */
const baseConfig = name => ({
  mode: process.env.NODE_ENV === 'development' ? 'development' : 'production',
  logLevel: 'warn',
  plugins: [pluginReact(), refuseZod],
  resolve: { conditionNames: ['source', '...'] },
  output: {
    // Pages that are open keep asking for the files they began with: build-apps prunes these later.
    cleanDistPath: false,
    legalComments: 'none',
    sourceMap: false,
    // Two remotes may hold a file of the same name: the app's own name keeps their classes apart.
    cssModules: { localIdentName: `${name}-[local]-[hash:base64:5]` },
  },
  performance: { printFileSize: false },
  // Shared modules must be there when a remote's entry runs.
  dev: { lazyCompilation: false },
  server: { proxy: { '/api': GATEWAY, '/config.json': GATEWAY, '/remotes': GATEWAY } },
  tools: {
    postcss: { postcssOptions: { plugins: [leaveOutUnused] } },
    rspack: {
      resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
      output: { uniqueName: name, chunkLoadTimeout: CHUNK_TIMEOUT_MS },
      plugins: [new rspack.NormalModuleReplacementPlugin(COMMON_JS_RUNTIME, asModule)],
    },
  },
})

/**
 * The rsbuild configuration of the shell: the federation host, built for the root of its origin.
 * @param {string} cwd folder of the app
 * @returns {RsbuildConfig}
 */
export function defineShell(cwd) {
  const { name } = readPackage(cwd)
  const base = baseConfig('shell')
  return {
    ...base,
    source: { entry: { index: './src/index.tsx' } },
    html: {
      template: './src/index.html',
      tags: process.env.NODE_ENV === 'development' ? [devtoolsHook] : [],
    },
    output: { ...base.output, assetPrefix: '/' },
    server: { ...base.server, port: 3000, setup: serveDevRemotes(cwd) },
    dev: { ...base.dev, assetPrefix: '/' },
    plugins: [
      ...(base.plugins ?? []),
      pluginModuleFederation({
        name: name.replace(/^@.*\//, ''),
        dts: false,
        manifest: false,
        shareStrategy: 'loaded-first',
        shared: sharedModules(cwd, true),
        experiments: { provideExternalRuntime: true, optimization: { target: 'web' } },
      }),
    ],
  }
}

/**
 * The rsbuild configuration of a remote: exposes `./parcel` (src/parcel.tsx) through `mf-manifest.json`, and serves
 * src/standalone.tsx as a page of its own in development, at the port that its package.json gives under `section`.
 * @param {string} cwd folder of the app, named like its package without the scope
 * @returns {RsbuildConfig}
 */
export function defineRemote(cwd) {
  const { name, version, section = {} } = readPackage(cwd)
  const app = name.replace(/^@.*\//, '')
  const development = process.env.NODE_ENV === 'development'
  const base = baseConfig(app)
  return {
    ...base,
    // MF needs one entry. Deployed it is empty: what it shared with the parcel would be split off it, into files that
    // the manifest doesn't name and no preload fetches.
    source: { entry: { index: development ? './src/standalone.tsx' : 'data:text/javascript,' } },
    output: { ...base.output, assetPrefix: 'auto' },
    server: {
      ...base.server,
      port: section.port,
      cors: { origin: /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/ },
    },
    plugins: [
      ...(base.plugins ?? []),
      sayLabel(section.label),
      pluginModuleFederation({
        name: app.replaceAll('-', '_'),
        filename: development ? 'remoteEntry.js' : 'remoteEntry.[contenthash:8].js',
        exposes: { './parcel': './src/parcel.tsx' },
        dts: false,
        manifest: true,
        shareStrategy: 'loaded-first',
        shared: sharedModules(cwd, false),
        runtimePlugins: [fileURLToPath(new URL('./retried-chunks.mjs', import.meta.url))],
        experiments: { externalRuntime: !development, optimization: { target: 'web' } },
      }),
    ],
    tools: {
      ...base.tools,
      ...(!development && { htmlPlugin: false }),
      rspack: {
        ...base.tools.rspack,
        // A page may load a version after another has failed: neither is to take the other's chunks for its own.
        output: { ...base.tools.rspack.output, chunkLoadingGlobal: `chunk_${app}@${version}` },
      },
    },
  }
}

/** What the menu is to call a section that the shell doesn't know of itself stands beside its manifest. */
const sayLabel = label => ({
  name: 'say-label',
  setup(api) {
    if (!label) return
    api.processAssets({ stage: 'additional' }, ({ compilation, sources }) =>
      compilation.emitAsset('section.json', new sources.RawSource(JSON.stringify({ label }))),
    )
  },
})

/** A remote's refresh runtime finds the running shell's React only through this hook. */
const devtoolsHook = {
  tag: 'script',
  head: true,
  append: false,
  children: `{
    let id = 0
    const renderers = new Map()
    window.__REACT_DEVTOOLS_GLOBAL_HOOK__ ??= {
      renderers, supportsFiber: true, checkDCE() {},
      inject(renderer) { renderers.set(++id, renderer); return id },
      onScheduleFiberRoot() {}, onCommitFiberRoot() {}, onCommitFiberUnmount() {},
    }
  }`,
}

/**
 * In development the shell takes the remotes named in DEV_REMOTES (comma-separated) from their own dev servers
 * and all others from the running gateway.
 */
const serveDevRemotes = cwd => context => {
  if (context.action !== 'dev') return
  const own = (process.env.DEV_REMOTES ?? '').split(',').filter(Boolean)
  const manifests = own.map(app => [
    app.replaceAll('-', '_'),
    `http://localhost:${readPackage(join(cwd, '..', app)).section.port}/mf-manifest.json`,
  ])
  context.server.middlewares.use(async (request, response, next) => {
    if (request.url !== '/remotes.json') return next()
    const deployed = await fetch(`${GATEWAY}/remotes.json`).then(answer => answer.json())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...deployed, ...Object.fromEntries(manifests) }))
  })
}

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pluginModuleFederation } from '@module-federation/rsbuild-plugin'
import { rspack } from '@rsbuild/core'
import { pluginReact } from '@rsbuild/plugin-react'

/** @typedef {import('@rsbuild/core').RsbuildConfig} RsbuildConfig */

const CHUNK_TIMEOUT_MS = 120_000
/** The running product to which dev servers proxy the API and all other paths. */
const GATEWAY = process.env.GATEWAY_URL ?? 'http://localhost:8080'

const readPackage = cwd => JSON.parse(readFileSync(`${cwd}/package.json`, 'utf8'))

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Returns the version of a workspace library that the app is built with. */
const versionOf = (cwd, name) => {
  const installed = join(cwd, 'node_modules/@iodine', name)
  return readPackage(existsSync(installed) ? installed : join(PACKAGES, name)).version
}

/**
 * Returns the modules that host and remotes share at run time. The trailing-slash keys cover subpaths
 * (react/jsx-runtime, react-dom/client). Of Blueprint, the router and TanStack Query only our curated re-exports are
 * shared: a shared library can't be tree-shaken. Each remote requires the versions it was built with and fails to load
 * if the page has another major version: the shell then shows its error card.
 */
const sharedModules = (cwd, eager) => {
  const shared = (version, options) => ({
    singleton: true,
    strictVersion: true,
    version,
    requiredVersion: `^${version}`,
    ...options,
  })
  const react = {
    singleton: true,
    strictVersion: true,
    requiredVersion: `^${readPackage(cwd).dependencies.react}`,
    eager,
  }
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

// Blueprint's dark mode and icon font: the app has only a light mode and draws its icons as SVG.
const NEVER_USED = /\.bp6-dark|^\.bp6-icon-[\w-]+::?before$/

/** Removes unused rules from Blueprint's CSS, a third of it. */
const removeUnused = {
  postcssPlugin: 'remove-unused',
  Rule(rule) {
    const selectors = rule.selectors.filter(selector => !NEVER_USED.test(selector))
    if (selectors.length === 0) rule.remove()
    else if (selectors.length < rule.selectors.length) rule.selectors = selectors
  },
}

/**
 * The federation plugin imports its runtime as CommonJS, which can't be tree-shaken; the same files exist as
 * ES modules.
 */
const COMMON_JS_RUNTIME = /^@module-federation\/runtime$|@module-federation\/.*\.cjs$/
const asModule = resource => {
  resource.request = resource.request.replace(/\.cjs$/, '.js').replace(/runtime$/, 'runtime/bundler')
}

/** Name of the build environment of web workers. */
const WORKERS = 'workers'

/** A name that every build of zod 4 contains, minified or not. */
const ZOD = '$ZodType'

/**
 * Fails the build if a script contains zod: 60 kB that no page needs. It also tries `Function("")`, which the
 * content security policy forbids and reports.
 */
const refuseZod = {
  name: 'refuse-zod',
  setup(api) {
    api.processAssets({ stage: 'report' }, ({ assets, compilation, environment }) => {
      // A worker that validates data is loaded only when it is used, and forbids zod to evaluate code.
      if (environment.name === WORKERS) return
      const found = Object.keys(assets).filter(
        name => name.endsWith('.js') && assets[name].source().includes(ZOD),
      )
      if (found.length === 0) return
      compilation.errors.push(
        new Error(
          `zod is in ${found.join(', ')}. A module with a schema bundles zod: move the value to a module ` +
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
    // Open pages still request files of earlier builds: build-apps prunes these later.
    cleanDistPath: false,
    legalComments: 'none',
    sourceMap: false,
    // Files of two remotes may have the same name: the app's name keeps their classes distinct.
    cssModules: { localIdentName: `${name}-[local]-[hash:base64:5]` },
  },
  performance: { printFileSize: false },
  // Shared modules must be present when a remote's entry runs.
  dev: { lazyCompilation: false },
  server: { proxy: { '/api': GATEWAY, '/config.json': GATEWAY, '/remotes': GATEWAY } },
  tools: {
    postcss: { postcssOptions: { plugins: [removeUnused] } },
    rspack: {
      resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
      output: { uniqueName: name, chunkLoadTimeout: CHUNK_TIMEOUT_MS },
      plugins: [new rspack.NormalModuleReplacementPlugin(COMMON_JS_RUNTIME, asModule)],
    },
  },
})

/**
 * Returns the rsbuild configuration of the shell: the federation host, served at the root of its origin.
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
    performance: {
      ...base.performance,
      // Most texts need no other subset of the typeface.
      preload: { type: 'all-assets', include: [/-latin-wght-normal\.\w+\.woff2$/] },
    },
    plugins: [
      ...(base.plugins ?? []),
      fontAfterCode,
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

/** Lets a slow connection fetch the code first: a fallback shows the same lines until the typeface has arrived. */
const fontAfterCode = {
  name: 'font-after-code',
  setup(api) {
    api.modifyHTMLTags({
      order: 'post',
      handler: tags => {
        for (const { attrs } of tags.headTags) if (attrs?.as === 'font') attrs.fetchpriority = 'low'
        return tags
      },
    })
  },
}

const script = text => `data:text/javascript,${encodeURIComponent(text)}`

/** Entry of a page with only the section. Shared modules are available only after an asynchronous start. */
const STANDALONE = `import('@iodine/mfe-kit/standalone').then(async ({ runStandalone }) => {
  const { parcel } = await import('./src/parcel')
  await runStandalone(parcel)
})`

/**
 * Returns the rsbuild configuration of a remote: exposes `./parcel` (src/parcel.tsx) through `mf-manifest.json`. In
 * development it also serves the section on a separate page, at the port in `section` of its package.json.
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
    // MF needs an entry. In production it is empty: code shared with the parcel would be split into files
    // that the manifest doesn't list and that are not preloaded.
    source: { entry: { index: script(development ? STANDALONE : '') } },
    output: { ...base.output, assetPrefix: 'auto' },
    server: {
      ...base.server,
      port: section.port,
      cors: { origin: /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/ },
    },
    plugins: [
      ...(base.plugins ?? []),
      emitLabel(section.label),
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
        // A page may load another version after one has failed: their chunks must not mix.
        output: { ...base.tools.rspack.output, chunkLoadingGlobal: `chunk_${app}@${version}` },
      },
    },
  }
}

/** Returns the files of a folder and its subfolders, or the file itself. */
const filesOf = path =>
  statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true })
        .filter(entry => entry.name !== 'node_modules' && entry.name !== 'dist')
        .flatMap(entry => filesOf(join(path, entry.name)))
    : [path]

/**
 * Adds web workers to a remote. They have a separate build environment: bundled with the remote, each would contain a
 * part of Module Federation's runtime, which does not run without the shell. A worker's address is
 * `${__webpack_public_path__}static/worker/NAME.${WORKER_VERSION}.js`.
 * @param {string} cwd folder of the app
 * @param {RsbuildConfig} remote as `defineRemote` returns it
 * @param {{ workers: Record<string, string>, sources: string[] }} options source file by the worker's name, and the
 *   files and folders of which the version is a hash, so that an open page never loads a worker of another version
 * @returns {RsbuildConfig}
 */
export function withWorkers(cwd, { source, ...remote }, { workers, sources }) {
  const hash = createHash('sha256')
  const files = sources.flatMap(path => filesOf(join(cwd, path)))
  for (const file of files.sort()) hash.update(readFileSync(file))
  const version = hash.digest('hex').slice(0, 8)
  return {
    ...remote,
    environments: {
      web: { source: { ...source, define: { WORKER_VERSION: JSON.stringify(version) } } },
      [WORKERS]: {
        source: { entry: workers },
        output: {
          target: 'web-worker',
          distPath: { js: 'static/worker' },
          filename: { js: `[name].${version}.js` },
        },
      },
    },
  }
}

/** Writes the menu label of a section that the shell doesn't know beside its manifest. */
const emitLabel = label => ({
  name: 'emit-label',
  setup(api) {
    if (!label) return
    api.processAssets({ stage: 'additional' }, ({ compilation, sources }) =>
      compilation.emitAsset('section.json', new sources.RawSource(JSON.stringify({ label }))),
    )
  },
})

/** A remote's refresh runtime finds the shell's React only through this hook. */
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
 * In development the shell loads the remotes named in DEV_REMOTES (comma-separated) from their own dev
 * servers and all others from the running gateway.
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

import { readFileSync } from 'node:fs'
import { packages } from './scripts/lib/packages.mjs'

/** A package's folder, as a capturing group. */
const part = '(packages/[^/]+|services/[^/]+|tools/[^/]+|gateway|shell|mfe-[^/]+|extension|e2e)'
const ours = `^${part}/`
/** Path patterns: a part, its code alone, its tests alone. */
const of = names => `^(?:${names})/`
const code = names => `^(?:${names})/(?!test/)`
const tests = names => `^(?:${names})/test/`

/** Files that a package's `exports` list. Other packages may import only these. */
const doors = packages('.').flatMap(folder => {
  const { exports = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const targets = Object.values(exports).flatMap(target =>
    typeof target === 'string' ? target : Object.values(target),
  )
  return targets.map(
    target => `^${folder}/${target.replace('./', '').replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`,
  )
})

/** Only the parts of that pattern may be imported (besides the importer's own files). */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  from: { path: from },
  to: { path: ours, pathNot: allowed ? ['^$1/', of(allowed)] : ['^$1/'] },
})

/** An npm package or workspace part that only importers of these patterns may use. */
const reserved = (name, to, importers, comment) => ({
  name,
  comment,
  from: { pathNot: importers },
  to: { path: to },
})

/** Capabilities of the services that have several: each builds on those before it alone. */
const CAPABILITIES = {
  auth: ['audit', 'mails', 'sessions', 'tokens', 'accounts', 'sign-in', 'keys', 'administration'],
  campaigns: [
    'campaigns',
    'techniques',
    'imports',
    'exports',
    'reports',
    'feeds',
    'subscriptions',
    'deletion',
    'analytics',
  ],
  collector: ['imports', 'records', 'captures', 'analytics'],
  iods: ['iods', 'votes', 'overlay', 'evidence', 'analytics'],
  narratives: ['canon', 'graph', 'narratives', 'analytics'],
  notifications: ['watches', 'notifications', 'channels'],
  sightings: ['sightings', 'coordination'],
}
const KINDS = 'routes|commands|queries|models|policies|presenters|blobs|thread'
/** Files of a service, of one kind: with a folder for the capability or without. */
const kinds = names => ['', '[^/]+/'].map(folder => `^services/[^/]+/src/${folder}(?:${names})/`)

const npm = names => `(^|/)node_modules/(${names})/`
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    only(
      'lowest-packages-import-nothing-of-ours',
      '^(packages/(?:contracts|coordination|embedded-mongo|local-servers))/',
      '',
      'Every other package may depend on these: move what you need into them, or do without.',
    ),
    {
      name: 'packages-are-libraries',
      comment:
        'packages/ holds libraries: what starts, builds or watches services, gateway or shell stands in tools/.',
      from: { path: '^packages/' },
      to: { path: of('services/[^/]+|gateway|shell|mfe-[^/]+|extension|tools/[^/]+') },
    },
    // Kits serve all services or remotes, so a kit must not import any of them.
    only(
      'kits-import-contracts',
      '^(packages/(?:service-kit|ui|exchange|imports|evidence|known-iods|canon|offline-ai))/(?!test/)',
      'packages/contracts',
      'A kit imports packages/contracts and nothing else of ours: what knows a service or a section belongs there.',
    ),
    only(
      'reports-are-made-of-exports',
      '^(packages/reports)/(?!test/)',
      'packages/(?:contracts|evidence|exchange)',
      'A report is made by pure functions from its content alone: what knows a service belongs there.',
    ),
    only(
      'likeness-folds-as-the-product-does',
      '^(packages/likeness)/(?!test/)',
      'packages/(?:contracts|known-iods)',
      'What texts look like to each other is pure: it folds as contracts and known-iods do, and knows nothing else of ours.',
    ),
    only(
      'mfe-kit-imports-contracts-and-ui',
      '^(packages/mfe-kit)/(?!test/)',
      'packages/(?:contracts|ui|evidence)',
      'The remotes’ kit imports packages/contracts and packages/ui: what knows a section belongs there.',
    ),
    only(
      'demo-imports-contracts-and-evidence',
      '^(packages/demo)/(?!test/)',
      'packages/(?:contracts|evidence)',
      'The demo is data and what fills it in over the API: what knows a part belongs there.',
    ),
    reserved(
      'exchange-for-campaigns',
      code('packages/exchange'),
      [
        of(
          'packages/(?:exchange|reports|demo/test)|services/(?:auth|campaigns|workers)|mfe-(?:analytics|campaigns|data|graph|iods|origins)|tools/bench|e2e',
        ),
      ],
      'Files are written and read by campaigns, the list of IODs, My data and what goes out as CSV (auth: the audit log), answers of feeds by the workers: a section that exports something else adds itself here.',
    ),
    reserved(
      'canon-for-narratives',
      code('packages/canon'),
      [of('packages/canon|services/(?:narratives|workers)')],
      'Labels are gathered by the narratives service and its worker: screens ask the service.',
    ),
    reserved(
      'demo-data-beside-the-product',
      code('packages/demo'),
      [of('packages/demo|packages/test-kit|tools/[^/]+|e2e'), '/test/'],
      'packages/demo fills a product for trying out and for tests: no part may depend on it.',
    ),
    reserved(
      'offline-ai-is-a-provider',
      code('packages/offline-ai'),
      [of('packages/offline-ai|tools/dev-stack|packages/test-kit'), '/test/'],
      'The workers talk to an AI provider over HTTP and never know which one answers: take OPENAI_BASE_URL.',
    ),
    only(
      'inbox-imports-the-kit',
      '^(packages/inbox)/(?!test/)',
      'packages/service-kit',
      'The inbox is a mail server for trying out: it knows mails, not Iodine.',
    ),
    reserved(
      'inbox-is-a-mail-server',
      code('packages/inbox'),
      [of('packages/inbox|tools/dev-stack'), '/test/'],
      'Parts talk to a mail server over SMTP and never know which one: take SMTP_URL.',
    ),
    only(
      'services-import-contracts-and-kit',
      '^(services/[^/]+|gateway)/(?!test/)',
      'packages/(?:contracts|service-kit|exchange|evidence|reports|known-iods|canon|likeness|coordination)',
      'A service never imports another: ask it over HTTP, or listen to its events; share types in packages/contracts.',
    ),
    only(
      'service-tests-add-the-test-kit',
      '^(services/[^/]+|gateway|packages/service-kit)/test/',
      'packages/(?:contracts|service-kit|evidence|known-iods|canon|likeness|test-kit|demo)',
      'A service’s test has packages/test-kit (and may take packages/demo): what needs other parts is a test of tools/harness.',
    ),
    only(
      'remotes-import-contracts-and-kit',
      '^(mfe-[^/]+|shell)/(?!test/|rsbuild\\.config)',
      'packages/(?:contracts|mfe-kit|ui|exchange|evidence|imports|known-iods|coordination)',
      'Shell and remotes meet at run time only: share looks in packages/ui, plumbing in packages/mfe-kit.',
    ),
    only(
      'remote-tests-add-the-test-kit',
      '^(mfe-[^/]+|shell|packages/mfe-kit|packages/ui)/test/',
      'packages/(?:contracts|evidence|exchange|imports|known-iods|mfe-kit|ui|test-kit|demo)|tools/harness',
      'A section’s test imports what the section may import, packages/test-kit and packages/demo.',
    ),
    reserved(
      'harness-runs-the-product',
      code('tools/harness'),
      [of('tools/(?:harness|bench|chaos)|e2e'), tests('mfe-campaigns')],
      'Tests of the whole product stand in tools/harness/test or e2e: a part’s own tests need that part alone.',
    ),
    only(
      'extension-imports-contracts-and-looks',
      '^(extension)/(?!test/|rsbuild\\.config)',
      'packages/(?:contracts|evidence|known-iods|likeness|ui)',
      'The extension meets the product over the API alone: share rules in contracts, evidence, known-iods or likeness, looks in ui.',
    ),
    // No part of the product imports the composition roots.
    reserved(
      'dev-stack-at-the-top',
      code('tools/dev-stack'),
      [of('tools/[^/]+|e2e|deploy')],
      'tools/dev-stack hosts the parts; a part that imports it cannot be deployed alone.',
    ),
    reserved(
      'test-kit-in-tests',
      code('packages/test-kit'),
      [of('packages/test-kit|tools/(?:harness|bench|chaos)|e2e'), '/test/'],
      'packages/test-kit is for tests: product code must not need it.',
    ),
    reserved(
      'embedded-mongo-is-a-database',
      code('packages/embedded-mongo'),
      [of('packages/embedded-mongo|packages/test-kit|tools/(?:dev-stack|harness|bench)')],
      'Services talk to MongoDB by its driver and never know which server answers: take the URI from the configuration.',
    ),
    only(
      'chaos-stays-outside',
      '^(tools/chaos)/',
      'packages/(?:contracts|evidence|service-kit|test-kit)|tools/harness',
      'What breaks the product meets it as its users do: over HTTP, with the contracts and the checks of evidence that anybody may make, on processes of tools/harness.',
    ),
    reserved(
      'build-kit-at-build-time',
      code('tools/build-kit'),
      [of('tools/build-kit|tools/bench'), '/rsbuild\\.config\\.[^/]+$'],
      'tools/build-kit runs when the web apps are built: what they need at run time belongs into packages/mfe-kit.',
    ),
    {
      name: 'folders-by-capability',
      severity: 'error',
      comment:
        'A service with several capabilities has src/CAPABILITY/KIND/, and CAPABILITIES lists them; each other has src/KIND/.',
      from: {
        path: '^services/(?!workers/)[^/]+/src/[^/]+/',
        pathNot: [
          '^services/[^/]+/src/migrations/',
          `^services/(?!${Object.keys(CAPABILITIES).join('|')})[^/]+/src/(?:${KINDS})/[^/]+$`,
          ...Object.entries(CAPABILITIES).map(
            ([service, names]) => `^services/${service}/src/(?:${names.join('|')})/(?:${KINDS})/[^/]+$`,
          ),
        ],
      },
      to: {},
    },
    ...Object.entries(CAPABILITIES).flatMap(([service, names]) =>
      names.slice(0, -1).map((name, at) => ({
        name: 'capabilities-in-order',
        severity: 'error',
        comment:
          'A capability builds on those before it in CAPABILITIES: move what both need down. Routes and models are free.',
        from: { path: `^services/${service}/src/${name}/(?!routes/|models/)` },
        to: { path: `^services/${service}/src/(?:${names.slice(at + 1).join('|')})/(?!models/)` },
      })),
    ),
    {
      name: 'models-import-models',
      severity: 'error',
      comment:
        'Models describe what is stored: each capability may import them, as they import no other kind.',
      from: { path: kinds('models') },
      to: { path: kinds('routes|commands|queries|policies|presenters') },
    },
    {
      name: 'queries-import-no-command',
      severity: 'error',
      comment: 'A query reads: what changes data while it answers is a command, which calls the query.',
      from: { path: kinds('queries|policies|presenters') },
      to: { path: kinds('commands') },
    },
    reserved(
      'routes-in-the-app',
      kinds('routes'),
      ['^services/[^/]+/src/app\\.ts$'],
      'Routes are the entry of a capability: app.ts adds them, and what they do stands in commands and queries.',
    ),
    reserved(
      'mongoose-in-services',
      npm('mongoose'),
      [of('packages/service-kit|services/[^/]+'), tests('[^/]+/[^/]+|gateway')],
      'Only services own data: elsewhere ask the service that does.',
    ),
    reserved(
      'react-in-the-browser-parts',
      npm('react|react-dom'),
      [of('packages/mfe-kit|packages/ui|shell|mfe-[^/]+|extension')],
      'React belongs to shell, mfe-*, mfe-kit, ui and the extension.',
    ),
    reserved(
      'blueprint-through-ui',
      npm('@blueprintjs/[^/]+'),
      [of('packages/ui')],
      'Import Blueprint’s components from @iodine/ui: one curated, shared copy keeps the remotes small.',
    ),
    {
      name: 'no-deep-paths',
      comment: 'Import another package by its name: only what its package.json exports is its public face.',
      from: { path: ours },
      to: { path: ours, pathNot: ['^$1/', ...doors] },
    },
    {
      name: 'no-cycles',
      comment:
        'Two files that import each other cannot be read or tested apart: move what both need into a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'Nothing of that name is here: a typing error, or a dependency missing from package.json.',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?raw$' },
    },
    {
      name: 'declared-dependencies',
      comment:
        'List it in this package’s own package.json (dependencies for src, devDependencies for tests).',
      from: { path: ours },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-dependency-in-code',
      comment: 'src is deployed without devDependencies: move this one to dependencies.',
      from: { path: `^${part}/src/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'code-needs-no-test',
      comment: 'src imports nothing from a test folder.',
      from: { path: '/src/' },
      to: { path: '/test/', pathNot: 'node_modules' },
    },
  ].map(rule => ({ severity: 'error', ...rule })),
  options: {
    // pnpm-workspace.yaml gives dependency-cruiser its own TypeScript 5.
    parser: 'tsc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: [`^${part}/dist/`, '^tools/bench/one-bundle/shell/dist/'] },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'browser', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}

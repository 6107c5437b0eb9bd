import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { packages } from './packages.mjs'

/** First modules of the browser's parts. Web workers are bundled separately, and may validate data. */
const ENTRIES = [
  [/^mfe-/, 'src/parcel.tsx'],
  [/^shell$/, 'src/index.tsx'],
  ...['content.ts', 'page-lists.ts', 'popup.tsx', 'options.tsx', 'privacy.tsx'].map(name => [
    /^extension$/,
    `src/${name}`,
  ]),
]
const SUFFIXES = ['.ts', '.tsx', '/index.ts', '/index.tsx']

const IMPORT = /^(import|export) (?!type\b)(?:(\*|[^'"`;]*?)\s*from )?'([^']+)'/gm
const LAZY = /(?:\{([^{}]*)\} = \(?await |\b)import\('([^']+)'\)(?:\)\.(\w+))?/g
const DECLARED = /^export (?:async |abstract )?(?:const|let|function\*?|class|enum) (\w+)/gm
const LISTED = /^export \{([^}]*)\}(?! from)/gm

/** Returns names of an import or export list without types, by the name in the other module. */
const namesOf = list =>
  list
    .split(',')
    .map(each => each.trim())
    .filter(each => each && !each.startsWith('type '))
    .map(each => each.split(' as '))
    .map(([inner, outer = inner]) => ({ inner, outer }))

/** Returns what a module declares, imports and exports at run time. */
const read = path => {
  const text = readFileSync(path, 'utf8')
  const links = [...text.matchAll(IMPORT)].map(([, kind, what = '', from]) => {
    const list = /\{([^}]*)\}/.exec(what)?.[1]
    const names = list === undefined ? [] : namesOf(list)
    const isWhole = !what.startsWith('{')
    return { kind, from, names, isWhole, isTypes: !isWhole && names.length === 0 }
  })
  const lazy = [...text.matchAll(LAZY)].map(([, list, from, member]) => {
    const names = list ? namesOf(list) : member ? namesOf(member) : []
    return { kind: 'import', from, names, isWhole: names.length === 0 }
  })
  const own = [...text.matchAll(DECLARED)].map(([, name]) => name)
  const listed = [...text.matchAll(LISTED)].flatMap(([, list]) => namesOf(list).map(({ outer }) => outer))
  return { links: [...links.filter(({ isTypes }) => !isTypes), ...lazy], own: new Set([...own, ...listed]) }
}

/**
 * Checks the browser's parts for modules that import zod at run time, before a build fails (see refuse-zod of build-kit).
 * A module counts as loaded if a loaded one imports a value that it declares: bundlers drop re-exports without use, which
 * dependency-cruiser follows.
 * @param root folder of the repository
 * @returns one sentence per fault, with the imports that lead to zod
 */
export const zodFaults = root => {
  const folders = packages(root)
  const manifests = new Map(
    folders.map(folder => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      return [name, { folder, exports: typeof exports === 'string' ? { '.': exports } : exports }]
    }),
  )
  const modules = new Map()
  const moduleAt = path => {
    if (!modules.has(path)) modules.set(path, read(path))
    return modules.get(path)
  }
  /** Returns the path of an import of the workspace. */
  const resolve = (importer, from) => {
    if (from.startsWith('.')) {
      const path = join(importer, '..', from.replace(/\.js$/, ''))
      return SUFFIXES.map(suffix => path + suffix).find(existsSync)
    }
    const [, name, rest] = /^(@iodine\/[^/]+)(.*)$/.exec(from) ?? []
    const manifest = manifests.get(name)
    const target = manifest?.exports[`.${rest}`]
    const file = typeof target === 'string' ? target : target?.source
    return file && /\.tsx?$/.test(file) ? join(root, manifest.folder, file) : undefined
  }
  /** Returns the module that declares an export of a module. */
  const declarer = (path, name) => {
    const { own, links } = moduleAt(path)
    if (own.has(name)) return path
    for (const { kind, from, names, isWhole } of links) {
      if (kind !== 'export') continue
      const known = names.find(({ outer }) => outer === name)
      const target = known || isWhole ? resolve(path, from) : undefined
      const found = target && declarer(target, known?.inner ?? name)
      if (found) return found
    }
    return undefined
  }

  const faults = new Set()
  const loaded = new Set()
  const load = (path, trail, withReexports = false) => {
    const key = `${withReexports} ${path}`
    if (loaded.has(key)) return
    loaded.add(key)
    const here = [...trail, relative(root, path)]
    for (const { kind, from, names, isWhole } of moduleAt(path).links) {
      if (kind === 'export' && !withReexports) continue
      if (from === 'zod')
        faults.add(`${here.join(' → ')} loads zod in the browser: move the value to a module without it`)
      const target = resolve(path, from)
      if (!target) continue
      if (isWhole) load(target, here, true)
      for (const { inner } of names) {
        const found = declarer(target, inner)
        if (found) load(found, here)
      }
    }
  }
  for (const folder of folders)
    for (const [part, entry] of ENTRIES) if (part.test(folder)) load(join(root, folder, entry), [])
  return [...faults]
}

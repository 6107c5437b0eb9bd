import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { iodsApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { expect, type Page, test } from '@playwright/test'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'

const ROOT = resolve(import.meta.dirname, '../..')
const run = (program: string, args: string[], options: object) =>
  promisify(execFile)(program, args, { ...options, encoding: 'utf8' })
/** Runs a command without a shell; the error of a failed one contains its output. */
const exec = (program: string, args: string[], options: object) =>
  run(program, args, options).catch(error => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
const BUILD_MS = 60_000
/** The guide's section under another name: a clone may contain a section with the guide's name. */
const APP = 'mfe-outlets'
const LABEL = 'Outlets'
const renamed = (text: string) => text.replaceAll('sources', 'outlets').replaceAll('Sources', LABEL)

let folder: string
let workspace: string
let remotes: string
let app: TestApp
let token: string

/** Calls a function of build-kit or of a generator in a separate process, as the scripts do. */
const kit = async (file: string, name: string, options: object) => {
  const url = pathToFileURL(join(ROOT, 'tools/build-kit/src', file)).href
  const script = `const kit = await import(${JSON.stringify(url)})
await kit.${name}(${JSON.stringify(options)}).catch(error => { process.stderr.write(error.message); process.exit(1) })`
  await exec(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, timeout: BUILD_MS })
}
const publish = async (version: string) => {
  const file = join(workspace, APP, 'package.json')
  const { version: _, ...rest } = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...rest, version }))
  await kit('publish-section.mjs', 'publishSection', { root: workspace, app: APP, to: remotes })
}
const deploySection = (...args: string[]) =>
  exec(process.execPath, ['scripts/deploy-section.mjs', ...args], { cwd: ROOT, timeout: BUILD_MS })
const use = (version: string) => deploySection(APP, '--to', remotes, '--use', version)
const edit = async (file: string, change: (text: string) => string) => {
  const path = join(workspace, APP, file)
  const text = await readFile(path, 'utf8')
  expect(change(text)).not.toBe(text)
  await writeFile(path, change(text))
}

/** Creates a second workspace that shares this one's packages and contains the section of the guide. */
const followGuide = async () => {
  for (const name of ['packages', 'services', 'tools', 'node_modules'])
    await symlink(join(ROOT, name), join(workspace, name), 'dir')
  for (const file of (await readdir(ROOT)).filter(name =>
    /^(package\.json|tsconfig.*\.json|vitest\.config\.ts)$/.test(name),
  ))
    await cp(join(ROOT, file), join(workspace, file))
  await cp(join(ROOT, 'scripts/lib'), join(workspace, 'scripts/lib'), { recursive: true })
  await cp(join(ROOT, 'mfe-community'), join(workspace, 'mfe-community'), {
    recursive: true,
    filter: path => !/(node_modules|dist)$/.test(path),
  })
  await kit('../../generators/src/section.mjs', 'newSection', {
    root: workspace,
    name: 'outlets',
    label: LABEL,
  })
  const guide = await readFile(join(ROOT, 'docs/first-section.md'), 'utf8')
  const files = [...guide.matchAll(/^`(mfe-sources\/\S+)`\n\n```\w+\n(.*?)^```$/gms)]
  expect(files.map(([, path]) => path)).toHaveLength(4)
  for (const [, path = '', text = ''] of files) {
    const file = join(workspace, renamed(path))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, renamed(text))
  }
  await symlink(join(ROOT, 'mfe-community/node_modules'), join(workspace, APP, 'node_modules'), 'dir')
  // The workspace has no other parts.
  const own = {
    extends: './tsconfig.tests.json',
    include: [`${APP}/src`, `${APP}/test`, join(ROOT, 'packages/ui/src/css.d.ts')],
  }
  await writeFile(join(workspace, 'tsconfig.json'), JSON.stringify(own))
}

/** Reinstalls the section's packages, with one of them changed. */
const installChanged = async (name: 'mfe-kit' | 'ui', file: string, change: (text: string) => string) => {
  const old = join(ROOT, 'mfe-community/node_modules')
  const modules = join(workspace, APP, 'node_modules')
  const next = join(folder, name)
  const original = join(ROOT, 'packages', name)
  await cp(original, next, {
    recursive: true,
    filter: path => !/(node_modules|test|testing)$/.test(path),
  })
  await symlink(join(original, 'node_modules'), join(next, 'node_modules'), 'dir')
  const text = await readFile(join(next, file), 'utf8')
  expect(change(text)).not.toBe(text)
  await writeFile(join(next, file), change(text))
  await rm(modules, { recursive: true })
  await mkdir(join(modules, '@iodine'), { recursive: true })
  for (const scope of ['.', '@iodine'])
    for (const each of await readdir(join(old, scope)))
      if (!each.startsWith('.') && !['@iodine', name].includes(each))
        await symlink(join(old, scope, each), join(modules, scope, each), 'dir')
  await symlink(next, join(modules, '@iodine', name), 'dir')
}
const installNextContract = () =>
  installChanged('mfe-kit', 'src/host-contract.ts', text =>
    text.replace(/HOST_CONTRACT_VERSION = '(\d+)/, (_, n) => `HOST_CONTRACT_VERSION = '${+n + 1}`),
  )
const installNextUi = () =>
  installChanged('ui', 'package.json', text =>
    text.replace(/"version": "(\d+)/, (_, n) => `"version": "${+n + 1}`),
  )

// Each test continues with the results of the previous one.

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iodine-section-'))
  workspace = join(folder, 'workspace')
  remotes = join(folder, 'remotes')
  for (const path of [workspace, remotes]) await mkdir(path)
  await followGuide()
  app = await startTestApp({ env: { REMOTES_ROOT: remotes } })
  const user = await app.signUp('team@example.org', 'team')
  token = user.token
  await user.api.call(iodsApi.createIod, {
    body: { value: 'of a section', category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true, force: true })
})

const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

/** Opens the section from the menu, then IODs; resolves to the files that the shell and IODs loaded. */
const visit = async (page: Page, opened: () => Promise<void>) => {
  const files = new Set<string>()
  const note = (url: string) => {
    const { pathname } = new URL(url)
    if (/^\/(static|remotes)\//.test(pathname) && !pathname.startsWith(`/remotes/${APP}/`))
      files.add(pathname)
  }
  page.on('request', request => note(request.url()))
  // The bell's code is loaded a second after the page, and then requests the count.
  const bell = page.waitForResponse(/notifications\/unread/)
  await openAs(page, app.url, token, '/dashboard/overview')
  await menu(page).getByRole('link', { name: LABEL }).click()
  await opened()
  await menu(page).getByRole('link', { name: 'IODs' }).click()
  await expect(page.getByText('of a section')).toBeVisible()
  await bell
  // Texts are rendered before their font has loaded.
  await page.evaluate(() => document.fonts.ready)
  page.removeAllListeners('request')
  return [...files].sort()
}

test('the guide’s tests and type checks pass', { tag: '@long' }, async () => {
  await exec(join(ROOT, 'node_modules/.bin/vitest'), ['run', `${APP}/`], { cwd: workspace })
  await exec(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', '--checkers', '1'], { cwd: workspace })
})

test('the guide’s section is deployed, updated and rolled back without a change of other parts', {
  tag: '@long',
}, async ({ page }) => {
  test.slow()
  const first = async () => {
    await expect(heading(page, LABEL)).toBeVisible()
    await expect(page.getByRole('row', { name: 'MANUAL 1' })).toBeVisible()
  }
  const second = async () => {
    await expect(heading(page, `All ${LABEL}`)).toBeVisible()
    await expect(page.getByRole('row', { name: 'MANUAL 1' })).toBeVisible()
  }
  await openAs(page, app.url, token, '/dashboard/overview')
  await expect(menu(page).getByRole('link', { name: 'Community' })).toBeVisible()
  await expect(menu(page).getByRole('link', { name: LABEL })).toHaveCount(0)

  await publish('0.1.0')
  await use('0.1.0')
  const before = await visit(page, first)
  expect(before.filter(path => path.startsWith('/static/')).length).toBeGreaterThan(2)
  expect(before.some(path => /^\/remotes\/mfe-iods\/remoteEntry\.\w+\.js$/.test(path))).toBe(true)

  await edit(`src/pages/${LABEL}Page.tsx`, text => text.replace(`title="${LABEL}"`, `title="All ${LABEL}"`))
  await expect(publish('0.1.0')).rejects.toThrow(
    `${APP} 0.1.0 is published already, with other content. Raise the version in ${APP}/package.json.`,
  )
  await publish('0.2.0')
  await use('0.2.0')
  // An open page keeps the version that it loaded first.
  await menu(page).getByRole('link', { name: LABEL }).click()
  await first()
  expect(await visit(page, second)).toEqual(before)
  await use('0.1.0')
  expect(await visit(page, first)).toEqual(before)

  await installNextContract()
  await publish('1.0.0')
  await use('1.0.0')
  const card = page.getByRole('alert').filter({ hasText: `${LABEL} could not be shown` })
  expect(await visit(page, () => expect(card).toBeVisible())).toEqual(before)
  await menu(page).getByRole('link', { name: LABEL }).click()
  await expect(card).toBeVisible()

  await installNextUi()
  await publish('1.1.0')
  await use('1.1.0')
  const log: string[] = []
  page.on('console', message => message.type() === 'error' && log.push(message.text()))
  expect(await visit(page, () => expect(card).toBeVisible())).toEqual(before)
  expect(log.join('\n')).toMatch(/shared singleton module @iodine\/ui\S* does not satisfy .* mfe_outlets/)
  await menu(page).getByRole('link', { name: LABEL }).click()
  await expect(card).toBeVisible()
  const listed = await deploySection('--to', remotes, '--list')
  expect(listed.stdout).toBe(`${APP}  0.1.0  0.2.0  1.0.0  1.1.0 (in use)\n`)
  await use('0.2.0')
  await card.getByRole('button', { name: 'Retry' }).click()
  await second()
})

test('a failed deployment reports the reason', { tag: '@long' }, async () => {
  await writeFile(join(folder, 'file'), '')
  for (const [args, fault] of [
    [['mfe-none', '--to', remotes], 'There is no section mfe-none here.'],
    [['../mfe-iods', '--to', remotes], 'There is no section ../mfe-iods here.'],
    [['mfe-iods', '--to', remotes, '--use', '9.9.9'], 'mfe-iods 9.9.9 is not published there.'],
    [['mfe-iods', '--to', join(folder, 'file')], 'cannot be written to (ENOTDIR)'],
    [['mfe-iods'], '--to FOLDER is missing'],
    [['--to', remotes], 'name one section'],
    [['mfe-iods', '--to', remotes, '--version', '1'], "Unknown option '--version'"],
  ] as const)
    await expect(deploySection(...args)).rejects.toThrow(fault)
  for (const [version, fault] of [
    ['1.0', `The version in ${APP}/package.json is 1.0: give it three numbers`],
    ['../1.0.0', 'give it three numbers'],
  ] as const)
    await expect(publish(version)).rejects.toThrow(fault)
  await edit('src/parcel.tsx', () => 'export const parcel = ')
  await expect(publish('2.0.0')).rejects.toThrow(/Building .*mfe-outlets failed/)
  const names = await readdir(join(remotes, APP))
  expect(names.filter(name => name.startsWith('.') || name === '2.0.0')).toEqual([])
})

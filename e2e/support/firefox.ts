import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { type Firefox, startFirefox } from './bidi.js'
import { builtFile, type Sites } from './collector.js'

const ID = 'collector@iodine.local'

/** Path of the Firefox for the journeys; empty if there is none. */
export const FIREFOX = process.env.FIREFOX_PATH ?? ''

/** A tab of Firefox. */
export interface Tab {
  context: string
  evaluate: <A extends unknown[], R>(work: (...given: A) => R, ...given: A) => Promise<Awaited<R>>
  /** Returns the page's text. */
  text(): Promise<string>
  /** Presses the button with this text, or the switch with this label, once it is enabled. */
  press(label: string): Promise<void>
  /** Types into the field with this label. */
  fill(label: string, value: string): Promise<void>
  goto(url: string): Promise<void>
}

/** A Firefox with the built extension. */
export interface FirefoxCollector {
  /** Opens a page in a tab, presses the extension's icon there, and opens the popup for it in a window of its own. */
  open(url: string): Promise<{ page: Tab; popup: Tab }>
  /** Stops the event page at once, as Firefox does after 30 s without work. */
  stopBackground(): Promise<void>
  /** Answers requests for permissions from now on. */
  answerPermissions(answer: 'allow' | 'block'): Promise<void>
  /** Presses “Block” in the browser's open request for a permission. */
  refuse(): Promise<void>
  /** Takes a granted permission back, as the user does in about:addons. */
  revoke(origin: string): Promise<void>
  close(): Promise<void>
}

interface Extension {
  terminateBackground(options: object): Promise<void>
  tabManager: { addActiveTabPermission(tab: object): void; getWrapper(tab: object): { id: number } }
}
interface BrowserWindow {
  gBrowser: { tabs: Iterable<{ linkedBrowser: { currentURI: { spec: string } } }> }
  PopupNotifications: { panel: { firstElementChild: { secondaryButton: HTMLElement } | null } }
}
// Globals of a window of the browser.
declare const WebExtensionPolicy: {
  getByID(id: string): { extension: Extension; mozExtensionHostname: string }
}
declare const Services: {
  prefs: { setBoolPref(name: string, value: boolean): void }
  wm: { getEnumerator(type: string): Iterable<BrowserWindow> }
}
declare const ChromeUtils: {
  importESModule(url: string): {
    ExtensionPermissions: { remove(id: string, permissions: object, extension: object): Promise<void> }
  }
}

/** Starts an HTTP proxy that connects every host to the server of the sites. */
const startProxy = async (sites: Sites) => {
  const proxy = createServer((_, response) => response.writeHead(404).end())
  const open = new Set<{ destroy(): void }>()
  proxy.on('connect', (_, socket) => {
    const onward = connect(sites.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [socket, onward]) {
      open.add(end)
      end.on('error', () => {}).on('close', () => open.delete(end))
    }
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop() {
      proxy.close()
      for (const end of open) end.destroy()
    },
  }
}

/** Repeats a reading until it returns a value. */
const pollFor = async <T>(read: () => Promise<T | null>): Promise<T> => {
  let found: T | null = null
  await expect
    .poll(async () => {
      found = await read().catch(() => null)
      return found !== null
    })
    .toBe(true)
  return found as T
}

/** Creates the functions of a tab. */
const tabOf = (browser: Firefox, context: string): Tab => {
  const evaluate: Tab['evaluate'] = (work, ...given) => browser.evaluate(context, work, ...given)
  return {
    context,
    evaluate,
    text: () => evaluate(() => document.body?.textContent ?? ''),
    async press(label) {
      const middle = await pollFor(() =>
        evaluate(wanted => {
          const named = [...document.querySelectorAll<HTMLElement>('button, label, a')].find(
            element => element.textContent?.trim() === wanted,
          )
          if (!named || (named as HTMLButtonElement).disabled) return null
          named.scrollIntoView({ block: 'center' })
          const { left, top, width, height } = named.getBoundingClientRect()
          return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }
        }, label),
      )
      const actions = [
        { type: 'pointerMove', ...middle },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await browser.send('input.performActions', {
        context,
        actions: [{ type: 'pointer', id: 'pointer', actions }],
      })
    },
    fill: (label, value) =>
      expect
        .poll(() =>
          evaluate(
            (wanted, text) => {
              const named = [...document.querySelectorAll('label')].find(
                element => element.textContent?.trim() === wanted,
              )
              const field = named?.control as HTMLInputElement | null | undefined
              if (!field) return false
              // React reads the value by the prototype's setter.
              const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
              set?.call(field, text)
              field.dispatchEvent(new Event('input', { bubbles: true }))
              return true
            },
            label,
            value,
          ),
        )
        .toBe(true),
    async goto(url) {
      // Firefox reports no load of the extension's own pages.
      const isOwn = url.startsWith('moz-extension:')
      await browser.send('browsingContext.navigate', { context, url, wait: isOwn ? 'none' : 'complete' })
      if (isOwn)
        await expect
          .poll(() => evaluate(() => `${document.readyState} ${location.href}`).catch(() => ''))
          .toBe(`complete ${url}`)
    },
  }
}

/**
 * Starts Firefox with the extension's `.xpi`, as a temporary add-on.
 * @param server URL of the server for the extension
 */
export const launchInFirefox = async (sites: Sites, server: string): Promise<FirefoxCollector> => {
  const folder = await mkdtemp(join(tmpdir(), 'iodine-firefox-'))
  const files = unzipSync(builtFile('firefox.xpi'))
  files['deployment.json'] = strToU8(JSON.stringify({ server }))
  const archive = join(folder, 'collector.xpi')
  await writeFile(archive, zipSync(files))
  const profile = join(folder, 'profile')
  await mkdir(profile)
  const proxy = await startProxy(sites)
  const browser = await startFirefox(FIREFOX, profile, proxy.address, {
    'extensions.webextOptionalPermissionPrompts': false,
    'security.notification_enable_delay': 0,
  })
  await browser.send('webExtension.install', { extensionData: { type: 'archivePath', path: archive } })
  const host = await browser.asBrowser(id => WebExtensionPolicy.getByID(id).mozExtensionHostname, ID)
  const address = (path: string) => `moz-extension://${host}/${path}`

  const create = async (type: 'tab' | 'window') => {
    const { context } = await browser.send<{ context: string }>('browsingContext.create', { type })
    return tabOf(browser, context)
  }
  const openTab = async (url: string) => {
    const tab = await create('tab')
    await browser.send('browsingContext.activate', { context: tab.context })
    await tab.goto(url)
    return tab
  }

  return {
    async open(url) {
      const page = await openTab(url)
      // The newest tab may be in the window of an earlier popup.
      const tabId = await browser.asBrowser(
        (id, shown) => {
          const { tabManager } = WebExtensionPolicy.getByID(id).extension
          for (const { gBrowser } of Services.wm.getEnumerator('navigator:browser'))
            for (const tab of gBrowser.tabs)
              if (tab.linkedBrowser.currentURI.spec === shown) {
                tabManager.addActiveTabPermission(tab)
                return tabManager.getWrapper(tab).id
              }
          throw new Error('no tab shows the page')
        },
        ID,
        await page.evaluate(() => location.href),
      )
      const popup = await create('window')
      await popup.goto(address(`popup.html?tab=${tabId}`))
      return { page, popup }
    },
    stopBackground: () =>
      browser.asBrowser(async id => {
        await WebExtensionPolicy.getByID(id).extension.terminateBackground({
          ignoreDevToolsAttached: true,
          disableResetIdleForTest: true,
        })
      }, ID),
    answerPermissions: answer =>
      browser.asBrowser(
        asks => Services.prefs.setBoolPref('extensions.webextOptionalPermissionPrompts', asks),
        answer === 'block',
      ),
    refuse: () =>
      expect
        .poll(() =>
          browser.asBrowser(() => {
            for (const { PopupNotifications } of Services.wm.getEnumerator('navigator:browser')) {
              const button = PopupNotifications.panel.firstElementChild?.secondaryButton
              button?.click()
              if (button) return true
            }
            return false
          }),
        )
        .toBe(true),
    revoke: origin =>
      browser.asBrowser(
        async (id, origins) => {
          const { ExtensionPermissions } = ChromeUtils.importESModule(
            'resource://gre/modules/ExtensionPermissions.sys.mjs',
          )
          await ExtensionPermissions.remove(
            id,
            { permissions: [], origins },
            WebExtensionPolicy.getByID(id).extension,
          )
        },
        ID,
        [origin],
      ),
    async close() {
      await browser.close()
      proxy.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

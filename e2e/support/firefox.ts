import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { type Browser, launch, type Page } from 'puppeteer-core'
import { type BrowserPage, evaluateIn } from './browser-page.js'
import { builtFile, raised, type Sites } from './collector.js'

const ID = 'collector@iodine.local'

/** Path of the Firefox for the journeys; empty if there is none. */
export const FIREFOX = process.env.FIREFOX_PATH ?? ''

/** A Firefox with the built extension. */
export interface FirefoxCollector {
  /** Opens a page in a tab, presses the extension's icon there, and opens the popup for it in a window of its own. */
  open(url: string): Promise<{ page: Page; popup: Page }>
  /** Presses the extension's icon in a tab, and opens the popup for it in a window of its own. */
  openPopup(page: BrowserPage): Promise<Page>
  /** Replaces the extension by a version with a higher number, as an update does. Its pages close. */
  update(): Promise<void>
  /** Stops the event page at once, as Firefox does after 30 s without work. */
  stopBackground(): Promise<void>
  /** Answers requests for permissions from now on. */
  answerPermissions(answer: 'allow' | 'block'): Promise<void>
  /** Presses “Block” in the browser's open request for a permission. */
  refuse(): Promise<void>
  /** Removes a granted permission, as the user does in about:addons. */
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
    port: (proxy.address() as AddressInfo).port,
    stop() {
      proxy.close()
      for (const end of open) end.destroy()
    },
  }
}

/** Sends commands of WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) that Puppeteer has no method for. */
const commandsOf = (browser: Browser) => {
  const { connection } = browser as unknown as {
    connection: { send(method: string, params: object): Promise<{ result: Record<string, unknown> }> }
  }
  return async <T>(method: string, params: object): Promise<T> =>
    (await connection.send(method, params)).result as T
}

/** Returns a function that runs others in the browser's own code, with its privileges. Arguments and results are JSON. */
const privileged = async (send: ReturnType<typeof commandsOf>) => {
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {
    'moz:scope': 'chrome',
    maxDepth: 0,
  })
  return async <A extends unknown[], R>(work: (...given: A) => R, ...given: A): Promise<Awaited<R>> => {
    const answer = await send<{
      type: string
      result: { value: string }
      exceptionDetails: { text: string }
    }>('script.callFunction', {
      functionDeclaration: `async given => JSON.stringify([await (${work})(...JSON.parse(given))])`,
      arguments: [{ type: 'string', value: JSON.stringify(given) }],
      target: { context: contexts[0]?.context },
      awaitPromise: true,
    })
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text)
    return JSON.parse(answer.result.value)[0]
  }
}

/** Starts Firefox. @param port of the HTTP proxy for all hosts but loopback; absent: no proxy */
export const startFirefox = (port?: number): Promise<Browser> =>
  launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    acceptInsecureCerts: true,
    defaultViewport: null,
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'extensions.webextOptionalPermissionPrompts': false,
      'intl.accept_languages': 'en-GB, en',
      'intl.locale.requested': 'en-GB',
      'layout.testing.top-level-always-active': true,
      'security.notification_enable_delay': 0,
      ...(port && {
        'network.proxy.type': 1,
        'network.proxy.http': '127.0.0.1',
        'network.proxy.http_port': port,
        'network.proxy.ssl': '127.0.0.1',
        'network.proxy.ssl_port': port,
      }),
    },
  })

/**
 * Starts Firefox with the extension's `.xpi`, as a temporary add-on.
 * @param server URL of the server for the extension
 */
export const launchInFirefox = async (sites: Sites, server: string): Promise<FirefoxCollector> => {
  const folder = await mkdtemp(join(tmpdir(), 'iodine-firefox-'))
  const files = unzipSync(builtFile('firefox.xpi'))
  files['deployment.json'] = strToU8(JSON.stringify({ server }))
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()))
  const proxy = await startProxy(sites)
  const browser = await startFirefox(proxy.port)
  const send = commandsOf(browser)
  const asBrowser = await privileged(send)
  const install = async () => {
    // Firefox keeps a file open.
    const path = join(folder, `collector-${manifest.version}.xpi`)
    await writeFile(path, zipSync({ ...files, 'manifest.json': strToU8(JSON.stringify(manifest)) }))
    await send('webExtension.install', { extensionData: { type: 'archivePath', path } })
  }
  await install()

  /** Opens a page of the extension. Firefox reports no load of these. */
  const openOwn = async (path: string): Promise<Page> => {
    const host = await asBrowser(id => WebExtensionPolicy.getByID(id).mozExtensionHostname, ID)
    const url = `moz-extension://${host}/${path}`
    const page = await browser.newPage({ type: 'window' })
    const { _id: context } = page.mainFrame() as unknown as { _id: string }
    await send('browsingContext.navigate', { context, url, wait: 'none' })
    await expect
      .poll(() => evaluateIn(page, () => `${document.readyState} ${location.href}`).catch(() => ''))
      .toBe(`complete ${url}`)
    return page
  }

  const openPopup = async (page: BrowserPage) => {
    // The newest tab may be in the window of an earlier popup.
    const tabId = await asBrowser(
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
      page.url(),
    )
    return openOwn(`popup.html?tab=${tabId}`)
  }

  return {
    async open(url) {
      const page = await browser.newPage()
      await page.bringToFront()
      await page.goto(url)
      return { page, popup: await openPopup(page) }
    },
    openPopup,
    async update() {
      manifest.version = raised(manifest.version)
      await install()
    },
    stopBackground: () =>
      asBrowser(async id => {
        await WebExtensionPolicy.getByID(id).extension.terminateBackground({
          ignoreDevToolsAttached: true,
          disableResetIdleForTest: true,
        })
      }, ID),
    answerPermissions: answer =>
      asBrowser(
        asks => Services.prefs.setBoolPref('extensions.webextOptionalPermissionPrompts', asks),
        answer === 'block',
      ),
    refuse: () =>
      expect
        .poll(() =>
          asBrowser(() => {
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
      asBrowser(
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

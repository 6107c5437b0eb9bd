// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import linter from 'addons-linter'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'

const built = join(import.meta.dirname, '../dist')
const fileOf = (end: string) => join(built, readdirSync(built).find(name => name.endsWith(end)) ?? end)
const manifestOf = (end: string) =>
  JSON.parse(strFromU8(unzipSync(readFileSync(fileOf(end)))['manifest.json'] ?? new Uint8Array()))

test('Mozilla’s linter finds no error and no warning in the package for Firefox', {
  tags: 'long',
}, async () => {
  const { errors, warnings, notices } = await linter
    .createInstance({
      config: {
        _: [fileOf('-firefox.xpi')],
        logLevel: 'fatal',
        output: 'none',
        maxManifestVersion: 3,
        minManifestVersion: 3,
        shouldScanFile: () => true,
      },
      runAsBinary: false,
    })
    .run()
  expect([errors, warnings, notices]).toEqual([[], [], []])
})

describe('the manifests', () => {
  test('Firefox has an event page, an id and a statement of the collected data', () => {
    const { background, browser_specific_settings } = manifestOf('-firefox.xpi')
    expect(background).toEqual({ scripts: ['background.js'] })
    expect(browser_specific_settings.gecko).toEqual({
      id: 'collector@iodine.local',
      strict_min_version: '142.0',
      data_collection_permissions: { required: ['websiteContent', 'authenticationInfo'] },
    })
  })
  test('both browsers have the same permissions; sites are optional', () => {
    const [chromium, firefox] = ['-chromium.zip', '-firefox.xpi'].map(manifestOf)
    for (const { permissions, optional_host_permissions, host_permissions } of [chromium, firefox]) {
      expect(permissions).toEqual(['activeTab', 'alarms', 'scripting', 'storage'])
      expect(optional_host_permissions).toEqual(['https://*/*', 'http://*/*'])
      expect(host_permissions).toBeUndefined()
    }
    expect(chromium.background).toEqual({ service_worker: 'background.js' })
  })
})

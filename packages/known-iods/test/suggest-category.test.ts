import { expect, test } from 'vitest'
import { suggestCategory } from '../src'

test.each([
  ['author.author_unique_id', 'night.watch', 'USERNAME'],
  ['author.author_nickname', 'Night Watch', 'USERNAME'],
  ['telegram.channel.username', 'open_eyes', 'USERNAME'],
  ['sound.sound_author', 'https://x.com', 'USERNAME'],
  ['metadata.canonical', 'anything', 'URL'],
  ['metadata.og_url', '', 'URL'],
  ['x.LINK', 'anything', 'URL'],
  ['x.sub_domain', 'example.org', 'DOMAIN'],
  ['x.hostname', 'example.org', 'DOMAIN'],
  ['main.hashtags', 'truth', 'HASHTAGS'],
  ['main.description', '#truth now', 'HASHTAGS'],
  ['main.description', '  #truth', 'HASHTAGS'],
  ['metadata.title', '#truth', 'HASHTAGS'],
  ['metadata.jsonld.keywords', 'numbers', 'KEYWORDS'],
  ['x.company_name', 'ACME', 'COMPANY'],
  ['x.publisher', 'ACME', 'COMPANY'],
  ['metadata.jsonld.publisher.name', 'ACME', 'FULL_NAME'],
  ['metadata.jsonld.author.name', 'J. Doe', 'FULL_NAME'],
  ['sound.sound_name', 'original sound', 'FULL_NAME'],
  ['metadata.og_site_name', 'Night Blog', 'FULL_NAME'],
  ['metadata.og_title', 'A closer look', 'TITLE'],
  ['telegram.channel.title', 'see http://x.y', 'TITLE'],
  ['main.description', 'read it on example.com', 'URL'],
  ['main.description', 'HTTP is a protocol', 'URL'],
  ['main.description', 'They hide the numbers', 'SENTENCE'],
  ['stats.play_count', '9000', 'SENTENCE'],
  ['', 'They hide the numbers', 'SENTENCE'],
  ['author.stats.play', 'only the last key counts', 'SENTENCE'],
])('%s with %j suggests %s', (path, value, category) => {
  expect(suggestCategory(path, value)).toBe(category)
})

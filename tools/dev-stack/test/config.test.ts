import { ConfigError } from '@iodine/service-kit'
import { expect, test } from 'vitest'
import { readStackConfig } from '../src/config.js'

const faults = (env: Record<string, string>) => {
  try {
    readStackConfig(env)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).faults.map(fault => fault.split(/[.:]/)[0])
  }
}

test('has a default for each variable, and treats an empty one as absent', () => {
  const defaults = {
    PORT: 8080,
    HOST: '127.0.0.1',
    DATA_DIR: '.data',
    INBOX_PORT: 1080,
    INBOX_HOST: '127.0.0.1',
    BETA_REQUIRED: false,
    RATE_LIMITS: 'on',
  }
  expect(readStackConfig({})).toMatchObject({ ...defaults, ADMIN_EMAILS: ['admin@iodine.local'] })
  expect(readStackConfig({ PORT: '', MONGODB_URI: '', ADMIN_EMAILS: '' })).toEqual(readStackConfig({}))
})

test('accepts valid values', () => {
  const env = {
    PORT: '0',
    HOST: '::1',
    PUBLIC_URL: 'https://iodine.example.org',
    MONGODB_URI: 'mongodb://user:p%40ss@one:27017,two:27018,three/?replicaSet=rs0',
    REDIS_URL: 'rediss://:secret@redis.example.org:6380/2',
    SMTP_URL: 'smtps://user:pass@mail.example.org',
    MAIL_FROM: 'Iodine <no-reply@example.org>',
    ADMIN_EMAILS: 'A@example.org, bé@exämple.org',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    CORS_ORIGINS: 'https://app.example.org,chrome-extension://abcdefghijklmnop',
    TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32,loopback',
    BETA_REQUIRED: 'true',
  }
  expect(readStackConfig(env)).toMatchObject({
    PORT: 0,
    ADMIN_EMAILS: ['a@example.org', 'bé@xn--exmple-cua.org'],
    BETA_REQUIRED: true,
  })
  for (const TRUST_PROXY of ['true', '2']) expect(faults({ TRUST_PROXY })).toEqual([])
})

test('reports all faults together', () => {
  const env = {
    PORT: '65536',
    HOST: 'a b',
    PUBLIC_URL: 'ftp://example.org',
    MONGODB_URI: 'http://example.org',
    REDIS_URL: 'localhost:6379',
    SMTP_URL: 'mail.example.org',
    INBOX_PORT: 'web',
    INBOX_HOST: 'a b',
    MAIL_FROM: 'nobody',
    OPENAI_BASE_URL: 'javascript:alert(1)',
    BETA_REQUIRED: 'yes',
    ADMIN_EMAILS: 'admin@example.org,admin',
    CONTACT_EMAIL: '@',
    SECRETS_KEY: Buffer.alloc(31).toString('base64'),
    CORS_ORIGINS: 'https://example.org/path',
    TRUST_PROXY: '10.0.0.0/33',
    LOG_LEVEL: 'loud',
    RATE_LIMITS: 'no',
  }
  expect(faults(env)).toEqual(Object.keys(env))
})

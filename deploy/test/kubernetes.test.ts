import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@iodine/contracts'
import { PART_NAMES, type PartName } from '@iodine/dev-stack/parts'
// @ts-expect-error: a script without types
import { deploymentFiles } from '@iodine/generators'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Document, documents, faultsOf, newEnvironment, ROOT } from './parts.js'

const FOLDER = 'deploy/kubernetes'
const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder)).filter(file => file.endsWith('.yaml') && file !== 'kustomization.yaml')
const manifestsOf = (folder: string) =>
  filesOf(folder).flatMap(file => documents(folder, file).map(document => ({ file, document })))
const product = manifestsOf(FOLDER)
const databases = manifestsOf(`${FOLDER}/databases`)
const everything = [...product, ...databases]
const find = (kind: string, name: string): Document => {
  const found = everything.find(({ document }) => document.kind === kind && document.metadata.name === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found.document
}
const secretsFor = (env: Record<string, string>): Document[] =>
  JSON.parse(newEnvironment({ kubernetes: true, env }).text).items
const [secret = {}, users = {}] = secretsFor({ SMTP_URL: 'smtps://user:password@mail.example.org' })

/**
 * Returns the faults by Kubernetes' schema. The schema accepts unknown fields, so a field that is never read is a
 * fault.
 */
const faultsIn = async (document: Document): Promise<unknown[]> => {
  const name = `kubernetes-models/${document.apiVersion}`
  const { [document.kind]: model } = await import(name)
  const looked = new Map<object, Set<PropertyKey>>()
  const proxies = new Map<object, object>()
  const watched = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (!proxies.has(value)) {
      const keys = new Set<PropertyKey>()
      looked.set(value, keys)
      const get = (target: object, key: PropertyKey) => {
        keys.add(key)
        return watched(Reflect.get(target, key))
      }
      proxies.set(value, new Proxy(value, { get }))
    }
    return proxies.get(value)
  }
  try {
    model.prototype.validate.call(watched(document))
  } catch (error) {
    return [(error as Error).message]
  }
  const unknown: string[] = []
  const walk = (value: unknown, path: string) => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value))
      if (looked.get(value)?.has(key)) walk(inner, `${path}/${key}`)
      else unknown.push(`${path}/${key}: no such field`)
  }
  walk(document, '')
  return unknown
}

const pods = everything
  .filter(({ document }) => ['Deployment', 'StatefulSet', 'Job'].includes(document.kind))
  .map(({ document }) => ({
    name: document.metadata.name as string,
    kind: document.kind as string,
    pod: document.spec.template,
  }))

describe('the manifests', () => {
  it.each(everything.map(({ file, document }) => [file, document.kind, document.metadata.name, document]))(
    '%s: %s %s is valid by the schema of Kubernetes',
    async (_file, _kind, _name, document) => {
      expect(await faultsIn(document as Document)).toEqual([])
    },
  )
  it('would fail for unknown fields and wrong types', async () => {
    const deployment = find('Deployment', 'iods')
    expect(await faultsIn({ ...deployment, spec: { ...deployment.spec, replica: 3 } })).toEqual([
      '/spec/replica: no such field',
    ])
    expect(await faultsIn({ ...deployment, spec: { ...deployment.spec, replicas: '3' } })).toHaveLength(1)
  })
  it('are all listed in the kustomizations', () => {
    for (const folder of [FOLDER, `${FOLDER}/databases`]) {
      const { resources } = parse(readFileSync(join(ROOT, folder, 'kustomization.yaml'), 'utf8'))
      expect(resources.sort()).toEqual(filesOf(folder).sort())
    }
  })
  it('equal the generated entries of the services, as docker-compose.yml does', async () => {
    for (const [file, text] of await deploymentFiles(ROOT))
      expect([file, readFileSync(join(ROOT, file), 'utf8')]).toEqual([file, text])
  })
  it.each(pods)('give $kind $name only the required rights', ({ pod: { spec } }) => {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    for (const container of spec.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
      expect(container.image).toMatch(/^[\w./]+:\d+\.\d+\.\d+[\w.-]*$/)
    }
  })
  it('label pods so that each NetworkPolicy, Service and PodDisruptionBudget selects some', () => {
    const labels = pods.map(({ pod }) => pod.metadata.labels as Record<string, string>)
    const selectors = everything.flatMap(({ document: { kind, spec } }) =>
      kind === 'Service'
        ? [spec.selector]
        : kind === 'PodDisruptionBudget'
          ? [spec.selector.matchLabels]
          : kind === 'NetworkPolicy' && spec.podSelector.matchLabels
            ? [spec.podSelector.matchLabels]
            : [],
    )
    expect(selectors.length).toBeGreaterThan(20)
    for (const selector of selectors)
      expect(labels.some(pod => Object.entries(selector).every(([key, value]) => pod[key] === value))).toBe(
        true,
      )
  })
})

describe('each part', () => {
  const environmentOf = (deployment: string): Record<string, string> => {
    const [container] = find('Deployment', deployment).spec.template.spec.containers
    const fromMaps = container.envFrom.map(
      (source: Document) => find('ConfigMap', source.configMapRef.name).data,
    )
    const own = container.env.map((variable: Document) => {
      if (variable.value !== undefined) return [variable.name, variable.value]
      const { name, key } = variable.valueFrom.secretKeyRef
      expect(name).toBe(secret.metadata.name)
      expect(secret.stringData).toHaveProperty(key)
      return [variable.name, secret.stringData[key]]
    })
    return Object.assign({}, ...fromMaps, Object.fromEntries(own))
  }
  it.each(PART_NAMES)('%s has all required settings, and no unknown ones', part => {
    const environment = environmentOf(part)
    expect(faultsOf(part, environment)).toEqual([])
    // Longer than callers cache the address of a terminating replica.
    expect(Number(environment.DRAIN_MS)).toBeGreaterThan(5_000)
  })
  it.each(PART_NAMES)('%s has the probes, grace period, autoscaler and budget of every part', part => {
    const same = ({ spec: { template } }: Document, name: string): unknown => {
      const [
        { env: _env, envFrom: _from, resources: _sizes, ports: _ports, readinessProbe: _ready, ...container },
      ] = template.spec.containers
      const { tier: _tier, ...labels } = template.metadata.labels
      return JSON.parse(
        JSON.stringify({ ...template.spec, labels, containers: [container] }).replaceAll(name, 'NAME'),
      )
    }
    const deployment = find('Deployment', part)
    expect(same(deployment, part)).toEqual(same(find('Deployment', 'campaigns'), 'campaigns'))
    const [container] = deployment.spec.template.spec.containers
    const ready = part === 'gateway' ? '/healthz' : '/readyz'
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/healthz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
      readinessProbe: { httpGet: { path: ready } },
    })
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(90)
    expect(find('HorizontalPodAutoscaler', part).spec.scaleTargetRef.name).toBe(part)
    expect(find('PodDisruptionBudget', part).spec).toMatchObject({ maxUnavailable: 1 })
    expect(deployment.spec).not.toHaveProperty('replicas')
  })
  it('leaves heavy work to separate pods, which receive no requests', () => {
    const jobs = pods.map(({ name }) => name).filter(name => name.endsWith('-jobs'))
    expect(jobs).toEqual(['auth-jobs', 'campaigns-jobs', 'narratives-jobs', 'sightings-jobs'])
    for (const name of jobs) {
      const part = name.replace('-jobs', '') as PartName
      expect(environmentOf(part).ROLE).toBe('api')
      expect(environmentOf(name)).toEqual({ ...environmentOf(part), ROLE: 'jobs' })
      // The address of the jobs' Service is only for scrapes: no setting contains it.
      for (const app of [part, name]) expect(find('Service', app).spec.selector).toEqual({ app })
      expect(Object.values(environmentOf('gateway')).join(' ')).not.toContain(name)
      expect(find('HorizontalPodAutoscaler', name).spec).toMatchObject({ minReplicas: 1 })
      const pod = (of: string) => {
        const { metadata, spec } = find('Deployment', of).spec.template
        const [{ env: _env, ...container }] = spec.containers
        return JSON.parse(
          JSON.stringify({ metadata, ...spec, containers: [container] }).replaceAll(name, part),
        )
      }
      expect(pod(name)).toEqual(pod(part))
    }
    const others = ['collector', 'community', 'iods']
    for (const part of others) expect(environmentOf(part).ROLE).toBe('all')
  })
  it('has only its own secrets', () => {
    const holders = (key: string) =>
      PART_NAMES.filter(part =>
        find('Deployment', part).spec.template.spec.containers[0].env.some(
          (variable: Document) => variable.name === key,
        ),
      )
    expect(holders('JWT_PRIVATE_KEY')).toEqual(['auth'])
    expect(holders('SEAL_PRIVATE_KEY')).toEqual(['collector'])
    expect(holders('SECRETS_KEY')).toEqual(['auth', 'workers'])
    expect(holders('SMTP_URL')).toEqual(['workers'])
    expect(holders('MONGODB_URI')).not.toContain('gateway')
    expect(holders('MONGODB_URI')).not.toContain('workers')
  })
  it('has a headless Service, except for the gateway', () => {
    for (const part of PART_NAMES)
      expect(find('Service', part).spec.clusterIP).toBe(part === 'gateway' ? undefined : 'None')
  })
})

describe('the secrets', () => {
  it('contain the given URLs, and require a mail server', () => {
    const [own] = secretsFor({
      SMTP_URL: 'smtp://mail',
      MONGODB_URI: 'mongodb://x',
      REDIS_URL: 'redis://y',
    })
    expect(own?.stringData).toMatchObject({
      SMTP_URL: 'smtp://mail',
      MONGODB_URI_AUTH: 'mongodb://x',
      MONGODB_URI_IODS: 'mongodb://x',
      REDIS_URL: 'redis://y',
    })
    expect(() => secretsFor({ SMTP_URL: '' })).toThrow('Set SMTP_URL')
  })
  it('are readable only by their owner, and never replace a file', () => {
    const env = { SMTP_URL: 'smtp://mail' }
    expect(newEnvironment({ kubernetes: true, env }).mode).toBe(0o600)
    expect(() => newEnvironment({ kubernetes: true, env, before: '{}' })).toThrow('is there already')
  })
  it('contain a user and a password per service, which the database setup uses', () => {
    const [mongod, setup] = find('StatefulSet', 'mongo').spec.template.spec.containers
    const passwords = SERVICE_NAMES.map(part => {
      const { username, password } = new URL(
        secret.stringData[`MONGODB_URI_${part.toUpperCase()}`].split(',')[0],
      )
      expect(username).toBe(part)
      expect(password).toBe(users.stringData[`MONGO_${part.toUpperCase()}_PASSWORD`])
      return password
    })
    expect(new Set(passwords).size).toBe(SERVICE_NAMES.length)
    expect(Object.keys(users.stringData).sort()).toEqual(
      ['ROOT', ...SERVICE_NAMES.map(part => part.toUpperCase())].map(name => `MONGO_${name}_PASSWORD`).sort(),
    )
    const given = ({ env, envFrom = [] }: Document) => [
      ...env.flatMap(({ valueFrom }: Document) => valueFrom?.secretKeyRef ?? []),
      ...envFrom.map(({ secretRef }: Document) => secretRef),
    ]
    expect(given(setup)).toEqual([{ name: users.metadata.name }])
    expect(given(mongod)).toEqual([{ name: secret.metadata.name, key: 'MONGO_KEY' }])
    expect(secret.stringData.MONGO_KEY).toMatch(/^[A-Za-z0-9+/]{6,1024}$/)
    expect(mongod.command.join(' ')).toContain('--keyFile')
    const { configMapGenerator } = parse(
      readFileSync(join(ROOT, FOLDER, 'databases/kustomization.yaml'), 'utf8'),
    )
    expect(configMapGenerator).toEqual([{ name: 'mongo-setup', files: ['mongo-setup.js'] }])
  })
  it('contain the password that Redis in the cluster requires', () => {
    const { REDIS_URL, REDIS_PASSWORD } = secret.stringData
    expect(new URL(REDIS_URL).password).toBe(REDIS_PASSWORD)
    const [container] = find('StatefulSet', 'redis').spec.template.spec.containers
    expect(container.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/)
    expect(container.env[0].valueFrom.secretKeyRef).toEqual({ name: 'iodine', key: 'REDIS_PASSWORD' })
  })
})

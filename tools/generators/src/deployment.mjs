import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GeneratorError } from './files.mjs'

const COMPOSE = 'docker-compose.yml'
const FIRST_SIZE = { cpu: '100m', memory: '192Mi', limit: '512Mi' }

/**
 * Reads the services with databases, sorted by name, from `service` in their package.json:
 * - `settings` that docker-compose.yml passes on, with the default value
 * - `secrets` only of this service, in addition to those of every service
 * - `resources` requests and limits of a pod
 * - `jobs` whether separate processes do heavy work (`ROLE`)
 */
const readServices = async root => {
  const services = []
  for (const name of (await readdir(join(root, 'services'))).sort()) {
    const manifest = await readFile(join(root, 'services', name, 'package.json'), 'utf8').catch(() => '{}')
    const { service } = JSON.parse(manifest)
    if (service)
      services.push({
        name,
        upper: name.toUpperCase(),
        settings: {},
        secrets: [],
        resources: FIRST_SIZE,
        jobs: false,
        ...service,
      })
  }
  return services
}

const secretRef = (name, key = name) =>
  `            - name: ${name}\n              valueFrom: { secretKeyRef: { name: iodine, key: ${key} } }`

/** @param app name of the Deployment: the service's, or that of its jobs */
const deployment = (app, role, { name, upper, settings, secrets, resources: { cpu, memory, limit } }) => {
  const maps = ['iodine', 'iodine-services', ...(Object.keys(settings).length > 0 ? [`iodine-${name}`] : [])]
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${app}
spec:
  revisionHistoryLimit: 3
  strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector: { matchLabels: { app: ${app} } }
  template:
    metadata:
      labels: { app: ${app}, tier: service }
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      # The longest wait for an extraction; all other work ends within DRAIN_MS and a few seconds.
      terminationGracePeriodSeconds: 95
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: { app: ${app} } }
      containers:
        - name: ${app}
          image: registry.example.org/iodine/${name}:0.1.0
          ports: [{ name: http, containerPort: 8080 }]
          envFrom:
${maps.map(map => `            - configMapRef: { name: ${map} }`).join('\n')}
          env:
            - { name: ROLE, value: ${role} }
${[secretRef('SERVICE_KEY'), secretRef('REDIS_URL'), secretRef('MONGODB_URI', `MONGODB_URI_${upper}`), ...secrets.map(each => secretRef(each))].join('\n')}
          resources:
            requests: { cpu: ${cpu}, memory: ${memory} }
            limits: { memory: ${limit} }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            timeoutSeconds: 3
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
          volumeMounts: [{ name: tmp, mountPath: /tmp }]
      volumes: [{ name: tmp, emptyDir: {} }]
`
}

const serviceOf = name => `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  # All replicas by name: callers use them in rotation.
  clusterIP: None
  selector: { app: ${name} }
  ports: [{ name: http, port: 8080, targetPort: http }]
`

const autoscaler = (name, min) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: ${min}
  maxReplicas: 6
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } }
`

const budget = name => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
spec:
  maxUnavailable: 1
  selector: { matchLabels: { app: ${name} } }
`

const kubernetesPart = service => {
  const { name } = service
  const jobs = `${name}-jobs`
  return [
    deployment(name, service.jobs ? 'api' : 'all', service),
    serviceOf(name),
    autoscaler(name, 2),
    budget(name),
    ...(service.jobs
      ? [deployment(jobs, 'jobs', service), serviceOf(jobs), autoscaler(jobs, 1), budget(jobs)]
      : []),
  ].join('---\n')
}

/** @param container name of the container: the service's, or that of its jobs */
const composeContainer = (container, { name, upper, settings, secrets, jobs }) => {
  const isJobs = container !== name
  const given = [
    ...(jobs ? [`      ROLE: ${isJobs ? 'jobs' : `\${ROLE:-all}`}`] : []),
    ...Object.entries(settings).map(([key, value]) => `      ${key}: \${${key}:-${value}}`),
    ...secrets.map(key => `      ${key}: \${${key}:?run deploy/new-env.mjs}`),
  ]
  return `  ${container}:
    <<: *hardened
${isJobs ? '    profiles: [jobs]\n' : ''}    image: \${IMAGES:-iodine}/${name}:\${VERSION:-0.1.0}
    build: { context: ., dockerfile: deploy/Dockerfile, target: part, args: { PART: ${name} } }
    environment:
      <<: *environment
      MONGODB_URI: mongodb://${name}:\${MONGO_${upper}_PASSWORD:?run deploy/new-env.mjs}@mongo:27017/?replicaSet=rs0&authSource=admin
${given.map(line => `${line}\n`).join('')}    networks: [parts, mongo, redis]
    depends_on: *needs-both
`
}

const composePart = service =>
  [service.name, ...(service.jobs ? [`${service.name}-jobs`] : [])]
    .map(container => composeContainer(container, service))
    .join('')

const address = ({ name, upper }) => `  ${upper}_URL: http://${name}:8080`

const kubernetesFile =
  services => `# Written by npm run deploy:files: the services' addresses, then each service.
apiVersion: v1
kind: ConfigMap
metadata:
  name: iodine-services
data:
${services.map(address).join('\n')}
---
${services.map(kubernetesPart).join('---\n')}`

/**
 * Functions that return the text about a service, for each pair of marks `begin: services` and `end: services`, in
 * order.
 */
const COMPOSE_REGIONS = [
  address,
  composePart,
  ({ upper }) => `      MONGO_${upper}_PASSWORD: \${MONGO_${upper}_PASSWORD}`,
]
const REGION = /^( *# begin: services.*\n)[\s\S]*?(^ *# end: services\n)/gm

const composeFile = (before, services) => {
  const waiting = [...COMPOSE_REGIONS]
  const text = before.replace(
    REGION,
    (_, begin, end) => `${begin}${services.map(waiting.shift()).join('\n').trimEnd()}\n${end}`,
  )
  if (waiting.length > 0) throw new GeneratorError(`${COMPOSE} has lost its marks "begin: services".`)
  return text
}

/**
 * Generates the services' manifests and the marked regions of the compose file, from each service's package.json.
 * @param {string} root the repository
 * @returns {Promise<Map<string, string>>} texts by path
 */
export async function deploymentFiles(root) {
  const services = await readServices(root)
  const compose = await readFile(join(root, COMPOSE), 'utf8')
  return new Map([
    ['deploy/kubernetes/services.yaml', kubernetesFile(services)],
    [COMPOSE, composeFile(compose, services)],
  ])
}

/** Writes the files. Resolves to the paths of the changed ones. */
export async function writeDeployment(root) {
  const changed = []
  for (const [file, text] of await deploymentFiles(root)) {
    const path = join(root, file)
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue
    await writeFile(path, text)
    changed.push(file)
  }
  return changed
}

// The manifests of deploy/kubernetes/ use fields that Kubernetes knows, refer to each other correctly, and give
// settings of this version. Python reads the YAML, because none of our packages does.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deployFolder, findTool, root, run } from './tools.ts'

const python = findTool('python3') ?? ''
const canReadYaml = python !== '' && (await run(python, ['-c', 'import yaml'])).code === 0

const labels = z.record(z.string(), z.string())
const metadata = z.strictObject({ name: z.string(), labels })
const selector = z.strictObject({ matchLabels: labels })
const named = z.strictObject({ name: z.string() })

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(['/health', '/ready']), port: z.string() }),
  periodSeconds: z.int().positive(),
  timeoutSeconds: z.int().positive().optional(),
  failureThreshold: z.int().positive(),
})

const container = z.strictObject({
  name: z.string(),
  image: z.literal('manilla:VERSION'),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ configMapRef: named.optional(), secretRef: named.optional() })),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  securityContext: z.strictObject({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
})

const podSpec = z.strictObject({
  restartPolicy: z.literal('Never').optional(),
  terminationGracePeriodSeconds: z.int().optional(),
  automountServiceAccountToken: z.literal(false),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().positive(),
    runAsGroup: z.int().positive(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.literal(1),
        topologyKey: z.literal('kubernetes.io/hostname'),
        whenUnsatisfiable: z.literal('ScheduleAnyway'),
        labelSelector: selector,
      }),
    )
    .optional(),
  containers: z.tuple([container]),
})

const template = z.strictObject({ metadata: z.strictObject({ labels }), spec: podSpec })

const manifest = z.discriminatedUnion('kind', [
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('ConfigMap'), metadata, data: labels }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    type: z.literal('Opaque'),
    stringData: labels,
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata,
    spec: z.strictObject({
      replicas: z.int().min(2),
      selector,
      strategy: z.strictObject({
        type: z.literal('RollingUpdate'),
        rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int().positive() }),
      }),
      template,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ minAvailable: z.literal(1), selector }),
  }),
  z.strictObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata,
    spec: z.strictObject({ backoffLimit: z.int(), template }),
  }),
])

async function readManifests(): Promise<z.infer<typeof manifest>[]> {
  const program =
    'import json, sys, yaml; print(json.dumps([d for f in sys.argv[1:] for d in yaml.safe_load_all(open(f))]))'
  const files = ['manilla.yaml', 'migrate.yaml', 'secret.example.yaml']
  const { stdout } = await run(python, [
    '-c',
    program,
    ...files.map((file) => path.join(deployFolder, 'kubernetes', file)),
  ])
  return z.array(manifest).parse(JSON.parse(stdout))
}

describe.runIf(canReadYaml)('the manifests for Kubernetes', () => {
  it('have known fields, and refer to what they define', async () => {
    const all = await readManifests()
    const deployments = all.filter((one) => one.kind === 'Deployment')
    const jobs = all.filter((one) => one.kind === 'Job')
    expect([deployments.length, jobs.length]).toEqual([2, 1])
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
      expect(all.some((one) => one.kind === 'PodDisruptionBudget' && matches(one.spec.selector, spec.selector))).toBe(
        true,
      )
      const [{ ports = [], ...one }] = spec.template.spec.containers
      for (const { httpGet } of [one.startupProbe, one.readinessProbe, one.livenessProbe].filter(isGiven)) {
        expect(ports.map(({ name }) => name)).toContain(httpGet.port)
      }
      expect([one.readinessProbe?.httpGet.path, one.livenessProbe?.httpGet.path]).toEqual(['/ready', '/health'])
    }
    const [service] = all.filter((one) => one.kind === 'Service')
    expect(deployments.map(({ spec }) => spec.selector.matchLabels)).toContainEqual(service?.spec.selector)
    for (const { spec } of [...deployments, ...jobs]) {
      for (const { configMapRef, secretRef } of spec.template.spec.containers[0].envFrom) {
        const [kind, name] = configMapRef === undefined ? ['Secret', secretRef?.name] : ['ConfigMap', configMapRef.name]
        expect(all.some((one) => one.kind === kind && one.metadata.name === name)).toBe(true)
      }
    }
  })

  it('give settings of this version, and the user of the image', async () => {
    const readme = await readFile(path.join(root, 'README.md'), 'utf8')
    const known = new Set([...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name))
    const image = await readFile(path.join(deployFolder, 'Dockerfile'), 'utf8')
    const all = await readManifests()
    const given = all.flatMap((one) => {
      if (one.kind === 'ConfigMap') return Object.keys(one.data)
      return one.kind === 'Secret' ? Object.keys(one.stringData) : []
    })
    expect(given.length).toBeGreaterThan(6)
    expect(given.filter((name) => !known.has(name))).toEqual([])
    for (const one of all) {
      if (one.kind !== 'Deployment' && one.kind !== 'Job') continue
      expect(image).toContain(`--uid ${one.spec.template.spec.securityContext.runAsUser} `)
    }
  })
})

function matches(left: z.infer<typeof selector>, right: z.infer<typeof selector>): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined
}

import { autoDeleteAnnotation } from '@portcullis/operator/internal/ingress/names.ts'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { IsolatedController } from './isolated-controller.ts'

/** Something that a user does, and how it is seen that it has been done. */
interface Step {
  readonly act: (controller: IsolatedController) => Promise<void>
  readonly isDone: (controller: IsolatedController) => Promise<boolean>
}

export interface Story {
  readonly name: string
  readonly platform: CloudPlatformName
  /** What is there when it begins. */
  readonly given: readonly Step[]
  readonly steps: readonly Step[]
}

type LoadBalancer = Readonly<Record<string, unknown>>

const strategy = (loadBalancer: LoadBalancer) => ({
  spec: { endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer } },
})

const isReady = async (controller: IsolatedController) =>
  (await controller.condition('LoadBalancerReady')) === 'True LoadBalancerProvisioned' &&
  (await controller.condition('LoadBalancerProgressing')) === 'False LoadBalancerNotProgressing'

const annotationIs = (key: string, value: string | undefined) => async (controller: IsolatedController) =>
  (await controller.service())?.metadata.annotations?.[key] === value

const rangesAre = (ranges: readonly string[] | undefined) => async (controller: IsolatedController) =>
  JSON.stringify((await controller.service())?.spec?.loadBalancerSourceRanges) === JSON.stringify(ranges)

const both =
  (...claims: readonly Step['isDone'][]): Step['isDone'] =>
  async (controller) => {
    for (const claim of claims) if (!(await claim(controller))) return false
    return true
  }

/** Without routers, unless it is about them: they would only take time. */
const publish = (loadBalancer: LoadBalancer, replicas = 0): Step => ({
  act: (controller) => controller.create({ ...strategy(loadBalancer).spec, replicas } as never),
  isDone: isReady,
})

const change = (loadBalancer: LoadBalancer, isDone: Step['isDone'], annotations = {}): Step => ({
  act: (controller) => controller.patchController({ ...strategy(loadBalancer), metadata: { annotations } }),
  isDone,
})

const awsInternal = 'service.beta.kubernetes.io/aws-load-balancer-internal'
const azureInternal = 'service.beta.kubernetes.io/azure-load-balancer-internal'
const globalAccess = 'networking.gke.io/internal-load-balancer-allow-global-access'
const ranges = ['198.51.100.0/24']
const clientAccess = (value: string | null) => ({
  providerParameters: { type: 'GCP', gcp: { clientAccess: value } },
})

export const stories: readonly Story[] = [
  {
    name: 'the publication of a controller',
    platform: 'AWS',
    given: [],
    steps: [publish({ scope: 'External', allowedSourceRanges: ranges })],
  },
  {
    name: 'a scope change on AWS, made real by deleting the Service',
    platform: 'AWS',
    given: [publish({ scope: 'External' })],
    steps: [
      change(
        { scope: 'Internal' },
        async (controller) => (await controller.condition('LoadBalancerProgressing')) === 'True ScopeChanged',
      ),
      {
        act: (controller) => controller.deleteService(),
        isDone: both(annotationIs(awsInternal, 'true'), isReady),
      },
    ],
  },
  {
    name: 'a scope change on AWS with auto-delete',
    platform: 'AWS',
    given: [publish({ scope: 'External' })],
    steps: [
      change({ scope: 'Internal' }, both(annotationIs(awsInternal, 'true'), isReady), {
        [autoDeleteAnnotation]: '',
      }),
    ],
  },
  {
    name: 'source ranges: the spec’s, then the user’s, kept by the next Service',
    platform: 'AWS',
    given: [publish({ scope: 'External', allowedSourceRanges: ranges })],
    steps: [
      change({ allowedSourceRanges: null }, rangesAre(undefined)),
      {
        act: (controller) =>
          controller.patchService({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }),
        isDone: both(rangesAre(['192.0.2.0/24']), async (controller) =>
          controller.keepsRanges('192.0.2.0/24'),
        ),
      },
      {
        act: async (controller) => controller.replaceService(),
        isDone: both(rangesAre(['192.0.2.0/24']), isReady),
      },
    ],
  },
  {
    name: 'the end of a controller',
    platform: 'AWS',
    given: [publish({ scope: 'Internal' }, 1)],
    steps: [
      {
        act: (controller) => controller.deleteController(),
        isDone: async (controller) => !(await controller.exists()),
      },
    ],
  },
  {
    name: 'a flip of scope on Azure, there and back',
    platform: 'Azure',
    given: [publish({ scope: 'External' })],
    steps: [
      change({ scope: 'Internal' }, both(annotationIs(azureInternal, 'true'), isReady)),
      change({ scope: 'External' }, both(annotationIs(azureInternal, undefined), isReady)),
    ],
  },
  {
    name: 'client access on GCP: Global, Local, none',
    platform: 'GCP',
    given: [publish({ scope: 'Internal', ...clientAccess('Global') })],
    steps: [
      change(clientAccess('Local'), annotationIs(globalAccess, 'false')),
      change({ providerParameters: null }, annotationIs(globalAccess, undefined)),
    ],
  },
]

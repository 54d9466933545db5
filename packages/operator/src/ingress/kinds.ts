import { kind } from '@portcullis/kube'
import type { Infrastructure as InfrastructureObject } from '../api/infrastructure.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'

export const IngressController = kind<IngressControllerObject>(
  'operator.openshift.io/v1',
  'IngressController',
)
export const Infrastructure = kind<InfrastructureObject>('config.openshift.io/v1', 'Infrastructure')

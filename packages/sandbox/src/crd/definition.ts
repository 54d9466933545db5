import type { AnyObject, Schema } from '@portcullis/schema'

/** A CustomResourceDefinition, as far as it is used here. */
export interface Definition extends AnyObject {
  spec: DefinitionSpec
  status?: DefinitionStatus
}

export interface DefinitionSpec {
  group: string
  scope: 'Namespaced' | 'Cluster'
  names: DefinitionNames
  versions: DefinitionVersion[]
  conversion?: { strategy: string }
  preserveUnknownFields?: boolean
}

export interface DefinitionNames {
  plural: string
  singular?: string
  kind: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}

export interface DefinitionVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  schema?: { openAPIV3Schema?: Schema }
  subresources?: {
    status?: object
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
  }
  additionalPrinterColumns?: PrinterColumn[]
  selectableFields?: { jsonPath: string }[]
}

export interface PrinterColumn {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  jsonPath: string
  format?: string
  description?: string
  priority?: number
}

export interface DefinitionStatus {
  conditions: DefinitionCondition[] | null
  acceptedNames: Omit<DefinitionNames, 'plural' | 'kind'> & { plural: string; kind: string }
  storedVersions: string[]
}

export interface DefinitionCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime: string
  reason: string
  message: string
}

export function isEstablished({ status }: Definition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  )
}

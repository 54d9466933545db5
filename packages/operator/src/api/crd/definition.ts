import type { z } from 'zod'
import { type StructuralSchema, structuralSchema } from './structural-schema.ts'

/** A CustomResourceDefinition as it is applied. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: Scope
    readonly names: Names & { readonly listKind: string }
    readonly versions: readonly Version[]
  }
}

type Scope = 'Namespaced' | 'Cluster'

interface Names {
  readonly kind: string
  readonly plural: string
  readonly singular: string
}

interface Version {
  readonly name: string
  readonly served: true
  readonly storage: true
  readonly subresources: Subresources
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly schema: { readonly openAPIV3Schema: StructuralSchema }
}

interface Subresources {
  readonly status: Record<string, never>
  readonly scale?: {
    readonly specReplicasPath: string
    readonly statusReplicasPath: string
    readonly labelSelectorPath: string
  }
}

interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly description?: string
}

/** What makes a kind: everything else about its definition follows. */
export interface KindDefinition {
  readonly group: string
  readonly version: string
  readonly scope: Scope
  readonly names: Names
  readonly columns?: readonly PrinterColumn[]
  readonly scale?: NonNullable<Subresources['scale']>
  /** Of spec and status. */
  readonly schema: z.ZodObject
}

export function customResourceDefinition(kind: KindDefinition): CustomResourceDefinition {
  const { group, version, scope, names, columns, scale, schema } = kind
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      scope,
      names: { ...names, listKind: `${names.kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(scale && { scale }) },
          ...(columns && { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: withTypeAndMetadata(structuralSchema(schema)) },
        },
      ],
    },
  }
}

function withTypeAndMetadata({ properties, ...schema }: StructuralSchema): StructuralSchema {
  return {
    ...schema,
    properties: {
      apiVersion: { type: 'string', description: 'The group and version of the API.' },
      kind: { type: 'string', description: 'The kind of object.' },
      metadata: { type: 'object' },
      ...properties,
    },
  }
}

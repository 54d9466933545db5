/** A custom resource with a bit of everything that a definition may ask for. */
export const gadgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.differential.example.com' },
  spec: {
    group: 'differential.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['gd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'string', jsonPath: '.spec.size' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'string', enum: ['small', 'large'], default: 'small' },
                  replicas: { type: 'integer', minimum: 0, maximum: 5, default: 1 },
                  ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
                  name: { type: 'string', maxLength: 5, pattern: '^[a-z]*$' },
                  owner: {
                    type: 'string',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'owner is immutable' }],
                  },
                  port: { 'x-kubernetes-int-or-string': true },
                  maybe: { type: 'string', nullable: true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  tags: {
                    type: 'array',
                    maxItems: 2,
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                  },
                  parts: {
                    type: 'array',
                    maxItems: 4,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['id'],
                    items: {
                      type: 'object',
                      required: ['id'],
                      properties: {
                        id: { type: 'string' },
                        weight: { type: 'integer', default: 10 },
                        color: { type: 'string' },
                      },
                    },
                  },
                  limits: { type: 'object', maxProperties: 3, additionalProperties: { type: 'integer' } },
                },
                'x-kubernetes-validations': [
                  {
                    rule: "!has(self.replicas) || self.replicas < 4 || self.size == 'large'",
                    message: 'many replicas need a large size',
                  },
                ],
              },
              status: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  phase: { type: 'string', enum: ['Ready', 'Broken'] },
                },
              },
            },
          },
        },
      },
    ],
  },
}

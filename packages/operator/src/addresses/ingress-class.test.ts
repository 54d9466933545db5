import type { Cached } from '@portcullis/kube'
import type { Ingress, IngressClass } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import { belongingOf, controllerServing, ingressControllerName } from './ingress-class.ts'

const parameters = { apiGroup: 'operator.openshift.io', kind: 'IngressController', name: 'edge' }
const classes: Record<string, IngressClass> = {
  edge: { spec: { controller: ingressControllerName, parameters } },
  plain: { spec: { controller: ingressControllerName } },
  nginx: { spec: { controller: 'k8s.io/ingress-nginx' } },
  elsewhere: {
    spec: {
      controller: ingressControllerName,
      parameters: { ...parameters, scope: 'Namespace', namespace: 'elsewhere' },
    },
  },
  odd: { spec: { controller: ingressControllerName, parameters: { kind: 'ConfigMap', name: 'x' } } },
}

function belonging({ field, annotation }: { field?: string; annotation?: string }, withoutClass = false) {
  const ingress = {
    metadata: {
      name: 'web',
      ...(annotation !== undefined && { annotations: { 'kubernetes.io/ingress.class': annotation } }),
    },
    spec: field === undefined ? {} : { ingressClassName: field },
  } as unknown as Cached<Ingress>
  return belongingOf(ingress, (name) => classes[name], {
    withoutClass,
    classNames: ['by-name'],
    controllerNamespace: 'here',
  })
}

it('a class of ours leads to the controller that its parameters name, or to the default one', () => {
  expect(belonging({ field: 'edge' })).toEqual({ to: 'edge' })
  expect(belonging({ field: 'plain' })).toEqual({ to: 'default' })
})

it('classes are ours that name the controller portcullis.dev/ingress, and no others', () => {
  expect(controllerServing({ spec: { controller: 'portcullis.dev/ingress' } }, 'here')).toEqual({
    to: 'default',
  })
  expect(controllerServing({ spec: { controller: '' } }, 'here')).toBe('others')
  expect(controllerServing({}, 'here')).toBe('others')
})

it('the old annotation counts only when the field is absent', () => {
  expect(belonging({ annotation: 'edge' })).toEqual({ to: 'edge' })
  expect(belonging({ field: 'nginx', annotation: 'edge' })).toBe('others')
})

it('classes of others, and parameters that are no IngressController, are none of ours', () => {
  expect(belonging({ field: 'nginx' })).toBe('others')
  expect(belonging({ field: 'odd' })).toBe('others')
  expect(belonging({ field: 'elsewhere' })).toBe('otherInstance')
})

it('a class that does not exist tells nothing', () => {
  expect(belonging({ field: 'gone' })).toBe('unknown')
})

it('a class can be ours by its name alone', () => {
  expect(belonging({ field: 'by-name' })).toEqual({ to: 'default' })
})

it('without a class an Ingress is ours only if asked for', () => {
  expect(belonging({})).toBe('others')
  expect(belonging({}, true)).toEqual({ to: 'default' })
})

it.each([
  ['the kind', { ...parameters, apiGroup: 'example.com' }],
  ['the group', { ...parameters, kind: 'IngressControllerTemplate' }],
])(
  'a class of ours whose parameters have only a name and not %s of our controllers is not ours',
  (_, given) => {
    const ingressClass = { spec: { controller: ingressControllerName, parameters: given } }
    expect(controllerServing(ingressClass, 'here')).toBe('others')
  },
)

it('a class that leads to one of our controllers does so also when it is named in the settings', () => {
  const ingress = { metadata: {}, spec: { ingressClassName: 'by-name' } } as unknown as Cached<Ingress>
  const rules = { withoutClass: false, classNames: ['by-name'], controllerNamespace: 'here' }
  expect(belongingOf(ingress, () => classes['edge'], rules)).toEqual({ to: 'edge' })
  expect(belongingOf(ingress, () => undefined, rules)).toEqual({ to: 'default' })
})

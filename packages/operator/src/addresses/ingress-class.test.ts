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

it('A class of ours leads to the controller that its parameters name, or to the default controller', () => {
  expect(belonging({ field: 'edge' })).toEqual({ to: 'edge' })
  expect(belonging({ field: 'plain' })).toEqual({ to: 'default' })
})

it('A class is ours if it names the controller portcullis.dev/ingress', () => {
  expect(controllerServing({ spec: { controller: 'portcullis.dev/ingress' } }, 'here')).toEqual({
    to: 'default',
  })
  expect(controllerServing({ spec: { controller: '' } }, 'here')).toBe('others')
  expect(controllerServing({}, 'here')).toBe('others')
})

it('The class annotation counts only when the field is absent', () => {
  expect(belonging({ annotation: 'edge' })).toEqual({ to: 'edge' })
  expect(belonging({ field: 'nginx', annotation: 'edge' })).toBe('others')
})

it('A class of another controller, or with parameters that are no IngressController, is not ours', () => {
  expect(belonging({ field: 'nginx' })).toBe('others')
  expect(belonging({ field: 'odd' })).toBe('others')
  expect(belonging({ field: 'elsewhere' })).toBe('otherInstance')
})

it('A class that does not exist leaves open whose it is', () => {
  expect(belonging({ field: 'gone' })).toBe('unknown')
})

it('A class can be ours by its name alone', () => {
  expect(belonging({ field: 'by-name' })).toEqual({ to: 'default' })
})

it('An Ingress without a class is ours only if the settings say so', () => {
  expect(belonging({})).toBe('others')
  expect(belonging({}, true)).toEqual({ to: 'default' })
})

it.each([
  ['the kind', { ...parameters, apiGroup: 'example.com' }],
  ['the group', { ...parameters, kind: 'IngressControllerTemplate' }],
])(
  'A class of ours whose parameters have only a name and not %s of our controllers is not ours',
  (_, given) => {
    const ingressClass = { spec: { controller: ingressControllerName, parameters: given } }
    expect(controllerServing(ingressClass, 'here')).toBe('others')
  },
)

it('A class that leads to one of our controllers does so also when it is named in the settings', () => {
  const ingress = { metadata: {}, spec: { ingressClassName: 'by-name' } } as unknown as Cached<Ingress>
  const rules = { withoutClass: false, classNames: ['by-name'], controllerNamespace: 'here' }
  expect(belongingOf(ingress, () => classes['edge'], rules)).toEqual({ to: 'edge' })
  expect(belongingOf(ingress, () => undefined, rules)).toEqual({ to: 'default' })
})
